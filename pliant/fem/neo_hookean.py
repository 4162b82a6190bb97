"""Stable neo-Hookean elasticity (Smith, de Goes, Kim 2018): finite for any F, also flat and inverted cells.

m = 4/3 mu, l = lam + 5/6 mu, al = 1 + 3 m / (4 l), I = F:F, J = det F, and cof F the matrix of cofactors:

    psi = m/2 (I - 3) + l/2 (J - al)^2 - m/2 ln(I + 1),   P = m (1 - 1/(I + 1)) F + l (J - al) cof F
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array
from pliant.fem.cofactor import add_cofactor_derivative, cofactor
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
from pliant.numerics.simd8_log import log8


class NeoHookeanParameters(NamedTuple):
    m: Array
    l: Array
    al: Array


class NeoHookean(Material):
    """Stable neo-Hookean solid: rubber and flesh under large strain."""

    def parameters(self, cell_count: int) -> NeoHookeanParameters:
        lam, mu = self.lame(cell_count)
        m, l = 4 / 3 * mu, lam + 5 / 6 * mu
        return NeoHookeanParameters(m, l, 1 + 3 * m / (4 * l))


@njit(cache=True, nogil=True)
def _square_norm(F):
    total = 0.0
    for i in range(3):
        for j in range(3):
            total += F[i, j] * F[i, j]
    return total


@implements(energy, NeoHookeanParameters)
def _energy(material, cell, F):
    m, l, al = material.m[cell], material.l[cell], material.al[cell]
    square, J = _square_norm(F), cofactor(F, np.empty((3, 3)))
    # The value at rest is taken off, so that an undeformed solid has no energy.
    rest = 0.5 * l * (1 - al) ** 2 - 0.5 * m * np.log(4.0)
    return 0.5 * m * (square - 3.0) + 0.5 * l * (J - al) ** 2 - 0.5 * m * np.log(square + 1.0) - rest


@implements(stress, NeoHookeanParameters)
def _stress(material, cell, F, P):
    m, l, al = material.m[cell], material.l[cell], material.al[cell]
    J = cofactor(F, P)
    stretch, pressure = m * (1 - 1 / (_square_norm(F) + 1.0)), l * (J - al)
    for i in range(3):
        for j in range(3):
            P[i, j] = stretch * F[i, j] + pressure * P[i, j]


@implements(stress_derivative, NeoHookeanParameters)
def _stress_derivative(material, cell, F, D):
    # dP/dF = m (1 - 1/(I+1)) 1 + 2m/(I+1)^2 F F + l cof cof + l (J - al) d cof/dF
    m, l, al = material.m[cell], material.l[cell], material.al[cell]
    C = np.empty((3, 3))
    pressure, square = l * (cofactor(F, C) - al), _square_norm(F)
    stretch, twice = m * (1 - 1 / (square + 1.0)), 2 * m / (square + 1.0) ** 2
    for i in range(3):
        for j in range(3):
            for k in range(3):
                for l_ in range(3):
                    D[3 * i + j, 3 * k + l_] = twice * F[i, j] * F[k, l_] + l * C[i, j] * C[k, l_]
            D[3 * i + j, 3 * i + j] += stretch
    add_cofactor_derivative(pressure, F, D)


@implements(clamped_stress_derivative, NeoHookeanParameters)
def _clamped_stress_derivative(material, cell, F, D):
    m, l, al = material.m[cell], material.l[cell], material.al[cell]
    U, x, V = np.empty((3, 3)), np.empty(3), np.empty((3, 3))
    A, plus, minus = np.empty((3, 3)), np.empty(3), np.empty(3)
    signed_svd(F, U, x, V)
    square, J = x[0] * x[0] + x[1] * x[1] + x[2] * x[2], x[0] * x[1] * x[2]
    stretch, twice, pressure = m * (1 - 1 / (square + 1.0)), 2 * m / (square + 1.0) ** 2, l * (J - al)
    for c in range(3):
        a, b = (c + 1) % 3, (c + 2) % 3
        plus[c], minus[c] = stretch - pressure * x[c], stretch + pressure * x[c]
        A[c, c] = stretch + twice * x[c] * x[c] + l * (x[a] * x[b]) ** 2
        A[a, b] = twice * x[a] * x[b] + l * (x[b] * x[c]) * (x[a] * x[c]) + pressure * x[c]
        A[b, a] = A[a, b]
    principal_derivative(U, V, A, plus, minus, True, D)


@implements(principal_response, NeoHookeanParameters)
def _principal_response(material, first, x):
    m, l, al = load8(material.m, first), load8(material.l, first), load8(material.al, first)
    a, b, c = x
    square, bc, ac, ab = a * a + b * b + c * c, b * c, a * c, a * b
    inverse, volume = 1.0 / (square + 1.0), a * bc - al
    stretch, twice, pressure = m - m * inverse, 2.0 * m * inverse * inverse, l * volume
    # ln(I + 1) - ln 4, and the rest value of the volume term taken off as in the energy
    psi = 0.5 * (m * (square - 3.0 - log8(0.25 * square + 0.25)) + l * (volume * volume - (1.0 - al) * (1.0 - al)))
    force = (stretch * a + pressure * bc, stretch * b + pressure * ac, stretch * c + pressure * ab)
    slope = (
        stretch + twice * a * a + l * bc * bc,
        twice * ab + l * bc * ac + pressure * c,
        twice * ac + l * bc * ab + pressure * b,
        stretch + twice * b * b + l * ac * ac,
        twice * bc + l * ac * ab + pressure * a,
        stretch + twice * c * c + l * ab * ab,
    )
    plus = (stretch - pressure * a, stretch - pressure * b, stretch - pressure * c)
    minus = (stretch + pressure * a, stretch + pressure * b, stretch + pressure * c)
    return psi, force, slope, plus, minus


@implements(stress_curvature, NeoHookeanParameters)
def _stress_curvature(material, cell, A, B, P):
    # At F = I: I = 3, J = 1, cof = 1, d cof[A] = tr(A) 1 - A^T, d2 cof[A, B] = eps eps A B (polarised cofactor)
    m, l, al = material.m[cell], material.l[cell], material.al[cell]
    trace_a, trace_b = A[0, 0] + A[1, 1] + A[2, 2], B[0, 0] + B[1, 1] + B[2, 2]
    inner, transposed = 0.0, 0.0
    for i in range(3):
        for j in range(3):
            inner += A[i, j] * B[i, j]
            transposed += A[i, j] * B[j, i]
    for i in range(3):
        for j in range(3):
            a, b, c, d = (i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3
            second = A[a, c] * B[b, d] + B[a, c] * A[b, d] - A[a, d] * B[b, c] - B[a, d] * A[b, c]
            P[i, j] = m / 8 * (trace_a * B[i, j] + trace_b * A[i, j])
            P[i, j] += l * (-trace_a * B[j, i] - trace_b * A[j, i] + (1 - al) * second)
    for i in range(3):
        P[i, i] += m / 8 * (inner - trace_a * trace_b) + l * (3 * trace_a * trace_b - transposed)
