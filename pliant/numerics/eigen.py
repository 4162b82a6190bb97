"""The lowest eigenpairs of K x = lambda M x by shift-invert Lanczos, reproducible and checked."""

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from pliant.errors import Array, Diverged, check_count
from pliant.numerics.sparse import Factor, factor

DENSE_BELOW = 4  # with fewer than this many unknowns per wanted pair, a dense solve is quicker and surer
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
        eigenvalues (count,) ascending, and vectors (n, count) with X^T M X = I, largest entry positive.
    """
    n = K.shape[0]
    count = check_count("count", count, at_most=n)
    if n <= max(DENSE_BELOW * count, 60):
        return _dense(K, M, count)
    if inverse is None:
        inverse = factor(sp.csr_matrix(K - shift * M) if shift else K, backend=backend)
    start = np.random.default_rng(0).standard_normal(n)
    try:
        values, X = eigsh(K, count, M, shift, v0=start, OPinv=LinearOperator((n, n), inverse.solve))
    except ArpackNoConvergence as reason:
        raise Diverged(f"the eigensolver found {len(reason.eigenvalues)} of {count} modes; ask for fewer") from None
    order = np.argsort(values)
    values, X = values[order], _with_fixed_signs(_mass_orthonormal(X[:, order], M))
    error = X - inverse.solve(M @ X) * (values - shift)
    residual = float(np.sqrt(np.einsum("ij,ij->j", error, M @ error).max()))
    if not residual < TOLERANCE:
        raise Diverged(
            f"the eigensolver left a residual of {residual:.1e}; is the mass matrix singular?", 0.0, residual
        )
    return values, X


def _dense(K: sp.csr_matrix, M: sp.csr_matrix, count: int) -> tuple[Array, Array]:
    values, X = la.eigh(K.toarray(), M.toarray(), subset_by_index=(0, count - 1))
    return values, _with_fixed_signs(X)


def _mass_orthonormal(X: Array, M: sp.csr_matrix) -> Array:
    """Remove what Lanczos lost of X^T M X = I; columns that are orthonormal already hardly change."""
    return la.solve_triangular(la.cholesky(X.T @ (M @ X), lower=True), X.T, lower=True).T


def _with_fixed_signs(X: Array) -> Array:
    largest = np.argmax(np.abs(X), axis=0)
    return X * np.where(X[largest, np.arange(X.shape[1])] < 0, -1.0, 1.0)
