"""The surfaces of all bodies in a row, as flat arrays for compiled code. Bodies with one shape share its constants."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pliant.collide.blocks import CORNERS, FAR, WIDTH, level_starts
from pliant.collide.flows import NUMBERS
from pliant.collide.shape import CollisionShape
from pliant.errors import ArgumentError, Array, Ids, check_ids

Counts = NDArray[np.int32]

PAIRS_A_BODY = 16  # pairs of bodies that are sorted at a time; more than this come in several runs
CONSTANTS = (
    "triangles",
    "across",
    "fan_starts",
    "fans",
    "sample_ends",
    "sample_weights",
    "sample_edges",
    "nodes",
    "leaf_starts",
)


class Surfaces(NamedTuple):
    """Constants of all shapes, one after the other; where those of each begin; boxes and work space of the bodies."""

    shape: Ids  # (b,) of every body
    first_vertex: Ids  # (b + 1,) of every body among the placed vertices x
    first_box: Ids  # (b + 1,) of every body
    first_block: Ids  # (b + 1,) of every body
    first_leaf: Ids  # (b + 1,) of every body
    shape_vertex: Ids  # (s + 1,) where the vertices, triangles, samples, nodes of every shape begin
    shape_triangle: Ids
    shape_sample: Ids
    shape_node: Ids
    shape_leaf: Ids
    levels: Ids  # (s, LEVELS + 1) where the boxes of every level begin
    reach: Array  # (s,)
    closed: NDArray[np.bool_]  # (s,)
    triangles: Counts  # as of `CollisionShape`, from here on
    across: Counts
    fan_starts: Counts
    fans: Counts
    sample_ends: Counts
    sample_weights: Array
    sample_edges: Counts
    nodes: Counts
    leaf_starts: Counts
    boxes: Array  # (n, 6) least and largest coordinates of what is below every node
    blocks: Array  # boxes around the leaves and blocks of them, body after body, see `blocks`
    corners: Array  # of the triangles of leaves, see `triangle8`
    seen: Ids  # (l,) the time on the clock when these were brought there
    clock: Ids  # (1,) searches so far
    slabs: Array  # (b, 8) around every body
    order: Ids  # (b,) work space from here on: bodies from left to right
    pairs: Ids  # (p, 2) bodies whose outermost boxes meet
    tasks: Ids  # nodes of one body, each with its level and a stretch of `front`
    front: Counts  # nodes of the other body that are near
    stack: Ids  # nodes of a search
    spans: Array  # squared distances of leaves
    free: Array  # (4,) middle and radius of a ball that is all outside
    again: NDArray[np.uint8]  # (b,) whose contacts are to be found: all, at first
    known: Array  # (b,) how deep any point of it or in it was, when its contacts were last found [m]: unknown, at first
    strayed: Array  # (b,) how far each has strayed from its way since then [m]
    strays: Array  # (b,) and at most did so in between
    age: Array  # (b,) since when that is [s]
    going: Array  # (b, 3) velocity along its way [m/s]
    brief: NDArray[np.uint8]  # (b,) whose contacts are found for the next small step alone: none, at first
    flow: Array  # (b, 10), was: (v, 3) places when contacts were last found; see `flows`
    was: Array
    sunk: Array  # (v,) how deep each vertex was inside others then [m], and is now
    sinks: Array
    ways: Array  # (b, 3) how far each goes, until contacts are found again, along its way: nowhere, at first [m]
    deep: (
        Array  # (b,) how deep any point of it was found inside another, or of another inside it: unknown, at first [m]
    )


def surfaces_of(shapes: Sequence[CollisionShape], which: ArrayLike) -> Surfaces:
    """Surfaces of bodies, body i with the shape `shapes[which[i]]`."""
    if len(shapes) == 0:
        raise ArgumentError("shapes must hold at least one collision shape; none was given")
    of_body = check_ids("which", which, len(shapes))
    nodes = np.array([len(shape.nodes) - 1 for shape in shapes])
    vertices = np.array([len(shape.ids) for shape in shapes])
    leaves = np.array([len(shape.leaf_starts) - 1 for shape in shapes])
    levels = np.array([level_starts(int(count)) for count in leaves])
    widest, height = int(levels[:, 1].max()), int((np.diff(levels, axis=1) > 0).sum(axis=1).max())
    deepest = max(_depth(shape) for shape in shapes)
    constants = {name: _joined([getattr(shape, name) for shape in shapes]) for name in CONSTANTS}
    return Surfaces(
        shape=of_body,
        first_vertex=_starts(vertices[of_body]),
        first_box=_starts(nodes[of_body]),
        first_block=_starts(levels[of_body, -1]),
        first_leaf=_starts(leaves[of_body]),
        shape_vertex=_starts(vertices),
        shape_triangle=_starts(np.array([len(shape.triangles) for shape in shapes])),
        shape_sample=_starts(np.array([len(shape.sample_weights) for shape in shapes])),
        shape_node=_starts(nodes + 1),
        shape_leaf=_starts(leaves + 1),
        levels=levels,
        reach=np.array([shape.reach for shape in shapes]),
        closed=np.array([shape.closed for shape in shapes]),
        **constants,
        boxes=np.zeros((int(nodes[of_body].sum()), 6)),
        blocks=np.concatenate([np.repeat([FAR, -FAR], 3 * levels[s, -1]) for s in of_body]),
        corners=np.zeros(CORNERS * int(leaves[of_body].sum())),
        seen=np.zeros(int(leaves[of_body].sum()), dtype=np.int64),
        clock=np.zeros(1, dtype=np.int64),
        slabs=np.zeros((len(of_body), 8)),
        order=np.arange(len(of_body)),
        pairs=np.zeros((max(64, PAIRS_A_BODY * len(of_body)), 2), dtype=np.int64),
        tasks=np.zeros((WIDTH * (height + 1), 4), dtype=np.int64),
        front=np.zeros((height + 2) * (widest + WIDTH) + 1, dtype=np.int32),
        stack=np.zeros(deepest + 2, dtype=np.int64),
        spans=np.zeros(widest),
        free=np.zeros(4),
        again=np.ones(len(of_body), dtype=np.uint8),
        known=np.full(len(of_body), np.inf),
        strayed=np.zeros(len(of_body)),
        strays=np.zeros(len(of_body)),
        age=np.zeros(len(of_body)),
        going=np.zeros((len(of_body), 3)),
        brief=np.zeros(len(of_body), dtype=np.uint8),
        flow=np.zeros((len(of_body), NUMBERS)),
        was=np.zeros((int(vertices[of_body].sum()), 3)),
        sunk=np.zeros(int(vertices[of_body].sum())),
        sinks=np.zeros(int(vertices[of_body].sum())),
        ways=np.zeros((len(of_body), 3)),
        deep=np.full(len(of_body), np.inf),
    )


def _joined(arrays: list[NDArray]) -> NDArray:
    row = np.concatenate(arrays)
    return row if row.dtype == np.float64 else row.astype(np.int32)


def _starts(counts: Ids) -> Ids:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _depth(shape: CollisionShape) -> int:
    """Levels of the box tree."""
    skip, level = shape.nodes[:-1, 0], np.zeros(len(shape.nodes) + 1, dtype=np.int64)
    for node in np.flatnonzero(skip > np.arange(len(skip)) + 1):
        level[node + 1] = level[skip[node + 1]] = level[node] + 1
    return int(level.max()) + 1
