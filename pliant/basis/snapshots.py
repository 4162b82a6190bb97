"""Proper orthogonal decomposition of displacements: the best basis for known motions ([MR12] section 3.2.1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pliant.basis.basis import Basis
from pliant.basis.columns import as_columns
from pliant.basis.mass_pca import mass_pca
from pliant.basis.rigid import is_free, without_rigid
from pliant.errors import Array, BasisError, check_number
from pliant.fem import Solid
from pliant.numerics import polar

MOVED = 1e-6  # of the bounding box: how far a snapshot may move a fixed vertex


def snapshot_basis(
    solid: Solid, snapshots: ArrayLike, size: int | None = None, tolerance: float | None = None
) -> Basis:
    """POD in the mass metric, not centred.

    Args:
        snapshots: displacements [m]: (3n, s), (s, 3n) or (s, n, 3). Of a free solid the rigid part is removed,
            large rotations too.
        size: r; None keeps every direction.
        tolerance: instead of `size`: the relative rms mass-norm error of the snapshots that may be left.

    Raises:
        BasisError: the snapshots span fewer than `size` directions, or move fixed vertices.
    """
    U, s = mass_pca(solid, deformations(solid, snapshots), size)
    if tolerance is not None:
        kept = _size_for(s, check_number("tolerance", tolerance, at_least=0, at_most=1))
        U, s = U[:, :kept], s[:kept]
    return Basis(U, s)


def deformations(solid: Solid, snapshots: ArrayLike) -> Array:
    """Snapshots as columns (3n, s), those of a free solid without the motion of the whole, small or large."""
    u = as_columns(solid, "snapshots", snapshots)
    _check_fixed(solid, u)
    if is_free(solid):
        u = without_rigid(solid, np.stack([_in_body_frame(solid, column) for column in u.T], axis=1))
    return u


def _size_for(s: Array, tolerance: float) -> int:
    """Smallest r with sqrt(sum of s_i^2 beyond r) <= tolerance sqrt(sum of all)."""
    beyond = np.sqrt(np.cumsum((s**2)[::-1])[::-1])
    return max(1, int((beyond > tolerance * beyond[0]).sum()))


def _check_fixed(solid: Solid, u: Array) -> None:
    moved = np.abs(u.reshape(-1, 3, u.shape[1])[solid.fixed]).max(initial=0.0)
    if moved > MOVED * np.ptp(solid.mesh.vertices, axis=0).max():
        raise BasisError(f"the snapshots move fixed vertices by {moved:.2g} m; fix other vertices or correct them")


def _in_body_frame(solid: Solid, u: Array) -> Array:
    """The displacement seen from the frame that follows the solid best: R^T (x - c) + C - X, by mass-weighted polar."""
    X, weights = solid.mesh.vertices, solid.lumped_mass[::3, None] / solid.lumped_mass[::3].sum()
    x = X + u.reshape(-1, 3)
    C, c = (weights * X).sum(axis=0), (weights * x).sum(axis=0)
    R = np.empty((3, 3))
    polar((weights * (x - c)).T @ (X - C), R)
    return ((x - c) @ R + C - X).ravel()
