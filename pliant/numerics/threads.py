"""Work on many things of which each is done by itself, over the cores that there are."""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from pliant.numerics.pardiso import factor_with_one_thread

Given = TypeVar("Given")
Result = TypeVar("Result")


def in_threads(work: Callable[[Given], Result], things: Iterable[Given]) -> Iterable[Result]:
    """Results in order. Factorisations and compiled loops leave the interpreter free, so threads share the cores."""
    work_ahead = list(things)
    workers = min(len(work_ahead), os.cpu_count() or 1)
    if workers < 2:
        yield from map(work, work_ahead)
        return
    with ThreadPoolExecutor(workers, initializer=factor_with_one_thread) as pool:
        yield from pool.map(work, work_ahead)
