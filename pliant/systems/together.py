"""Many systems at once, over threads: compiled loops let go of the interpreter's lock."""

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from pliant.errors import ArgumentError, PliantError, check_count
from pliant.systems.system import System, check_system


def step_all(systems: Iterable[System], count: int = 1, threads: int | None = None) -> None:
    """Advance every system by `count` steps of its own dt, side by side.

    Compiled loops release the GIL, so systems of any kind run on as many cores as there are threads. What each of them
    does is what `system.step(count)` does, to the last bit. Calls with few steps gain little: a call costs some
    microseconds of the interpreter, which the threads share.

    A system that fails does not stop the others: all of them take their steps, or stand at their last good state. Then
    the first error is raised, and a note on it names the systems that failed.

    Args:
        systems: all different; they may share models and materials.
        count: steps of each.
        threads: at most; None: as many as there are cores.

    Raises:
        Diverged: a system found no solution.

    Example:
        pl.step_all([pl.Clamped(model, 0.01, damping=(0, beta)) for beta in (0, 0.01, 0.02)], 100)
    """
    members, steps = _checked(systems), check_count("count", count, at_least=0)
    cores = os.cpu_count() or 1 if threads is None else check_count("threads", threads)
    workers = min(cores, len(members))
    others = [_pool(cores).submit(_step_each, members[k::workers], steps) for k in range(1, workers)]
    failed = _step_each(members[::workers] if workers else [], steps)
    for other in others:
        failed |= other.result()
    if failed:
        _raise_first({k: failed[id(each)] for k, each in enumerate(members) if id(each) in failed}, len(members))


def _checked(systems: Iterable[System]) -> list[System]:
    members = [check_system(each) for each in systems]
    if len({id(each) for each in members}) < len(members):
        raise ArgumentError("systems must all be different; one is there twice, and two threads cannot step it")
    return members


def _step_each(systems: Sequence[System], count: int) -> dict[int, PliantError]:
    """What failed, by the identity of the system."""
    failed = {}
    for each in systems:
        try:
            each.step(count)
        except PliantError as error:
            failed[id(each)] = error
    return failed


def _raise_first(failed: dict[int, PliantError], total: int) -> None:
    number, error = next(iter(failed.items()))
    also = ", ".join(str(k) for k in failed if k != number)
    error.add_note(
        f"of systems 0 to {total - 1} this is {number}"
        + (f"; {also} failed as well" if also else "")
        + "; all others took their steps"
    )
    raise error


@cache
def _pool(cores: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(cores, thread_name_prefix="pliant-step")
