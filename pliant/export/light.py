"""Light that falls on points around a surface, shadows included: a broad key light and a sky.

A light is a handful of directions with weights; each direction has a shadow map, drawn by the rasteriser. Many maps of
hard shadows add up to a soft one that is sharp where things touch, and those of the sky to ambient occlusion.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from typing import Any

import numba
import numpy as np
from numba import njit
from numpy.typing import NDArray

from pliant.errors import Array, Ids
from pliant.export.camera import view_axes
from pliant.export.rasteriser import draw_depths
from pliant.mesh.normals import unit

MAP = 320  # pixels of a shadow map along each side
GOLDEN = np.pi * (3 - np.sqrt(5))


@dataclass(frozen=True, eq=False)
class Light:
    """Directions (d, 3) towards the light, and the irradiance (d,) that each gives to a surface that faces it."""

    directions: Array
    weights: Array

    @cached_property
    def axes(self) -> Array:
        """Rows right, up and towards the light (d, 3, 3) of its shadow maps."""
        return np.stack([view_axes(direction) for direction in self.directions])


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


@dataclass(frozen=True, eq=False)
class Shadows:
    """What a surface keeps from a light: a map of depths (d, s, s) for every direction, and where it lies.

    A point p is at texel (axes p - origin) / texel of a map, and in shadow where its depth is below that of the map.
    """

    light: Light
    origins: Array
    texels: Array
    depths: NDArray[np.float32]

    def irradiance(self, points: Array, normals: Array) -> Array:
        """sum_d w_d max(n . d, 0) visible_d at points (m, 3) with normals (m, 3)."""
        received = np.zeros(len(points))
        maps = (self.light.axes, self.origins, self.texels, self.depths, self.light.weights)
        _side_by_side(_receive, len(points), *maps, points, normals, received)
        return received


def shadows(light: Light, x: Array, triangles: Ids) -> Shadows:
    """Those of the surface x (n, 3), triangles (t, 3)."""
    count = len(light.directions)
    origins, texels = np.empty((count, 2)), np.empty(count)
    depths = np.empty((count, MAP, MAP), dtype=np.float32)  # half the memory of doubles to look through
    _side_by_side(_cast, count, light.axes, x, triangles, origins, texels, depths)
    return Shadows(light, origins, texels, depths)


def irradiance(light: Light, points: Array, normals: Array, x: Array, triangles: Ids) -> Array:
    """That of a light on points (m, 3) with normals (m, 3), shadowed by the surface x (n, 3)."""
    return shadows(light, x, triangles).irradiance(points, normals)


def _side_by_side(work: Callable[..., None], count: int, *arrays: NDArray[Any]) -> None:
    """Call work(first, last, ...) of shares of 0 to `count` on all threads that numba may use."""
    cuts = np.linspace(0, count, numba.get_num_threads() + 1).astype(np.int64)
    others = [_pool().submit(work, low, high, *arrays) for low, high in pairwise(cuts[1:])]
    work(cuts[0], cuts[1], *arrays)
    for other in others:
        other.result()


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max(1, numba.config.NUMBA_NUM_THREADS - 1), thread_name_prefix="pliant-light")


@njit(cache=True, nogil=True)
def _cast(first, last, axes, x, triangles, origins, texels, depths):
    """Draw the maps of some directions."""
    n, size = len(x), depths.shape[1]
    pixels, nearness = np.empty((n, 2)), np.empty(n)
    for d in range(first, last):
        low, high = np.full(2, np.inf), np.full(2, -np.inf)
        for v in range(n):
            for i in range(2):
                at = axes[d, i, 0] * x[v, 0] + axes[d, i, 1] * x[v, 1] + axes[d, i, 2] * x[v, 2]
                pixels[v, i] = at
                low[i], high[i] = min(low[i], at), max(high[i], at)
            nearness[v] = axes[d, 2, 0] * x[v, 0] + axes[d, 2, 1] * x[v, 1] + axes[d, 2, 2] * x[v, 2]
        texels[d] = max(high[0] - low[0], high[1] - low[1], 1e-9) / (size - 4)
        for i in range(2):
            origins[d, i] = low[i] - 2 * texels[d]
        for v in range(n):
            for i in range(2):
                pixels[v, i] = (pixels[v, i] - origins[d, i]) / texels[d]
        depths[d] = -np.inf
        draw_depths(pixels, nearness, triangles, depths[d])


@njit(cache=True, nogil=True)
def _receive(first, last, axes, origins, texels, depths, weights, points, normals, received):
    """All directions at some of the points."""
    for d in range(len(weights)):
        _receive_from(first, last, axes[d], origins[d], texels[d], depths[d], weights[d], points, normals, received)


@njit(cache=True, nogil=True, fastmath={"contract"})
def _receive_from(first, last, axes, origin, texel, depths, weight, points, normals, received):
    """Points are lifted off the surface by two texels, so that it does not shadow itself."""
    last_texel, per_metre, lift = len(depths) - 1, 1 / texel, 2 * texel
    for i in range(first, last):
        n_x, n_y, n_z = normals[i, 0], normals[i, 1], normals[i, 2]
        facing = n_x * axes[2, 0] + n_y * axes[2, 1] + n_z * axes[2, 2]
        if facing <= 0.0:
            continue
        x, y, z = points[i, 0] + lift * n_x, points[i, 1] + lift * n_y, points[i, 2] + lift * n_z
        column = (axes[0, 0] * x + axes[0, 1] * y + axes[0, 2] * z - origin[0]) * per_metre - 0.5
        row = (axes[1, 0] * x + axes[1, 1] * y + axes[1, 2] * z - origin[1]) * per_metre - 0.5
        visible = 1.0
        if 0.0 <= column < last_texel and 0.0 <= row < last_texel:
            c, r = np.uint32(column), np.uint32(row)
            s, t = column - c, row - r
            limit = axes[2, 0] * x + axes[2, 1] * y + axes[2, 2] * z + texel
            above = (1 - s) * (depths[r, c] > limit) + s * (depths[r, c + 1] > limit)
            below = (1 - s) * (depths[r + 1, c] > limit) + s * (depths[r + 1, c + 1] > limit)
            visible -= (1 - t) * above + t * below
        received[i] += weight * facing * visible
