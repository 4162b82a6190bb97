"""The one drawing formula: a vertex belongs to a few parts p with weights that sum to one.

    x_v = sum_p w_vp [ R_p (X_vp + warp(Omega_vp q_p) U_vp q_p) + t_p ]

A single body has one part and no frame; trees have frames, and weights of one half on interfaces ([LS11]); seams have
no frames but warp ([BA13]); bones have frames and an artist's weights ([MC15] Eq. 42).
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import pairwise

import numba
import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, Ids, check_array, check_count, check_ids, check_out
from pliant.skin.loads import Loads
from pliant.skin.placing import place
from pliant.skin.points import Points, clustered_points, selected_points
from pliant.skin.pose import Pose
from pliant.skin.rates import Rates
from pliant.skin.tables import SkinTables, frozen, lay_out

WEIGHT_SUM = 1e-9
REMEMBERED = 16  # sets of points: pushes and probes ask for the same ones again and again
WORTH_THREADS = 2_000_000  # products: about a millisecond, ten times what it takes to wake threads


@dataclass(frozen=True, eq=False)
class SkinPart:
    """The vertices that one part moves. Instances of a part share `U` and `omega`, and `X` where they are of one size.

    Attributes:
        vertices: (k,) which vertices of the skin.
        weights: (k,) the part's share in each.
        X: (k, 3) rest positions in the part's frame [m].
        U: (3k, r) rows of the basis.
        omega: (3k, r) rows of the rotation vectors, for warping; None for plain linear displacement.
        reads: the parts of the pose whose coordinates it reads, chained one after the other, so that r is the sum of
            their sizes; it stands in the frame of the first. None: the one in the same place as this in the skin.
    """

    vertices: Ids
    weights: Array
    X: Array
    U: Array
    omega: Array | None = None
    reads: tuple[int, ...] | None = None

    def __repr__(self) -> str:
        warped = "" if self.omega is None else ", warped"
        return f"SkinPart({len(self.vertices)} vertices, r={self.U.shape[1]}{warped})"

    def __post_init__(self) -> None:
        k = len(np.atleast_1d(self.vertices))
        checked = {
            "weights": check_array("weights of a skin part", self.weights, (k,)),
            "X": check_array("X of a skin part", self.X, (k, 3)),
            "U": check_array("U of a skin part", self.U, (3 * k, None)),
        }
        if self.omega is not None:
            checked["omega"] = check_array("omega of a skin part", self.omega, checked["U"].shape)
        for name, array in checked.items():
            object.__setattr__(self, name, array)
        if self.reads is not None:
            reads = tuple(check_count("reads of a skin part", i, at_least=0) for i in self.reads)
            if not reads or len(set(reads)) < len(reads):
                raise ArgumentError(f"reads of a skin part must name at least one part, each once; {reads} was given")
            object.__setattr__(self, "reads", reads)


@dataclass(frozen=True, eq=False)
class Skin:
    """Pose -> vertices, and its transpose.

    Attributes:
        vertex_count: n.
        triangles: (t, 3) what is drawn.
        parts: one a part of the system, in the order of its pose; others behind them must say what they read.
        sizes: coordinates of every part of the pose; None: as the parts that read only one say.
    """

    vertex_count: int
    triangles: Ids
    parts: Sequence[SkinPart]
    sizes: Sequence[int] | None = None

    def __repr__(self) -> str:
        return f"Skin({self.vertex_count} vertices, {len(self.triangles)} triangles, {len(self.parts)} parts)"

    def __post_init__(self) -> None:
        total = np.zeros(self.vertex_count)
        for part in self.parts:
            np.add.at(total, check_ids("vertices of a skin part", part.vertices, self.vertex_count), part.weights)
        loose = np.flatnonzero(np.abs(total - 1) > WEIGHT_SUM)
        if loose.size:
            raise ArgumentError(
                f"the weights of a skin vertex must sum to one; {loose.size} do not, the first is vertex {loose[0]} "
                f"with {total[loose[0]]:.6g}"
            )
        object.__setattr__(self, "sizes", _sizes(self.parts, self.reads, self.sizes))

    @cached_property
    def reads(self) -> tuple[tuple[int, ...], ...]:
        """Of every skin part, the parts of the pose that it reads."""
        return tuple((p,) if part.reads is None else part.reads for p, part in enumerate(self.parts))

    @cached_property
    def offsets(self) -> Ids:
        """Where the coordinates of each part of the pose begin, (d + 1,)."""
        return np.concatenate([[0], np.cumsum(np.asarray(self.sizes, dtype=np.int64))])

    @cached_property
    def tables(self) -> SkinTables:
        """The rows laid out for compiled loops."""
        return lay_out(self.parts, self.reads, self.offsets, self.vertex_count)

    @property
    def rest(self) -> Pose:
        """The pose of all zeros: identity frames, no deformation."""
        d = len(self.offsets) - 1
        return Pose.stacked(np.tile(np.eye(3), (d, 1, 1)), np.zeros((d, 3)), np.zeros(self.offsets[-1]), self.offsets)

    def vertices(self, pose: Pose, single: bool = False, out: Array | None = None) -> Array:
        """World positions (n, 3) [m]; large skins use all threads that numba may use.

        Args:
            single: read the rows in single precision: half the memory to move, and displacements right to 1e-6 of the
                largest; for pictures.
            out: (n, 3) where to; None: a new array.
        """
        threads = numba.get_num_threads() if self._products > WORTH_THREADS else 1
        tables = self._single_tables if single else self.tables
        return self._placed(pose, self._stored, self._stored, threads, tables, out)

    def vertices_at(self, pose: Pose, vertices: ArrayLike) -> Array:
        """World positions (k, 3) [m] of a few vertices (k,); the others cost nothing."""
        ids = frozen(check_ids("vertices", vertices, self.vertex_count))
        return self._placed(pose, ids, frozen(np.arange(len(ids))), 1, self.tables)

    def _placed(
        self, pose: Pose, ids: Ids, into: Ids, threads: int, tables: SkinTables, out: Array | None = None
    ) -> Array:
        x = np.empty((len(ids), 3)) if out is None else check_out(out, (len(ids), 3))
        draw = partial(place, tables, pose.rotations, pose.translations, self._chained(pose), ids, into)
        cuts = np.linspace(0, len(ids), threads + 1).astype(np.int64)
        others = [_pool().submit(draw, low, high, x) for low, high in pairwise(cuts[1:])]
        draw(cuts[0], cuts[1], x)
        for other in others:
            other.result()
        return x

    def velocities(self, pose: Pose, rates: Rates) -> Array:
        """World velocities (n, 3) [m/s]."""
        return self._all.velocity(pose, rates)

    def points(self, vertices: ArrayLike) -> Points:
        """The material points that some vertices (k,) are; the same object for those of late."""
        ids = check_ids("vertices", vertices, self.vertex_count)
        key, known = ids.tobytes(), self._known_points
        if key not in known:
            while len(known) >= REMEMBERED:
                known.pop(next(iter(known)))
            known[key] = selected_points(self.tables, self.offsets, ids)
        return known[key]

    @cached_property
    def _known_points(self) -> dict[bytes, Points]:
        return {}

    def clusters(self, weights: ArrayLike) -> Points:
        """Points that carry the weights (n,) of the vertices, masses or areas; few, where the vertices are many."""
        given = check_array("weights", weights, (self.vertex_count,))
        return clustered_points(self.parts, self.reads, self.offsets, given)

    def gather(self, pose: Pose, forces: ArrayLike) -> Loads:
        """What world forces (n, 3) [N] on the vertices mean to every part of the pose.

        Where a part warps, forces are turned back by the rotation exp(Omega q) of each vertex, as virtual work asks.
        """
        self._check(pose)
        return self._all.gather(pose, check_array("forces", forces, (self.vertex_count, 3)))

    def gather_at(self, pose: Pose, vertices: ArrayLike, forces: ArrayLike) -> Loads:
        """As `gather`, of forces (k, 3) [N] on a few vertices (k,); the others cost nothing."""
        self._check(pose)
        return self.points(vertices).gather(pose, forces)

    @cached_property
    def _all(self) -> Points:
        return Points(self.tables, np.ones(self.vertex_count), self.offsets)

    @cached_property
    def _stored(self) -> Ids:
        """All vertices in the order of their rows in memory: vertices that follow each other may be of many parts."""
        return frozen(np.argsort(self.tables.rows[self.tables.start[:-1]], kind="stable"))

    @cached_property
    def _single_tables(self) -> SkinTables:
        U, omega = (frozen(rows.astype(np.float32)) for rows in (self.tables.U, self.tables.omega))
        return self.tables._replace(U=U, omega=omega)

    @cached_property
    def _reads_in_order(self) -> bool:
        """Does every part read its own coordinates, so that the chain is the pose itself?"""
        return np.array_equal(self.tables.chain, np.arange(self.offsets[-1]))

    @cached_property
    def _products(self) -> int:
        tables = self.tables
        return int((3 * tables.size[tables.part] * np.where(tables.turns < 0, 1, 2)).sum())

    def _chained(self, pose: Pose) -> Array:
        """The coordinates that the parts read, one part after the other."""
        self._check(pose)
        return pose.flat if self._reads_in_order else frozen(pose.flat[self.tables.chain])

    def _check(self, pose: Pose) -> None:
        if pose.part_count != len(self.offsets) - 1:
            raise ArgumentError(f"the pose has {pose.part_count} parts but the skin has {len(self.offsets) - 1}")
        if not np.array_equal(pose.offsets, self.offsets):
            p = int(np.flatnonzero(np.diff(pose.offsets) != np.diff(self.offsets))[0])
            raise ArgumentError(
                f"part {p} of the pose has {len(pose.coordinates[p])} coordinates but the skin reads "
                f"{np.diff(self.offsets)[p]}"
            )


def plain_skin(X: Array, triangles: Ids, U: Array, omega: Array | None = None) -> Skin:
    """The skin of a single part that moves all vertices."""
    n = len(X)
    return Skin(n, triangles, (SkinPart(np.arange(n), np.ones(n), X, U, omega),))


def _sizes(parts: Sequence[SkinPart], reads: Sequence[tuple[int, ...]], given: Sequence[int] | None) -> tuple[int, ...]:
    """How many coordinates each part of the pose has, as given or as the parts that read a single one say."""
    count = max((i for chained in reads for i in chained), default=-1) + 1
    if given is None:
        alone = {chained[0]: part.U.shape[1] for part, chained in zip(parts, reads) if len(chained) == 1}
        unknown = [i for i in range(count) if i not in alone]
        if unknown:
            raise ArgumentError(
                f"how many coordinates part {unknown[0]} of the pose has cannot be told, since no part of the skin "
                "reads it alone; give sizes"
            )
        given = [alone[i] for i in range(count)]
    sizes = tuple(check_count("sizes", size, at_least=0) for size in given)
    if len(sizes) < count:
        raise ArgumentError(f"the skin reads part {count - 1} of the pose, but sizes has {len(sizes)} parts")
    for p, (part, chained) in enumerate(zip(parts, reads)):
        total = sum(sizes[i] for i in chained)
        if part.U.shape[1] != total:
            raise ArgumentError(
                f"part {p} of the skin reads {total} coordinates, of {', '.join(map(str, chained))}, but its U has "
                f"{part.U.shape[1]} columns"
            )
    return sizes


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max(1, numba.config.NUMBA_NUM_THREADS - 1), thread_name_prefix="pliant-skin")
