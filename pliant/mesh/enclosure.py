"""How well a triangle surface encloses a solid: how much is inside, and how sure that is.

    doubt = (volume with 1/4 < |w| < 3/4) / (volume with 1/4 < |w|),   w the generalised winding number

A closed surface has w = 1 inside and 0 outside, and no doubt; the inside of a bowl has 1/2.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pliant.errors import Array
from pliant.mesh.grid import Grid
from pliant.mesh.mesh import Mesh
from pliant.mesh.surface import Surface
from pliant.mesh.winding import INSIDE, distances, is_inside, winding_numbers

SAMPLES = 50  # along the diagonal
DOUBTFUL = (0.25, 0.75)


@dataclass(frozen=True)
class Enclosure:
    """What a surface encloses.

    Attributes:
        volume: inside [m^3].
        doubt: share of the inside that may as well be outside, 0 to 1; 1 where there is no inside.
    """

    volume: float
    doubt: float


def enclosure(surface: Surface) -> Enclosure:
    """Sampled on a grid; what is closed but thinner than its cubes has the volume of the divergence theorem."""
    edge = float(np.linalg.norm(np.ptp(surface.bounds, axis=0))) / SAMPLES
    centres = Grid.around(surface.bounds, edge).centres()
    winding = winding_numbers(surface, centres)
    low, high = DOUBTFUL
    somehow = winding > low
    if somehow.any():
        return Enclosure(float((winding > INSIDE).sum() * edge**3), float((winding[somehow] < high).mean()))
    closed = is_closed(surface)
    return Enclosure(abs(surface.volume) if closed else 0.0, 0.0 if closed else 1.0)


def is_closed(surface: Surface) -> bool:
    """Has every edge two sides, where vertices in the same place count as one?"""
    joined = np.unique(surface.vertices, axis=0, return_inverse=True)[1].ravel()[surface.triangles]
    edges = np.sort(joined[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    edges = edges[edges[:, 0] != edges[:, 1]]
    return bool(len(edges)) and bool((np.unique(edges, axis=0, return_counts=True)[1] % 2 == 0).all())


def uncovered(surface: Surface, cells: Mesh, within: float, count: int = 2000) -> float:
    """Share of the surface's area that is farther than `within` [m] from a solid, by sampling."""
    corners = surface.vertices[surface.triangles]
    share = areas(surface) / areas(surface).sum()
    draw = np.random.default_rng(0)
    chosen = draw.choice(len(corners), count, p=share)
    points = np.einsum("pk,pkd->pd", draw.dirichlet(np.ones(3), count), corners[chosen])
    return float(is_far(cells, points, within).mean())


def is_far(cells: Mesh, points: Array, within: float) -> NDArray[np.bool_]:
    """Which points (p, 3) are farther than `within` [m] from a solid, and not inside it."""
    skin = Surface(cells.vertices, cells.surface)
    return (distances(skin, points) > within) & ~is_inside(skin, points)


def areas(surface: Surface) -> Array:
    """Of every triangle (t,) [m^2]."""
    a, b, c = (surface.vertices[surface.triangles[:, i]] for i in range(3))
    return np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
