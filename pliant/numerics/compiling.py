"""Says when something is compiled, which happens once on a machine: a stage then takes far longer than ever after."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import event

from pliant.numerics.progress import COMPILING, Report

ONCE = "compiling, once on this machine"


class _Listener(event.Listener):
    """Of one thread."""

    def __init__(self, tell: Report):
        self._tell, self._thread = tell, threading.get_ident()
        self.stage, self.fraction = "", 0.0

    def on_start(self, event: Any) -> None:
        if threading.get_ident() == self._thread and not self.stage.endswith(ONCE):
            self.stage = ONCE if self.stage in ("", COMPILING) else f"{self.stage}; {ONCE}"
            self._tell(self.stage, self.fraction)

    def on_end(self, event: Any) -> None:
        """It may go on with the next function; a stage that begins says that it is over."""


@contextmanager
def telling_of_compiling(tell: Report) -> Iterator[Report]:
    """Within it, the report to use in place of `tell`, which is also told once a stage that this thread compiles."""
    listener = _Listener(tell)

    def report(stage: str, fraction: float) -> None:
        if not listener.stage.startswith(stage):
            listener.stage = stage
        listener.fraction = fraction
        tell(listener.stage, fraction)

    with event.install_listener("numba:compile", listener):
        yield report
