"""Stress derivative of any isotropic material from its principal stretches, exact or clamped (Smith et al. 2019).

F = U diag(x) V^T with det U = det V = 1. In the axes U, V the 9 x 9 derivative falls apart into
    A_ab = d2 psi / dx_a dx_b                                     on  u_a v_a^T, and, with c the third axis of (a, b),
    plus[c]  = (psi_a - psi_b) / (x_a - x_b)                      on  (u_a v_b^T + u_b v_a^T) / sqrt 2
    minus[c] = (psi_a + psi_b) / (x_a + x_b)                      on  (u_a v_b^T - u_b v_a^T) / sqrt 2
"""

import numpy as np
from numba import njit

from pliant.numerics import signed_svd
from pliant.numerics.inner import inner


@inner
def clamp_symmetric(A):
    """Set the negative eigenvalues of the symmetric A (3, 3) to zero, in place: A <- (A + sqrt(A^2)) / 2."""
    U, x, V = np.empty((3, 3)), np.empty(3), np.empty((3, 3))
    signed_svd(A, U, x, V)
    for i in range(3):
        for j in range(3):
            root = 0.0
            for a in range(3):
                root += V[i, a] * abs(x[a]) * V[j, a]
            U[i, j] = 0.5 * (A[i, j] + root)
    for i in range(3):
        for j in range(3):
            A[i, j] = U[i, j]


@njit(cache=True, nogil=True)
def principal_derivative(U, V, A, plus, minus, clamp, D):
    """Write the stress derivative D (9, 9) from its principal blocks; `clamp` drops the negative eigenvalues."""
    if clamp:
        clamp_symmetric(A)
        for c in range(3):
            plus[c], minus[c] = max(plus[c], 0.0), max(minus[c], 0.0)
    T, half = np.empty((3, 3)), np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            # Row (i, j): D[(ij), (kl)] = sum_ab T_ab U_ka V_lb, with T the principal blocks applied to U_ia V_jb.
            for c in range(3):
                a, b = (c + 1) % 3, (c + 2) % 3
                mean, swap = 0.5 * (plus[c] + minus[c]), 0.5 * (plus[c] - minus[c])
                ab, ba = U[i, a] * V[j, b], U[i, b] * V[j, a]
                T[a, b], T[b, a] = mean * ab + swap * ba, mean * ba + swap * ab
                T[c, c] = A[c, 0] * U[i, 0] * V[j, 0] + A[c, 1] * U[i, 1] * V[j, 1] + A[c, 2] * U[i, 2] * V[j, 2]
            for k in range(3):
                for b in range(3):
                    half[k, b] = U[k, 0] * T[0, b] + U[k, 1] * T[1, b] + U[k, 2] * T[2, b]
                for l in range(3):
                    D[3 * i + j, 3 * k + l] = half[k, 0] * V[l, 0] + half[k, 1] * V[l, 1] + half[k, 2] * V[l, 2]
