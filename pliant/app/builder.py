"""Long work beside the simulation: one job at a time, the newest wins."""

import queue
import threading
from collections.abc import Callable
from typing import TypeVar

from pliant.numerics.compiling import telling_of_compiling
from pliant.numerics.progress import Report

T = TypeVar("T")
PATIENCE = 3.0  # [s] that a new job waits for one that nobody waits for any more
IDLE = 60.0  # [s] that a thread waits for another job; libraries keep memory for every thread that ever called them
MOST = 2  # jobs that run, one of them superseded: it may be inside a library that cannot be stopped


class Superseded(BaseException):
    """Raised inside a job that nobody waits for any more; not an Exception, so that no job catches it."""


class Builder:
    """Runs jobs in threads beside this one; of several only the last one's result is delivered.

    A job is superseded when the next is started: it ends where it reports progress, and the next begins then, or after
    `PATIENCE` beside it. Jobs that are superseded before they begin never do.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._ticket, self._running, self._workers = 0, 0, 0
        self._given: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._next: Callable[[], None] | None = None
        self._waiting = False

    def cancel(self) -> None:
        """Nobody waits for the running job any more."""
        with self._changed:
            self._ticket += 1
            self._next = None
            self._changed.notify_all()

    def start(
        self,
        job: Callable[[Report], T],
        progress: Report,
        done: Callable[[T], None],
        failed: Callable[[Exception], None],
    ) -> None:
        """Run `job(progress)` and then `done(result)` or `failed(reason)`, all in a thread of its own."""
        self.cancel()
        mine = self._ticket

        def current() -> bool:
            return self._ticket == mine

        def report(stage: str, fraction: float) -> None:
            if not current():
                raise Superseded
            progress(stage, fraction)

        def work() -> None:
            try:
                with telling_of_compiling(report) as telling:
                    result = job(telling)
            except Superseded:
                return
            except Exception as reason:
                if current():
                    failed(reason)
                return
            if current():
                done(result)

        with self._changed:
            self._next = work
            if not self._waiting:
                self._waiting = True
                threading.Thread(target=self._serve, name="pliant-builds", daemon=True).start()
            self._changed.notify_all()

    def _serve(self) -> None:
        """Begin what is next once there is room for it; end when nothing is."""
        while True:
            with self._changed:
                self._changed.wait_for(self._has_room, timeout=PATIENCE)
                if self._next is None:
                    self._waiting = False
                    return
                if self._running >= MOST:
                    continue
                self._given.put(self._next)
                self._next = None
                self._running += 1
                if self._running > self._workers:
                    self._workers += 1
                    threading.Thread(target=self._work, name="pliant-build", daemon=True).start()

    def _has_room(self) -> bool:
        return self._next is None or self._running == 0

    def _work(self) -> None:
        """Take one job after the other, until none has come for a while."""
        while True:
            try:
                work = self._given.get(timeout=IDLE)
            except queue.Empty:
                with self._changed:
                    if self._given.empty():
                        self._workers -= 1
                        return
                continue
            try:
                work()
            finally:
                with self._changed:
                    self._running -= 1
                    self._changed.notify_all()
            del work  # and all that it holds
