"""Calls that take as long as what they do: one compiled call each, with all that stays the same behind an address.

numba looks at every array of its arguments, which for a step are fifty; a record is packed once and read by pointer.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from numba import njit, types

from pliant.errors import Array
from pliant.numerics.merging import merged
from pliant.numerics.opaque import Opaque, enter, opaque, read
from pliant.numerics.specialisation import specialised
from pliant.systems.clamped.converged import Trial, converged_steps
from pliant.systems.clamped.driven import Drive, driven_converged, driven_single
from pliant.systems.clamped.guard import STRAYED, TURNED, Guard, arrive, leave
from pliant.systems.clamped.newmark import Workspace, single_iterations

OUTCOME, TIME = 4, 3  # numbers that come back, and where one goes in


class StepRecord(NamedTuple):
    """All that implicit steps of one part read and write; the arrays are those of the system."""

    law: Opaque
    load: Array
    weight: Array
    pushed: Array
    settings: Array
    constants: Array
    limit: float
    newton: int
    z: Array
    v: Array
    a: Array
    work: Workspace
    trial: Trial
    guard: Guard
    outcome: Array


@merged
def _begin(record, count):
    """Gather the load, and find out what was written by hand since the last call."""
    law, load, weight, pushed, settings, _, _, _, z, v, a, work, _, guard, _ = record
    for i in range(len(weight)):
        load[i + 1] = weight[i] + pushed[i]
    arrive(law, load, settings, z, v, a, work, guard, count)


@merged
def _end(record, taken, residual, count):
    """outcome: how many steps were taken, the last residual, whether there is something to warn of.

    Returns 0 where all went as usual.
    """
    _, _, _, _, _, _, _, _, z, v, a, _, _, guard, outcome = record
    leave(z, v, a, guard.now)
    outcome[0], outcome[1] = taken, residual
    outcome[2] = guard.counts[TURNED] + guard.counts[STRAYED]
    return int(taken < count or outcome[2] > 0)


@specialised
def _single_steps(place, count):
    """`count` steps of one iteration each."""
    record = read(place)
    law, load, _, _, _, constants, limit, _, z, v, a, work, _, guard, _ = record
    _begin(record, count)
    return _end(record, single_iterations(law, load, constants, limit, z, v, a, work, guard, count), np.nan, count)


class DrivenRecord(NamedTuple):
    """The same under hands and wind."""

    plain: StepRecord
    drive: Drive
    spare: Guard


@specialised
def _driven_single_steps(place, count):
    """As `_single_steps`, under hands and wind; outcome[TIME] is when the first step begins."""
    plain, drive, spare = read(place)
    law, load, _, _, _, constants, limit, _, z, v, a, work, _, guard, outcome = plain
    _begin(plain, count)
    time = outcome[TIME]
    taken = driven_single(law, load, constants, limit, z, v, a, work, drive, guard, spare, time, count)
    return _end(plain, taken, np.nan, count)


@specialised
def _converged_steps(place, count):
    """`count` steps to convergence."""
    record = read(place)
    law, load, _, _, settings, _, _, newton, z, v, a, work, trial, guard, _ = record
    _begin(record, count)
    taken, residual = converged_steps(law, load, settings, newton, z, v, a, work, trial, guard, count)
    return _end(record, taken, residual, count)


@specialised
def _driven_converged_steps(place, count):
    """As `_converged_steps`, under hands and wind; outcome[TIME] as above."""
    plain, drive, spare = read(place)
    law, load, _, _, settings, _, _, newton, z, v, a, work, trial, guard, outcome = plain
    _begin(plain, count)
    time = outcome[TIME]
    taken, residual = driven_converged(
        law, load, settings, newton, z, v, a, work, trial, drive, guard, spare, time, count
    )
    return _end(plain, taken, residual, count)


class Quick(NamedTuple):
    """Attributes:
    take: `take(count)` takes so many steps, a whole number; what it returns is that of `_end`.
    kept: what must live for as long.
    """

    take: Callable[[int], int]
    kept: Any


def quick_steps(record: StepRecord | DrivenRecord) -> Quick:
    """The steps of a record: those to convergence are compiled where they are taken, and so are single ones."""
    if isinstance(record, StepRecord):
        steps = opaque(_single_steps if record.newton == 1 else _converged_steps, record, 0)
    else:
        steps = opaque(_driven_single_steps if record.plain.newton == 1 else _driven_converged_steps, record, 0)
    return Quick(partial(_entered(), steps.entry, steps.record.ctypes.data), (steps, record))


@cache
def _entered() -> Callable[[int, int, int], int]:
    """`enter` itself, without what looks at the types of its arguments: they are known, and a tenth of a call goes."""
    kinds = (types.int64,) * 3
    enter.compile(kinds)
    return enter.overloads[kinds].entry_point


@njit(cache=True, nogil=True)
def push_rows(U, vertices, forces, pushed):
    """pushed += U^T f of forces (k, 3) or (1, 3) on vertices (k,); where one is wrong, nothing, and False."""
    n, last = len(U) // 3, len(forces) - 1
    if last != 0 and last != len(vertices) - 1:
        return False
    for v in vertices:
        if not 0 <= v < n:
            return False
    for row in forces:
        if not (np.isfinite(row[0]) and np.isfinite(row[1]) and np.isfinite(row[2])):
            return False
    for k in range(len(vertices)):
        at, f = 3 * vertices[k], forces[min(k, last)]
        for j in range(len(pushed)):
            pushed[j] += U[at, j] * f[0] + U[at + 1, j] * f[1] + U[at + 2, j] * f[2]
    return True
