"""Whether pushes jumped from one step to the next, so that the last acceleration tells nothing of the next."""

from typing import NamedTuple

import numpy as np

from pliant.errors import Array, Ids

JUMP = 0.5  # of the larger of two loads


class Acting(NamedTuple):
    """Pushed vertices with the forces on them (k, 3), and loads on coordinates, none or as packs have them."""

    pushed: list[tuple[Ids, Array]]
    reduced: Array


def jumped(before: Acting, now: Acting) -> bool:
    """max |f - f_before| > JUMP max(|f|, |f_before|), over all components."""
    ids = np.concatenate([np.empty(0, np.int64), *(k for k, _ in before.pushed), *(k for k, _ in now.pushed)])
    start = sum(len(k) for k, _ in before.pushed)
    forces = np.concatenate([np.empty((0, 3)), *(f for _, f in before.pushed), *(f for _, f in now.pushed)])
    distinct, at = np.unique(ids, return_inverse=True)
    totals = np.zeros((2, len(distinct), 3))
    np.add.at(totals[0], at[:start], forces[:start])
    np.add.at(totals[1], at[start:], forces[start:])
    return _differ(*totals) or _differ(*_same_length(before.reduced, now.reduced))


def _same_length(a: Array, b: Array) -> tuple[Array, Array]:
    return (a, b) if len(a) == len(b) else (a if len(a) else np.zeros_like(b), b if len(b) else np.zeros_like(a))


def _differ(a: Array, b: Array) -> bool:
    return a.size > 0 and bool(np.abs(a - b).max() > JUMP * max(np.abs(a).max(), np.abs(b).max()))
