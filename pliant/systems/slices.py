"""Steps in slices: state and time agree whenever an interrupt (Ctrl-C) is heard, and it is heard soon.

Python hears an interrupt when compiled code returns, before anything else: the state has moved then, and the time has
not. So interrupts wait while a slice is taken and its time is written, and slices are short. How long a slice is
depends on the clock, so nothing else may depend on how steps are sliced.
"""

from __future__ import annotations

import _signal
from _thread import get_ident
from collections.abc import Callable
from signal import SIGINT
from threading import main_thread
from time import perf_counter
from typing import Any, TypeVar

Result = TypeVar("Result")
SLICE = 0.01  # [s], about; the longest in sight of an interrupt is 0.05
GROWTH = 8  # of a slice from one to the next, since the first steps are no measure
TIMED = 8  # steps in a slice where what acts depends on the time, whose rounding depends on where slices begin


Take = Callable[[int, int], bool]  # (steps, done): takes steps after those that are done; may it go on?


def in_slices(count: int, size: int, take: Take) -> int:
    """Take `count` steps, `size` of them in the first slice; returns how many to begin with the next time."""
    done, goes_on = 0, True
    while goes_on and done < count:
        steps, start = min(size, count - done), perf_counter()
        goes_on = uninterrupted(take, steps, done)
        done += steps
        size = next_size(steps, size, perf_counter() - start)
    return size


def in_equal_slices(count: int, size: int, take: Take) -> None:
    """Take `count` steps, `size` of them in each slice."""
    for done in range(0, count, size):
        if not uninterrupted(take, min(size, count - done), done):
            return


def next_size(steps: int, size: int, elapsed: float) -> int:
    """Of a slice, after one of these steps, which may have been cut off, took so long [s]."""
    if elapsed <= 0:
        return GROWTH * size
    return max(1, min(GROWTH * size, int(steps * SLICE / elapsed)))


def uninterrupted(work: Callable[..., Result], *given: Any) -> Result:
    """What `work` returns, with interrupts put off until it is done."""
    before = _signal.getsignal(SIGINT) if get_ident() == main_thread().ident else None
    if not callable(before):  # other threads hear none, and what ignores them needs no delay
        return work(*given)
    heard: list[tuple[Any, ...]] = []
    _signal.signal(SIGINT, lambda *signal: heard.append(signal))
    try:
        return work(*given)
    finally:
        _signal.signal(SIGINT, before)
        if heard:
            before(*heard[0])
