"""One simulation in a thread of its own, in real time; viewers take the newest frame and never hold it up."""

import logging
import queue
import threading
import time
from collections.abc import Callable, Mapping
from typing import Protocol

from pliant.app.messages import Command, Set
from pliant.app.packing import Geometry
from pliant.app.reports import Notice, Progress, Report, Status
from pliant.app.session import Session
from pliant.app.sources import SceneSource
from pliant.errors import ArgumentError
from pliant.export import Recording

FRAME = 1 / 60
MOST_COMMANDS = 500  # a tick; the rest waits for the next

log = logging.getLogger("pliant.live")


class Listener(Protocol):
    """Hears frames and reports in the live thread; must not block."""

    def on_frame(self, frame: bytes) -> None: ...

    def on_report(self, report: Report, client: int | None) -> None: ...


class Live:
    """A running simulation that any number of viewers can watch and touch.

    Args:
        scenes: what can be shown, by name; the first one is built at the start.
    """

    def __init__(self, scenes: Mapping[str, SceneSource]):
        self._inbox: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._lock, self._waiting = threading.Lock(), dict[int, Set]()
        self._listeners: tuple[Listener, ...] = ()
        self._closing = threading.Event()
        self.session = Session(scenes, self._tell, self._inbox.put)
        self._thread = threading.Thread(target=self._run, name="pliant-live", daemon=True)

    def start(self) -> "Live":
        """Build the first scene and let it run."""
        self.session.begin()
        self._thread.start()
        return self

    def close(self) -> None:
        """Stop the thread; it can not be started again."""
        self._closing.set()
        self._inbox.put(lambda: None)
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    def __enter__(self) -> "Live":
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    # For viewers, from any thread

    def submit(self, command: Command, client: int = 0) -> None:
        """Queue a command. Settings of one client that wait together are made one, since some take a while."""
        if not isinstance(command, Set):
            self._inbox.put(lambda: self.session.apply(command, client))
            return
        with self._lock:
            before = self._waiting.get(client)
            said = command.model_dump(exclude_none=True)
            self._waiting[client] = command if before is None else before.model_copy(update=said)
        if before is None:
            self._inbox.put(lambda: self._change(client))

    def _change(self, client: int) -> None:
        with self._lock:
            command = self._waiting.pop(client)
        self.session.apply(command, client)

    def admit(self, name: str, source: SceneSource) -> None:
        """Queue something new to show."""
        self._inbox.put(lambda: self.session.admit(name, source))

    def leave(self, client: int) -> None:
        """Queue the end of a client."""
        self._inbox.put(lambda: self.session.depart(client))

    def listen(self, listener: Listener) -> None:
        """From now on `listener` hears everything."""
        self._listeners = (*self._listeners, listener)

    @property
    def frame(self) -> bytes:
        """The newest frame."""
        return self.session.frame

    @property
    def status(self) -> Status:
        """What pages show besides the shape."""
        return self.session.status

    @property
    def progress(self) -> Progress:
        """Of what is built now."""
        return self.session.progress

    def geometry(self, number: int) -> Geometry:
        """The geometry that is drawn now, if it still has this number."""
        stage = self.session.stage
        geometry = None if stage is None else stage.geometry
        if geometry is None or geometry.number != number:
            raise ArgumentError(f"geometry {number} is gone; the scene has changed")
        return geometry

    def is_past(self, number: int) -> bool:
        """Was this the number of a geometry before the one that is drawn now?"""
        stage = self.session.stage
        return stage is not None and 0 < number < stage.geometry.number

    @property
    def recording(self) -> Recording:
        """The last finished recording."""
        recording = self.session.recording
        if recording is None:
            raise ArgumentError("nothing is recorded yet; start and stop a recording first")
        return recording

    def wait(self, until: Callable[[Session], bool], timeout: float = 10.0) -> None:
        """Block until something is true of the session, for scripts and tests."""
        end = time.monotonic() + timeout
        while not until(self.session):
            if time.monotonic() > end:
                raise TimeoutError("the live session did not get there in time")
            time.sleep(0.005)

    def __repr__(self) -> str:
        return f"Live({self.session}, {len(self.session.scenes)} scenes)"

    # The thread

    def _run(self) -> None:
        due = time.monotonic()
        while not self._closing.is_set():
            try:
                self._obey(due)
                due = max(due + FRAME, time.monotonic())
                if self.session.tick(time.monotonic()):
                    self._show(self.session.frame)
            except Exception as reason:
                log.exception("the live session stumbled")
                self.session.playing = False
                self._tell(Notice(f"something went wrong inside pliant, and time is held: {reason}", "error"), None)

    def _obey(self, until: float) -> None:
        """Do what was asked until the next frame is due."""
        for _ in range(MOST_COMMANDS):
            try:
                self._inbox.get(timeout=max(0.0, until - time.monotonic()))()
            except queue.Empty:
                return

    def _show(self, frame: bytes) -> None:
        for listener in self._listeners:
            listener.on_frame(frame)

    def _tell(self, report: Report, client: int | None) -> None:
        for listener in self._listeners:
            listener.on_report(report, client)
