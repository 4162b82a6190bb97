"""Columns that come and go with held vertices, and the state carried from one set to the next ([BA13] Eq. 19-20)."""

from collections.abc import Collection

import numpy as np

from pliant.basis.boundary import PartColumns, PartMatrices, compensating_modes, orthonormalised, with_internal
from pliant.errors import Array, Ids
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
