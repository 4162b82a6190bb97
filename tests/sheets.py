"""Sheets for tests of shells: plates with regular and irregular triangles, rings and arches."""

import numpy as np
from scipy.spatial import Delaunay

import pliant as pl


def plate(count, irregular=False, seed=0):
    """The unit square: vertices (n, 3) and triangles, `count` along a side."""
    if not irregular:
        sheet = pl.shapes.sheet((1, 1), (count, count))
        return sheet.vertices + np.array([0, 0.5, 0]), sheet.cells
    line = np.linspace(0, 1, count + 1)
    points = np.stack(np.meshgrid(line, line, indexing="ij"), axis=-1).reshape(-1, 2)
    inside = ((points > 1e-9) & (points < 1 - 1e-9)).all(axis=1)
    points[inside] += np.random.default_rng(seed).uniform(-0.35, 0.35, (inside.sum(), 2)) / count
    triangles = Delaunay(points).simplices
    (x1, y1), (x2, y2) = ((points[triangles[:, k]] - points[triangles[:, 0]]).T for k in (1, 2))
    thick = np.abs(x1 * y2 - x2 * y1) > 1e-6 / count**2
    return np.column_stack([points, np.zeros(len(points))]), triangles[thick]


def rim(vertices):
    """Vertices on the sides of the unit square."""
    return np.flatnonzero(((vertices[:, :2] < 1e-9) | (vertices[:, :2] > 1 - 1e-9)).any(axis=1))


def ring(around, across, width, radius=1.0):
    """A closed band around z: vertices and triangles."""
    flat = pl.shapes.sheet((2 * np.pi, width), (around, across))
    angle, z = flat.vertices[:, 0], flat.vertices[:, 1]
    kept = around * (across + 1)
    vertices = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), z])[:kept]
    return vertices, flat.cells % kept


def arch(count, irregular=True):
    """A plate bent along x, and a little along y."""
    vertices, triangles = plate(count, irregular)
    x, y, _ = vertices.T
    return np.column_stack([np.sin(1.5 * x), np.cos(1.5 * x) + 0.2 * y**2, y]), triangles
