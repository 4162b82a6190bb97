"""Material points on some limbs of a tree, for the kernels of `skin`: they stand in the frames that the packs hold.

Points read coordinates in metres, s q; the packs keep q in the units of their class (maths sheet substructuring 9).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array, Ids
from pliant.skin import Points
from pliant.skin.point_kernels import accelerate_points, displace, move_points, place_points, pull_back
from pliant.skin.tables import SkinTables, frozen
from pliant.systems.tree.frames import AT, FRAME, SPEED, SPIN
from pliant.systems.tree.packs import Layout


class LimbWorkspace(NamedTuple):
    """Of e entries, p points and m limbs.

    Attributes:
        z, dz, ddz, load: (sum r,) s q, its rates, and what forces mean to it.
        u, du, ddu: (e, 3) displacements and their rates. w: (e, 3) zero: limbs do not warp.
        R, t: frames. V, spin, A, twist: (m, 3) their velocities and accelerations, in the world.
        x, v, a: (p, 3). unit: (p, 3) zero, but for a moment.
        force, torque: (m, 3) in the world, about the origins of the limbs.
    """

    z: Array
    dz: Array
    ddz: Array
    load: Array
    u: Array
    du: Array
    ddu: Array
    w: Array
    R: Array
    t: Array
    V: Array
    spin: Array
    A: Array
    twist: Array
    x: Array
    v: Array
    a: Array
    unit: Array
    force: Array
    torque: Array


class LimbPoints(NamedTuple):
    """Attributes:
    tables: of the points; their parts and frames are these limbs, and `tables.chain` counts coordinates in the packs.
    place, scale: of every limb: 8 pack + lane, and s.
    """

    tables: SkinTables
    place: Ids
    scale: Array
    work: LimbWorkspace


def limb_points(layout: Layout, scales: Array, points: Sequence[Points], limbs: Ids) -> LimbPoints:
    """Sets of points, one after the other, on these limbs (m,), rising; `scales` (d,) of all limbs."""
    tables = [each.tables for each in points]
    counts = np.concatenate([np.zeros(1, np.int64), *(np.diff(table.start) for table in tables)])
    size = np.diff(layout.offsets)[limbs]
    spans = [np.arange(layout.offsets[i], layout.offsets[i + 1]) for i in limbs]
    rows, starts = _joined_rows([table.U for table in tables])
    none = np.empty(0, np.int64)

    def joined(arrays: Sequence[Any], empty: Any) -> Any:
        return frozen(np.concatenate([empty, *arrays]))

    chain = layout.coordinates[np.concatenate([none, *spans])]
    slots = joined([np.searchsorted(limbs, each.frames) for each in points], none)
    made = SkinTables(
        frozen(np.cumsum(counts)),
        slots,
        joined([table.weights for table in tables], np.empty(0)),
        joined([table.X for table in tables], np.empty((0, 3))),
        joined([table.rows + start for table, start in zip(tables, starts)], none),
        frozen(np.full(len(slots), -1)),
        rows,
        frozen(np.empty(0)),
        frozen(np.arange(len(limbs))),
        frozen(np.cumsum(size) - size),
        frozen(size),
        frozen(chain),
    )
    e, p, m, r = len(slots), len(counts) - 1, len(limbs), len(chain)
    shapes = [*[(r,)] * 4, *[(e, 3)] * 4, (m, 3, 3), *[(m, 3)] * 5, *[(p, 3)] * 4, *[(m, 3)] * 2]
    return LimbPoints(made, frozen(layout.places[limbs]), frozen(scales[limbs]), LimbWorkspace(*map(np.zeros, shapes)))


def _joined_rows(matrices: Sequence[Any]) -> tuple[Array, list[int]]:
    """The distinct rows end to end, uncopied if there is one, and where each of `matrices` begins."""
    distinct = {id(matrix): matrix for matrix in matrices}
    begins, end = {}, 0
    for key, matrix in distinct.items():
        begins[key] = end
        end += len(matrix)
    flat = list(distinct.values())
    joined = flat[0] if len(flat) == 1 else np.concatenate([np.empty(0), *flat])
    return frozen(joined), [begins[id(matrix)] for matrix in matrices]


@njit(cache=True, nogil=True)
def place_limbs(points, motion, scratch):
    """work.x, as limbs and coordinates are now."""
    tables, places, _, work = points
    for m in range(len(places)):
        frame = 8 * FRAME * (places[m] // 8) + places[m] % 8
        for i in range(3):
            work.t[m, i] = scratch.frames[frame + AT + 8 * i]
            for j in range(3):
                work.R[m, i, j] = scratch.frames[frame + 8 * (3 * i + j)]
    _read(points, motion.q, work.z)
    displace(tables, work.z, work.u, work.w)
    place_points(tables, work.R, work.t, work.u, work.w, work.x)


@njit(cache=True, nogil=True)
def move_limbs(points, motion, scratch):
    """work.x and work.v."""
    tables, places, _, work = points
    place_limbs(points, motion, scratch)
    for m in range(len(places)):
        frame = 8 * FRAME * (places[m] // 8) + places[m] % 8
        _turn(work.R[m], scratch.frames, frame + SPEED, work.V[m])
        _turn(work.R[m], scratch.frames, frame + SPIN, work.spin[m])
    _read(points, motion.v, work.dz)
    displace(tables, work.dz, work.du, work.w)
    move_points(tables, work.R, work.V, work.spin, work.u, work.w, work.du, work.w, work.v)


@njit(cache=True, nogil=True)
def accelerate_limbs(points, q, pulls):
    """work.a from q'' (sum r,) and the accelerations (m, 6) of the limbs in their axes; after `move_limbs`."""
    tables, places, scale, work = points
    for m in range(len(places)):
        R, pull = work.R[m], pulls[m]
        for i in range(3):
            work.A[m, i] = R[i, 0] * pull[0] + R[i, 1] * pull[1] + R[i, 2] * pull[2]
            work.twist[m, i] = R[i, 0] * pull[3] + R[i, 1] * pull[4] + R[i, 2] * pull[5]
        for k in range(tables.first[m], tables.first[m] + tables.size[m]):
            work.ddz[k] = scale[m] * q[k]
    displace(tables, work.ddz, work.ddu, work.w)
    rates, second = (work.du, work.w), (work.ddu, work.w)
    accelerate_points(tables, work.R, work.spin, work.A, work.twist, work.u, work.w, *rates, *second, work.a)


@njit(cache=True, nogil=True)
def act_on_limbs(points, forces, reduced, wrench):
    """Add what world forces (p, 3) mean to q (sum r,), and to limbs (m, 6) in their axes; after `place_limbs`."""
    tables, _, scale, work = points
    for k in range(len(work.load)):
        work.load[k] = 0.0
    for m in range(len(work.force)):
        for i in range(3):
            work.force[m, i] = work.torque[m, i] = 0.0
    pull_back(tables, work.R, work.u, work.w, forces, 0, work.force, work.torque, work.load)
    for m in range(len(work.force)):
        R, force, torque = work.R[m], work.force[m], work.torque[m]
        for i in range(3):
            wrench[m, i] += R[0, i] * force[0] + R[1, i] * force[1] + R[2, i] * force[2]
            wrench[m, 3 + i] += R[0, i] * torque[0] + R[1, i] * torque[1] + R[2, i] * torque[2]
        for k in range(tables.first[m], tables.first[m] + tables.size[m]):
            reduced[k] += scale[m] * work.load[k]


@njit(cache=True, nogil=True)
def act_alone(points, row, size, reduced, wrench):
    """`act_on_limbs` of one force: `size` on point row // 3 along axis row % 3 of the world."""
    unit = points.work.unit
    unit[row // 3, row % 3] = size
    act_on_limbs(points, unit, reduced, wrench)
    unit[row // 3, row % 3] = 0.0


@njit(cache=True, nogil=True)
def _read(points, q, z):
    """z = s q, q as packs have it."""
    tables, _, scale, _ = points
    for m in range(len(scale)):
        for k in range(tables.first[m], tables.first[m] + tables.size[m]):
            z[k] = scale[m] * q[tables.chain[k]]


@njit(cache=True, nogil=True)
def _turn(R, frames, at, out):
    """out (3,) = R times what a frame has at `at`."""
    for i in range(3):
        out[i] = R[i, 0] * frames[at] + R[i, 1] * frames[at + 8] + R[i, 2] * frames[at + 16]
