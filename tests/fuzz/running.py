"""Cases of a target, each from a seed of its own, within bounds of time and memory."""

import contextlib
import os
import resource
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import numpy as np

from pliant.errors import PliantError

LONGEST = 5.0  # [s] of a case
LARGEST = 1 << 20  # kilobytes that the process may grow by
FIRST = 40  # cases that are run before those that count


class Fault(NamedTuple):
    """What a case did that it must not, and the seed that does it again."""

    target: str
    seed: int
    reason: str


class Hung(BaseException):
    """Raised by the alarm."""


def _ring(*_):
    raise Hung


def _data() -> int:
    """Bytes that the process has asked for."""
    with open("/proc/self/statm") as stream:
        return int(stream.read().split()[5]) * resource.getpagesize()


def run_case(target: Callable, seed: int, folder: Path) -> str | None:
    """What went wrong, if anything."""
    limits = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (_data() + 1024 * LARGEST, limits[1]))
    before = signal.signal(signal.SIGALRM, _ring)
    signal.setitimer(signal.ITIMER_REAL, 4 * LONGEST)
    size, begun = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            target(np.random.default_rng(seed), folder)
    except PliantError:
        pass
    except Hung:
        return "does not end"
    except BaseException as error:
        return f"{type(error).__name__}: {str(error)[:120]}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        resource.setrlimit(resource.RLIMIT_DATA, limits)
    if time.process_time() - begun > LONGEST:
        return f"takes more than {LONGEST:g} s"
    if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - size > LARGEST:
        return "takes more than a gigabyte"
    return None


@contextlib.contextmanager
def own_folder() -> Iterator[Path]:
    """For files, and for the cache: what is built of spoilt scenes is of no use to anyone."""
    with tempfile.TemporaryDirectory() as name, patch.dict(os.environ, PLIANT_CACHE=f"{name}/cache"):
        yield Path(name)


def compile_ahead(target: Callable) -> None:
    """Run some cases without bounds: the first of a machine wait for the compiler."""
    with own_folder() as folder, warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for seed in range(FIRST):
            with contextlib.suppress(Exception):
                target(np.random.default_rng(seed), folder)


@contextlib.contextmanager
def _told_of(target: Callable, seeds: list[int]) -> Iterator[None]:
    """Compiled code hears no alarm: within, a case that goes on and on is told of while it does."""
    over, last = threading.Event(), -1

    def watch() -> None:
        nonlocal last
        while not over.wait(8 * LONGEST):
            if seeds[0] == last:
                print(f"{target.__name__} {last} has not ended for {8 * LONGEST:g} s", file=sys.stderr, flush=True)
            last = seeds[0]

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        over.set()


def attack(target: Callable, seconds: float, first: int = 0) -> tuple[int, list[Fault]]:
    """How many cases there were in so much processor time, or five times as much of the clock's, and their faults."""
    faults, seeds, end, late = [], [first], time.process_time() + seconds, time.monotonic() + 5 * seconds
    with own_folder() as folder, _told_of(target, seeds):
        while time.process_time() < end and time.monotonic() < late:
            reason = run_case(target, seeds[0], folder)
            faults += [] if reason is None else [Fault(target.__name__, seeds[0], reason)]
            seeds[0] += 1
    return seeds[0] - first, faults
