"""Columns that come and go with held vertices, and the state carried from one set to the next ([BA13] Eq. 19-20)."""

from collections.abc import Collection

import numpy as np

from pliant.basis.boundary import PartColumns, PartMatrices, compensating_modes, orthonormalised, with_internal
from pliant.errors import ArgumentError, Array, Ids
from pliant.systems.seams.parts import CoupledParts

SPARE = 2  # let go, a vertex keeps its compensating columns, so that nothing jumps; so many of these a part


def kept_with(kept: list[int], vertex: int, held: Collection[int]) -> list[int]:
    """The vertices of a part that have compensating columns, `vertex` added and the oldest spare ones left out."""
    spare = [k for k in kept if k not in held]
    dropped = spare[: max(0, len(spare) - SPARE)]
    return [k for k in kept if k not in dropped] + [vertex]


def compensated(part: PartMatrices, columns: PartColumns, vertices: Ids) -> PartColumns:
    """Columns of a domain with the compensating modes of some of its inner vertices (ids of the whole mesh) added."""
    if not len(vertices):
        return columns
    b = len(columns.boundary)
    V = columns.U[part.inner][:, b:]
    modes = compensating_modes(part, part.domain.local(vertices))
    return with_internal(part, columns, orthonormalised(part.M_II, V, modes))


def carried(coupled: CoupledParts, part: int, new: PartColumns, x: Array) -> Array:
    """Coordinates x (size,) for other columns of one part: z' = V'^T M_II V z, exact where V' spans V."""
    matrices, old = coupled.parts[part], coupled.columns[part]
    b, first, last = len(old.boundary), coupled.internal[part], coupled.internal[part + 1]
    moved = matrices.M_II @ (old.U[matrices.inner][:, b:] @ x[first:last])
    return np.concatenate([x[:first], new.U[matrices.inner][:, b:].T @ moved, x[last:]])


class KeptColumns:
    """Which vertices of which parts have compensating columns, and these columns, each made once.

    Args:
        base: the parts without any.
        table: (k, 2) parts and vertices; those of a state.
        other: where columns may have been made already.

    Attributes:
        vertices: of each part that has some, the oldest first.
    """

    def __init__(self, base: CoupledParts, table: Ids | None = None, other: "KeptColumns | None" = None):
        self._base, self.vertices = base, dict[int, list[int]]()
        self._made: dict[tuple[int, ...], PartColumns] = {} if other is None else other._made
        for part, vertex in np.empty((0, 2), np.int64) if table is None else table:
            self.vertices.setdefault(int(part), []).append(int(vertex))

    @property
    def table(self) -> Ids:
        """(k, 2) parts and vertices."""
        pairs = [(part, vertex) for part, ids in sorted(self.vertices.items()) for vertex in ids]
        return np.array(pairs, dtype=np.int64).reshape(-1, 2)

    def coupled(self) -> CoupledParts:
        """The parts with these columns."""
        made, domains = self._base, self._base.domains
        for part, vertices in self.vertices.items():
            if not 0 <= part < domains.count or not np.isin(vertices, domains.parts[part].vertices).all():
                raise ArgumentError("state must come from state() of such a system; its columns are of other parts")
            made = made.with_columns(part, self._columns(part, vertices))
        return made

    def part_without(self, vertex: int) -> int | None:
        """The part of an inner vertex that has no columns for it yet; None where nothing is to be done."""
        part = int(self._base.sharing[0][vertex])
        missing = part < self._base.domains.count and vertex not in self.vertices.get(part, [])
        return part if missing else None

    def add(self, part: int, vertex: int, held: Collection[int]) -> PartColumns:
        """The columns of a part with those of one more vertex; spare ones of vertices that nobody holds go."""
        self.vertices[part] = kept_with(self.vertices.get(part, []), vertex, held)
        return self._columns(part, self.vertices[part])

    def _columns(self, part: int, vertices: list[int]) -> PartColumns:
        key = (part, *sorted(vertices))
        if key not in self._made:
            matrices, own = self._base.parts[part], self._base.columns[part]
            self._made[key] = compensated(matrices, own, np.array(sorted(vertices)))
        return self._made[key]
