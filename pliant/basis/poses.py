"""A basis from example poses that an artist gives as vertex positions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pliant.basis.basis import Basis, check_solid
from pliant.basis.snapshots import snapshot_basis
from pliant.errors import check_array
from pliant.fem import Solid


def pose_basis(solid: Solid, poses: ArrayLike, size: int | None = None) -> Basis:
    """The basis that reproduces poses (s, n, 3) or one (n, 3), positions of the simulation mesh's vertices [m].

    A pose of a free solid may stand anywhere and be turned; only its deformation counts.

    Args:
        size: r; None keeps as many vectors as there are independent poses.
    """
    X = check_solid(solid).mesh.vertices
    shape = (None, *X.shape) if np.ndim(poses) == 3 else X.shape
    return snapshot_basis(solid, check_array("poses", poses, shape).reshape(-1, *X.shape) - X, size)
