"""Few positive weights: what they fit, and that copies among the columns do no harm."""

import numpy as np

from pliant.systems.sparse_nnls import sparse_nnls


def test_weights_that_were_hidden_are_found_among_copies_to_rounding():
    """Bodies that are copies of each other have columns that are equal to rounding, so that A^T A is singular."""
    draw = np.random.default_rng(0)
    A = draw.standard_normal((40, 12))
    hidden = np.zeros(12)
    hidden[[1, 4, 9]] = 2.0, 0.5, 1.0
    A, b = np.concatenate([A, A, A], axis=1), A @ hidden
    gram = A.T @ A
    gram += 1e-7 * draw.standard_normal(gram.shape) * np.abs(gram).max()  # as of single precision
    gram = 0.5 * (gram + gram.T)
    w = sparse_nnls(gram, A.T @ b, float(b @ b), 1e-3, 36)
    assert (w >= 0).all()
    np.testing.assert_allclose(w.reshape(3, 12).sum(axis=0), hidden, atol=0.02)
    assert np.linalg.norm(A @ w - b) < 2e-3 * np.linalg.norm(b)


def test_columns_that_are_all_alike_end():
    w = sparse_nnls(np.ones((30, 30)), np.ones(30), 2.0, 1e-9, 30)
    np.testing.assert_allclose(w.sum(), 1.0, rtol=1e-6)
