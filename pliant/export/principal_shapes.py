"""Principal shapes: the fewest columns that reproduce a moving set of vertices to a tolerance."""

import numpy as np
import scipy.linalg

from pliant.errors import Array


def principal_shapes(moves: Array, tolerance: float) -> tuple[Array, Array]:
    """moves[k] = sum_i weights[k, i] shapes[i] up to `tolerance` in every entry.

    The entries of what is left out are bounded by its largest singular value, so the cut needs no search.

    Args:
        moves: displacements (f, k, 3) [m].
        tolerance: [m].

    Returns:
        shapes (c, k, 3) [m] and weights (f, c); c is at most f and at most 3k.
    """
    frames, count, _ = moves.shape
    if not moves.size:
        return np.zeros((0, count, 3)), np.zeros((frames, 0))
    W, s, V = scipy.linalg.svd(moves.reshape(frames, -1), full_matrices=False)
    kept = int((s > tolerance).sum())
    return V[:kept].reshape(kept, count, 3), W[:, :kept] * s[:kept]


def fewer_shapes(base: Array, shapes: Array, weights: Array, error: float) -> tuple[Array, Array, Array, float]:
    """The same motion with the fewest shapes that take no vertex farther than `error` from its place.

    base + sum_i w_i s_i ~ (base + mean) + sum_j v_j p_j, with p the orthonormal principal shapes of all rows.

    Args:
        base: (k, 3), shapes: (c, k, 3) [m], weights: (f, c).
        error: [m].

    Returns:
        base, shapes and weights, and how far a vertex may be from its place [m].
    """
    count, mean = shapes.shape[1], weights.mean(axis=0)
    base = base + np.tensordot(mean, shapes, axes=1)
    Q, S = np.linalg.qr(shapes.reshape(len(shapes), -1).T)
    moves = (weights - mean) @ S.T
    V = np.linalg.eigh(moves.T @ moves)[1][:, ::-1]
    shapes, factors = (Q @ V).T.reshape(-1, count, 3), moves @ V
    # What the shapes from the i-th on do at most, (f, c + 1).
    rest = np.abs(factors) * np.linalg.norm(shapes, axis=2).max(axis=1, initial=0.0)
    bounds = np.append(np.cumsum(rest[:, ::-1], axis=1)[:, ::-1].max(axis=0, initial=0.0), 0.0)
    kept = int(np.argmax(bounds <= error))
    return base, shapes[:kept], factors[:, :kept], float(bounds[kept])


def from_zero_to_one(base: Array, shapes: Array, weights: Array) -> tuple[Array, Array, Array]:
    """The same motion with every weight between 0 and 1, which is all that Blender's shape keys take.

    base + sum_i w_i s_i = (base + sum_i low_i s_i) + sum_i (w_i - low_i) / (high_i - low_i) (high_i - low_i) s_i
    """
    low, high = weights.min(axis=0), weights.max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    return base + np.tensordot(low, shapes, axes=1), shapes * span[:, None, None], (weights - low) / span
