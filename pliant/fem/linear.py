"""Linear elasticity: small strain, forces linear in the displacement. Rotations swell: for small motion and sound.

e = sym(F) - I,   P = lam tr(e) I + 2 mu e,   psi = lam/2 tr(e)^2 + mu e:e
"""

from typing import NamedTuple

from pliant.errors import Array
from pliant.fem.material import (
    Material,
    clamped_stress_derivative,
    energy,
    implements,
    stress,
    stress_curvature,
    stress_derivative,
)


class LinearParameters(NamedTuple):
    lam: Array
    mu: Array


class Linear(Material):
    """Linear elastic solid."""

    def parameters(self, cell_count: int) -> LinearParameters:
        return LinearParameters(*self.lame(cell_count))


@implements(energy, LinearParameters)
def _energy(material, cell, F):
    trace, squares = F[0, 0] + F[1, 1] + F[2, 2] - 3.0, 0.0
    for i in range(3):
        for j in range(3):
            e = 0.5 * (F[i, j] + F[j, i]) - (1.0 if i == j else 0.0)
            squares += e * e
    return 0.5 * material.lam[cell] * trace * trace + material.mu[cell] * squares


@implements(stress, LinearParameters)
def _stress(material, cell, F, P):
    pressure = material.lam[cell] * (F[0, 0] + F[1, 1] + F[2, 2] - 3.0) - 2 * material.mu[cell]
    for i in range(3):
        for j in range(3):
            P[i, j] = material.mu[cell] * (F[i, j] + F[j, i])
        P[i, i] += pressure


@implements(clamped_stress_derivative, LinearParameters)
@implements(stress_derivative, LinearParameters)
def _stress_derivative(material, cell, F, D):
    lam, mu = material.lam[cell], material.mu[cell]
    D[:] = 0.0
    for i in range(3):
        for j in range(3):
            D[4 * i, 4 * j] += lam
            D[3 * i + j, 3 * i + j] += mu
            D[3 * i + j, 3 * j + i] += mu


@implements(stress_curvature, LinearParameters)
def _stress_curvature(material, cell, A, B, P):
    P[:] = 0.0
