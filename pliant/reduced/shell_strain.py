"""Strains of a shell for all pairs of basis vectors, and the energies that are made of them.

Membrane and bending strain are quadratic in z = (1, q), e = sum_{i<=j} e_ij z_i z_j with e_00 = 0 (`fem.shell`), so W =
1/2 sum_t e . C e is a quartic as that of a solid of StVK (`strain.py`). Coefficients are kept for a unit of Young's
modulus: the stiffness of edges that nothing holds is no sum of two moduli.
"""

import numpy as np

from pliant.errors import Array, Ids
from pliant.fem import Shell
from pliant.numerics.progress import Progress, report
from pliant.reduced.packing import coefficient_count
from pliant.reduced.strain import add_squares, coefficients

AT_A_TIME = 128  # triangles whose strains are held: 6 MB at r = 30


def shell_coefficients(shell: Shell, U: Array, cells: Ids, progress: Progress = None) -> Array:
    """Coefficients (C(r + 4, 4),) of the quartic energy of some triangles."""
    n = U.shape[1] + 1
    total, bent = np.zeros((n * (n + 1) // 2,) * 2, order="F"), np.zeros((n - 1, n - 1))
    for start in range(0, len(cells), AT_A_TIME):
        chunk = cells[start : start + AT_A_TIME]
        membrane, bending = strain_pairs(shell, U, chunk)
        total = add_squares(total, _rooted(shell.data.membrane[chunk], membrane))
        curved = shell.data.rest[chunk].any(axis=1)
        if curved.any():
            total = add_squares(total, _rooted(shell.data.bending[chunk][curved], bending[curved]))
        flat = _rooted(shell.data.bending[chunk][~curved], bending[~curved])[:, _alone(n)]
        bent += flat.T @ flat
        report(progress, "polynomials", min(1.0, (start + AT_A_TIME) / len(cells)))
    total[np.ix_(_alone(n), _alone(n))] += np.triu(bent)
    return coefficients(total, n, np.empty(coefficient_count(n)))


def shell_matrix(shell: Shell, U: Array, cells: Ids) -> Array:
    """U^T K U (r, r) at rest, of some triangles."""
    n, K = U.shape[1] + 1, np.zeros((U.shape[1],) * 2)
    for start in range(0, len(cells), AT_A_TIME):
        chunk = cells[start : start + AT_A_TIME]
        pairs = strain_pairs(shell, U, chunk)
        for C, strain in zip((shell.data.membrane[chunk], shell.data.bending[chunk]), pairs):
            rows = _rooted(C, strain[..., _alone(n)])
            K += rows.T @ rows
    return K


def strain_pairs(shell: Shell, U: Array, cells: Ids) -> tuple[Array, Array]:
    """Membrane (k, 3, 1, p) and bending strains (k, 3, 3, p) of all pairs p = j (j + 1) / 2 + i."""
    data, r = shell.data, U.shape[1]
    moved = U.reshape(-1, 3, r)
    a = np.concatenate(
        [
            data.axes[cells][..., None],
            np.einsum("tak,tair->tkir", data.slopes[cells], moved[data.cells[cells]], optimize=True),
        ],
        axis=3,
    )
    j, i = np.tril_indices(r + 1)
    half = np.where(i == j, 0.5, 1.0)
    first, second = a[..., i], a[..., j]
    mixed = np.einsum("tkip,tlip->tklp", first, second, optimize=True) * half
    membrane = np.stack([mixed[:, 0, 0], mixed[:, 1, 1], (mixed[:, 0, 1] + mixed[:, 1, 0]) / np.sqrt(2)], axis=1)
    normals = np.cross(first[:, 0], second[:, 1], axis=1) + np.cross(second[:, 0], first[:, 1], axis=1)
    bending = -data.rest[cells][:, :, None, None] * (normals * half)[:, None]
    linear = np.einsum("tcp,tpir->tcir", data.rows[cells], moved[data.nodes[cells]], optimize=True)
    bending[..., _alone(r + 1)] += linear
    membrane[..., 0] = bending[..., 0] = 0.0
    return membrane[:, :, None], bending


def _alone(n: int) -> Ids:
    """The pairs of 1 with each coordinate."""
    j = np.arange(1, n)
    return j * (j + 1) // 2


def _rooted(C: Array, strain: Array) -> Array:
    """Rows sqrt(C) e (rows, p) of strains (k, 3, d, p), so that sum e . C e is rows^T rows."""
    if not len(C):
        return np.zeros((0, strain.shape[-1]))
    values, vectors = np.linalg.eigh(C)
    root = vectors * np.sqrt(np.maximum(values, 0.0))[:, None]
    return np.einsum("tcx,tcdp->txdp", root, strain, optimize=True).reshape(-1, strain.shape[-1])
