"""Material points as the compiled steps of a system see them: by its own coordinates, with their work space."""

from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array, Ids
from pliant.skin import Points
from pliant.skin.point_kernels import chain, displace, place_points, pull_back, pull_forces, pull_warped, unchain
from pliant.skin.tables import SkinTables, frozen


class PointWorkspace(NamedTuple):
    """Attributes:
    z, load: chained coordinates and loads. u, w: (e, 3) displacements and rotation vectors. x: (p, 3).
    force, torque: (d, 3) on the frames, about their origins, of the forces that last acted.
    """

    z: Array
    load: Array
    u: Array
    w: Array
    x: Array
    force: Array
    torque: Array


class SystemPoints(NamedTuple):
    """Points of a system.

    Attributes:
        tables, measure: of `Points`.
        ids: which coordinates q of the system the points read, chained.
    """

    tables: SkinTables
    measure: Array
    ids: Ids
    work: PointWorkspace


def system_points(points: Points, reads: Ids) -> SystemPoints:
    """Points for compiled steps; `reads` are the coordinates of the system that its poses are made of."""
    p, e, c, d = points.count, len(points.tables.part), len(points.tables.chain), len(points.offsets) - 1
    ids = frozen(np.asarray(reads, dtype=np.int64)[points.tables.chain])
    shapes = [(c,), (c,), (e, 3), (e, 3), (p, 3), (d, 3), (d, 3)]
    return SystemPoints(points.tables, frozen(points.measure), ids, PointWorkspace(*map(np.zeros, shapes)))


@njit(cache=True, nogil=True)
def move(points, q, u, w):
    """u = U q and w = Omega q (e, 3)."""
    chain(q, points.ids, points.work.z)
    displace(points.tables, points.work.z, u, w)


@njit(cache=True, nogil=True)
def place(points, R, t, q):
    """work.x, and work.u and .w, at q."""
    work = points.work
    move(points, q, work.u, work.w)
    place_points(points.tables, R, t, work.u, work.w, work.x)


@njit(cache=True, nogil=True)
def act(points, R, forces, projection, load):
    """Add what world forces (p, 3) mean to q to `load`, and to frames to work.force and .torque; after `place`."""
    work = points.work
    for k in range(len(work.load)):
        work.load[k] = 0.0
    work.force[:], work.torque[:] = 0.0, 0.0
    pull_back(points.tables, R, work.u, work.w, forces, projection, work.force, work.torque, work.load)
    unchain(work.load, points.ids, load)


@njit(cache=True, nogil=True)
def act_in_frames(points, u, w, forces, projection, load):
    """Add what forces (p, 3) in the axes of the frames mean to q to `load`; u and w as moved."""
    for k in range(len(points.work.load)):
        points.work.load[k] = 0.0
    pull_forces(points.tables, u, w, forces, projection, points.work.load)
    unchain(points.work.load, points.ids, load)


@njit(cache=True, nogil=True)
def act_as_warped(points, Rt, D, forces, load):
    """As `act_in_frames` by the gradient, for warps (p, 3, 3) as measured."""
    for k in range(len(points.work.load)):
        points.work.load[k] = 0.0
    pull_warped(points.tables, Rt, D, forces, points.work.load)
    unchain(points.work.load, points.ids, load)
