"""Where a system is, as a few material points tell: the same for every kind of system, whatever its coordinates are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.errors import Array, Ids
from pliant.numerics import polar
from pliant.skin import Points
from pliant.skin.points import bisected
from pliant.systems import System


class Sight(NamedTuple):
    """Places x and velocities v of the points (p, 3) [m], [m/s]."""

    x: Array
    v: Array


class Sensors:
    """Points that are spread over a system, each for about as many vertices.

    Attributes:
        vertices: (p,) of the mesh.
        weights: (p,) their shares of all vertices; they sum to one.
    """

    def __init__(self, system: System, count: int):
        X = system.vertices("mesh")
        clusters = bisected(X, min(count, len(X)))
        middles = [ids[np.argmin(np.linalg.norm(X[ids] - X[ids].mean(axis=0), axis=1))] for ids in clusters]
        self.vertices: Ids = np.array(middles, dtype=np.int64)
        self.weights: Array = np.array([len(ids) for ids in clusters]) / len(X)

    def points(self, system: System) -> Points:
        return system.points(self.vertices, "mesh")

    def look(self, system: System) -> Sight:
        """Now."""
        points, pose = self.points(system), system.pose()
        return Sight(points.place(pose), points.velocity(pose, system.rates()))

    def turned(self, x: Array, rest: Array) -> Array:
        """R (3, 3) that brings them nearest from `rest` to x, both (p, 3)."""
        middle, other = self.weights @ x, self.weights @ rest
        R = np.empty((3, 3))
        polar((self.weights[:, None] * (x - middle)).T @ (rest - other), R)
        return R

    def distance(self, x: Array, other: Array) -> float:
        """Root mean square, from x to `other`, both (p, 3) [m]."""
        return float(np.sqrt(self.weights @ ((x - other) ** 2).sum(axis=1)))
