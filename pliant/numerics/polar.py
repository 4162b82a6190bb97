"""The signed singular values and the polar rotation of a 3x3 matrix, in place and without allocation.

F = U diag(x) V^T with rotations U and V, |x0| >= |x1| >= |x2|, and the sign of det F on x2 alone
(Irving, Teran and Fedkiw 2004). One-sided Jacobi on the columns of F: it never forms F^T F, so small
stretches keep all their digits.
"""

import math

from numba import njit

from pliant.numerics.inner import inner

ORTHOGONAL = 1e-16  # columns with a smaller cosine count as orthogonal
RANK = 1e-15  # columns shorter than this part of the longest count as zero
SWEEPS = 15  # six are enough in practice


@njit(cache=True)
def signed_svd(F, U, x, V):
    """F = U diag(x) V^T for any F (3, 3): also singular, zero or inverted ones.

    Args:
        F: (3, 3), left as it is.
        U: (3, 3), overwritten by a rotation.
        x: (3,), overwritten by the signed stretches.
        V: (3, 3), overwritten by a rotation.
    """
    scale = 0.0
    for i in range(3):
        for j in range(3):
            scale = max(scale, abs(F[i, j]))
    inverse = 1.0 / scale if scale > 0.0 else 1.0
    for i in range(3):
        for j in range(3):
            U[i, j] = F[i, j] * inverse
            V[i, j] = 1.0 if i == j else 0.0
    for _ in range(SWEEPS):
        turned = _orthogonalise(U, V, 0, 1)
        turned |= _orthogonalise(U, V, 0, 2)
        turned |= _orthogonalise(U, V, 1, 2)
        if not turned:
            break
    _sort_columns(U, V)
    _normalise_columns(U, x)
    for i in range(3):
        x[i] *= scale


@njit(cache=True)
def polar(F, R):
    """R <- U V^T, the rotation nearest to F (3, 3); for det F < 0 the one that flips the least stretched axis."""
    U, V, x = R.copy(), R.copy(), R[0].copy()
    polar_with(F, R, U, x, V)


@njit(cache=True)
def polar_with(F, R, U, x, V):
    """`polar` for hot loops: U (3, 3), x (3,), V (3, 3) are work space and return the signed singular values."""
    signed_svd(F, U, x, V)
    for i in range(3):
        for j in range(3):
            R[i, j] = U[i, 0] * V[j, 0] + U[i, 1] * V[j, 1] + U[i, 2] * V[j, 2]


@inner
def _orthogonalise(A, V, p, q):
    """Turn columns p and q of A (and of V) until those of A are orthogonal; False if they already were."""
    a = A[0, p] * A[0, p] + A[1, p] * A[1, p] + A[2, p] * A[2, p]
    b = A[0, q] * A[0, q] + A[1, q] * A[1, q] + A[2, q] * A[2, q]
    g = A[0, p] * A[0, q] + A[1, p] * A[1, q] + A[2, p] * A[2, q]
    if g * g <= ORTHOGONAL * ORTHOGONAL * a * b or g == 0.0:
        return False
    zeta = (b - a) / (2.0 * g)
    t = math.copysign(1.0, zeta) / (abs(zeta) + math.sqrt(1.0 + zeta * zeta))
    c = 1.0 / math.sqrt(1.0 + t * t)
    s = c * t
    for i in range(3):
        A[i, p], A[i, q] = c * A[i, p] - s * A[i, q], s * A[i, p] + c * A[i, q]
        V[i, p], V[i, q] = c * V[i, p] - s * V[i, q], s * V[i, p] + c * V[i, q]
    return True


@inner
def _sort_columns(A, V):
    """Columns of A by falling length; each exchange is a quarter turn, so det V stays +1."""
    _exchange_if_longer(A, V, 0, 1)
    _exchange_if_longer(A, V, 0, 2)
    _exchange_if_longer(A, V, 1, 2)


@inner
def _exchange_if_longer(A, V, p, q):
    a = A[0, p] * A[0, p] + A[1, p] * A[1, p] + A[2, p] * A[2, p]
    b = A[0, q] * A[0, q] + A[1, q] * A[1, q] + A[2, q] * A[2, q]
    if b > a:
        for i in range(3):
            A[i, p], A[i, q] = A[i, q], -A[i, p]
            V[i, p], V[i, q] = V[i, q], -V[i, p]


@inner
def _normalise_columns(A, x):
    """A diag(x) <- A with A a rotation; the third column is the cross product of the others, which signs x2."""
    x[0] = math.sqrt(A[0, 0] * A[0, 0] + A[1, 0] * A[1, 0] + A[2, 0] * A[2, 0])
    a, b, c = A[0, 2], A[1, 2], A[2, 2]
    if x[0] == 0.0:
        A[0, 0], A[1, 0], A[2, 0] = 1.0, 0.0, 0.0
    else:
        for i in range(3):
            A[i, 0] /= x[0]
    along = A[0, 0] * A[0, 1] + A[1, 0] * A[1, 1] + A[2, 0] * A[2, 1]
    for i in range(3):
        A[i, 1] -= along * A[i, 0]
    x[1] = math.sqrt(A[0, 1] * A[0, 1] + A[1, 1] * A[1, 1] + A[2, 1] * A[2, 1])
    if x[1] <= RANK * x[0]:
        _perpendicular(A)
        x[1] = 0.0
    else:
        for i in range(3):
            A[i, 1] /= x[1]
    A[0, 2] = A[1, 0] * A[2, 1] - A[2, 0] * A[1, 1]
    A[1, 2] = A[2, 0] * A[0, 1] - A[0, 0] * A[2, 1]
    A[2, 2] = A[0, 0] * A[1, 1] - A[1, 0] * A[0, 1]
    x[2] = a * A[0, 2] + b * A[1, 2] + c * A[2, 2] if x[1] > 0.0 else 0.0


@inner
def _perpendicular(A):
    """Second column <- a unit vector perpendicular to the first, made from the axis it leans on least."""
    k = 0
    for i in range(1, 3):
        if abs(A[i, 0]) < abs(A[k, 0]):
            k = i
    size = math.sqrt(1.0 - A[k, 0] * A[k, 0])
    for i in range(3):
        A[i, 1] = ((1.0 if i == k else 0.0) - A[k, 0] * A[i, 0]) / size
