"""How many columns parts need for a tolerance: they grow until the full model finds no more error than that.

soft and inner columns ~ GROWTH^k,   k = 0, 1, ...,   until max `errors`(U_k) <= tolerance or r_k+1 > most
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from pliant.basis.size_report import SizeReport
from pliant.errors import ArgumentError, Array
from pliant.numerics.progress import Progress, report
from pliant.reduced import cached_arrays

GROWTH = 1.3
STEPS = 14
ATTEMPTS = 3  # at growing on what was held out before
BELOW = 2  # steps below the usual number of columns: where growing begins
MOST = 500  # coordinates of all parts together
REMEDY = "cut the solid into more parts"


def scaled(count: int, step: int) -> int:
    """Columns of a step, those of step BELOW being the usual `count`; at least one more every step."""
    sizes = [round(count * GROWTH ** (k - BELOW)) for k in range(step + 1)]
    return max(size + step - k for k, size in enumerate(sizes))


def grown(
    columns: Callable[[int], Array],
    errors: Callable[[Array], Array],
    tolerance: float,
    most: int,
    progress: Progress = None,
    first: int = 0,
) -> tuple[int, SizeReport]:
    """The first step whose columns meet the tolerance, or the one that errs least, and what was measured.

    Args:
        columns: (3n, r) of a step; all of them span more than those before.
        errors: (s,) of columns.
        most: columns that are allowed; those of the first step are in any case.
        first: step to begin with.
    """
    sizes, found = list[int](), list[Array]()
    for step in range(first, STEPS):
        U = columns(step)
        if sizes and not sizes[-1] < U.shape[1] <= most:
            break
        sizes.append(U.shape[1])
        found.append(errors(U))
        report(progress, "columns for the tolerance", (step + 1) / STEPS)
        if found[-1].max(initial=0.0) <= tolerance:
            break
    report(progress, "columns for the tolerance", 1.0)
    best = int(np.argmin([worst.max(initial=0.0) for worst in found]))
    return first + best, SizeReport(sizes[best], tolerance, np.array(sizes), np.stack(found))


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


def kept_search(key: Any, search: Callable[[], tuple[int, SizeReport]]) -> tuple[int, SizeReport]:
    """What a search found, from the cache where it was made before."""

    def build() -> dict[str, Array]:
        step, made = search()
        asked = np.array([step, made.size, made.tolerance, made.reach, made.inverted])
        return {"asked": asked, "sizes": made.sizes, "errors": made.errors}

    found = cached_arrays(key, build)
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
