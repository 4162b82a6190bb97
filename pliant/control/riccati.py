"""Gains of the linear-quadratic regulator along a path, backwards in time ([MR12] 5; maths sheet section 10).

    x = (z, z', u_before),   x+ = A x + B u,   A = [[A, B1], [0, 0]],   B = [B0; 1],   cost = sum_k x^T Q x + u^T R u

    G = (R + B^T P B)^-1 B^T P A,   P <- Q + A^T P (A - B G),   u = -G x

    Q = diag(N, O^-1 N O^-1, 0),   N = V^T m V: mean square distance of the sensors;   R = gentleness diag(bends^2)

O the angular frequencies of the motions, so that speed counts as the distance that it leads to. Quick vibrations are
then as dear as slow ones, and no dearer: they are what the model knows least.

Gentleness compares the distance that is left with what the force would bend the body by, if it stayed. P at the
end is that of a motion which goes on as it ends; of one that repeats, it comes round to itself.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg as la

from pliant.control.step_model import StepModel
from pliant.errors import Array

ROUNDS = 30  # at most, of a motion that repeats
SAME = 1e-6  # relative change of P in a round at which gains are known


def gains(model: StepModel, gentleness: float) -> Array:
    """G (T, c, 2m + c)."""
    T, price = model.path.step_count, gentleness * np.diag(model.motions.bends**2)
    steps = [_augmented(model, k) for k in range(T)]
    weights = [_weights(model, k) for k in range(T)]
    G = np.zeros((T, len(price), len(weights[0])))
    P = _lasting(*steps[-1], weights[-1], price)
    for _ in range(ROUNDS if model.path.repeats else 1):
        before = P
        for k in reversed(range(T)):
            G[k], P = _backwards(*steps[k], weights[k], price, P)
        if np.abs(P - before).max() <= SAME * np.abs(P).max():
            break
    return G


def _backwards(A: Array, B: Array, Q: Array, R: Array, P: Array) -> tuple[Array, Array]:
    G = np.asarray(np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A))
    P = Q + A.T @ P @ (A - B @ G)
    return G, (P + P.T) / 2


def _lasting(A: Array, B: Array, Q: Array, R: Array) -> Array:
    """P of a step that is taken for ever; Q where there is none, as of what flies away and no actuator reaches."""
    try:
        found = la.solve_discrete_are(A, B, Q, R)
    except (np.linalg.LinAlgError, ValueError):
        return Q
    return found if np.isfinite(found).all() else Q


def _augmented(model: StepModel, k: int) -> tuple[Array, Array]:
    A, B0, B1 = (model.between(each, k) for each in (model.A, *model.B))
    c = B0.shape[1]
    whole = np.zeros((len(A) + c, len(A) + c))
    whole[: len(A), : len(A)], whole[: len(A), len(A) :] = A, B1
    return whole, np.vstack([B0, np.eye(c)])


def _weights(model: StepModel, k: int) -> Array:
    V = model.between(model.seen, k)
    N = (V.T * np.repeat(model.path.sensors.weights, 3)) @ V
    slow = 1 / model.motions.rates
    return np.asarray(la.block_diag(N, slow[:, None] * N * slow, np.zeros((len(model.actuation),) * 2)))
