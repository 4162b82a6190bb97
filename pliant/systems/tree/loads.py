"""What acts on the limbs of a tree from outside: weight, wind and pushes on vertices, as reduced forces and wrenches.

A uniform body force g means  s^4 N^T R^T g  to q and the wrench (m g, mc x g) to the frame; a wind pressure p likewise,
with the integrals over its outer surface. The wind is sampled once a limb, at the middle of that.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array
from pliant.numerics.simd8 import load8, store8
from pliant.numerics.simd8_matrices import add, apply, apply_transposed, cross, dot, load3, load9, scaled, store3
from pliant.systems.tree.frames import AT, FRAME
from pliant.systems.tree.inertia import first_moment
from pliant.systems.tree.limb_points import LimbPoints, act_on_limbs, place_limbs
from pliant.systems.tree.strides import ANGULAR, S3, S4, SAIL_ARM, SAIL_ROW, SAIL_ROWS, SCALE, SPATIAL
from pliant.systems.wind import wind_pressure

NO_AREA = 1e-300  # [m^2] of a limb that others cover all over


class Pushes(NamedTuple):
    """Attributes:
    points: vertices that are pushed. force: (p, 3) on them, in the world.
    reduced: loads on coordinates, as packs have them.
    load, wrench: (sum r,), (m, 6) of the limbs of the points; work space.
    """

    points: LimbPoints
    force: Array
    reduced: Array
    load: Array
    wrench: Array


def pushes_on(points: LimbPoints, force: Array, reduced: Array) -> Pushes:
    """With work space."""
    return Pushes(points, force, reduced, np.zeros(len(points.tables.chain)), np.zeros((len(points.place), 6)))


@njit(cache=True, nogil=True)
def gather_loads(parts, packs, motion, scratch, gravity, wind, pushes, time):
    """Reduced loads and wrenches (about the limbs' origins, in their axes) of all packs."""
    windy = is_windy(wind)
    for pack in range(len(packs.size)):
        _weigh(parts, packs, pack, motion, scratch, gravity)
        if windy:
            _blow(packs, pack, motion, scratch, wind, time)
    for k in range(len(pushes.reduced)):
        scratch.load[k] += pushes.reduced[k]
    _push(motion, scratch, pushes)


@njit(cache=True, nogil=True)
def _weigh(parts, packs, pack, motion, scratch, gravity):
    r, part, at = packs.size[pack], packs.part[pack], packs.vector_at[pack]
    body, s3, s4 = parts.body[part], load8(packs.scale, SCALE * pack + S3), load8(packs.scale, SCALE * pack + S4)
    R = load9(scratch.frames, 8 * FRAME * pack)
    g = (
        R[0] * gravity[0] + R[3] * gravity[1] + R[6] * gravity[2],
        R[1] * gravity[0] + R[4] * gravity[1] + R[7] * gravity[2],
        R[2] * gravity[0] + R[5] * gravity[1] + R[8] * gravity[2],
    )
    mc = first_moment(parts, packs, pack, motion.q)
    store3(scratch.wrench, SPATIAL * pack, scaled(s3 * body[0], g))
    store3(scratch.wrench, SPATIAL * pack + ANGULAR, cross(mc, g))
    g = scaled(s4, g)
    start = parts.linear_at[part]
    for l in range(r):
        value = g[0] * parts.linear[start] + g[1] * parts.linear[start + 1] + g[2] * parts.linear[start + 2]
        store8(scratch.load, at + 8 * l, value)
        start += 3


@njit(cache=True, nogil=True)
def is_windy(wind):
    """Whether there is a wind."""
    v = wind.velocity
    return wind.pressure * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) > 0.0


@njit(cache=True, nogil=True, forceinline=True)
def surface_arm(packs, pack, motion, s):
    """int (X + U q) dA (3,) over the outer surfaces of the limbs from their origins, in their axes."""
    at, sail = packs.vector_at[pack], packs.sail_at[pack]
    x, y, z = load3(packs.sail, sail + SAIL_ARM)
    for l in range(packs.size[pack]):
        q = load8(motion.q, at + 8 * l)
        row = load3(packs.sail, sail + SAIL_ROWS + SAIL_ROW * l)
        x, y, z = x + q * row[0], y + q * row[1], z + q * row[2]
    return scaled(s, (x, y, z))


@njit(cache=True, nogil=True)
def _blow(packs, pack, motion, scratch, wind, time):
    r, at, sail, workspace = packs.size[pack], packs.vector_at[pack], packs.sail_at[pack], scratch.workspace
    R, area = load9(scratch.frames, 8 * FRAME * pack), load8(packs.sail, sail)
    s3, s4 = load8(packs.scale, SCALE * pack + S3), load8(packs.scale, SCALE * pack + S4)
    s = s4 / s3
    arm = surface_arm(packs, pack, motion, s)
    store3(
        workspace, 0, add(load3(scratch.frames, 8 * FRAME * pack + AT), apply(R, scaled(1.0 / (area + NO_AREA), arm)))
    )
    point, pressure = np.empty(3), np.empty(3)
    for lane in range(8):
        for k in range(3):
            point[k] = workspace[8 * k + lane]
        wind_pressure(wind, point, time, pressure)
        for k in range(3):
            workspace[8 * k + lane] = pressure[k]
    store3(scratch.wind, SPATIAL * pack, load3(workspace, 0))
    p = scaled(s * s, apply_transposed(R, load3(workspace, 0)))
    store3(scratch.wrench, SPATIAL * pack, add(load3(scratch.wrench, SPATIAL * pack), scaled(area, p)))
    store3(
        scratch.wrench, SPATIAL * pack + ANGULAR, add(load3(scratch.wrench, SPATIAL * pack + ANGULAR), cross(arm, p))
    )
    p = scaled(s, p)
    for l in range(r):
        row = load3(packs.sail, sail + SAIL_ROWS + SAIL_ROW * l)
        store8(scratch.load, at + 8 * l, load8(scratch.load, at + 8 * l) + dot(p, row))


@njit(cache=True, nogil=True)
def _push(motion, scratch, pushes):
    points, load, wrench = pushes.points, pushes.load, pushes.wrench
    if len(pushes.force) == 0:
        return
    place_limbs(points, motion, scratch)
    load[:], wrench[:] = 0.0, 0.0
    act_on_limbs(points, pushes.force, load, wrench)
    for k in range(len(load)):
        scratch.load[points.tables.chain[k]] += load[k]
    for slot in range(len(wrench)):
        at = SPATIAL * (points.place[slot] // 8) + points.place[slot] % 8
        for i in range(6):
            scratch.wrench[at + 8 * i] += wrench[slot, i]
