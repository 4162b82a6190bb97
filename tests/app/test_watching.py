"""`pl.view`: a program steps a system, the page sees it and people pull, and nothing touches it but `update`."""

import asyncio
import contextlib
import json
import threading
import time
from urllib.parse import urlsplit

import numpy as np
import pytest
from live_viewing import SMALL_WINDOW, Viewer, finish
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

import pliant as pl
from pliant.app.packing import frame_number
from pliant.app.server import THREE
from pliant.errors import ArgumentError

pytestmark = pytest.mark.skipif(not THREE.is_file(), reason="the page lacks three.js; run: npm ci")
SOON = 20.0  # [s]


@pytest.fixture
def system():
    mesh = pl.shapes.bar((1, 0.1, 0.1), (8, 2, 2))
    solid = pl.Solid(mesh, pl.StVK(1e6, 0.3, 1000), fixed="x < 1e-9")
    return pl.Clamped(pl.reduce(solid, pl.modal_basis(solid, modes=4, size=6)), 0.002, damping=(1, 0.01), gravity=None)


@pytest.fixture
def viewer(system):
    with pl.view(system, browser=False, title="a bar") as made:
        yield made


class Client:
    """A page without a screen, in a thread of its own: says some commands, then notes what it hears."""

    def __init__(self, url, *commands):
        self.url, self.commands, self.frames, self.reports = url, commands, [], []
        self._loop, self._thread = asyncio.new_event_loop(), threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        with contextlib.suppress(ConnectionClosed):
            self._loop.run_until_complete(self._talk())

    async def _talk(self):
        parts = urlsplit(self.url)
        where = f"ws://{parts.netloc}{parts.path}live"
        async with connect(where, origin=f"http://{parts.netloc}", compression=None) as socket:
            for command in self.commands:
                await socket.send(json.dumps(command))
            async for message in socket:
                if isinstance(message, bytes):
                    self.frames.append(frame_number(message))
                    await socket.send(json.dumps({"kind": "seen", "frame": self.frames[-1]}))
                else:
                    self.reports.append(json.loads(message))


def run(system, viewer, until, steps=2):
    """The loop of a program."""
    end = time.monotonic() + SOON
    while not until():
        assert time.monotonic() < end, "it did not get there in time"
        system.step(steps)
        viewer.update()
        time.sleep(0.001)


def test_page_sees_what_the_program_steps(system, viewer):
    client = Client(viewer.url)
    run(system, viewer, lambda: len(client.frames) > 10)
    assert client.frames == sorted(set(client.frames))


def test_time_is_that_of_the_program(system, viewer):
    """Nobody but the program steps, whatever a page asks for."""
    asked = ({"kind": "play"}, {"kind": "step", "count": 5}, {"kind": "reset"}, {"kind": "set", "stiffness": 2.0})
    client = Client(viewer.url, *asked)
    end = time.monotonic() + SOON
    while sum("a program runs this simulation" in json.dumps(report) for report in client.reports) < len(asked):
        assert time.monotonic() < end
        viewer.update()
        time.sleep(0.01)
    assert system.time == 0.0
    assert not system.q.any()


def test_people_pull_at_it(system, viewer):
    tip = int(np.argmax(system.mesh.vertices[:, 0]))
    goal = system.mesh.vertices[tip] + [0, 0.1, 0]
    Client(viewer.url, {"kind": "grab", "vertex": tip, "target": goal.tolist()})
    run(system, viewer, lambda: np.linalg.norm(system.vertices()[tip] - goal) < 1e-3)
    viewer.close()
    assert system.holds == ()


def test_update_looks_sixty_times_a_second(system, viewer):
    before = frame_number(viewer._live.frame)
    begun = time.monotonic()
    for _ in range(2000):
        viewer.update()
    most = 2 + 60 * (time.monotonic() - begun)
    assert frame_number(viewer._live.frame) - before <= most


def test_address_without_its_token_is_refused(viewer):
    async def knock():
        parts = urlsplit(viewer.url)
        async with connect(f"ws://{parts.netloc}/wrong/live", origin=f"http://{parts.netloc}"):
            pass

    assert viewer.url.split("/")[3] not in repr(viewer)
    with pytest.raises(InvalidStatus):
        finish(knock())


def test_close_ends_the_server(system):
    viewer = pl.view(system, browser=False)
    viewer.close()
    viewer.close()
    assert not viewer._thread.is_alive()


def test_what_is_no_system_is_refused():
    with pytest.raises(ArgumentError, match="pl.Clamped"):
        pl.view("spoon", browser=False)


def test_page_draws_it(browser, system, viewer):
    page = browser.new_context(viewport=SMALL_WINDOW).new_page()
    shown, done = Viewer(page, viewer._live, viewer.url), threading.Event()

    def program():
        while not done.is_set():
            system.step(2)
            viewer.update()
            time.sleep(0.005)

    loop = threading.Thread(target=program)
    loop.start()
    try:
        shown.open()
    finally:
        done.set()
        loop.join()
        page.context.close()
    assert not shown.errors
