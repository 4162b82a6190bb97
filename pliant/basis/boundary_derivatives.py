"""Columns of a domain that bends and turns far: modes and modal derivatives of the whole, cut at the interfaces.

S = [psi_i | Phi_ij],  K Phi_ij = -(H:psi_i) psi_j                          shapes of the whole, weighted
Phi_I = -K_II^-1 K_IB Psi                                                   lift of the trace ([BA13] Eq. 3)
V = leading directions, in the mass, of  s_I + K_II^-1 K_IB s_B,  s in S    what the lift leaves of each shape

Each domain also has its own affine fields less their lift, so that it can turn by any angle exactly. A solid that
nothing holds must bend alike in all directions it may turn to: its shapes come with their nine copies e_a e_c^T s.
"""

import numpy as np
import scipy.linalg as la

from pliant.basis.boundary import PartMatrices, dofs_of, orthonormalised
from pliant.basis.derivatives import modal_derivatives
from pliant.basis.mass_pca import mass_pca
from pliant.basis.trace import Trace
from pliant.basis.vibration import vibration_modes
from pliant.errors import Array, Ids
from pliant.fem import Solid

SIZE = 0.3  # of the solid's extent: how far the lowest mode is thought to move; it weighs derivatives against modes
TURNED = 16  # leading shapes of a free solid that are turned
ROUNDING = 1e-6  # of its norm: less than this of a field is no new direction


def whole_shapes(solid: Solid, modes: int) -> Array:
    """Weighted modes and derivatives of the whole solid (3n, s), larger ones more likely to matter.

    A mode answers a load of its kind with an amplitude ~ 1/lambda, its derivatives with the product of two.
    """
    found = vibration_modes(solid, min(modes, len(solid.free) // 4))
    Phi = modal_derivatives(solid, found)
    i, j = np.triu_indices(found.count)
    share = (found.frequencies[0] / found.frequencies) ** 2
    extent = np.ptp(solid.mesh.vertices, axis=0).max()
    amplitude = SIZE * extent / np.abs(found.vectors[:, 0]).max() * share
    second = np.where(i == j, 0.5, 1.0) * amplitude[i] * amplitude[j]
    shapes = np.hstack([found.vectors * amplitude, Phi * second])
    return shapes if len(solid.fixed) else turned(solid, shapes)


def turned(solid: Solid, shapes: Array, count: int = TURNED) -> Array:
    """Leading directions of the shapes, each in nine copies e_a e_c^T s: all that turning makes of them."""
    directions, sizes = mass_pca(solid, shapes)
    leading = (directions[:, :count] * sizes[:count]).reshape(solid.mesh.vertex_count, 3, -1)
    copies = np.einsum("ab,kcs->kabcs", np.eye(3), leading)
    return copies.reshape(solid.dof_count, -1)


def used_trace(trace: Trace, vertices: Ids) -> tuple[Ids, Array]:
    """Which columns of the trace move some of these vertices (k,), and their rows (3k, b)."""
    rows = trace.columns[dofs_of(vertices)].tocsc()
    used = np.flatnonzero(np.diff(rows.indptr))
    return used, rows[:, used].toarray()


def bending_columns(part: PartMatrices, traced: Array, shapes: Array, count: int) -> Array:
    """U (3n_i, b + k): the lifted trace, the affine fields less their lift, and `count` directions of the shapes.

    Args:
        traced: (3n_i, b) the trace, zero inside.
        shapes: (3n_i, s) of the whole, at the vertices of the part.
    """
    lifted = traced.copy()
    lifted[part.inner] = -part.solve(part.K[part.inner] @ traced)
    internal = np.empty((len(part.inner), 0))
    if not len(part.solid.fixed):
        internal = _leading(part, internal, _unit(part, _affine_fields(part.domain.mesh.vertices)), 12)
    internal = _leading(part, internal, shapes, count)
    U = np.zeros((len(traced), traced.shape[1] + internal.shape[1]))
    U[:, : traced.shape[1]] = lifted
    U[part.inner, traced.shape[1] :] = internal
    return U


def _affine_fields(X: Array) -> Array:
    """x -> A x + t (3n, 12)."""
    scalars = np.column_stack([np.ones(len(X)), X - X.mean(axis=0)])
    return np.einsum("kf,ab->kafb", scalars, np.eye(3)).reshape(3 * len(X), -1)


def _unit(part: PartMatrices, fields: Array) -> Array:
    return fields / np.sqrt(np.einsum("ij,ij->j", fields, part.M @ fields))


def _leading(part: PartMatrices, internal: Array, fields: Array, count: int) -> Array:
    """`internal` and up to `count` leading new directions of fields (3n_i, s) less their lift, M-orthonormal."""
    M, total = part.M_II, np.sqrt(np.einsum("ij,ij->", fields, part.M @ fields))
    rest = fields[part.inner] + part.solve(part.K[part.inner][:, part.outer] @ fields[part.outer])
    for _ in range(2):
        rest = rest - internal @ (internal.T @ (M @ rest))
    squares, Y = la.eigh(rest.T @ (M @ rest))
    chosen = np.flatnonzero(squares > (ROUNDING * total) ** 2)[::-1][:count]
    return orthonormalised(M, internal, rest @ Y[:, chosen])
