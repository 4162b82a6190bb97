"""The linear fit of moving normals that morph targets can carry."""

import numpy as np

from pliant.errors import Array
from pliant.mesh.normals import unit

# Weights that hardly vary would be fitted with huge normals; this leaves them out.
FIT_CUT = 1e-3


def linear_normals(normals: Array, weights: Array) -> tuple[Array, Array]:
    """Base (k, 3), of length one, and columns (c, k, 3) whose sum points along normals (f, k, 3) best.

    normals[k] ~ base + sum_i weights[k, i] columns[i] in the least-squares sense; viewers normalise the sum.
    """
    frames, count, _ = normals.shape
    terms = np.hstack([np.ones((frames, 1)), weights])
    fit = np.linalg.lstsq(terms, normals.reshape(frames, -1), rcond=FIT_CUT)[0].reshape(-1, count, 3)
    length = np.linalg.norm(fit[0], axis=1, keepdims=True)
    scaled: Array = fit.astype(np.float64) / np.where(length > 1e-6, length, 1.0)
    return unit(scaled[0]), scaled[1:]
