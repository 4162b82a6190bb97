"""The compiled code of `systems/tree`, reached one kernel at a time: a tree in some state, and what the kernels say."""

from dataclasses import dataclass

import numpy as np
from numba import njit
from tree_motion import Plain, Stance, random_coordinates, random_limbs, random_rotation

import pliant as pl
from pliant.errors import Array
from pliant.numerics.simd8_matrices import load3
from pliant.systems.tree.articulated import climb, descend
from pliant.systems.tree.frames import FRAME, PULL, RELATIVE, SPIN, TWIST, accelerate, place, relate
from pliant.systems.tree.inertia import inertial_forces, moments
from pliant.systems.tree.limb import Limb
from pliant.systems.tree.loads import gather_loads
from pliant.systems.tree.part_forces import evaluate_jets
from pliant.systems.tree.root import A_AT, AL_AT, R_AT, V_AT, W_AT, free_acceleration
from pliant.systems.wind import CALM


@dataclass
class Moving:
    """A tree in motion: state, and the motion of its root in the root's axes."""

    limbs: list[Limb]
    q: Array
    v: Array
    a: Array
    root: Stance
    speed: Array
    spin: Array
    pull: Array
    twist: Array

    @property
    def plain(self) -> Plain:
        return Plain(self.limbs)

    def path(self):
        return self.plain.path(self.q, self.v, self.a, self.root, self.speed, self.spin, self.pull, self.twist)

    def tree(self, **options) -> pl.Tree:
        """The compiled tree in this state."""
        tree = pl.Tree(self.limbs, 0.01, **{"gravity": None, **options})
        m, at = tree._motion, tree._layout.coordinates
        m.q[at], m.v[at], m.a[at] = self.q, self.v, self.a
        R = self.root.R
        tree._root[:3], tree._root[R_AT : R_AT + 9] = self.root.x, R.ravel()
        for start, value in ((V_AT, self.speed), (W_AT, self.spin), (A_AT, self.pull), (AL_AT, self.twist)):
            tree._root[start : start + 3] = R @ value
        tree._stand()
        tree._read_flight()
        return tree


def moving(seed: int, limbs: list[Limb] | None = None, far: float = 0.25, held: bool = False, **options) -> Moving:
    """A random state, large q; `held`: the root rests."""
    limbs, random = limbs or random_limbs(seed, **options), np.random.default_rng(100 + seed)
    q, v, a = (random_coordinates(random, limbs, size) for size in (far, 2 * far, 4 * far))
    motion = np.zeros((4, 3)) if held else random.standard_normal((4, 3))
    root = (
        Stance(limbs[0].position, limbs[0].rotation)
        if held
        else Stance(random.standard_normal(3), random_rotation(random))
    )
    return Moving(limbs, q, v, a, root, *motion)


def of_limb(tree: pl.Tree, store: Array, width: int, start: int, count: int) -> Array:
    """`count` numbers from octet `start` of every limb (d, count) in an array of `width` octets a pack."""
    by_place = store.reshape(-1, width, 8).transpose(0, 2, 1).reshape(-1, width)
    return by_place[tree._layout.places, start : start + count]


def frame_numbers(tree: pl.Tree, at: int, count: int = 3) -> Array:
    return of_limb(tree, tree._scratch.frames, FRAME, at // 8, count)


def hold_numbers(tree: pl.Tree, at: int, count: int = 3) -> Array:
    return of_limb(tree, tree._scratch.relative, RELATIVE, at // 8, count)


def accelerated(tree: pl.Tree) -> None:
    """Relative rates with accelerations, and a, al of all frames, as L1 and L2 compute them."""
    packs, m, s = tree._layout.packs, tree._motion, tree._scratch
    for pack in range(1, len(packs.size)):
        relate(packs, pack, m.q, m.v, m.a, s.workspace, s.relative, s.jacobian, True, True)
        place(packs, pack, s.relative, s.frames, s.workspace)
        accelerate(packs, pack, s.relative, s.frames, s.workspace)


def jacobians(tree: pl.Tree) -> list[Array | None]:
    """J_w (3, r_parent) of every limb."""
    packs, found = tree._layout.packs, []
    for limb, at in zip(tree.limbs, tree._layout.places):
        r, start = packs.parent_size[at // 8], packs.interface_at[at // 8] // 4
        block = tree._scratch.jacobian[start : start + 24 * r].reshape(3, r, 8)
        found.append(block[:, :, at % 8] if limb.parent >= 0 else None)
    return found


def loaded(tree: pl.Tree, time: float = 0.0) -> tuple[Array, Array]:
    """Reduced loads (sum r,) and wrenches (d, 6) of gravity, wind and pushes."""
    wind = CALM if tree.wind is None else tree.wind.field
    gather_loads(*tree._moving, tree.gravity, wind, tree._pushes, time)
    return tree._scratch.load[tree._layout.coordinates], of_limb(tree, tree._scratch.wrench, 6, 0, 6)


def solved(
    tree: pl.Tree, c=(0.0, 0.0, 0.0), elastic: bool = True, free: bool = False, frames: float = 0.0
) -> tuple[Array, Array]:
    """q'' (sum r,) and the root's (a; al) (6,) in its axes, by the O(d) recursion, with the predictor of a step c[0].

    c: dt, alpha, beta. With dt = 0 the elasticity is explicit. frames: alpha of them.
    """
    m, s, dt = tree._motion, tree._scratch, c[0]
    evaluate_jets(*tree._moving[:2], m.q, s.pairs, s.hessian, s.K, s.f, s.W)
    if not elastic:
        s.f[:] = 0.0
    s.q_p[:] = m.q + dt * m.v + 0.25 * dt * dt * m.a
    s.v_p[:] = m.v + 0.5 * dt * m.a
    assert climb(*tree._moving, tree._sums, np.array([*c, frames])) < 0
    if free:
        assert free_acceleration(tree._sums, s.frames, tree._root)
    root = np.concatenate([frame_numbers(tree, PULL)[0], frame_numbers(tree, TWIST)[0]])
    descend(*tree._moving[1:], tree._sums, dt)
    return m.a[tree._layout.coordinates], root


@njit
def _system_forces(parts, packs, motion, scratch, out):
    for pack in range(len(packs.size)):
        moments(parts, packs.part[pack], packs.size[pack], motion.q, packs.vector_at[pack], scratch.moment)
        a, al = load3(scratch.frames, 8 * FRAME * pack + PULL), load3(scratch.frames, 8 * FRAME * pack + TWIST)
        w = load3(scratch.frames, 8 * FRAME * pack + SPIN)
        inertial_forces(parts, packs, pack, motion.v, a, al, w, scratch.moment, out)


def system_forces(tree: pl.Tree) -> Array:
    """f_sys (sum r,) for the frames' accelerations as they are."""
    out = np.zeros_like(tree._motion.q)
    _system_forces(*tree._moving, out)
    return -out[tree._layout.coordinates]


def unloaded(tree: pl.Tree) -> pl.Tree:
    """Without the loads that an earlier step may have left."""
    tree._scratch.load[:], tree._scratch.wrench[:] = 0.0, 0.0
    return tree
