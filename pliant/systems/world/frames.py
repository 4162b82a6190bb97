"""Frames of bodies as skins read them: those of their models, not of their centres of mass."""

from typing import Any

import numpy as np

from pliant.errors import Array
from pliant.numerics import rotation_from_quaternion_into
from pliant.numerics.counting import borrowing
from pliant.systems.world.tables import BodyTable


def shifts_of(models: tuple[Any, ...]) -> tuple[Array, Array, Array]:
    """From the origin of each model to that of the body's axes: at rest (m, 3), by q (3 r each), where these begin."""
    flies = [not len(model.fixed) for model in models]
    rest = [model.inertia.centre if free else np.zeros(3) for model, free in zip(models, flies)]
    means = [(model.inertia.N / model.inertia.mass).ravel() * free for model, free in zip(models, flies)]
    first = np.cumsum([0, *(len(mean) for mean in means)])[:-1]
    return np.array(rest).reshape(-1, 3), np.concatenate(means or [np.zeros(0)]), first.astype(np.int64)


@borrowing
def frames_of(table, shifts, Q, origin, q, R, t):
    """R (b, 3, 3) and t = origin - R (centre + mean q) (b, 3); with q' for q and no centre, what their rates lack."""
    rest, means, first = shifts
    for b in range(len(table.model)):
        model, at = table.model[b], table.first[b]
        r = table.first[b + 1] - at
        rotation_from_quaternion_into(R[b], Q[b])
        for i in range(3):
            t[b, i] = origin[b, i]
        for i in range(3):
            shift = rest[model, i]
            for l in range(r):
                shift += means[first[model] + i * r + l] * q[at + l]
            for j in range(3):
                t[b, j] -= R[b, j, i] * shift


def frames(table: BodyTable, shifts: Any, Q: Array, origin: Array, q: Array) -> tuple[Array, Array]:
    """Rotations (b, 3, 3) and translations (b, 3)."""
    b = len(table.model)
    R, t = np.zeros((b, 3, 3)), np.zeros((b, 3))
    frames_of(table, shifts, Q, origin, q, R, t)
    return R, t
