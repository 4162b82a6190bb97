"""Material points: a few (part, weight, row of U) entries each. Where they are, how fast, what forces on them mean.

Hands, pushes, wind, probes, contacts and sound all speak of points; for one point or ten thousand, no other vertex of
the skin is visited.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, Ids, check_array
from pliant.skin.loads import Loads
from pliant.skin.point_kernels import (
    PROJECTIONS,
    accelerate_points,
    displace,
    move_points,
    place_points,
    pull_back,
    pull_units,
)
from pliant.skin.pose import Pose
from pliant.skin.rates import Rates
from pliant.skin.tables import SkinTables, frozen, lay_out

if TYPE_CHECKING:
    from pliant.skin.skin import SkinPart

EXACT = 2000  # up to this many vertices carry their own load
CLUSTERS = 384  # of larger skins, shared out among their parts


@dataclass(frozen=True, eq=False)
class Points:
    """Material points of a skin; made by `Skin.points` and `Skin.clusters`.

    Attributes:
        tables: their entries, for compiled loops; `tables.chain` are the coordinates of the pose that they read.
        measure: (p,) the mass [kg] or area [m^2] that each stands for, one for a plain vertex.
        offsets: (d + 1,) where the coordinates of each part begin in poses.
    """

    tables: SkinTables
    measure: Array
    offsets: Ids

    @property
    def count(self) -> int:
        """p."""
        return len(self.tables.start) - 1

    @property
    def frames(self) -> Ids:
        """(e,) of every entry, which part of the pose it stands in."""
        return self.tables.frame[self.tables.part]

    def place(self, pose: Pose) -> Array:
        """World positions (p, 3) [m]."""
        x = np.empty((self.count, 3))
        place_points(self.tables, pose.rotations, pose.translations, *self.displaced(pose.flat), x)
        return x

    def velocity(self, pose: Pose, rates: Rates) -> Array:
        """World velocities (p, 3) [m/s]."""
        v = np.empty((self.count, 3))
        moved = (*self.displaced(pose.flat), *self.displaced(rates.flat))
        move_points(self.tables, pose.rotations, rates.linear, rates.angular, *moved, v)
        return v

    def acceleration(self, pose: Pose, rates: Rates, changes: Rates) -> Array:
        """World accelerations (p, 3) [m/s^2]; `changes` are the rates of the rates."""
        a = np.empty((self.count, 3))
        moved = (self.displaced(flat) for flat in (pose.flat, rates.flat, changes.flat))
        frames = (pose.rotations, rates.angular, changes.linear, changes.angular)
        accelerate_points(self.tables, *frames, *(array for pair in moved for array in pair), a)
        return a

    def gather(self, pose: Pose, forces: ArrayLike, projection: str = "R") -> Loads:
        """What world forces (p, 3) [N] mean to every part of the pose.

        Args:
            projection: where a part warps, how forces are turned back: "R" by the rotation of each point, "Rt" by the
                warp itself, "J" by the exact gradient of their work, "none".
        """
        given = check_array("forces", forces, (self.count, 3))
        d = len(self.offsets) - 1
        force, torque, chained = np.zeros((d, 3)), np.zeros((d, 3)), np.zeros(len(self.tables.chain))
        how = PROJECTIONS.index(projection)
        moved = self.displaced(pose.flat)
        pull_back(self.tables, pose.rotations, *moved, frozen(given), how, force, torque, chained)
        reduced = np.zeros(self.offsets[-1])
        np.add.at(reduced, self.tables.chain, chained)
        return Loads(force, torque, reduced, self.offsets)

    def jacobian(self, pose: Pose) -> Array:
        """dx/dq (3p, sum r) in the world, with the frames at rest."""
        chained = np.zeros((3 * self.count, len(self.tables.chain)))
        pull_units(self.tables, pose.rotations, *self.displaced(pose.flat), PROJECTIONS.index("J"), chained)
        J = np.zeros((self.offsets[-1], 3 * self.count))
        np.add.at(J, self.tables.chain, chained.T)
        return np.ascontiguousarray(J.T)

    def displaced(self, flat: Array) -> tuple[Array, Array]:
        """U z and Omega z (e, 3) of all entries, for coordinates of a pose, or for their rates."""
        if len(flat) != self.offsets[-1]:
            raise ArgumentError(
                f"these points are of poses with {self.offsets[-1]} coordinates, this one has {len(flat)}; ask the "
                "system for its points again, since a vertex held for the first time can bring coordinates of its own"
            )
        u, w = np.empty((len(self.tables.part), 3)), np.zeros((len(self.tables.part), 3))
        displace(self.tables, flat[self.tables.chain], u, w)
        return u, w

    def in_one_frame(self) -> Points:
        """The same where all parts stand in one frame, the first of its kind."""
        return Points(self.tables._replace(frame=frozen(0 * self.tables.frame)), self.measure, self.offsets)

    def __repr__(self) -> str:
        return f"Points({self.count} points, {len(self.tables.chain)} coordinates)"


def selected_points(tables: SkinTables, offsets: Ids, vertices: Ids) -> Points:
    """The points that some vertices (k,) of a skin are, with the coordinates that they read and no others."""
    counts = tables.start[vertices + 1] - tables.start[vertices]
    start = np.concatenate([[0], np.cumsum(counts)])
    entries = np.repeat(tables.start[vertices] - start[:-1], counts) + np.arange(start[-1])
    used, part = np.unique(tables.part[entries], return_inverse=True)
    size = tables.size[used]
    first = np.cumsum(size) - size
    chain = np.repeat(tables.first[used] - first, size) + np.arange(size.sum())
    chosen = SkinTables(
        frozen(start),
        frozen(part.ravel()),
        frozen(tables.weights[entries]),
        frozen(tables.X[entries]),
        frozen(tables.rows[entries]),
        frozen(tables.turns[entries]),
        tables.U,
        tables.omega,
        frozen(tables.frame[used]),
        frozen(first),
        frozen(size),
        frozen(tables.chain[chain]),
    )
    return Points(chosen, np.ones(len(vertices)), offsets)


def mixed_points(points: Points, ends: Ids, shares: Array) -> Points:
    """Weighted means of points: those up to ends[0] make the first, from there to ends[1] the second, ..."""
    tables, counts = points.tables, np.diff(points.tables.start)
    weights = tables.weights * np.repeat(shares, counts)
    start = np.concatenate([[0], tables.start[ends]])
    mixed = tables._replace(start=frozen(start), weights=frozen(weights))
    return Points(mixed, np.ones(len(ends)), points.offsets)


def clustered_points(
    parts: Sequence[SkinPart], reads: Sequence[tuple[int, ...]], offsets: Ids, weights: Array
) -> Points:
    """Points that carry the weights (n,) of all vertices: each its own, or means of clusters where there are many.

    Loads that vary smoothly need far fewer points than the skin has vertices. Every vertex must be of one part alone.
    """
    n = int((weights > 0).sum())
    made: list[SkinPart] = []
    measure: list[Array] = []
    total = 0
    for part in parts:
        own = weights[part.vertices]
        size = int((own > 0).sum())
        count = size if n <= EXACT else min(size, int(np.ceil(CLUSTERS * size / n)))
        means, masses = _clustered(part, own, count, total)
        made.append(means)
        measure.append(masses)
        total += count
    return Points(lay_out(made, reads, offsets, total), np.concatenate(measure), offsets)


def _clustered(part: SkinPart, weights: Array, count: int, first: int) -> tuple[SkinPart, Array]:
    """`_means` of clusters, and the weight of each; those of the same part from before, as long as it lives."""
    known, key = _known.setdefault(part, {}), (weights.tobytes(), count, first)
    if key not in known:
        chosen = np.flatnonzero(weights > 0)
        clusters = [chosen[ids] for ids in bisected(part.X[chosen], count)]
        known[key] = _means(part, clusters, weights, first), np.array([weights[ids].sum() for ids in clusters])
    return known[key]


_known: WeakKeyDictionary[SkinPart, dict[tuple[bytes, int, int], tuple[SkinPart, Array]]] = WeakKeyDictionary()


def _means(part: SkinPart, clusters: list[Ids], weights: Array, first: int) -> SkinPart:
    """The skin part whose vertices, numbered from `first`, are weighted means of clusters of vertices of another."""
    shares = [weights[ids] / weights[ids].sum() for ids in clusters]

    def mean(matrix: Array, width: int) -> Array:
        rows = matrix.reshape(len(part.vertices), width)
        return np.array([share @ rows[ids] for share, ids in zip(shares, clusters)]).reshape(len(clusters), width)

    r = part.U.shape[1]
    return type(part)(
        np.arange(first, first + len(clusters)),
        np.ones(len(clusters)),
        mean(part.X, 3),
        mean(part.U, 3 * r).reshape(3 * len(clusters), r),
        None if part.omega is None else mean(part.omega, 3 * r).reshape(3 * len(clusters), r),
        part.reads,
    )


def bisected(X: Array, count: int) -> list[Ids]:
    """Split points (k, 3) into `count` clusters of nearly equal size, each time across the longest side."""
    pieces = [(np.arange(len(X)), count)] if count else []
    done = []
    while pieces:
        ids, parts = pieces.pop()
        if parts == 1:
            done.append(ids)
            continue
        axis = int(np.ptp(X[ids], axis=0).argmax())
        order = ids[np.argsort(X[ids, axis], kind="stable")]
        near = parts // 2
        cut = round(len(ids) * near / parts)
        pieces += [(order[cut:], parts - near), (order[:cut], near)]
    return done


def vertex_areas(X: Array, triangles: Ids) -> Array:
    """A third of the area of the triangles around each vertex (n,) [m^2]."""
    a, b, c = (X[triangles[:, k]] for k in range(3))
    areas = np.zeros(len(X))
    np.add.at(areas, triangles, np.linalg.norm(np.cross(b - a, c - a), axis=1)[:, None] / 6)
    return areas
