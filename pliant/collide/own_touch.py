"""How a surface touches itself, from how it is at rest."""

import numpy as np
from numpy.typing import NDArray

from pliant.collide.blocks import WIDTH, squares_to_block
from pliant.collide.body import SKIP, TRIANGLE, body_of
from pliant.collide.boxes import box_distance
from pliant.collide.contacts import contacts_for
from pliant.collide.nearest import FARTHEST, opposes
from pliant.collide.pseudo_normals import sample_normal
from pliant.collide.refitting import refit
from pliant.collide.self_finding import find_self_contacts
from pliant.collide.selves import OwnTouch, are_neighbours, is_straight_behind, selves_of
from pliant.collide.shape import CollisionShape
from pliant.collide.surfaces import Surfaces, surfaces_of
from pliant.collide.touching import sample_place
from pliant.collide.triangle import squared_distance
from pliant.errors import Array, Ids
from pliant.numerics.counting import borrowing
from pliant.numerics.simd8 import spread8, up_to8

DEEP = 0.25  # of what the limb is thick
ALL = 255  # of eight leaves, as bits
THICK = 2.0  # times what most of it is: the tips of limbs are not as thick as these are long
AROUND = 4.0  # of what counts as touching: leaves at rest that are farther away may have strangers
EDGES = 1.5  # mean lengths of an edge: what counts as touching at rest, unless it is said


def usual_touching(rest: Array, triangles: Ids) -> float:
    """The distance at rest within which a surface counts as touching itself [m]."""
    corners = rest[triangles]
    return EDGES * float(np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).mean())


def own_touch(shape: CollisionShape, rest: Array, touching: float | None = None) -> OwnTouch:
    """Of a shape with its vertices (v, 3) at rest."""
    surfaces, near = surfaces_of([shape], [0]), usual_touching(rest, shape.triangles) if touching is None else touching
    refit(surfaces, rest)
    depth = np.zeros(len(shape.sample_weights))
    _measure_thickness(surfaces, rest, depth)
    limbs = depth[depth < FARTHEST]
    usual = float(np.median(limbs)) if len(limbs) else shape.reach
    lists = _strangers(surfaces, rest, near)
    found = OwnTouch(near, rest, DEEP * np.minimum(depth, THICK * usual), *lists)
    contacts = contacts_for(len(depth))
    selves = selves_of([shape], [found], np.array([1]))
    count = find_self_contacts(surfaces, selves, rest, np.zeros(1), contacts, np.int64(0))
    found.depth[contacts.sample[:count][contacts.gap[:count] < 0]] = -1.0
    return found


@borrowing
def _measure_thickness(surfaces, x, thick):
    """Into thick (k,) the way from every sample to the nearest triangle that it is straight behind of."""
    A = body_of(surfaces, x, 0)
    for sample in range(len(thick)):
        p, m = sample_place(A, sample), sample_normal(A, sample)
        best, i, end = FARTHEST * FARTHEST, 0, A.nodes[0, SKIP]
        while i < end:
            if not box_distance(A.boxes[i], p[0], p[1], p[2]) < best:
                i = A.nodes[i, SKIP]
                continue
            if A.nodes[i, SKIP] == i + 1:
                for t in range(A.nodes[i, TRIANGLE], A.nodes[i + 1, TRIANGLE]):
                    a, b, c = A.triangles[t, 0], A.triangles[t, 1], A.triangles[t, 2]
                    d = squared_distance(x, a, b, c, p[0], p[1], p[2])
                    if d < best and opposes(x, A.triangles, t, m[0], m[1], m[2]):
                        best = d if is_straight_behind(x, a, b, c, p[0], p[1], p[2], d) else best
            i += 1
        thick[sample] = np.sqrt(best)


def _strangers(surfaces: Surfaces, rest: Array, touching: float) -> tuple[Ids, Ids, NDArray[np.uint8]]:
    """`listed`, `block` and `strangers` of `OwnTouch`."""
    listed = np.zeros(len(surfaces.sample_weights), dtype=np.int64)
    _list_strangers(surfaces, rest, touching, listed, np.zeros(0, np.int64), np.zeros(0, np.uint8))
    block, bits = np.zeros(listed.sum(), np.int64), np.zeros(listed.sum(), np.uint8)
    _list_strangers(surfaces, rest, touching, listed, block, bits)
    return listed, block, bits


@borrowing
def _list_strangers(surfaces, x, touching, listed, block, bits):
    """How many blocks of leaves every sample has of which one is all neighbours; these, where there is room."""
    A, e = body_of(surfaces, x, 0), 0
    for sample in range(len(listed)):
        q, before = sample_place(A, sample), e
        for first in range(0, A.levels[1], WIDTH):
            own = _strangers_in_block(A, first, touching, q)
            if own != ALL:
                if e < len(block):
                    block[e], bits[e] = first // WIDTH, own
                e += 1
        listed[sample] = e - before


@borrowing
def _strangers_in_block(A, first, touching, q):
    """Which leaves of a block may have triangles that are no neighbours of a sample at q, as bits."""
    bits, leaves = np.int64(ALL), len(A.leaf_starts) - 1
    near = up_to8(squares_to_block(A.blocks, first, q[0], q[1], q[2]), spread8((AROUND * touching) ** 2))
    for k in range(WIDTH):
        leaf, any_stranger = first + k, False
        if (near >> k) & 1 and leaf < leaves:
            for t in range(A.leaf_starts[leaf, TRIANGLE], A.leaf_starts[leaf + 1, TRIANGLE]):
                if not are_neighbours(A.x, A.triangles, t, touching, q[0], q[1], q[2]):
                    any_stranger = True
                    break
            if not any_stranger:
                bits &= ~(np.int64(1) << k)
    return bits
