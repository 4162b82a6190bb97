"""St. Venant-Kirchhoff: linear in the Green strain, so forces are cubic in the displacement ([SI05] section 3).

E = (F^T F - I) / 2,   S = lam tr(E) I + 2 mu E,   P = F S,   psi = lam/2 tr(E)^2 + mu E:E
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
from pliant.numerics.simd8 import load8


class StVKParameters(NamedTuple):
    lam: Array
    mu: Array


class StVK(Material):
    """St. Venant-Kirchhoff solid. Right for large rotations and moderate strain; softens under strong compression."""

    def parameters(self, cell_count: int) -> StVKParameters:
        return StVKParameters(*self.lame(cell_count))


@njit(cache=True, nogil=True)
def second_piola(lam, mu, F, S):
    """S (3, 3) of F; returns psi."""
    trace, squares = 0.0, 0.0
    for i in range(3):
        for j in range(i, 3):
            E = 0.5 * (F[0, i] * F[0, j] + F[1, i] * F[1, j] + F[2, i] * F[2, j])
            if i == j:
                E -= 0.5
                trace += E
                squares += E * E
            else:
                squares += 2 * E * E
            S[i, j] = 2 * mu * E
            S[j, i] = S[i, j]
    for i in range(3):
        S[i, i] += lam * trace
    return 0.5 * lam * trace * trace + mu * squares


@implements(energy, StVKParameters)
def _energy(material, cell, F):
    return second_piola(material.lam[cell], material.mu[cell], F, np.empty((3, 3)))


@implements(stress, StVKParameters)
def _stress(material, cell, F, P):
    S = np.empty((3, 3))
    second_piola(material.lam[cell], material.mu[cell], F, S)
    for i in range(3):
        for j in range(3):
            P[i, j] = F[i, 0] * S[0, j] + F[i, 1] * S[1, j] + F[i, 2] * S[2, j]


@implements(stress_derivative, StVKParameters)
def _stress_derivative(material, cell, F, D):
    derivative(material.lam[cell], material.mu[cell], F, D)


@njit(cache=True, nogil=True)
def derivative(lam, mu, F, D):
    """dP_ij/dF_kl = d_ik S_lj + lam F_ij F_kl + mu ((F F^T)_ik d_jl + F_il F_kj)."""
    S = np.empty((3, 3))
    second_piola(lam, mu, F, S)
    for i in range(3):
        for k in range(3):
            B = mu * (F[i, 0] * F[k, 0] + F[i, 1] * F[k, 1] + F[i, 2] * F[k, 2])
            for j in range(3):
                for l in range(3):
                    value = lam * F[i, j] * F[k, l] + mu * F[i, l] * F[k, j]
                    if i == k:
                        value += S[l, j]
                    if j == l:
                        value += B
                    D[3 * i + j, 3 * k + l] = value


@njit(cache=True, nogil=True)
def principal_blocks(lam, mu, x, A, plus, minus):
    """The blocks of `isotropic.py` at the stretches x (3,)."""
    trace = 0.5 * (x[0] * x[0] + x[1] * x[1] + x[2] * x[2] - 3.0)
    for c in range(3):
        a, b = (c + 1) % 3, (c + 2) % 3
        mean = lam * trace + mu * (x[a] * x[a] + x[b] * x[b] - 1.0)
        plus[c], minus[c] = mean + mu * x[a] * x[b], mean - mu * x[a] * x[b]
        A[a, b] = lam * x[a] * x[b]
        A[b, a] = A[a, b]
        A[c, c] = lam * (trace + x[c] * x[c]) + mu * (3 * x[c] * x[c] - 1.0)


@implements(clamped_stress_derivative, StVKParameters)
def _clamped_stress_derivative(material, cell, F, D):
    U, x, V = np.empty((3, 3)), np.empty(3), np.empty((3, 3))
    A, plus, minus = np.empty((3, 3)), np.empty(3), np.empty(3)
    signed_svd(F, U, x, V)
    principal_blocks(material.lam[cell], material.mu[cell], x, A, plus, minus)
    principal_derivative(U, V, A, plus, minus, True, D)


@njit(cache=True, nogil=True, forceinline=True)
def principal_blocks8(lam, mu, x):
    """What `principal_response` gives."""
    a, b, c = x
    bc, ac, ab = b * c, a * c, a * b
    square_a, square_b, square_c = a * a, b * b, c * c
    trace = 0.5 * (square_a + square_b + square_c - 3.0)
    pressure = lam * trace
    ea, eb, ec = square_a - 1.0, square_b - 1.0, square_c - 1.0
    psi = 0.5 * pressure * trace + 0.25 * mu * (ea * ea + eb * eb + ec * ec)
    force = (a * (pressure + mu * ea), b * (pressure + mu * eb), c * (pressure + mu * ec))
    own = lam + 2.0 * mu
    slope = (
        pressure + own * square_a + mu * ea,
        lam * ab,
        lam * ac,
        pressure + own * square_b + mu * eb,
        lam * bc,
        pressure + own * square_c + mu * ec,
    )
    mean_a, mean_b, mean_c = (
        pressure + mu * (square_b + ec),
        pressure + mu * (square_c + ea),
        pressure + mu * (square_a + eb),
    )
    plus = (mean_a + mu * bc, mean_b + mu * ac, mean_c + mu * ab)
    minus = (mean_a - mu * bc, mean_b - mu * ac, mean_c - mu * ab)
    return psi, force, slope, plus, minus


@implements(principal_response, StVKParameters)
def _principal_response(material, first, x):
    return principal_blocks8(load8(material.lam, first), load8(material.mu, first), x)


@implements(stress_curvature, StVKParameters)
def _stress_curvature(material, cell, A, B, P):
    curvature_at_rest(material.lam[cell], material.mu[cell], A, B, P)


@njit(cache=True, nogil=True)
def curvature_at_rest(lam, mu, A, B, P):
    """P2 = S[sym(A^T B)] + A S[sym B] + B S[sym A] at F = I."""
    trace_a, trace_b, trace_ab = A[0, 0] + A[1, 1] + A[2, 2], B[0, 0] + B[1, 1] + B[2, 2], 0.0
    for i in range(3):
        for j in range(3):
            trace_ab += A[i, j] * B[i, j]
            total = lam * (A[i, j] * trace_b + B[i, j] * trace_a)
            for k in range(3):
                total += mu * (A[k, i] * B[k, j] + B[k, i] * A[k, j])
                total += mu * (A[i, k] * (B[k, j] + B[j, k]) + B[i, k] * (A[k, j] + A[j, k]))
            P[i, j] = total
    for i in range(3):
        P[i, i] += lam * trace_ab
