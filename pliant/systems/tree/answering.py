"""How some limbs of a tree answer forces: one limb after the other, with the factors that `climb` left in the packs.

A = L L^T over the limbs, leaves first (maths sheet substructuring 7). A force column g has y = -L^-1 g, nonzero only on
the way from its limb to the root, so with the columns of two forces and what they leave at a free root

    g_a A^-1 g_b = y_a . y_b + pa_a . Ia^-1 pa_b

Loads are given limb by limb: (U^T f, force and torque about the origin), in its axes. Limbs come parents first.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Ids
from pliant.systems.tree.frames import FRAME, REL_AT, REL_BIAS, REL_SPEED, REL_SPIN, RELATIVE, SPIN
from pliant.systems.tree.packs import Layout
from pliant.systems.tree.strides import SCALE, SPATIAL


class Lineage(NamedTuple):
    """Some limbs with all their ancestors, parents first.

    Attributes:
        limbs: (m,) their numbers. place: (m,) 8 pack + lane. parent: (m,) which of them it stands on, -1 for the root.
        size: (m,) r. at: (m + 1,) where their coordinates begin among those of all of them.
    """

    limbs: Ids
    place: Ids
    parent: Ids
    size: Ids
    at: Ids


def lineage(layout: Layout, parents: Ids, limbs: Ids) -> Lineage:
    """These limbs and their ancestors; `parents` (d,) of all limbs."""
    found = set()
    for limb in map(int, limbs):
        while limb >= 0 and limb not in found:
            found.add(limb)
            limb = int(parents[limb])
    chosen = np.array(sorted(found), dtype=np.int64)
    slots = {int(limb): slot for slot, limb in enumerate(chosen)}
    size = np.diff(layout.offsets)[chosen]
    return Lineage(
        chosen,
        layout.places[chosen],
        np.array([slots.get(int(parents[limb]), -1) for limb in chosen], dtype=np.int64),
        size,
        np.concatenate([[0], np.cumsum(size)]).astype(np.int64),
    )


@njit(cache=True, nogil=True)
def _turned(scratch, relative, x, y):
    """y = R_ij x, from the child's axes to the parent's."""
    for i in range(3):
        y[i] = 0.0
        for j in range(3):
            y[i] += scratch.relative[relative + 8 * (3 * i + j)] * x[j]


@njit(cache=True, nogil=True)
def _turned_back(scratch, relative, x, y):
    """y = R_ij^T x."""
    for i in range(3):
        y[i] = 0.0
        for j in range(3):
            y[i] += scratch.relative[relative + 8 * (3 * j + i)] * x[j]


@njit(cache=True, nogil=True)
def lower(packs, scratch, lines, reduced, wrench):
    """Carry loads down to the root as forces on all coordinates: reduced (sum r,) becomes W^T f."""
    force, torque = np.empty(3), np.empty(3)
    for slot in range(len(lines.place) - 1, 0, -1):
        above = lines.parent[slot]
        _hand_to_parent(packs, scratch, lines, slot, wrench[slot], force, torque, reduced)
        _add_moved(scratch, lines.place[slot], force, torque, wrench[above])


@njit(cache=True, nogil=True)
def _hand_to_parent(packs, scratch, lines, slot, wrench, force, torque, reduced):
    """force, torque = wrench in the parent's axes; reduced of the parent += H^T of it."""
    pack, lane = lines.place[slot] // 8, lines.place[slot] % 8
    relative, r, start = 8 * RELATIVE * pack + lane, packs.parent_size[pack], packs.interface_at[pack] + lane
    s, turn, to = packs.scale[SCALE * pack + lane], packs.interface_at[pack] // 4 + lane, lines.at[lines.parent[slot]]
    _turned(scratch, relative, wrench[:3], force)
    _turned(scratch, relative, wrench[3:], torque)
    for l in range(r):
        total = 0.0
        for i in range(3):
            total += s * packs.interface[start + 8 * (i * r + l)] * force[i]
            total += scratch.jacobian[turn + 8 * (i * r + l)] * torque[i]
        reduced[to + l] += total


