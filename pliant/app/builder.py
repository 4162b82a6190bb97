"""Long work beside the simulation: one job at a time, the newest wins."""

import threading
from collections.abc import Callable
from typing import TypeVar

from pliant.numerics.progress import Report

T = TypeVar("T")


class Superseded(BaseException):
    """Raised inside a job that nobody waits for any more; not an Exception, so that no job catches it."""


class Builder:
    """Runs jobs in threads of their own; of several only the last one's result is delivered."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ticket = 0

    def cancel(self) -> None:
        """Nobody waits for the running job any more."""
        with self._lock:
            self._ticket += 1

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
                result = job(report)
            except Superseded:
                return
            except Exception as reason:
                if current():
                    failed(reason)
                return
            if current():
                done(result)

        threading.Thread(target=work, name="pliant-build", daemon=True).start()
