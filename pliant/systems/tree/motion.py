"""What a tree's compiled loops read and write: the state, what follows from it, and work space, instance fastest."""

from typing import NamedTuple

import numpy as np

from pliant.errors import Array
from pliant.numerics.simd8_matrices import VECTORS
from pliant.systems.tree.frames import AT, FRAME, RELATIVE, SPEED, SPIN
from pliant.systems.tree.packs import Layout
from pliant.systems.tree.strides import GATHERED, INERTIA, MATRIX, SPATIAL


class Motion(NamedTuple):
    """The state: coordinates, velocities and accelerations of all packs, and the root's state (see `root.py`)."""

    q: Array
    v: Array
    a: Array
    root: Array


class Scratch(NamedTuple):
    """What follows from the state, and work space: vectors (r,), triangles (r (r + 1)/2,) and octets of a pack.

    q_p v_p: Newmark's predictor.   q_last: where a pass began.   K f W: stiffness, force, energy of (q).
    load wrench: from outside.   wind: pressure and int x dA.   energy: kinetic + elastic, where last asked for.
    frames relative jacobian: see `frames.py`.   workspace moment pairs hessian columns block: work space of one pack.
    """

    q_p: Array
    v_p: Array
    q_last: Array
    f: Array
    load: Array
    K: Array
    W: Array
    energy: Array
    wrench: Array
    wind: Array
    frames: Array
    relative: Array
    jacobian: Array
    workspace: Array
    moment: Array
    pairs: Array
    hessian: Array
    columns: Array
    block: Array


class Gathered(NamedTuple):
    """What children leave with their parents, and the factors that the way down needs.

    K inner force: additions to a pack's matrix (triangle), to B (6, r) and to p_q (r,).
    inertia bias: additions to P (27) and p_V (6).
    factor Y y: Cholesky factor (triangle, inverse diagonal), L^-1 B^T (r, 6) and L^-1 p_q (r,).
    """

    K: Array
    inner: Array
    force: Array
    inertia: Array
    bias: Array
    factor: Array
    Y: Array
    y: Array


def motion_of(layout: Layout, root: Array) -> Motion:
    """A tree at rest; `root` is taken and not copied."""
    vector = 8 * int(layout.packs.size.sum())
    return Motion(np.zeros(vector), np.zeros(vector), np.zeros(vector), root)


def copied(motion: Motion) -> Motion:
    """Arrays of its own."""
    return Motion(*(array.copy() for array in motion))


def scratch_of(layout: Layout) -> Scratch:
    """Room for the steps of a tree, its frames at rest in the origin."""
    packs = layout.packs
    count, most = len(packs.size), max(1, int(max(packs.size.max(), packs.parent_size.max())))
    vector = 8 * int(packs.size.sum())
    triangle = 8 * int((packs.size * (packs.size + 1) // 2).sum())
    pairs = (most + 1) * (most + 2) // 2
    jacobian = max(8, len(packs.interface) // 4)
    of_one = [
        GATHERED + VECTORS * most,
        MATRIX * most,
        8 * pairs,
        8 * (pairs + 3),
        SPATIAL * most,
        4 * most * (most + 1),
    ]
    of_all = [
        triangle,
        8 * count,
        8 * count,
        SPATIAL * count,
        SPATIAL * count,
        8 * FRAME * count,
        8 * RELATIVE * count,
        jacobian,
    ]
    scratch = Scratch(*map(np.zeros, [vector] * 5 + of_all + of_one))
    scratch.frames.reshape(count, FRAME, 8)[:, [0, 4, 8]] = 1.0
    return scratch


def gathered_of(layout: Layout) -> Gathered:
    """Room for the sums over subtrees."""
    packs = layout.packs
    count = len(packs.size)
    vector = 8 * int(packs.size.sum())
    triangle = 8 * int((packs.size * (packs.size + 1) // 2).sum())
    lengths = [triangle, 6 * vector, vector, 8 * INERTIA * count, SPATIAL * count, triangle, 6 * vector, vector]
    return Gathered(*map(np.zeros, lengths))


def speeds_in_world(layout: Layout, scratch: Scratch) -> tuple[Array, Array]:
    """Velocities (d, 3) of the origins of the limbs and spins (d, 3), in world axes."""
    by_place = scratch.frames.reshape(-1, FRAME, 8).transpose(0, 2, 1).reshape(-1, FRAME)[layout.places]
    R, at, to = by_place[:, :9].reshape(-1, 3, 3), SPEED // 8, SPIN // 8
    return tuple(np.einsum("dij,dj->di", R, by_place[:, k : k + 3]) for k in (at, to))


def frames_in_world(layout: Layout, scratch: Scratch) -> tuple[Array, Array]:
    """Rotations (d, 3, 3) and origins (d, 3) of the limbs, in their order."""
    by_place = scratch.frames.reshape(-1, FRAME, 8).transpose(0, 2, 1).reshape(-1, FRAME)[layout.places]
    return by_place[:, :9].reshape(-1, 3, 3), by_place[:, AT // 8 : AT // 8 + 3]
