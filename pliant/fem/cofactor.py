"""The matrix of cofactors, the derivative of the volume ratio J = det F, and its own derivative.

C_ij = dJ / dF_ij,   dC_ij / dF_kl = eps_ikp eps_jlq F_pq
"""

from numba import njit


@njit(cache=True, nogil=True)
def cofactor(F, C):
    """C = cof F, so that C_ij = d det F / d F_ij; returns det F."""
    for i in range(3):
        a, b = (i + 1) % 3, (i + 2) % 3
        for j in range(3):
            c, d = (j + 1) % 3, (j + 2) % 3
            C[i, j] = F[a, c] * F[b, d] - F[a, d] * F[b, c]
    return F[0, 0] * C[0, 0] + F[0, 1] * C[0, 1] + F[0, 2] * C[0, 2]


@njit(cache=True, nogil=True)
def add_cofactor_derivative(factor, F, D):
    """D (9, 9) += factor dC/dF."""
    for i in range(3):
        for j in range(3):
            k, p, n, q = (i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3
            D[3 * i + j, 3 * k + n] += factor * F[p, q]
            D[3 * i + j, 3 * p + q] += factor * F[k, n]
            D[3 * i + j, 3 * k + q] -= factor * F[p, n]
            D[3 * i + j, 3 * p + n] -= factor * F[k, q]