@njit(cache=True, nogil=True)
def _add_moved(scratch, place, force, torque, wrench):
    """wrench += (force, torque) at the child's origin, moved to the parent's."""
    at = 8 * RELATIVE * (place // 8) + REL_AT + place % 8
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        wrench[i] += force[i]
        wrench[3 + i] += torque[i] + scratch.relative[at + 8 * j] * force[k] - scratch.relative[at + 8 * k] * force[j]


@njit(cache=True, nogil=True)
def climb_column(packs, scratch, sums, lines, reduced, wrench):
    """Overwrite a load, taken as p = -load, by y = L^-1 p in `reduced` and by pa = pV - Y^T y in `wrench`."""
    force, torque = np.empty(3), np.empty(3)
    for slot in range(len(lines.place) - 1, -1, -1):
        pack, lane = lines.place[slot] // 8, lines.place[slot] % 8
        r, at, vector = lines.size[slot], lines.at[slot], packs.vector_at[pack]
        triangle = packs.triangle_at[pack] + lane
        for i in range(r):
            total, row = reduced[at + i], triangle + 4 * i * (i + 1)
            for j in range(i):
                total -= sums.factor[row + 8 * j] * reduced[at + j]
            reduced[at + i] = total * sums.factor[row + 8 * i]
        for i in range(r):
            for k in range(6):
                wrench[slot, k] -= sums.Y[6 * vector + SPATIAL * i + 8 * k + lane] * reduced[at + i]
        if slot > 0:
            _hand_to_parent(packs, scratch, lines, slot, wrench[slot], force, torque, reduced)
            _add_moved(scratch, lines.place[slot], force, torque, wrench[lines.parent[slot]])


@njit(cache=True, nogil=True)
def descend_column(packs, scratch, sums, lines, y, pulls, biased):
    """Overwrite y (sum r,) by q'' = -L^-T (y + Y A); pulls (m, 6) are A of the limbs, that of the root being given.

    Args:
        biased: A has what the present velocities give to it, as in a step; not in the answer to a force.
    """
    linear, angular = np.empty(3), np.empty(3)
    for slot in range(len(lines.place)):
        pack, lane = lines.place[slot] // 8, lines.place[slot] % 8
        r, at, vector = lines.size[slot], lines.at[slot], packs.vector_at[pack]
        triangle = packs.triangle_at[pack] + lane
        if slot > 0:
            _pulled(packs, scratch, lines, slot, y, pulls, linear, angular, biased)
        for i in range(r - 1, -1, -1):
            total = -y[at + i]
            for k in range(6):
                total -= sums.Y[6 * vector + SPATIAL * i + 8 * k + lane] * pulls[slot, k]
            for j in range(i + 1, r):
                total -= sums.factor[triangle + 4 * j * (j + 1) + 8 * i] * y[at + j]
            y[at + i] = total * sums.factor[triangle + 4 * i * (i + 1) + 8 * i]


@njit(cache=True, nogil=True)
def _pulled(packs, scratch, lines, slot, a, pulls, linear, angular, biased):
    """A_j = T A_i + H q''_i + gam of a limb, in its axes, from its parent's."""
    pack, lane, above = lines.place[slot] // 8, lines.place[slot] % 8, lines.parent[slot]
    relative, r, start = 8 * RELATIVE * pack + lane, packs.parent_size[pack], packs.interface_at[pack] + lane
    s, turn, at = packs.scale[SCALE * pack + lane], packs.interface_at[pack] // 4 + lane, lines.at[above]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        x_j, x_k = scratch.relative[relative + REL_AT + 8 * j], scratch.relative[relative + REL_AT + 8 * k]
        linear[i] = pulls[above, i] + pulls[above, 3 + j] * x_k - pulls[above, 3 + k] * x_j
        angular[i] = pulls[above, 3 + i]
        for l in range(r):
            linear[i] += s * packs.interface[start + 8 * (i * r + l)] * a[at + l]
            angular[i] += scratch.jacobian[turn + 8 * (i * r + l)] * a[at + l]
    if biased:
        _add_bias(scratch, 8 * FRAME * (lines.place[above] // 8) + lines.place[above] % 8, relative, linear, angular)
    _turned_back(scratch, relative, linear, pulls[slot, :3])
    _turned_back(scratch, relative, angular, pulls[slot, 3:])


@njit(cache=True, nogil=True)
def _add_bias(scratch, frame, relative, linear, angular):
    """gam = (w x (w x x) + 2 w x v_ij, wd0 + w x w_ij), w of the parent."""
    w, x, v, turn, twice = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for i in range(3):
        w[i] = scratch.frames[frame + SPIN + 8 * i]
        x[i], v[i] = scratch.relative[relative + REL_AT + 8 * i], scratch.relative[relative + REL_SPEED + 8 * i]
        turn[i] = scratch.relative[relative + REL_SPIN + 8 * i]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        twice[i] = w[j] * x[k] - w[k] * x[j] + 2 * v[i]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        linear[i] += w[j] * twice[k] - w[k] * twice[j]
        angular[i] += scratch.relative[relative + REL_BIAS + 8 * i] + w[j] * turn[k] - w[k] * turn[j]
