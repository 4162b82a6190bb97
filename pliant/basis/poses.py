"""A basis from example poses that an artist gives as vertex positions ([MC15] section 9)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pliant.basis.basis import Basis, check_solid
from pliant.basis.snapshots import deformations, snapshot_basis
from pliant.basis.vibration import vibration_modes
from pliant.errors import Array, BasisError, check_array, check_count
from pliant.fem import Solid


def pose_basis(
    solid: Solid,
    poses: ArrayLike,
    size: int | None = None,
    modes: int = 0,
    stiffness: ArrayLike | None = None,
) -> Basis:
    """The basis that reproduces poses (s, n, 3) or one (n, 3), positions of the simulation mesh's vertices [m].

    A pose of a free solid may stand anywhere and be turned; only its deformation counts. Poses alone are made
    M-orthonormal. With `modes` or `stiffness` each pose is a column as it is, behind the modes: its coordinate is 1
    where the pose is reached.

    Args:
        size: r, of poses alone; None keeps as many vectors as there are independent poses.
        modes: vibration modes to begin with, so that the solid can move besides.
        stiffness: factors of the energy along every pose, or one for all: what takes a tenth of the force to be
            dented says 0.1.
    """
    X = check_solid(solid).mesh.vertices
    shape = (None, *X.shape) if np.ndim(poses) == 3 else X.shape
    u = check_array("poses", poses, shape).reshape(-1, *X.shape) - X
    count = check_count("modes", modes, at_least=0)
    if not count and stiffness is None:
        return snapshot_basis(solid, u, size)
    if size is not None:
        raise BasisError("size is that of poses alone; leave it out beside modes and stiffness, which keep every pose")
    return _behind_modes(solid, deformations(solid, u), count, stiffness)


def _behind_modes(solid: Solid, columns: Array, count: int, stiffness: ArrayLike | None) -> Basis:
    found = vibration_modes(solid, count) if count else None
    parts = [columns] if found is None else [found.vectors, columns]
    given = np.asarray(1.0 if stiffness is None else stiffness, dtype=np.float64)
    if given.shape not in ((), columns.shape[1:]):
        raise BasisError(f"stiffness must be one factor or one a pose ({columns.shape[1]}); {given.size} were given")
    factors = np.concatenate([np.ones(count), np.broadcast_to(given, columns.shape[1:])])
    return Basis(np.hstack(parts), frequencies=None if found is None else found.frequencies, stiffness=factors)
