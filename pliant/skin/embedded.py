"""A render surface hung on the mesh of a skin: every vertex rides in the cell that holds it.

    x_v = sum_a b_a x_a,   a the corners of the cell, b barycentric or trilinear weights

With the formula of the skin in x_a this is a skin again, part by part:

    w_vp = sum_a b_a w_ap,   w_vp X_vp = sum_a b_a w_ap X_ap,   the same for U and Omega

Corners on interfaces carry their averaged rows along, so the surface has no cracks where the skin has none.
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from pliant.errors import ArgumentError, Array, Ids
from pliant.mesh import Mesh, Surface, embed
from pliant.mesh.embedding import Embedding
from pliant.skin.skin import Skin, SkinPart

# A vertex outside the mesh has negative weights; where a part's nearly cancel, X_vp is far away and digits are lost.
CANCELLED = 0.1


@dataclass(frozen=True, eq=False)
class Worn:
    """A surface and the cells it hangs on: made once, for all skins of the same mesh.

    Attributes:
        surface: what is drawn.
        embedding: its vertices in the cells.
    """

    surface: Surface
    embedding: Embedding

    def __repr__(self) -> str:
        return f"Worn({self.surface}, on {self.embedding.rows.shape[1]} vertices)"

    def skin(self, body: Skin) -> Skin:
        """The surface as a skin that reads the same poses as `body`, the skin of the mesh."""
        rows = self.embedding.rows.tocsc()
        if rows.shape[1] != body.vertex_count:
            raise ArgumentError(
                f"the surface hangs on a mesh of {rows.shape[1]} vertices, but the skin has {body.vertex_count}"
            )
        parts = tuple(_embedded_part(part, chained, rows) for part, chained in zip(body.parts, body.reads))
        return Skin(len(self.surface.vertices), self.surface.triangles, parts, body.sizes)

    def spread(self, vertices: Ids, forces: Array) -> tuple[Ids, Array]:
        """Forces (k, 3) on vertices (k,) of the surface as forces on vertices of the mesh that do the same work."""
        rows = self.embedding.rows[vertices]
        ids = np.unique(rows.indices)
        return ids, rows.T[ids] @ forces


def wear(mesh: Mesh, surface: Surface) -> Worn:
    """Hang a surface on a mesh at rest."""
    if not isinstance(surface, Surface):
        raise ArgumentError(
            f"surface must be a pliant Surface; {type(surface).__name__} was given (use pl.read_surface)"
        )
    return Worn(surface, embed(mesh, surface.vertices))


def embedded_skin(skin: Skin, mesh: Mesh, surface: Surface) -> Skin:
    """The skin of a surface embedded in `mesh`, whose vertices at rest are those that `skin` draws."""
    return wear(mesh, surface).skin(skin)


def _embedded_part(part: SkinPart, chained: tuple[int, ...], rows: sp.csc_matrix) -> SkinPart:
    shares = rows[:, part.vertices].multiply(part.weights).tocsr()
    shares.eliminate_zeros()
    vertices, shares = _without_cancellation(shares)
    weights = np.asarray(shares.sum(axis=1)).ravel()
    mean = sp.diags_array(1 / weights) @ shares
    return SkinPart(
        vertices,
        weights,
        mean @ part.X,
        _rows_of(mean, part.U),
        None if part.omega is None else _rows_of(mean, part.omega),
        chained,
    )


def _without_cancellation(shares: sp.csr_matrix) -> tuple[Ids, sp.csr_matrix]:
    """The vertices that a part moves and their shares in it, positive and negative apart where they nearly cancel."""
    size = np.asarray(abs(shares).sum(axis=1)).ravel()
    total = np.asarray(shares.sum(axis=1)).ravel()
    good = np.flatnonzero(np.abs(total) > CANCELLED * size)
    bad = np.flatnonzero((size > 0) & (np.abs(total) <= CANCELLED * size))
    if not bad.size:
        return good, shares[good]
    sides = [shares[bad].maximum(0), shares[bad].minimum(0)]
    return np.concatenate([good, bad, bad]), sp.vstack([shares[good], *sides], format="csr")


def _rows_of(mean: sp.csr_matrix, matrix: Array) -> Array:
    """Means of the row triples of a (3k, r) matrix, (3m, r)."""
    triples = matrix.reshape(matrix.shape[0] // 3, -1)
    return (mean @ triples).reshape(3 * mean.shape[0], matrix.shape[1])
