"""Eigenvectors of symmetric 3x3 matrices and signed singular values of any, eight at a time in registers.

Symmetric matrices are six octets (a00, a01, a02, a11, a12, a22); others nine, row by row.
"""

import numpy as np
from numba import njit

from pliant.numerics.inner import inner
from pliant.numerics.polar import signed_svd
from pliant.numerics.simd8 import least8, spread8, sqrt8, where_positive8
from pliant.numerics.simd8_matrices import MATRICES, VECTORS, apply, cross, dot, load9, scaled, store3, store9

SWEEPS = 12  # five are enough in practice
DIAGONAL = 1e-16  # what may be left beside the diagonal, relative to the trace
TINY = 1e-150  # added to gaps between eigenvalues: equal ones are not turned
FLAT = 1e-5  # with a second stretch below this part of the first, F^T F has lost too many digits


@njit(cache=True, nogil=True, forceinline=True)
def _rotation(app, aqq, apq):
    """c, s and t = s / c of the turn that makes apq zero (Jacobi): c^2 = (1 + |gap| / h) / 2, h^2 = gap^2 + 4 apq^2."""
    gap, twice = aqq - app, 2.0 * apq
    size = where_positive8(gap, gap, -gap) + TINY
    h = sqrt8(size * size + twice * twice)
    t = where_positive8(gap, twice, -twice) / (h + size)
    c = sqrt8((h + size) / (h + h))
    return c, c * t, t


@inner(forceinline=True)
def _turned_columns(c, s, x, y):
    """c x - s y and s x + c y."""
    return (
        (c * x[0] - s * y[0], c * x[1] - s * y[1], c * x[2] - s * y[2]),
        (s * x[0] + c * y[0], s * x[1] + c * y[1], s * x[2] + c * y[2]),
    )


@njit(cache=True, nogil=True, forceinline=True)
def _start(A):
    """Six octets of A and no turn yet."""
    zero, one = spread8(0.0), spread8(1.0)
    return A, ((one, zero, zero), (zero, one, zero), (zero, zero, one))


@inner(forceinline=True)
def _is_diagonal(A):
    a00, a01, a02, a11, a12, a22 = A
    trace = a00 + a11 + a22
    allowed = DIAGONAL * DIAGONAL * trace * trace
    return least8(allowed - a01 * a01 - a02 * a02 - a12 * a12) >= 0.0


@inner(forceinline=True)
def _sweep(A, axes):
    """Three Jacobi turns."""
    a00, a01, a02, a11, a12, a22 = A
    x, y, z = axes
    zero = spread8(0.0)
    c, s, t = _rotation(a00, a11, a01)
    a00, a11, a01, a02, a12 = a00 - t * a01, a11 + t * a01, zero, c * a02 - s * a12, s * a02 + c * a12
    x, y = _turned_columns(c, s, x, y)
    c, s, t = _rotation(a00, a22, a02)
    a00, a22, a02, a01, a12 = a00 - t * a02, a22 + t * a02, zero, c * a01 - s * a12, s * a01 + c * a12
    x, z = _turned_columns(c, s, x, z)
    c, s, t = _rotation(a11, a22, a12)
    a11, a22, a12, a01, a02 = a11 - t * a12, a22 + t * a12, zero, c * a01 - s * a02, s * a01 + c * a02
    y, z = _turned_columns(c, s, y, z)
    return (a00, a01, a02, a11, a12, a22), (x, y, z)


@inner(forceinline=True)
def eigen8(A):
    """Eigenvalues (3) and the three eigenvectors, as a tuple of tuples, of symmetric A (6), in no order; det = 1."""
    A, axes = _start(A)
    for _ in range(SWEEPS):
        if _is_diagonal(A):
            break
        A, axes = _sweep(A, axes)
    return (A[0], A[3], A[5]), axes


@inner(forceinline=True)
def _falling(a, b, x, y):
    """Exchange two eigenvalues where the second is larger, and turn their vectors with them."""
    more = b - a
    high, low = where_positive8(more, b, a), where_positive8(more, a, b)
    first = (
        where_positive8(more, y[0], x[0]),
        where_positive8(more, y[1], x[1]),
        where_positive8(more, y[2], x[2]),
    )
    second = (
        where_positive8(more, -x[0], y[0]),
        where_positive8(more, -x[1], y[1]),
        where_positive8(more, -x[2], y[2]),
    )
    return high, low, first, second


@inner(forceinline=True)
def _squares(F):
    """F^T F."""
    a, b, c = (F[0], F[3], F[6]), (F[1], F[4], F[7]), (F[2], F[5], F[8])
    return dot(a, a), dot(a, b), dot(a, c), dot(b, b), dot(b, c), dot(c, c)


@njit(cache=True, nogil=True)
def signed_svd8(F, U, x, V):
    """F = U diag(x) V^T as in `polar.py`, for sixteen matrices; two octets each: (144,), (144,), (48,), (144,).

    Turns wait for square roots and quotients; two octets that take turns fill the pauses.
    """
    (A, axes), (B, others) = _start(_squares(load9(F, 0))), _start(_squares(load9(F, MATRICES)))
    for _ in range(SWEEPS):
        if _is_diagonal(A) and _is_diagonal(B):
            break
        A, axes = _sweep(A, axes)
        B, others = _sweep(B, others)
    _finish(A, axes, F, U, x, V, 0)
    _finish(B, others, F, U, x, V, 1)


@inner(forceinline=True)
def _finish(A, axes, F, U, x, V, octet):
    """Axes in falling order, and U x = F V."""
    at, at_x = MATRICES * octet, VECTORS * octet
    a, b, c, v0, v1, v2 = A[0], A[3], A[5], axes[0], axes[1], axes[2]
    a, b, v0, v1 = _falling(a, b, v0, v1)
    a, c, v0, v2 = _falling(a, c, v0, v2)
    b, c, v1, v2 = _falling(b, c, v1, v2)
    f = load9(F, at)
    u0, u1 = apply(f, v0), apply(f, v1)
    x0 = sqrt8(dot(u0, u0))
    u0 = scaled(1.0 / x0, u0)
    along = dot(u0, u1)
    u1 = (u1[0] - along * u0[0], u1[1] - along * u0[1], u1[2] - along * u0[2])
    x1 = sqrt8(dot(u1, u1))
    # Lanes that are no number, as of F = 0, count as flat.
    if least8(where_positive8(x1 - FLAT * x0, spread8(1.0), spread8(-1.0))) < 0.0:
        end, end_x = at + MATRICES, at_x + VECTORS
        _svd_one_by_one(F[at:end], U[at:end], x[at_x:end_x], V[at:end])
        return
    u1 = scaled(1.0 / x1, u1)
    u2 = cross(u0, u1)
    store9(U, at, (u0[0], u1[0], u2[0], u0[1], u1[1], u2[1], u0[2], u1[2], u2[2]))
    store9(V, at, (v0[0], v1[0], v2[0], v0[1], v1[1], v2[1], v0[2], v1[2], v2[2]))
    store3(x, at_x, (x0, x1, dot(u2, apply(f, v2))))


@inner
def _svd_one_by_one(F, U, x, V):
    """For cells that are flat or worse."""
    one, left, values, right = np.empty((3, 3)), np.empty((3, 3)), np.empty(3), np.empty((3, 3))
    for lane in range(8):
        for k in range(9):
            one[k // 3, k % 3] = F[8 * k + lane]
        signed_svd(one, left, values, right)
        for k in range(9):
            U[8 * k + lane], V[8 * k + lane] = left[k // 3, k % 3], right[k // 3, k % 3]
        for k in range(3):
            x[8 * k + lane] = values[k]
