"""The six rigid motions of a free solid, built from its rest shape and orthonormal in the mass metric."""

import numpy as np
import scipy.linalg as la

from pliant.errors import Array
from pliant.fem import Solid


def is_free(solid: Solid) -> bool:
    """Nothing is fixed: the solid has rigid motions, which belong to its frame and not to its basis."""
    return not len(solid.fixed)


def rigid_modes(solid: Solid) -> Array:
    """R (3n, 6) with R^T M R = I: three translations and the fields e_i x (X - c), by the 6x6 Cholesky factor."""
    X = solid.mesh.vertices
    weights = solid.lumped_mass[::3]
    arms = X - (weights @ X) / weights.sum()
    fields = [np.tile(axis, (len(X), 1)) for axis in np.eye(3)] + [np.cross(axis, arms) for axis in np.eye(3)]
    R = np.stack([field.ravel() for field in fields], axis=1)
    L = la.cholesky(R.T @ (solid.mass @ R), lower=True)
    return la.solve_triangular(L, R.T, lower=True).T


def without_rigid(solid: Solid, vectors: Array) -> Array:
    """V - R R^T M V: what is left of displacements (3n, k) when a free solid's rigid motions are taken out."""
    R = rigid_modes(solid)
    return vectors - R @ ((solid.mass @ R).T @ vectors)
