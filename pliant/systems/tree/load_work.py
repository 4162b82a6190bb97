"""The work of wind and pushes on a tree."""

from numba import njit

from pliant.numerics.simd8 import load8, spread8, store8
from pliant.numerics.simd8_matrices import add, apply, dot, load3, load9, scaled, store3
from pliant.systems.tree.frames import AT, FRAME
from pliant.systems.tree.limb_points import place_limbs
from pliant.systems.tree.loads import surface_arm
from pliant.systems.tree.strides import ANGULAR, S3, S4, SCALE, SPATIAL


@njit(cache=True, nogil=True)
def mark_surfaces(packs, motion, scratch):
    """Remember where the surfaces are: int x dA (3,) of every limb, in the world."""
    for pack in range(len(packs.size)):
        store3(scratch.wind, SPATIAL * pack + ANGULAR, _surface_moment(packs, pack, motion, scratch))


@njit(cache=True, nogil=True)
def wind_work(packs, motion, scratch):
    """Pressure times the way of the surfaces since they were marked [J]; marks them again."""
    work, workspace = 0.0, scratch.workspace
    for pack in range(len(packs.size)):
        moment, minus = _surface_moment(packs, pack, motion, scratch), spread8(-1.0)
        way = add(moment, scaled(minus, load3(scratch.wind, SPATIAL * pack + ANGULAR)))
        store8(workspace, 0, dot(load3(scratch.wind, SPATIAL * pack), way))
        store3(scratch.wind, SPATIAL * pack + ANGULAR, moment)
        for lane in range(packs.lanes[pack]):
            work += workspace[lane]
    return work


@njit(cache=True, nogil=True, forceinline=True)
def _surface_moment(packs, pack, motion, scratch):
    """s^2 (area t + R arm)."""
    s = load8(packs.scale, SCALE * pack + S4) / load8(packs.scale, SCALE * pack + S3)
    arm = apply(load9(scratch.frames, 8 * FRAME * pack), surface_arm(packs, pack, motion, s))
    area = load8(packs.sail, packs.sail_at[pack])
    return scaled(s * s, add(scaled(area, load3(scratch.frames, 8 * FRAME * pack + AT)), arm))


@njit(cache=True, nogil=True)
def push_potential(motion, scratch, pushes):
    """sum f . x + load . q [J]: the work of pushes is its change."""
    points, total = pushes.points, 0.0
    for k in range(len(pushes.reduced)):
        total += pushes.reduced[k] * motion.q[k]
    if len(pushes.force) == 0:
        return total
    place_limbs(points, motion, scratch)
    for p in range(len(pushes.force)):
        for i in range(3):
            total += pushes.force[p, i] * points.work.x[p, i]
    return total
