"""Where another part stands on this one: the frame of a patch of boundary triangles, as a function of q.

    x(q) = x_hat + a_hat q,   A(q) = I + sum_l B^l q_l,   R = polar(A)

[LS11] Eq. 1-6, maths sheet substructuring 3. Their A is A(q) R_hat here: the child's rest axes do not belong to the
part. A flat patch says nothing about the motion of its normal n; the cells behind it do, so B^l n = G_l n with the mean
displacement gradient G_l of these cells. Then a rigid motion of the patch and its cells is exact at any angle.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, Ids, check_array
from pliant.fem.elements import elements
from pliant.mesh import Mesh
from pliant.mesh.cell_kinds import KINDS
from pliant.mesh.topology import cell_faces, shared_faces
from pliant.reduced.model import ReducedModel
from pliant.reduced.rigid import Rigid

FLAT = 1e-3  # eps: a direction in which the patch spreads less than this part of its widest counts as flat
# Models do not change and many limbs stand on one, so each keeps the maps of its patches as long as it lives.
_known: WeakKeyDictionary[ReducedModel | Rigid, dict[bytes, InterfaceMap]] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class InterfaceMap:
    """Attributes:
    centroid: x_hat (3,) [m], in the coordinates of the model.
    shift: a_hat (3, r).
    gradient: B (3, 3, r).
    area: [m^2].
    """

    centroid: Array
    shift: Array
    gradient: Array
    area: float

    def __repr__(self) -> str:
        return f"InterfaceMap(r={self.shift.shape[1]}, {self.area:.4g} m^2)"

    def __post_init__(self) -> None:
        for array in (self.centroid, self.shift, self.gradient):
            array.setflags(write=False)


def interface_map(model: ReducedModel | Rigid, triangles: ArrayLike) -> InterfaceMap:
    """The frame of boundary triangles (k, 3) of the model's mesh; those of a hex face may be cut along any diagonal."""
    rows = check_array("triangles", triangles, (None, 3), dtype=np.int64)
    maps, key = _known.setdefault(model, {}), rows.tobytes()
    if key not in maps:
        maps[key] = _computed_map(model, rows)
    return maps[key]


def _computed_map(model: ReducedModel | Rigid, triangles: Ids) -> InterfaceMap:
    patch, owners = checked_patch(model.mesh, triangles)
    ids, weights = patch_weights(model.X, patch)
    centroid, total = weights @ model.X[ids] / weights.sum(), float(weights.sum())
    U = model.U.reshape(len(model.X), 3, model.size)[ids]
    shift = np.einsum("k,kal->al", weights, U) / total
    Y = model.X[ids] - centroid
    C = np.einsum("k,ka,kb->ab", weights, Y, Y)
    bracket = np.einsum("k,kal,kb->abl", weights, U - shift, Y)
    values, axes = np.linalg.eigh(C)
    flat = values < FLAT * values[2]
    if flat.any():
        mean = mean_gradient(model, owners)
        for value, n in zip(values[flat], axes.T[flat]):
            square = FLAT * values[2] - value
            C += square * np.outer(n, n)
            bracket += square * np.einsum("acl,c,b->abl", mean, n, n)
    return InterfaceMap(centroid, shift, np.einsum("acl,cb->abl", bracket, np.linalg.inv(C)), total)


def patch_weights(X: Array, triangles: Ids) -> tuple[Ids, Array]:
    """Vertices of triangles, rising, and a third of the area of the triangles around each [m^2]."""
    a, b, c = (X[triangles[:, i]] for i in range(3))
    thirds = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 6
    ids, corner = np.unique(triangles, return_inverse=True)
    return ids, np.bincount(corner.ravel(), np.repeat(thirds, 3), len(ids)).astype(np.float64)


def patch_centroid(X: Array, triangles: Ids) -> Array:
    """Area centroid (3,) of triangles."""
    ids, weights = patch_weights(X, triangles)
    return weights @ X[ids] / weights.sum()


def mean_gradient(model: ReducedModel | Rigid, cells: Ids) -> Array:
    """G (3, 3, r): the volume average of grad U_l over some cells."""
    e = elements(model.mesh.submesh(cells)[0])
    per_cell = np.einsum("bp,bpaj->baj", e.weights, e.gradients)[e.blocks]
    U = model.U.reshape(len(model.X), 3, model.size)[model.cells[cells]]
    return np.einsum("caj,cail->ijl", per_cell, U) / e.weights[e.blocks].sum()


def checked_patch(mesh: Mesh, triangles: ArrayLike) -> tuple[Ids, Ids]:
    """Boundary triangles (k, 3) of a mesh, and the cells behind them, each once, rising."""
    rows = check_array("triangles", triangles, (None, 3), dtype=np.int64)
    if not len(rows):
        raise ArgumentError("triangles must name at least one boundary triangle of the parent; none was given")
    if rows.min() < 0 or rows.max() >= mesh.vertex_count:
        raise ArgumentError(f"triangles must name vertices 0 to {mesh.vertex_count - 1}; {rows.max()} was given")
    boundary, owners = _boundary_triangles(mesh)
    base = mesh.vertex_count
    keys, wanted = _keys(boundary, base), _keys(rows, base)
    order = np.argsort(keys)
    places = np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)
    inner = keys[order[places]] != wanted
    if inner.any():
        first = rows[np.argmax(inner)].tolist()
        raise ArgumentError(f"triangles must lie on the boundary of the parent's mesh; {first} does not")
    return rows, np.unique(owners[order[places]])


def _keys(triangles: Ids, base: int) -> Ids:
    a, b, c = np.sort(triangles, axis=1).T
    return (a * base + b) * base + c


def _boundary_triangles(mesh: Mesh) -> tuple[Ids, Ids]:
    """Triangles of the boundary faces and their cells; a quad gives all four that its corners make."""
    faces, kind = cell_faces(mesh.cells), KINDS[mesh.cells.shape[1]]
    outside = np.ones(len(faces), dtype=bool)
    outside[np.concatenate(shared_faces(mesh.cells))] = False
    owners = np.flatnonzero(outside) // len(kind.faces)
    return faces[outside][:, kind.all_cuts].reshape(-1, 3), np.repeat(owners, len(kind.all_cuts))
