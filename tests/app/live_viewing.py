"""For tests of the page: a served session, and a page that shows it."""

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from pliant.app.live import Live
from pliant.app.packing import frame_number
from pliant.app.server import THREE, Server

SMALL_WINDOW = {"width": 900, "height": 560}


@contextmanager
def running(server):
    """A server in a thread of its own."""
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stop()
        thread.join(timeout=10)
        assert not thread.is_alive(), "the server did not stop"


@contextmanager
def served(scenes):
    """A live session and its address."""
    if not THREE.is_file():
        pytest.skip("the page lacks three.js; run: npm ci && python -m pliant.app.vendor")
    with Live(scenes) as live:
        live.wait(lambda session: session.stage is not None, timeout=60)
        with running(Server(live)) as server:
            yield live, server.address


def finish(talk):
    """Run a coroutine to its end, in a thread since the browser's own loop runs in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, talk).result(timeout=60)


class Viewer:
    """A page that shows a live session, and what went wrong on it."""

    def __init__(self, page, live, address):
        self.page, self.live, self.address, self.errors = page, live, address, []
        page.on("console", lambda message: message.type == "error" and self.errors.append(message.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def open(self, query=""):
        self.page.goto(self.address + query)
        self.until(lambda: self.page.evaluate("!!window.pliant") and self.state["geometry"] and self.state["drawn"] > 1)
        return self

    @property
    def state(self):
        return self.page.evaluate("pliant.state()")

    @property
    def session(self):
        return self.live.session

    def until(self, true, timeout=20.0):
        # Playwright's own waiting evaluates text on the page, which the page's security policy forbids.
        end = time.monotonic() + timeout
        while not true():
            assert time.monotonic() < end, f"it did not happen within {timeout} s; the page says {self.errors}"
            time.sleep(0.03)

    def catch_up(self):
        """Wait until the page shows the geometry that is on stage."""
        self.until(self._shows_the_stage)

    def _shows_the_stage(self):
        state = self.state  # read once: the page may change between two looks
        return state["ready"] and state["geometry"] == self.session.stage.geometry.number

    def settle(self):
        """Wait until the page has drawn the newest frame of a held simulation."""
        self.until(lambda: not self.session.playing)
        self.until(lambda: self.state["frame"] >= frame_number(self.live.frame))
        self.page.wait_for_timeout(150)

    def press(self, name):
        self.page.get_by_role("button", name=name, exact=True).click()
