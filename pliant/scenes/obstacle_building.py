"""Surfaces of obstacles, as their tables say: boxes, balls, capsules, or files with triangles."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from pliant.errors import Array
from pliant.mesh import Surface, read_surface, shapes
from pliant.scenes.world_tables import ObstacleTable

AROUND, ALONG = 32, 16  # corners of what is round: about its axis, and from pole to pole
INSIDE = 0.02  # of half its least extent: how far inside a field its drawing lies, which is more than things sink in


def build_obstacle(table: ObstacleTable, folder: Path) -> Surface:
    """In its own coordinates."""
    if table.surface is not None:
        read = read_surface(folder / table.surface)
        return Surface(table.scale * read.vertices, read.triangles)
    assert table.shape is not None
    return SHAPES[table.shape["name"]](**{key: value for key, value in table.shape.items() if key != "name"})


def within(surface: Surface) -> Surface:
    """The same about its middle, a little smaller."""
    middle = 0.5 * (surface.vertices.min(axis=0) + surface.vertices.max(axis=0))
    half = 0.5 * np.ptp(surface.vertices, axis=0)
    kept = 1 - INSIDE * half.min() / half
    return Surface(middle + kept * (surface.vertices - middle), surface.triangles)


def _box(size: list[float]) -> Surface:
    mesh = shapes.box(size, (1, 1, 1))
    return Surface(mesh.vertices, mesh.surface)


def _ball(radius: float) -> Surface:
    angles = np.linspace(0, np.pi, ALONG + 1)[1:-1]
    return _turned(radius * np.sin(angles), radius * np.cos(angles), radius)


def _capsule(radius: float, length: float) -> Surface:
    angles = np.linspace(0, np.pi, ALONG + 1)[1:-1]
    angles = np.insert(angles, len(angles) // 2, np.pi / 2)  # its equator is there twice, with a tube in between
    shift = np.where(np.arange(len(angles)) <= (len(angles) - 1) // 2, length / 2, -length / 2)
    return _turned(radius * np.sin(angles), radius * np.cos(angles) + shift, radius + length / 2)


def _turned(radii: Array, heights: Array, top: float) -> Surface:
    """A line from pole to pole, downward, turned about y."""
    angles = np.arange(AROUND) * 2 * np.pi / AROUND
    circle = np.stack([np.sin(angles), np.zeros(AROUND), np.cos(angles)], axis=1)
    rings = [r * circle + (0, y, 0) for r, y in zip(radii, heights)]
    here = np.arange(AROUND)
    there = np.roll(here, -1)
    n = AROUND * len(rings)
    rows = [np.stack([np.full(AROUND, n), here, there], axis=1)]
    for ring in range(len(rings) - 1):
        a, b = here + ring * AROUND, there + ring * AROUND
        c, d = a + AROUND, b + AROUND
        rows += [np.stack([a, c, d], axis=1), np.stack([a, d, b], axis=1)]
    last = n - AROUND
    rows.append(np.stack([here + last, np.full(AROUND, n + 1), there + last], axis=1))
    return Surface(np.concatenate([*rings, [[0, top, 0], [0, -top, 0]]]), np.concatenate(rows))


SHAPES: dict[str, Callable[..., Surface]] = {"box": _box, "sphere": _ball, "capsule": _capsule}
