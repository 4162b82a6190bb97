"""Corotational elasticity: linear elasticity seen from the rotated frame of every point (F = R S, polar).

psi = mu |S - I|^2 + lam/2 tr(S - I)^2,   P = R (2 mu (S - I) + lam tr(S - I) I)
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array
from pliant.fem.isotropic import principal_derivative
from pliant.fem.material import (
    Material,
    clamped_stress_derivative,
    energy,
    implements,
    principal_response,
    stress,
    stress_curvature,
    stress_derivative,
)
from pliant.numerics import signed_svd
from pliant.numerics.simd8 import load8, spread8, where_positive8

FLOOR = 1e-12  # of x_a + x_b, which is zero where R jumps: keeps the number finite there


class CorotationalParameters(NamedTuple):
    lam: Array
    mu: Array


class Corotational(Material):
    """Corotational solid. Right for large rotations and small strain; robust when cells invert."""

    def parameters(self, cell_count: int) -> CorotationalParameters:
        return CorotationalParameters(*self.lame(cell_count))


@implements(energy, CorotationalParameters)
def _energy(material, cell, F):
    U, x, V = np.empty((3, 3)), np.empty(3), np.empty((3, 3))
    signed_svd(F, U, x, V)
    a, b, c = x[0] - 1.0, x[1] - 1.0, x[2] - 1.0
    return material.mu[cell] * (a * a + b * b + c * c) + 0.5 * material.lam[cell] * (a + b + c) ** 2


@implements(stress, CorotationalParameters)
def _stress(material, cell, F, P):
    # P = 2 mu F + (lam tr(S - I) - 2 mu) R
    U, x, V = np.empty((3, 3)), np.empty(3), np.empty((3, 3))
    signed_svd(F, U, x, V)
    mu, pressure = material.mu[cell], material.lam[cell] * (x[0] + x[1] + x[2] - 3.0) - 2 * material.mu[cell]
    for i in range(3):
        for j in range(3):
            R = U[i, 0] * V[j, 0] + U[i, 1] * V[j, 1] + U[i, 2] * V[j, 2]
            P[i, j] = 2 * mu * F[i, j] + pressure * R


@njit(cache=True, nogil=True)
def _derivative(lam, mu, F, clamp, D):
    U, x, V = np.empty((3, 3)), np.empty(3), np.empty((3, 3))
    A, plus, minus = np.empty((3, 3)), np.empty(3), np.empty(3)
    signed_svd(F, U, x, V)
    pressure = lam * (x[0] + x[1] + x[2] - 3.0) - 2 * mu
    for c in range(3):
        together = x[(c + 1) % 3] + x[(c + 2) % 3]
        together = together if abs(together) > FLOOR else FLOOR
        plus[c], minus[c] = 2 * mu, 2 * mu + 2 * pressure / together
        for a in range(3):
            A[c, a] = lam + 2 * mu if a == c else lam
    principal_derivative(U, V, A, plus, minus, clamp, D)


@implements(stress_derivative, CorotationalParameters)
def _stress_derivative(material, cell, F, D):
    _derivative(material.lam[cell], material.mu[cell], F, False, D)


@implements(clamped_stress_derivative, CorotationalParameters)
def _clamped_stress_derivative(material, cell, F, D):
    _derivative(material.lam[cell], material.mu[cell], F, True, D)


@implements(principal_response, CorotationalParameters)
def _principal_response(material, first, x):
    lam, mu = load8(material.lam, first), load8(material.mu, first)
    a, b, c = x[0] - 1.0, x[1] - 1.0, x[2] - 1.0
    trace = a + b + c
    pressure, uniaxial, shear = lam * trace, lam + 2.0 * mu, 2.0 * mu
    psi = mu * (a * a + b * b + c * c) + 0.5 * pressure * trace
    force = (shear * a + pressure, shear * b + pressure, shear * c + pressure)
    turning = 2.0 * (pressure - shear)
    minus = (
        shear + turning / _away_from_zero(x[1] + x[2]),
        shear + turning / _away_from_zero(x[2] + x[0]),
        shear + turning / _away_from_zero(x[0] + x[1]),
    )
    return psi, force, (uniaxial, lam, lam, uniaxial, lam, uniaxial), (shear, shear, shear), minus


@njit(cache=True, nogil=True, forceinline=True)
def _away_from_zero(together):
    size = where_positive8(together, together, -together)
    return where_positive8(size - FLOOR, together, spread8(FLOOR))


@implements(stress_curvature, CorotationalParameters)
def _stress_curvature(material, cell, A, B, P):
    # Second order in H = e + w (symmetric, skew): P2 = w s(e) + mu (H^T H - e^2) + lam/2 tr(H^T H - e^2) I,
    # with s(e) = 2 mu e + lam tr(e) I; here its polarisation in A and B.
    lam, mu = material.lam[cell], material.mu[cell]
    trace_a, trace_b, trace = A[0, 0] + A[1, 1] + A[2, 2], B[0, 0] + B[1, 1] + B[2, 2], 0.0
    for i in range(3):
        for j in range(3):
            skew_a, skew_b = 0.5 * (A[i, j] - A[j, i]), 0.5 * (B[i, j] - B[j, i])
            total = lam * (skew_a * trace_b + skew_b * trace_a)
            for k in range(3):
                ea_ik, eb_ik = 0.5 * (A[i, k] + A[k, i]), 0.5 * (B[i, k] + B[k, i])
                ea_kj, eb_kj = 0.5 * (A[k, j] + A[j, k]), 0.5 * (B[k, j] + B[j, k])
                wa_ik, wb_ik = 0.5 * (A[i, k] - A[k, i]), 0.5 * (B[i, k] - B[k, i])
                total += 2 * mu * (wa_ik * eb_kj + wb_ik * ea_kj)
                total += mu * (A[k, i] * B[k, j] + B[k, i] * A[k, j] - ea_ik * eb_kj - eb_ik * ea_kj)
            P[i, j] = total
            trace += A[i, j] * B[i, j] - 0.25 * (A[i, j] + A[j, i]) * (B[i, j] + B[j, i])
    for i in range(3):
        P[i, i] += lam * trace
