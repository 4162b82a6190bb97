"""Attachment modes: how a part yields where others stand on it (maths sheet substructuring 10).

    K phi = b,   b_k = e_a   and   b_k = e_a x (X_k - c)   on the vertices k of an interface,   a = x, y, z

Vibration modes of a part alone know nothing of what hangs on it. With these six shapes an interface in front of the
basis the lowest frequencies of a tree come out within a few percent, where modes and derivatives alone are too stiff.
"""

from collections.abc import Sequence

import numpy as np

from pliant.basis.basis import check_solid
from pliant.basis.mass_pca import mass_pca
from pliant.basis.response import StaticResponse
from pliant.errors import Array, Ids, check_ids
from pliant.fem import Solid

NOTHING = 1e-9  # of the largest response: interfaces that are held do not move
DEPENDENT = 1e-6  # of a column: what is left of it beside the ones before is noise


def attachment_modes(
    solid: Solid, interfaces: Sequence[Ids], size: int | None = None, response: StaticResponse | None = None
) -> Array:
    """Static responses (3n, up to 6 c) to unit forces and torques on c interfaces, mass-orthonormal, in that order.

    Args:
        interfaces: vertices of each.
        size: the most vectors wanted; if there are more they are thinned by a mass-PCA of the unit responses.
        response: of this solid at rest, if there is one already.
    """
    loads = np.hstack([interface_loads(check_solid(solid), ids) for ids in interfaces])
    columns = (StaticResponse(solid) if response is None else response).solve(loads)
    lengths = np.sqrt(np.einsum("ij,ij->j", columns, solid.mass @ columns))
    moved = lengths > NOTHING * lengths.max(initial=0.0)
    unit = in_order(solid, columns[:, moved] / lengths[moved])
    if size is None or unit.shape[1] <= size:
        return unit
    return mass_pca(solid, columns[:, moved] / lengths[moved], size)[0]


def interface_loads(solid: Solid, vertices: Ids) -> Array:
    """Forces (3n, 6) along x, y, z and torques about them through the mean of the vertices, equal on each vertex."""
    ids = check_ids("interface", vertices, solid.mesh.vertex_count)
    arms = solid.mesh.vertices[ids] - solid.mesh.vertices[ids].mean(axis=0)
    loads = np.zeros((solid.mesh.vertex_count, 3, 6))
    for a, axis in enumerate(np.eye(3)):
        loads[ids, :, a] = axis
        loads[ids, :, 3 + a] = np.cross(axis, arms)
    return loads.reshape(-1, 6)


def in_order(solid: Solid, columns: Array, size: int | None = None) -> Array:
    """Columns (3n, k) made mass-orthonormal one after the other; those that add nothing are left out."""
    Q = np.zeros((len(columns), 0))
    for column in columns.T:
        rest = column.copy()
        for _ in range(2):  # once more, since the first pass leaves rounding of the size of the column
            rest -= Q @ (Q.T @ (solid.mass @ rest))
        length = np.sqrt(rest @ (solid.mass @ rest))
        if length > DEPENDENT * np.sqrt(column @ (solid.mass @ column)):
            Q = np.hstack([Q, rest[:, None] / length])
        if Q.shape[1] == size:
            break
    return Q
