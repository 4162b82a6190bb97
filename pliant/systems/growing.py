"""How many columns parts need for a tolerance: they grow until the full model finds no more error than that.

columns ~ GROWTH^k,   k = 0, 1, ...,   until max `errors`_k <= tolerance or r_k+1 > most
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from pliant.basis.size_report import SizeReport
from pliant.errors import ArgumentError, Array
from pliant.numerics.progress import Progress, report
from pliant.reduced.cache import ROOMS, cached_arrays

GROWTH = 1.3
STEPS = 14
ATTEMPTS = 3  # at growing on what was held out before
BELOW = 2  # steps below the usual number of columns: where growing begins
FALLS = 0.9  # what is left of an error where more columns help
MOST = 500  # coordinates of all parts together
REMEDY = "cut the solid into more parts"


Made = TypeVar("Made")


def scaled(count: int, step: int) -> int:
    """Columns of a step, those of step BELOW being the usual `count`; at least one more every step."""
    sizes = [round(count * GROWTH ** (k - BELOW)) for k in range(step + 1)]
    return max(size + step - k for k, size in enumerate(sizes))


def _width(columns: Any) -> int:
    """Of (3n, r) columns, r."""
    return int(columns.shape[1])


def grown(
    made: Callable[[int], Made],
    errors: Callable[[Made], Array],
    tolerance: float,
    most: int,
    progress: Progress = None,
    first: int = 0,
    size: Callable[[Made], int] = _width,
    patience: int = STEPS,
) -> tuple[int, SizeReport]:
    """The first step whose columns meet the tolerance, or the one that errs least, and what was measured.

    Args:
        made: columns (3n, r) of a step, or what has them; all of them span more than those before.
        errors: (s,) of what was made.
        most: columns that are allowed; those of the first step are in any case.
        first: step to begin with.
        size: how many columns something has.
        patience: steps in which errors must fall by a tenth; where they do not, more columns are no help.
    """
    sizes, found, worst = list[int](), list[Array](), list[float]()
    for step in range(first, STEPS):
        tried = made(step)
        if sizes and not sizes[-1] < size(tried) <= most:
            break
        sizes.append(size(tried))
        found.append(errors(tried))
        worst.append(found[-1].max(initial=0.0))
        report(progress, "columns for the tolerance", (step + 1) / STEPS)
        if worst[-1] <= tolerance or _stalls(worst, patience):
            break
    report(progress, "columns for the tolerance", 1.0)
    best = int(np.argmin(worst))
    return first + best, SizeReport(sizes[best], tolerance, np.array(sizes), np.stack(found))


def _stalls(worst: list[float], patience: int) -> bool:
    return len(worst) > patience and min(worst[-patience:]) > FALLS * min(worst[:-patience])


def attempted(search: Callable[[int, int], tuple[int, SizeReport]]) -> tuple[int, int, SizeReport]:
    """The attempt that met the tolerance, or the last one, its step, and what was measured.

    Args:
        search: of an attempt and the step it begins with; each has learned what those before it held out.
    """
    attempt, (step, measured) = 0, search(0, 0)
    while measured.error > measured.tolerance and attempt < ATTEMPTS - 1:
        attempt += 1
        step, found = search(attempt, step)
        measured = _joined(measured, found)
    return attempt, step, measured


def _joined(before: SizeReport, now: SizeReport) -> SizeReport:
    """What is measured now, with the smaller sizes of before, where as many loads were held out."""
    smaller = before.sizes < now.sizes[0]
    if before.errors.shape[1] != now.errors.shape[1] or not smaller.any():
        return now
    sizes, errors = np.append(before.sizes[smaller], now.sizes), np.concatenate([before.errors[smaller], now.errors])
    return replace(now, sizes=sizes, errors=errors)


def kept_search(
    key: Any, search: Callable[[], tuple[int, SizeReport]], rooms: tuple[str, ...] = ROOMS
) -> tuple[int, SizeReport]:
    """What a search found, from the cache where it was made before; rooms: whose code it depends on."""

    def build() -> dict[str, Array]:
        step, made = search()
        asked = np.array([step, made.size, made.tolerance, made.reach, made.inverted])
        return {"asked": asked, "sizes": made.sizes, "errors": made.errors}

    found = cached_arrays(key, build, rooms)
    step, size, tolerance, reach, inverted = found["asked"].tolist()
    return int(step), SizeReport(
        int(size), tolerance, found["sizes"].astype(np.int64), found["errors"], reach, inverted
    )


def refuse_with_tolerance(**given: object) -> None:
    """Counts of columns that a tolerance chooses."""
    if said := [name for name, value in given.items() if value is not None]:
        raise ArgumentError(f"tolerance chooses {', '.join(given)}, and {said[0]} was given; leave one of them out")


def refuse_without_tolerance(loads: object, most: int) -> None:
    """What only a tolerance makes use of."""
    if said := [name for name, value in (("loads", loads is not None), ("most", most != MOST)) if value]:
        raise ArgumentError(f"{said[0]} is for a tolerance, and none was given; give tolerance=, or leave it out")
