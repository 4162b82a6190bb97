"""Surfaces that touch themselves: which of their own triangles a point must not touch, and how deep it may be inside.

Where a point X and a triangle t lie at rest decides it, once and for all. They are neighbours, which never touch, if

    |X - c| <= touching                 c the nearest point of t: the ring around the point, and what is that near
    n . (c - X) >= 0.5 |X - c|          X is straight behind t: the other side of the same limb

A point may be as deep inside as a quarter of what its limb is thick there; one that is inside already at rest touches
nothing of its own.

Most of what is near a point are its neighbours. So for every point those blocks of leaves are listed that have leaves
of nothing but neighbours, and no search looks into these.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pliant.collide.blocks import level_starts
from pliant.collide.shape import CollisionShape
from pliant.collide.triangle import cross_of, squared_distance
from pliant.errors import Array, Ids
from pliant.numerics.counting import borrowing

BEHIND = 0.5  # of the way to a triangle along its normal: then a point is straight behind it


class Selves(NamedTuple):
    """Attributes:
    on: (b,) of uint8, which bodies touch themselves.
    touching: (s,) of shapes [m]. rest: (v, 3) vertices of all shapes at rest, depth: (k,) of all samples [m]; below
        zero: it touches nothing of its own.
    first: (k + 1,) of all samples, where the blocks of leaves in their list begin. block, strangers: (e,) which, in
        rising order, and as bits which of its eight leaves have triangles that are no neighbours. Those that are not
        listed all may have some.
    faces: (t, 3), normals: work space: normals of triangles, and what those of every leaf are between.
    """

    on: NDArray[np.uint8]
    touching: Array
    rest: Array
    depth: Array
    first: Ids
    block: Ids
    strangers: NDArray[np.uint8]
    faces: Array
    normals: Array


class OwnTouch(NamedTuple):
    """What `Selves` knows of one shape; the number of listed blocks of every sample instead of where they begin."""

    touching: float
    rest: Array
    depth: Array
    listed: Ids
    block: Ids
    strangers: NDArray[np.uint8]


def selves_of(shapes: Sequence[CollisionShape], known: Sequence[OwnTouch | None], on: Array) -> Selves:
    """Of all shapes in a row; None: one that does not touch itself."""
    rest = [np.zeros((len(shape.ids), 3)) if own is None else own.rest for shape, own in zip(shapes, known)]
    depth = [np.zeros(len(shape.sample_weights)) if own is None else own.depth for shape, own in zip(shapes, known)]
    listed = [np.zeros(len(shape.sample_weights)) if own is None else own.listed for shape, own in zip(shapes, known)]
    lists = [own for own in known if own is not None]
    own_shapes = [shape for shape, own in zip(shapes, known) if own is not None]
    triangles = max((len(shape.triangles) for shape in own_shapes), default=0)
    leaves = max((int(level_starts(len(shape.leaf_starts) - 1)[1]) for shape in own_shapes), default=0)
    return Selves(
        np.asarray(on).astype(np.uint8),
        np.array([0.0 if own is None else own.touching for own in known]),
        np.concatenate(rest),
        np.concatenate(depth),
        np.concatenate([[0], np.cumsum(np.concatenate(listed))]).astype(np.int64),
        np.concatenate([np.zeros(0, np.int64), *(own.block for own in lists)]),
        np.concatenate([np.zeros(0, np.uint8), *(own.strangers for own in lists)]),
        np.zeros((triangles, 3)),
        np.zeros((leaves, 6)),
    )


@borrowing
def are_neighbours(rest, triangles, t, touching, q0, q1, q2):
    """Whether a point that is at q at rest may never touch triangle t."""
    i, j, k = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    d = squared_distance(rest, i, j, k, q0, q1, q2)
    return d <= touching * touching or is_straight_behind(rest, i, j, k, q0, q1, q2, d)


@borrowing
def is_straight_behind(x, i, j, k, q0, q1, q2, d):
    """Whether q is behind triangle ijk, whose squared distance is d, and not far aside."""
    n0, n1, n2 = cross_of(x, i, j, k)
    depth = n0 * (x[i, 0] - q0) + n1 * (x[i, 1] - q1) + n2 * (x[i, 2] - q2)
    return depth > 0 and depth * depth >= BEHIND * BEHIND * d * (n0 * n0 + n1 * n1 + n2 * n2)
