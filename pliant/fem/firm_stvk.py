"""St. Venant-Kirchhoff that resists being crushed: a term of the volume ratio J = det F joins below a threshold.

    psi = psi_StVK + k/3 (J0 - J)^3 / J0^2  where J < J0,   k = firmness (lam + 2 mu)
    P = P_StVK - k ((J0 - J) / J0)^2 cof F

StVK alone softens when an axis is squeezed below 1/sqrt 3, and pushes a cell on once it is inside out. Above J0 this is
StVK to the last bit; psi has two continuous derivatives, and is finite for any F. With the constants given by default
the pressure that holds a cell squeezed along one axis grows all the way down, through flat and inverted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array
from pliant.fem.cofactor import add_cofactor_derivative, cofactor
from pliant.fem.isotropic import principal_derivative
from pliant.fem.material import (
    Material,
    check_range,
    clamped_stress_derivative,
    energy,
    implements,
    principal_response,
    stress,
    stress_curvature,
    stress_derivative,
)
from pliant.fem.stvk import curvature_at_rest, derivative, principal_blocks, principal_blocks8, second_piola
from pliant.numerics import signed_svd
from pliant.numerics.simd8 import load8, spread8, where_positive8


class FirmStVKParameters(NamedTuple):
    lam: Array
    mu: Array
    k: Array
    J0: Array


@dataclass(frozen=True, eq=False)
class FirmStVK(Material):
    """StVK with resistance to being crushed: for soft bodies under strong pulls and blows.

    Attributes:
        threshold: J0, the share of its rest volume below which a cell resists, between 0 and 1.
        firmness: k in units of lam + 2 mu, above 0.
    """

    threshold: float | Array = 0.7
    firmness: float | Array = 2.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_range(self, "threshold", 0.0, 1.0, "the share of its volume below which a cell resists")
        check_range(self, "firmness", 0.0, np.inf, "in units of lam + 2 mu")

    def parameters(self, cell_count: int) -> FirmStVKParameters:
        lam, mu = self.lame(cell_count)
        firmness, threshold = (self.per_cell(name, cell_count) for name in ("firmness", "threshold"))
        return FirmStVKParameters(lam, mu, firmness * (lam + 2 * mu), threshold)


@njit(cache=True, nogil=True)
def _pressure(k, J0, J):
    """d psi / dJ and d2 psi / dJ2 of the added term."""
    lack = max(J0 - J, 0.0) / J0
    return -k * lack * lack, 2 * k * lack / J0


@implements(energy, FirmStVKParameters)
def _energy(material, cell, F):
    workspace = np.empty((3, 3))
    psi = second_piola(material.lam[cell], material.mu[cell], F, workspace)
    lack = max(material.J0[cell] - cofactor(F, workspace), 0.0)
    return psi + material.k[cell] / 3 * lack**3 / material.J0[cell] ** 2


@implements(stress, FirmStVKParameters)
def _stress(material, cell, F, P):
    S, C = np.empty((3, 3)), np.empty((3, 3))
    second_piola(material.lam[cell], material.mu[cell], F, S)
    pressure, _ = _pressure(material.k[cell], material.J0[cell], cofactor(F, C))
    for i in range(3):
        for j in range(3):
            P[i, j] = F[i, 0] * S[0, j] + F[i, 1] * S[1, j] + F[i, 2] * S[2, j] + pressure * C[i, j]


@implements(stress_derivative, FirmStVKParameters)
def _stress_derivative(material, cell, F, D):
    derivative(material.lam[cell], material.mu[cell], F, D)
    C = np.empty((3, 3))
    pressure, bulk = _pressure(material.k[cell], material.J0[cell], cofactor(F, C))
    for a in range(9):
        for b in range(9):
            D[a, b] += bulk * C[a // 3, a % 3] * C[b // 3, b % 3]
    add_cofactor_derivative(pressure, F, D)


@implements(clamped_stress_derivative, FirmStVKParameters)
def _clamped_stress_derivative(material, cell, F, D):
    U, x, V = np.empty((3, 3)), np.empty(3), np.empty((3, 3))
    A, plus, minus = np.empty((3, 3)), np.empty(3), np.empty(3)
    signed_svd(F, U, x, V)
    principal_blocks(material.lam[cell], material.mu[cell], x, A, plus, minus)
    pressure, bulk = _pressure(material.k[cell], material.J0[cell], x[0] * x[1] * x[2])
    for c in range(3):
        a, b = (c + 1) % 3, (c + 2) % 3
        plus[c], minus[c] = plus[c] - pressure * x[c], minus[c] + pressure * x[c]
        A[c, c] += bulk * (x[a] * x[b]) ** 2
        A[a, b] += bulk * (x[b] * x[c]) * (x[a] * x[c]) + pressure * x[c]
        A[b, a] = A[a, b]
    principal_derivative(U, V, A, plus, minus, True, D)


@implements(principal_response, FirmStVKParameters)
def _principal_response(material, first, x):
    psi, force, slope, plus, minus = principal_blocks8(load8(material.lam, first), load8(material.mu, first), x)
    k, J0 = load8(material.k, first), load8(material.J0, first)
    a, b, c = x
    bc, ac, ab = b * c, a * c, a * b
    lack = 1.0 - a * bc / J0
    lack = where_positive8(lack, lack, spread8(0.0))
    pressure, bulk = -k * lack * lack, 2.0 * k * lack / J0
    force = (force[0] + pressure * bc, force[1] + pressure * ac, force[2] + pressure * ab)
    slope = (
        slope[0] + bulk * bc * bc,
        slope[1] + bulk * bc * ac + pressure * c,
        slope[2] + bulk * bc * ab + pressure * b,
        slope[3] + bulk * ac * ac,
        slope[4] + bulk * ac * ab + pressure * a,
        slope[5] + bulk * ab * ab,
    )
    plus = (plus[0] - pressure * a, plus[1] - pressure * b, plus[2] - pressure * c)
    minus = (minus[0] + pressure * a, minus[1] + pressure * b, minus[2] + pressure * c)
    return psi - pressure * lack * J0 / 3.0, force, slope, plus, minus


@implements(stress_curvature, FirmStVKParameters)
def _stress_curvature(material, cell, A, B, P):
    curvature_at_rest(material.lam[cell], material.mu[cell], A, B, P)
