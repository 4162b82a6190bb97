"""Bodies of the reference experiments of maths sheet momentum 9."""

from functools import cache

import numpy as np

import pliant as pl
from pliant.numerics import rotation_exponential


@cache
def block(size=(1.0, 0.2, 0.2), cells=(6, 2, 2), modes=8, young=5e5, way=None, force="linear") -> pl.ReducedModel:
    """A free bar of vibration modes; `way`: how far a unit of each moves a vertex at most [m]."""
    material = pl.Linear if force == "linear" else pl.StVK
    solid = pl.Solid(pl.shapes.bar(size, cells), material(young, 0.3, 1000.0))
    V = pl.vibration_modes(solid, modes).vectors
    if way is not None:
        V = V * way / np.linalg.norm(V.reshape(-1, 3, modes), axis=1).max(axis=0)
    return pl.reduce(solid, pl.Basis(V), force=force)


def turn(axis, angle):
    """A rotation by `angle` [rad] about an axis."""
    return rotation_exponential(angle * np.asarray(axis, dtype=float) / np.linalg.norm(axis))
