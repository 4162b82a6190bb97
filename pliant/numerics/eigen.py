"""The lowest eigenpairs of K x = lambda M x by shift-invert Lanczos, reproducible and checked."""

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from pliant.errors import Array, Diverged, check_count
from pliant.numerics.sparse import Factor, factor

DENSE_BELOW = 4  # with fewer than this many unknowns per wanted pair, a dense solve is quicker and surer
CLOSE = 1e-7  # of an eigenvalue: those nearer to it are equal by symmetry, and rounding mixes their vectors
RANDOM = 1e-3  # what tells those apart that go as far along all axes
MORE = 6  # pairs beyond the last wanted one, should they be equal to it
TOLERANCE = 1e-6  # mass norm of x - (lambda - shift) (K - shift M)^-1 M x; Lanczos leaves about 1e-12


def lowest_eigenpairs(
    K: sp.csr_matrix,
    M: sp.csr_matrix,
    count: int,
    shift: float = 0.0,
    backend: str = "auto",
    inverse: Factor | None = None,
) -> tuple[Array, Array]:
    """K x = lambda M x for the `count` eigenvalues nearest above `shift`.

    Args:
        K: symmetric positive semidefinite (n, n).
        M: symmetric positive definite (n, n), with the pattern of K or any other.
        count: wanted pairs, at most n.
        shift: below all eigenvalues; negative where K is singular.
        backend: of `factor`.
        inverse: factor of K - shift M, where there is one already.

    Returns:
        eigenvalues (count,) ascending, and vectors (n, count) with X^T M X = I, largest entry positive. Those of equal
        eigenvalues are told apart (`told_apart`), so that no machine makes other ones.
    """
    n = K.shape[0]
    count = check_count("count", count, at_most=n)
    if n <= max(DENSE_BELOW * count, 60):
        values, X = la.eigh(K.toarray(), M.toarray(), subset_by_index=(0, min(count + MORE, n) - 1))
    else:
        if inverse is None:
            inverse = factor(sp.csr_matrix(K - shift * M) if shift else K, backend=backend)
        values, X = _lanczos(K, M, count + 1, shift, inverse, np.empty((n, 0)))
        values, X = _with_missed(K, M, values, X, count, shift, inverse)
    return values[:count], with_fixed_signs(told_apart(values, X, M)[:, :count])


def _lanczos(
    K: sp.csr_matrix, M: sp.csr_matrix, count: int, shift: float, inverse: Factor, known: Array
) -> tuple[Array, Array]:
    """The lowest pairs besides `known` vectors (n, k)."""
    n, weighed = K.shape[0], M @ known

    def solve(b: Array) -> Array:
        x = inverse.solve(b - weighed @ (known.T @ b))
        return x - known @ (weighed.T @ x)

    start = np.random.default_rng(known.shape[1]).standard_normal(n)
    try:
        values, X = eigsh(K, count, M, shift, v0=start, OPinv=LinearOperator((n, n), solve))
    except ArpackNoConvergence as reason:
        raise Diverged(f"the eigensolver found {len(reason.eigenvalues)} of {count} modes; ask for fewer") from None
    order = np.argsort(values)
    X = _mass_orthonormal(X[:, order], M)
    values = np.einsum("ij,ij->j", X, K @ X)  # Rayleigh's quotients, whose error is the square of that of X
    error = X - inverse.solve(M @ X) * (values - shift)
    residual = float(np.sqrt(np.einsum("ij,ij->j", error, M @ error).max()))
    if not residual < TOLERANCE:
        raise Diverged(
            f"the eigensolver left a residual of {residual:.1e}; is the mass matrix singular?", 0.0, residual
        )
    return values, X


def _with_missed(
    K: sp.csr_matrix, M: sp.csr_matrix, values: Array, X: Array, count: int, shift: float, inverse: Factor
) -> tuple[Array, Array]:
    """Lanczos, from one vector, sees one of several equal eigenvalues but for rounding, and may miss some: where there
    are equal ones, look for what is left until it lies above all that is wanted."""
    while _equal(values).any() and X.shape[1] + 2 < len(X):
        more, Y = _lanczos(K, M, 2, shift, inverse, X)
        order = np.argsort(np.append(values, more))
        values, X = np.append(values, more)[order], np.column_stack([X, Y])[:, order]
        if more[0] - shift > (1 + CLOSE) * (values[count - 1] - shift):
            break
    return values, X


def told_apart(values: Array, X: Array, M: Array | sp.csr_matrix) -> Array:
    """Columns of X (n, k) with X^T M X = I; those of equal values (k,), in order, are turned to the principal axes of

        X^T (w M + M w) X / 2,    w weights of the rows: 1, 2 and 3 for x, y and z, and a little at random

    which depend on the space that they span alone: of two that bend a square bar one goes along y, and one along z.
    """
    weights = (1.0 + np.arange(len(X)) % 3 + RANDOM * np.random.default_rng(3).random(len(X)))[:, None]
    turned, first = X.copy(), 0
    for last in (np.flatnonzero(~_equal(values)) + 1).tolist():
        if last - first > 1:
            own = X[:, first:last]
            weighed = own.T @ (weights * (M @ own))
            turned[:, first:last] = own @ la.eigh(weighed + weighed.T)[1]
        first = last
    return turned


def _equal(values: Array) -> NDArray[np.bool_]:
    """(k,) of values in order: is the next one the same?"""
    return np.append(np.abs(np.diff(values)) <= CLOSE * np.abs(values[1:]), False)


def _mass_orthonormal(X: Array, M: sp.csr_matrix) -> Array:
    """Remove what Lanczos lost of X^T M X = I; columns that are orthonormal already hardly change."""
    return la.solve_triangular(la.cholesky(X.T @ (M @ X), lower=True), X.T, lower=True).T


def with_fixed_signs(X: Array) -> Array:
    """Columns whose largest entry is positive."""
    largest = np.argmax(np.abs(X), axis=0)
    return X * np.where(X[largest, np.arange(X.shape[1])] < 0, -1.0, 1.0)
