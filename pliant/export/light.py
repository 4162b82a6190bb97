"""Light that falls on points around a surface, shadows included: a broad key light and a sky.

A light is a handful of directions with weights; each direction has a shadow map, drawn by the rasteriser. Many maps of
hard shadows add up to a soft one that is sharp where things touch, and those of the sky to ambient occlusion.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit

from pliant.errors import Array, Ids
from pliant.export.camera import view_axes
from pliant.export.normals import unit
from pliant.export.rasteriser import rasterise

MAP = 320  # pixels of a shadow map along each side
GOLDEN = np.pi * (3 - np.sqrt(5))


@dataclass(frozen=True, eq=False)
class Light:
    """Directions (d, 3) towards the light, and the irradiance (d,) that each gives to a surface that faces it."""

    directions: Array
    weights: Array


def key_light(direction: Array, spread: float = 0.16, count: int = 28) -> Light:
    """A disk far away in a direction (3,), `spread` its angular radius [rad]."""
    axes = view_axes(direction)
    k = np.arange(count)
    radius, turn = spread * np.sqrt((k + 0.5) / count), GOLDEN * k
    offsets = np.stack([radius * np.cos(turn), radius * np.sin(turn), np.ones(count)], axis=1)
    return Light(unit(offsets @ axes), np.full(count, 1 / count))


def sky_light(count: int = 64) -> Light:
    """A uniform sky; a level surface in the open receives 1. Directions are densest where they matter, high up."""
    k = np.arange(count)
    height, turn = np.sqrt((k + 0.5) / count), GOLDEN * k
    ring = np.sqrt(1 - height**2)
    directions = np.stack([ring * np.cos(turn), height, ring * np.sin(turn)], axis=1)
    return Light(directions, 1 / (count * height))


def irradiance(light: Light, points: Array, normals: Array, x: Array, triangles: Ids) -> Array:
    """sum_d w_d max(n . d, 0) visible_d at points (m, 3) with normals (m, 3), shadowed by the surface x (n, 3)."""
    received = np.zeros(len(points))
    for direction, weight in zip(light.directions, light.weights):
        axes = view_axes(direction)
        seen = x @ axes.T
        corner, size = seen[:, :2].min(axis=0), np.ptp(seen[:, :2], axis=0).max()
        texel = max(float(size), 1e-9) / (MAP - 4)
        origin = corner - 2 * texel
        _, depths, _ = rasterise((seen[:, :2] - origin) / texel, seen[:, 2], triangles, MAP, MAP)
        _receive(points, normals, axes, origin, texel, depths, weight, received)
    return received


@njit(cache=True, nogil=True)
def _receive(points, normals, axes, origin, texel, depths, weight, received):
    """Points are lifted off the surface by two texels, so that it does not shadow itself."""
    size = len(depths)
    for i in range(len(points)):
        facing = normals[i, 0] * axes[2, 0] + normals[i, 1] * axes[2, 1] + normals[i, 2] * axes[2, 2]
        if facing <= 0.0:
            continue
        place = np.empty(3)
        for j in range(3):
            place[j] = 0.0
            for k in range(3):
                place[j] += axes[j, k] * (points[i, k] + 2 * texel * normals[i, k])
        column, row = (place[0] - origin[0]) / texel - 0.5, (place[1] - origin[1]) / texel - 0.5
        c, r = int(np.floor(column)), int(np.floor(row))
        visible = 1.0
        if 0 <= c < size - 1 and 0 <= r < size - 1:
            s, t, limit = column - c, row - r, place[2] + texel
            visible -= (1 - s) * (1 - t) * (depths[r, c] > limit) + s * (1 - t) * (depths[r, c + 1] > limit)
            visible -= (1 - s) * t * (depths[r + 1, c] > limit) + s * t * (depths[r + 1, c + 1] > limit)
        received[i] += weight * facing * visible
