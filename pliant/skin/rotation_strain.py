"""Rotation-strain warping: a linear displacement of a tet mesh bent into the large one that it means ([MR12] Eq. 19-25).

    H_e = du/dX = eps + [w]x,   T_e = exp([w]x) (I + eps)       strain and rotation of tet e, from the LINEAR u
    minimise sum_e V_e |I + grad x - T_e|^2 over displacements x

It is meant for pictures: linear modes of any amplitude look right without a nonlinear model, and neither swell nor
shear. Modal warping (`skin/warp.py`) turns every vertex by its own rotation vector alone: cheaper, local, but it stays
true only near vertices that are held. Here the cells are turned, and one sparse solve fits them together again.
"""

import numpy as np
import scipy.sparse as sp
from numba import njit
from numpy.typing import ArrayLike
from scipy.sparse.csgraph import connected_components

from pliant.errors import ArgumentError, Array, Ids, check_array, check_ids
from pliant.fem.elements import elements
from pliant.mesh import Mesh
from pliant.numerics import BorderedFactor, factor, rotation_exponential_into


class RotationStrainWarp:
    """The warp of one mesh: the factor of its Laplacian, made once. Immutable.

    Pieces of the mesh without a fixed vertex keep the centre of mass that u gives them. Of a basis U (3n, r), reduce
    the linear half once: with `S = warper.coordinates(U)`, `warper.displacements(S @ q)` is the warp of U q.

    Args:
        mesh: tets.
        fixed: vertices that stay at rest, ids or a mask (n,); None: free.
        density: one number or one a cell [kg/m^3].
    """

    def __init__(self, mesh: Mesh, fixed: ArrayLike | None = None, density: ArrayLike = 1.0):
        if mesh.kind != "tet":
            raise ArgumentError("rotation-strain warping needs a mesh of tets; split the hexes first")
        tets = elements(mesh)
        self._cells, self._gradients, self._volumes = mesh.cells, tets.gradients[:, 0], tets.weights[:, 0]
        held = np.zeros(mesh.vertex_count, dtype=bool)
        held[check_ids("fixed", [] if fixed is None else fixed, mesh.vertex_count)] = True
        self._free = np.flatnonzero(~held)
        if not len(self._free):
            raise ArgumentError("fixed holds every vertex; leave some free to move")
        self._shares = _floating_shares(mesh, held, _lumped(mesh, density))
        self._solve = self._prepared()

    def warp(self, u: ArrayLike) -> Array:
        """The warped displacements (n, 3) [m] of linear ones, u (3n,) [m]."""
        return self.displacements(self.coordinates(u))

    def coordinates(self, u: ArrayLike) -> Array:
        """What `displacements` needs to know of u (3n,) or of columns (3n, r); linear in u.

        Returns:
            (9m + 3p,) or (9m + 3p, r): of each tet eps_xx, yy, zz, yz, xz, xy and w, then the centre of mass of each of
            the p floating pieces [m].
        """
        n = self._shares.shape[0]
        columns = check_array("u", u, (3 * n,) if np.ndim(u) == 1 else (3 * n, None)).reshape(3 * n, -1)
        made = np.empty((9 * len(self._cells) + 3 * self._shares.shape[1], columns.shape[1]))
        for k, column in enumerate(columns.T):
            nodal = np.ascontiguousarray(column).reshape(-1, 3)
            local = _strains_and_rotations(self._cells, self._gradients, nodal)
            made[:, k] = np.concatenate([local.ravel(), (self._shares.T @ nodal).ravel()])
        return made.reshape(len(made), *np.shape(u)[1:])

    def displacements(self, coordinates: ArrayLike) -> Array:
        """The displacements (n, 3) [m] whose tets deform most nearly as the coordinates (9m + 3p,) say."""
        (n, pieces), m = self._shares.shape, len(self._cells)
        y = check_array("coordinates", coordinates, (9 * m + 3 * pieces,))
        pull = _pull(self._cells, self._gradients, self._volumes, y[: 9 * m].reshape(m, 9), n)
        x = np.zeros((n, 3))
        x[self._free] = self._solve(pull[self._free])
        # A constant added to a floating piece deforms nothing.
        return x + (self._shares > 0) @ y[9 * m :].reshape(pieces, 3)
