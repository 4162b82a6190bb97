"""Cholesky factors of small dense matrices, A = L L^T, in place and compiled for float32 and float64.

L^T is kept in the upper triangle, whose rows are contiguous: every inner loop then runs along memory. Its diagonal
holds 1 / L_kk, so that a solve does not divide. Four rows are eliminated at a time: each entry of the rest is loaded
once for four products. Up to r = 60 this is as fast as LAPACK, and it can be called from compiled code that is cached
on disk.
"""

import numpy as np
from numba import njit

from pliant.numerics.inner import inner

ROWS = 4  # eliminated together


@njit(cache=True, fastmath={"contract"}, error_model="numpy")
def cholesky(A):
    """Overwrite the upper triangle of A (n, n) by L^T; the lower one is neither read nor written.

    Returns:
        False if A is not positive definite; A is then half done.
    """
    n = A.shape[0]
    last = n - n % ROWS
    for k in range(0, last, ROWS):
        if not _factor_diagonal(A, k, k + ROWS):
            return False
        _finish_rows(A, k)
        _update_rest(A, k)
    return _factor_diagonal(A, last, n)


@inner(fastmath={"contract"}, error_model="numpy")
def _factor_diagonal(A, start, stop):
    """Factor the block A[start:stop, start:stop], row by row."""
    one = A.dtype.type(1)
    for k in range(start, stop):
        if not A[k, k] > 0.0:
            return False
        inverse = one / np.sqrt(A[k, k])
        A[k, k] = inverse
        for j in range(k + 1, stop):
            A[k, j] *= inverse
        for i in range(k + 1, stop):
            for j in range(i, stop):
                A[i, j] -= A[k, i] * A[k, j]
    return True


@inner(fastmath={"contract"}, error_model="numpy")
def _finish_rows(A, k):
    """Rows k to k + 3 to the right of their diagonal block: forward substitution, all columns side by side."""
    d0, d1, d2, d3 = A[k, k], A[k + 1, k + 1], A[k + 2, k + 2], A[k + 3, k + 3]
    l10, l20, l30 = A[k, k + 1], A[k, k + 2], A[k, k + 3]
    l21, l31, l32 = A[k + 1, k + 2], A[k + 1, k + 3], A[k + 2, k + 3]
    for j in range(k + ROWS, A.shape[0]):
        a = A[k, j] * d0
        b = (A[k + 1, j] - l10 * a) * d1
        c = (A[k + 2, j] - l20 * a - l21 * b) * d2
        d = (A[k + 3, j] - l30 * a - l31 * b - l32 * c) * d3
        A[k, j], A[k + 1, j], A[k + 2, j], A[k + 3, j] = a, b, c, d


@inner(fastmath={"contract"}, error_model="numpy")
def _update_rest(A, k):
    """Subtract the products of rows k to k + 3 from all rows below them."""
    for i in range(k + ROWS, A.shape[0]):
        rest, r0, r1, r2, r3 = A[i, i:], A[k, i:], A[k + 1, i:], A[k + 2, i:], A[k + 3, i:]
        a, b, c, d = r0[0], r1[0], r2[0], r3[0]
        for j in range(len(rest)):
            rest[j] -= a * r0[j] + b * r1[j] + c * r2[j] + d * r3[j]


@njit(cache=True)
def cholesky_solve(A, b):
    """Overwrite b (n,) by A^-1 b, after `cholesky(A)`."""
    cholesky_forward(A, b)
    cholesky_backward(A, b)


@inner(fastmath={"contract"}, error_model="numpy")
def cholesky_forward(A, b):
    """Overwrite b (n,) by L^-1 b."""
    for k in range(A.shape[0]):
        b[k] *= A[k, k]
        scale, row, rest = b[k], A[k, k + 1 :], b[k + 1 :]
        for j in range(len(rest)):
            rest[j] -= scale * row[j]


@inner(fastmath={"contract", "reassoc"}, error_model="numpy")
def cholesky_backward(A, b):
    """Overwrite b (n,) by L^-T b."""
    for k in range(A.shape[0] - 1, -1, -1):
        total, row, rest = b[k], A[k, k + 1 :], b[k + 1 :]
        for j in range(len(rest)):
            total -= row[j] * rest[j]
        b[k] = total * A[k, k]


@njit(cache=True, fastmath={"contract"}, error_model="numpy")
def cholesky_solve_many(A, B):
    """Overwrite B (n, k) by A^-1 B, after `cholesky(A)`; the columns are worked on side by side."""
    n, count = B.shape
    for k in range(n):
        row = B[k]
        for c in range(count):
            row[c] *= A[k, k]
        for i in range(k + 1, n):
            scale, rest = A[k, i], B[i]
            for c in range(count):
                rest[c] -= scale * row[c]
    for k in range(n - 1, -1, -1):
        row = B[k]
        for i in range(k + 1, n):
            scale, rest = A[k, i], B[i]
            for c in range(count):
                row[c] -= scale * rest[c]
        for c in range(count):
            row[c] *= A[k, k]
