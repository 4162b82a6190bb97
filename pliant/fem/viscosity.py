"""Damping that brakes strain and nothing else: the stiffness of the material without that of its stress.

P = F (lam tr(E') I + 2 mu E'),   E' = sym(F^T F')

At rest this is beta K for every isotropic material. A rigid motion has E' = 0, so no rotation is braked, and C is never
negative, so damping never feeds energy; K(u), which contains the stress, does both.
"""

from typing import NamedTuple

import numpy as np

from pliant.errors import Array
from pliant.fem.assembly import assemble_tangent
from pliant.fem.linear import Linear
from pliant.fem.material import clamped_stress_derivative, implements, stress, stress_derivative
from pliant.fem.solid import Solid


class ViscousParameters(NamedTuple):
    lam: Array
    mu: Array


@implements(stress, ViscousParameters)
def _stress(material, cell, F, P):
    for i in range(3):
        for j in range(3):
            P[i, j] = 0.0


@implements(stress_derivative, ViscousParameters)
def _stress_derivative(material, cell, F, D):
    # dP_ij/dF'_kl = lam F_ij F_kl + mu ((F F^T)_ik d_jl + F_il F_kj)
    lam, mu = material.lam[cell], material.mu[cell]
    for i in range(3):
        for k in range(3):
            B = mu * (F[i, 0] * F[k, 0] + F[i, 1] * F[k, 1] + F[i, 2] * F[k, 2])
            for j in range(3):
                for l in range(3):
                    value = lam * F[i, j] * F[k, l] + mu * F[i, l] * F[k, j]
                    if j == l:
                        value += B
                    D[3 * i + j, 3 * k + l] = value


@implements(clamped_stress_derivative, ViscousParameters)
def _clamped_stress_derivative(material, cell, F, D):
    stress_derivative(material, cell, F, D)


def viscosity(solid: Solid, u: Array) -> Array:
    """Data, on the solid's pattern, of the matrix V(u) with f = beta V(u) v; for a linear material that of K."""
    if isinstance(solid.material, Linear):
        return solid.stiffness().data
    f, data = np.zeros((solid.mesh.vertex_count, 3)), np.zeros(len(solid.pattern.indices))
    e, lame = solid.elements, ViscousParameters(*solid.material.lame(solid.mesh.cell_count))
    shape = (solid.mesh.cells, e.blocks, e.gradients, e.weights, solid.pattern.places, solid.pattern.pitch)
    nodal = np.array(u, dtype=np.float64).reshape(-1, 3)
    assemble_tangent(lame, *shape, nodal, False, f, data)
    return data
