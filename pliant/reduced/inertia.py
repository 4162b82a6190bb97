"""Integrals of density times products of positions and basis vectors, of which all inertia is made.

[LS11] App. B and maths sheet substructuring 2; [MC15] section 3 and maths sheet momentum 1. They are the entries of one
Gram matrix of the scalar fields 1, X_a and U_al (a = x, y, z), with the consistent mass.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from pliant.errors import Array, Ids
from pliant.fem import Solid
from pliant.reduced.groups import Groups


@dataclass(frozen=True, eq=False)
class Inertia:
    """Inertia integrals of one part in its own frame.

    Attributes:
        gram: (4 + 3r, 4 + 3r) in the order 1, X_x, X_y, X_z, then U_xl, U_yl, U_zl for every l.
    """

    gram: Array

    def __repr__(self) -> str:
        return f"Inertia(r={self.size}, {self.mass:.4g} kg)"

    @property
    def size(self) -> int:
        """r."""
        return (len(self.gram) - 4) // 3

    @property
    def mass(self) -> float:
        """m = int rho [kg]."""
        return float(self.gram[0, 0])

    @property
    def first_moment(self) -> Array:
        """mc0 = int rho X (3,) [kg m]."""
        return self.gram[0, 1:4]

    @property
    def second_moment(self) -> Array:
        """Sig0 = int rho X X^T (3, 3) [kg m^2]."""
        return self.gram[1:4, 1:4]

    @property
    def N(self) -> Array:
        """int rho U (3, r)."""
        return self.gram[0, 4:].reshape(-1, 3).T

    @property
    def W5(self) -> Array:
        """int rho U_l X^T (r, 3, 3)."""
        return self.gram[4:, 1:4].reshape(-1, 3, 3)

    @property
    def W7(self) -> Array:
        """int rho U_l U_p^T (r, r, 3, 3)."""
        return self.gram[4:, 4:].reshape(self.size, 3, self.size, 3).transpose(0, 2, 1, 3)

    @cached_property
    def reduced_mass(self) -> Array:
        """U^T M U (r, r) [kg]."""
        M = np.trace(self.W7, axis1=2, axis2=3)
        symmetric = 0.5 * (M + M.T)
        symmetric.setflags(write=False)
        return symmetric

    @property
    def D(self) -> Array:
        """int rho Z_k Z_l^T (1 + r, 1 + r, 3, 3) for Z = (X, U)."""
        count = self.size + 1
        return self.gram[1:, 1:].reshape(count, 3, count, 3).transpose(0, 2, 1, 3)

    @cached_property
    def J(self) -> Array:
        """tr(D_kl) 1 - (D_kl + D_kl^T)/2 (1 + r, 1 + r, 3, 3), so that I(q) = sum z_k z_l J_kl."""
        D = self.D
        return np.trace(D, axis1=2, axis2=3)[..., None, None] * np.eye(3) - 0.5 * (D + D.swapaxes(2, 3))

    @cached_property
    def H(self) -> Array:
        """int rho Z_k x Z_l (1 + r, 1 + r, 3), antisymmetric in k, l."""
        D = self.D
        return np.stack([D[..., a, b] - D[..., b, a] for a, b in ((1, 2), (2, 0), (0, 1))], axis=-1)

    @property
    def centre(self) -> Array:
        """Of mass at rest (3,) [m]."""
        return self.first_moment / self.mass

    def centred(self) -> Inertia:
        """About the centre of mass, of vectors that do not move it: X - c and U - N/m (maths sheet momentum 1.1).

        Fields are shifted by multiples of the field 1, which is algebra on the Gram matrix.
        """
        shift = np.eye(len(self.gram))
        shift[0, 1:] = -self.gram[0, 1:] / self.mass
        gram = shift.T @ self.gram @ shift
        gram[0, 1:] = gram[1:, 0] = 0.0
        gram = 0.5 * (gram + gram.T)
        gram.setflags(write=False)
        return Inertia(gram)

    def moving_mass(self, q: Array) -> Array:
        """Mt = M - G^T I^-1 G (r, r) [kg]: the mass of q' that no spin of the frame can take (maths sheet momentum 2).

        It is singular where a combination of vectors turns the shape as a whole.
        """
        z = np.concatenate([[1.0], q])
        turning = np.einsum("k,l,klab->ab", z, z, self.J)
        G = np.einsum("k,kla->al", z, self.H[:, 1:])
        return self.reduced_mass - G.T @ np.linalg.solve(turning, G)

    def momentum(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Linear (3,) and angular momentum about the origin (3,) of velocities U v at positions X + U q."""
        z = np.concatenate([[1.0], q])
        return self.N @ v, np.einsum("k,kla,l->a", z, self.H[:, 1:], v)


def grams(solid: Solid, U: Array, groups: Groups) -> Array:
    """The Gram matrix of every group for density one (g, 4 + 3r, 4 + 3r)."""
    n = solid.mesh.vertex_count
    fields = np.concatenate([np.ones((n, 1)), solid.mesh.vertices, U.reshape(n, -1)[:, _by_vector(U.shape[1])]], axis=1)
    share = groups.density_shares
    result = np.stack(
        [fields.T @ (_scalar_mass(solid, groups.labels == g, share) @ fields) for g in range(groups.count)]
    )
    return 0.5 * (result + result.swapaxes(1, 2))


def _by_vector(r: int) -> Ids:
    """Columns (a, l) of U reshaped by vertex, in the order (l, a)."""
    return np.arange(3 * r).reshape(3, r).T.ravel()


def _scalar_mass(solid: Solid, chosen: Array, share: Array) -> sp.csr_matrix:
    """int phi_i phi_j (n, n) [m^3] over the chosen cells, times their density share."""
    cells, n = solid.mesh.cells[chosen], solid.mesh.vertex_count
    values = solid.elements.cell_mass()[solid.elements.blocks[chosen]] * share[chosen, None, None]
    rows = np.broadcast_to(cells[:, :, None], values.shape)
    columns = np.broadcast_to(cells[:, None, :], values.shape)
    return sp.coo_matrix((values.ravel(), (rows.ravel(), columns.ravel())), shape=(n, n)).tocsr()
