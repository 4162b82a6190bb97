"""Vectors and 3x3 matrices of octets: tuples of three and, row by row, nine numbers that live in registers."""

from numba import njit

from pliant.numerics.inner import inner
from pliant.numerics.simd8 import load8, store8

VECTORS, MATRICES = 24, 72  # numbers in eight vectors (3,), and in eight matrices (3, 3)


@njit(cache=True, nogil=True, forceinline=True)
def load3(array, at):
    return load8(array, at), load8(array, at + 8), load8(array, at + 16)


@inner(forceinline=True)
def store3(array, at, x):
    store8(array, at, x[0])
    store8(array, at + 8, x[1])
    store8(array, at + 16, x[2])


@inner(forceinline=True)
def load9(array, at):
    a, b, c = load3(array, at), load3(array, at + 24), load3(array, at + 48)
    return a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]


@inner(forceinline=True)
def store9(array, at, A):
    store3(array, at, (A[0], A[1], A[2]))
    store3(array, at + 24, (A[3], A[4], A[5]))
    store3(array, at + 48, (A[6], A[7], A[8]))


@njit(cache=True, nogil=True, forceinline=True)
def add(x, y):
    return x[0] + y[0], x[1] + y[1], x[2] + y[2]


@njit(cache=True, nogil=True, forceinline=True)
def scaled(s, x):
    return s * x[0], s * x[1], s * x[2]


@njit(cache=True, nogil=True, forceinline=True)
def dot(x, y):
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]


@njit(cache=True, nogil=True, forceinline=True)
def cross(x, y):
    return x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]


@njit(cache=True, nogil=True, forceinline=True)
def apply(A, x):
    """A x."""
    return (
        A[0] * x[0] + A[1] * x[1] + A[2] * x[2],
        A[3] * x[0] + A[4] * x[1] + A[5] * x[2],
        A[6] * x[0] + A[7] * x[1] + A[8] * x[2],
    )


@inner(forceinline=True)
def apply_transposed(A, x):
    """A^T x."""
    return (
        A[0] * x[0] + A[3] * x[1] + A[6] * x[2],
        A[1] * x[0] + A[4] * x[1] + A[7] * x[2],
        A[2] * x[0] + A[5] * x[1] + A[8] * x[2],
    )


@njit(cache=True, nogil=True, forceinline=True)
def transposed(A):
    return A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]


@njit(cache=True, nogil=True, forceinline=True)
def rows(A, B, C):
    """The matrix with these rows."""
    return A[0], A[1], A[2], B[0], B[1], B[2], C[0], C[1], C[2]


@njit(cache=True, nogil=True, forceinline=True)
def times(A, B):
    """A B."""
    Bt = transposed(B)
    return rows(
        apply(Bt, (A[0], A[1], A[2])),
        apply(Bt, (A[3], A[4], A[5])),
        apply(Bt, (A[6], A[7], A[8])),
    )


@njit(cache=True, nogil=True, forceinline=True)
def turned(R, A):
    """R A R^T."""
    return times(times(R, A), transposed(R))


@inner(forceinline=True)
def add_matrices(A, B):
    return (
        A[0] + B[0],
        A[1] + B[1],
        A[2] + B[2],
        A[3] + B[3],
        A[4] + B[4],
        A[5] + B[5],
        A[6] + B[6],
        A[7] + B[7],
        A[8] + B[8],
    )


@inner(forceinline=True)
def scaled_matrix(s, A):
    return s * A[0], s * A[1], s * A[2], s * A[3], s * A[4], s * A[5], s * A[6], s * A[7], s * A[8]


@inner(forceinline=True)
def cofactors(A):
    """Columns and rows of A crossed: cof(A) = det(A) A^-T."""
    return rows(
        cross((A[3], A[4], A[5]), (A[6], A[7], A[8])),
        cross((A[6], A[7], A[8]), (A[0], A[1], A[2])),
        cross((A[0], A[1], A[2]), (A[3], A[4], A[5])),
    )


@inner(forceinline=True)
def twice_skew(A):
    """(A32 - A23, A13 - A31, A21 - A12), twice the axial vector of A."""
    return A[7] - A[5], A[2] - A[6], A[3] - A[1]


@inner(forceinline=True)
def cross_columns(x, A):
    """tilde(x) A."""
    At = transposed(A)
    return transposed(
        rows(cross(x, (At[0], At[1], At[2])), cross(x, (At[3], At[4], At[5])), cross(x, (At[6], At[7], At[8])))
    )


@inner(forceinline=True)
def cross_rows(A, x):
    """A tilde(x)."""
    return rows(
        cross((A[0], A[1], A[2]), x),
        cross((A[3], A[4], A[5]), x),
        cross((A[6], A[7], A[8]), x),
    )
