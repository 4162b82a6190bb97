"""The displacements that a basis is chosen from: modes and derivatives as large as they occur, and static states.

    a_i psi_i,   a_i a_j Phi_ij / (1 + delta_ij),   counted |a_1 psi_1|_K u_s / |u_s|_K,   a_i = a_1 lambda_1 / lambda_i

a_1 bends the solid by `natural_amplitude`. Higher modes take part as they do in the response to a force, with
1 / lambda. Static states add what modes and derivatives cannot hold, which is the local give of a pulled surface and
what is of third order in large bending. All count alike, since errors are relative. While they are few they count less
than modes: a motion combines them, and pairs of modes hold the combinations. In a large basis many of them, of large
bending, count as much: that takes away a third to a half of the error of a chair, an animal and a hand at 100 vectors.
"""

import numpy as np

from pliant.basis.derivatives import modal_derivatives
from pliant.basis.energy_pca import energy_pca
from pliant.basis.response import StaticResponse
from pliant.basis.typical_loads import natural_amplitude
from pliant.basis.vibration import Modes
from pliant.errors import Array
from pliant.fem import Linear, Solid
from pliant.numerics.progress import Progress

STATES = 0.1  # how much a static state counts while they are few


class Candidates:
    """Modes, derivatives and the static states known so far.

    Attributes:
        bent: scaled modes and derivatives (3n, c).
        states: scaled static states (3n, s).
    """

    def __init__(self, solid: Solid, modes: Modes, response: StaticResponse, progress: Progress = None):
        self.solid, self.states = solid, np.empty((solid.dof_count, 0))
        a = natural_amplitude(solid, modes.vectors[:, :1])[0] * modes.eigenvalues[0] / modes.eigenvalues
        self.bent, self._size = modes.vectors * a, a[0] * modes.frequencies[0]
        if not isinstance(solid.material, Linear):
            i, j = np.triu_indices(modes.count)
            Phi = modal_derivatives(solid, modes, "static", progress, response)
            self.bent = np.hstack([self.bent, Phi * (a[i] * a[j] / (1 + (i == j)))])

    def add(self, u: Array) -> None:
        """Take static states (3n, s) in."""
        energies = np.einsum("ij,ij->j", u, self.solid.stiffness() @ u)
        bent = energies > 0
        scaled = u[:, bent] * (STATES * self._size / np.sqrt(energies[bent]))
        self.states = np.hstack([self.states, scaled])

    def basis(self, size: int, counted: float = STATES) -> Array:
        """U (3n, r) of at most `size` vectors, those that are dearest to miss first."""
        return energy_pca(self.solid, np.hstack([self.bent, counted / STATES * self.states]), size)[0]
