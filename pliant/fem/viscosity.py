"""Damping that brakes strain and nothing else: the stiffness of the material without that of its stress.

P = F (lam tr(E') I + 2 mu E'),   E' = sym(F^T F')

lam and mu are those of the material at rest, so that there this is beta K for every isotropic one. A rigid motion has
E' = 0, so no rotation is braked, and C is never negative, so damping never feeds energy; K(u), which contains the
stress, does both.
"""

from typing import NamedTuple

import numpy as np

from pliant.errors import Array
from pliant.fem.assembly import assemble_tangent
from pliant.fem.corotational import Corotational
from pliant.fem.firm_stvk import FirmStVK
from pliant.fem.linear import Linear
from pliant.fem.material import Material, clamped_stress_derivative, implements, stress, stress_derivative
from pliant.fem.neo_hookean import NeoHookean
from pliant.fem.shell import Shell
from pliant.fem.solid import Solid
from pliant.fem.stvk import StVK
from pliant.numerics.specialisation import specialised

LAME = (Linear, StVK, FirmStVK, Corotational, NeoHookean)  # at rest they have the Lame constants of E and nu


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


def rest_moduli(material: Material, cell_count: int) -> tuple[Array, Array]:
    """lam (m,) and mu (m,) of every cell at rest [Pa]; of a material from outside those of its own stress."""
    if type(material) in LAME:
        return material.lame(cell_count)
    lam, mu = np.zeros(cell_count), np.zeros(cell_count)
    _rest_moduli(material.parameters(cell_count), lam, mu)
    return lam, mu


@specialised
def _rest_moduli(material, lam, mu):
    """dP_ij/dF_kl = lam d_ij d_kl + mu (d_ik d_jl + d_il d_jk) at F = I; means over the axes."""
    F, D = np.eye(3), np.zeros((9, 9))
    for c in range(len(lam)):
        stress_derivative(material, c, F, D)
        lam[c] = (D[0, 4] + D[0, 8] + D[4, 8]) / 3
        mu[c] = (D[1, 1] + D[2, 2] + D[5, 5]) / 3


def viscosity(solid: Solid, u: Array) -> Array:
    """Data, on the solid's pattern, of the matrix V(u) with f = beta V(u) v; for a linear material that of K."""
    if isinstance(solid.material, Linear):
        return solid.stiffness().data
    if isinstance(solid, Shell):
        return solid.viscosity(u)
    f, data = np.zeros((solid.mesh.vertex_count, 3)), np.zeros(len(solid.pattern.indices))
    e, lame = solid.elements, ViscousParameters(*rest_moduli(solid.material, solid.mesh.cell_count))
    shape = (solid.mesh.cells, e.blocks, e.gradients, e.weights, solid.pattern.places, solid.pattern.pitch)
    nodal = np.array(u, dtype=np.float64).reshape(-1, 3)
    assemble_tangent(lame, *shape, nodal, None, f, data)
    return data
