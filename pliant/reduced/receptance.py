"""How far a harmonic force moves the point where it acts: the receptance of a reduced model.

H(omega) = d^T (K + i omega C - omega^2 M)^-1 d
         = sum_i (phi_i . d)^2 / (lambda_i - omega^2 + i omega (alpha + beta lambda_i))
"""

from __future__ import annotations

import numpy as np
import scipy.linalg as la
from numpy.typing import ArrayLike, NDArray

from pliant.errors import ArgumentError, check_array, check_ids, check_number
from pliant.reduced.model import ReducedModel


def frequency_response(
    model: ReducedModel, at: ArrayLike, along: ArrayLike, frequencies: ArrayLike, damping: ArrayLike = (0.0, 0.0)
) -> NDArray[np.complex128]:
    """Displacement over force (k,) [m/N], complex, of small motion about rest, as far as the basis can move.

    A force of e^(i omega t) along a direction, shared equally by some vertices, moves their mean along it by H
    e^(i omega t).

    Args:
        model: of a part that is held, or free; then rigid motion is not among what its basis can do.
        at: vertex, or vertices.
        along: direction (3,), of any length.
        frequencies: omega (k,) [rad/s], as those of `vibration_modes` are.
        damping: Rayleigh (alpha [1/s], beta [s]).
    """
    ids = check_ids("at", at, len(model.X))
    direction = check_array("along", along, (3,))
    length = float(np.linalg.norm(direction))
    if not len(ids) or length == 0:
        raise ArgumentError("at must name a vertex, and along a direction other than (0, 0, 0)")
    omega = check_array("frequencies", np.atleast_1d(np.asarray(frequencies, dtype=float)), (None,))
    alpha, beta = (check_number("damping", value, at_least=0) for value in check_array("damping", damping, (2,)))
    d = np.einsum("i,kir->r", direction / length, model.U.reshape(-1, 3, model.size)[ids]) / len(ids)
    values, shapes = la.eigh(model.stiffness(), model.mass)
    share = (shapes.T @ d) ** 2
    dynamic = values - omega[:, None] ** 2 + 1j * omega[:, None] * (alpha + beta * values)
    if (np.abs(dynamic) == 0).any():
        raise ArgumentError("a frequency is that of a mode without damping, where the response has no bound; damp it")
    return (share / dynamic).sum(axis=1)
