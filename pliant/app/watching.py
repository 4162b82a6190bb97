"""A page that shows a system while a program steps it, and lets people pull at it: `pl.view`.

The page has no thread that steps. The program calls `update` between its steps, which sends the pose and does what
people asked for, so that nothing ever touches the system while a step runs.
"""

import html
import threading
import time
import webbrowser

from pliant.app import messages
from pliant.app.live import FRAME, Live
from pliant.app.messages import Command
from pliant.app.reports import Notice
from pliant.app.server import Server
from pliant.app.session import Session
from pliant.app.sources import SceneSource
from pliant.app.stage import Stage
from pliant.systems import System
from pliant.systems.system import check_system

HANDS = (messages.Grab, messages.Move, messages.Release, messages.TurnInterface, messages.Keep, messages.Free)
TOUCHES = (*HANDS, messages.Record, messages.Probe, messages.Inspect)
OURS = "a program runs this simulation; pull at it here, and change it there"
OPENS = 60.0  # [s] that a page may take to be prepared


class WatchedSession(Session):
    """A session whose time is that of a program: people may pull and record, all else is up to the program."""

    def apply(self, command: Command, client: int) -> None:
        if isinstance(command, TOUCHES):
            super().apply(command, client)
        else:
            self._tell(Notice(OURS, "error"), client)

    def admit(self, _name: str, _source: SceneSource) -> None:
        """Nothing but the system of the program is shown."""
        self._tell(Notice(OURS, "error"), None)

    def _catch_up(self, _stage: Stage, _now: float) -> None:
        for hand in (*self.grips.values(), *self.pins):
            hand.aim()


class Watched(Live):
    """What viewers see of it; without a thread of its own, `look` does what is due."""

    def __init__(self, system: System, title: str):
        source = SceneSource(build=lambda _: system, title=title)
        super().__init__({title: source})
        self.session = WatchedSession({title: source}, self._tell, self._inbox.put)

    def start(self) -> "Watched":
        self.session.begin()
        end = time.monotonic() + OPENS
        while self.session.stage is None and time.monotonic() < end:
            self._obey(time.monotonic() + FRAME)
        self.look()
        return self

    def look(self) -> None:
        """Do what people asked for, and show what the system looks like now."""
        self._obey(time.monotonic())
        if self.session.tick(time.monotonic()):
            self._show(self.session.frame)


class Viewer:
    """A page in the browser; made by `pl.view`.

    Attributes:
        url: where the page is. It holds a token, so whoever has the address may look and pull.
    """

    def __init__(self, system: System, host: str, port: int, title: str):
        self._live = Watched(system, title).start()
        self._server = Server(self._live, host, port)
        self.url = self._server.address
        self._due = 0.0
        self._thread = threading.Thread(target=self._server.run, name="pliant-view", daemon=True)
        self._thread.start()

    def update(self) -> None:
        """Send the pose and let people's hands act; cheap after every step, since it looks 60 times a second."""
        now = time.monotonic()
        if now >= self._due:
            self._due = now + FRAME
            self._live.look()

    def close(self) -> None:
        """Let go of the system and end the page; once more does nothing."""
        self._live.session.drop_hands()
        self._server.stop()
        self._thread.join(timeout=5)

    def __enter__(self) -> "Viewer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        """Without the token, which lets people in."""
        return f"Viewer({self.url.rsplit('/', 2)[0]}/...)"

    def _repr_html_(self) -> str:
        return f'<a href="{html.escape(self.url)}" target="_blank">{html.escape(self._live.session.on_stage.name)}</a>'


def view(
    system: System, *, host: str = "127.0.0.1", port: int = 0, title: str = "pliant", browser: bool = True
) -> Viewer:
    """Show a system in the browser while a program steps it; returns at once.

    Args:
        system: of any kind. It stays the program's: nothing but `update` touches it.
        host: address of this machine to listen on; others can only connect where it is not loopback.
        port: 0 takes a free one.
        title: of the page.
        browser: open the page; without it, open `viewer.url`.

    Returns:
        A `Viewer`, with `update()`, `url` and `close()`; `with pl.view(system) as viewer:` closes it.

    Example:
        viewer = pl.view(system)
        while True:
            system.step()
            viewer.update()
    """
    viewer = Viewer(check_system(system), host, port, title)
    if browser:
        threading.Thread(target=webbrowser.open, args=(viewer.url,), daemon=True).start()
    return viewer
