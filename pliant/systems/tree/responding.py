"""Points of a tree from outside its step: their rows, and its answer to impulses on them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array, Ids
from pliant.skin import Points
from pliant.systems.tree.answering import Lineage, climb_column, descend_column, lineage, lower
from pliant.systems.tree.limb import Limb
from pliant.systems.tree.limb_points import LimbPoints, act_alone, limb_points, place_limbs
from pliant.systems.tree.packs import Layout
from pliant.systems.tree.root import root_inverse


class AskedLimbs(NamedTuple):
    """Points, the limbs that matter to them, and which coordinates of the tree are theirs (sum r,)."""

    points: LimbPoints
    lines: Lineage
    own: Ids


def asked_limbs(
    layout: Layout, limbs: Sequence[Limb], scales: Array, points: Points, all_limbs: bool = False
) -> AskedLimbs:
    """The limbs of some points and their ancestors, or all limbs."""
    parents = np.array([limb.parent for limb in limbs])
    lines = lineage(layout, parents, np.arange(len(limbs)) if all_limbs else np.unique(points.frames))
    spans = [np.arange(layout.offsets[i], layout.offsets[i + 1]) for i in lines.limbs]
    own = np.concatenate([np.empty(0, np.int64), *spans])
    return AskedLimbs(limb_points(layout, scales, [points], lines.limbs), lines, own)


@njit(cache=True, nogil=True)
def coordinate_rows(asked, packs, motion, scratch):
    """W (3k, sum r) of the coordinates."""
    points, lines, _ = asked
    place_limbs(points, motion, scratch)
    rows = np.zeros((3 * len(points.work.x), lines.at[-1]))
    wrench = np.empty((len(lines.place), 6))
    for row in range(len(rows)):
        wrench[:] = 0.0
        act_alone(points, row, 1.0, rows[row], wrench)
        lower(packs, scratch, lines, rows[row], wrench)
    return rows


@njit(cache=True, nogil=True)
def responses(asked, packs, motion, scratch, sums, free):
    """A^-1 W^T by rows: (3k, sum r), and the root's (3k, 6) in its axes; zero where it is held."""
    points, lines, _ = asked
    place_limbs(points, motion, scratch)
    count = 3 * len(points.work.x)
    columns, roots, inverse = np.zeros((count, lines.at[-1])), np.zeros((count, 6)), np.zeros((6, 6))
    if free:
        root_inverse(sums, inverse)
    wrench = np.empty((len(lines.place), 6))
    for row in range(count):
        wrench[:] = 0.0
        act_alone(points, row, -1.0, columns[row], wrench)
        climb_column(packs, scratch, sums, lines, columns[row], wrench)
        for i in range(6):
            for j in range(6):
                roots[row, i] -= inverse[i, j] * wrench[0, j]
        for i in range(6):
            wrench[0, i] = roots[row, i]
        descend_column(packs, scratch, sums, lines, columns[row], wrench, False)
    return columns, roots
