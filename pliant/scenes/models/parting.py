"""Solids of several parts: regions made by cutting a solid with planes, and a mesh whose seams follow them."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import Array, Ids
from pliant.mesh import Mesh, sdf
from pliant.scenes.models.fitted_seams import with_fitted_seams
from pliant.scenes.models.labels import labelled
from pliant.scenes.models.pinches import without_pinches

Distance = Callable[[Array], Array]
Cut = tuple[ArrayLike, ArrayLike]  # a point of a plane [m] and its normal


def parted(solid: sdf.Field, regions: Mapping[str, sdf.Field], edge: float) -> Mesh:
    """Tets of about `edge` [m] that fill the solid, with a cell group for each region, in their order.

    Cells go to the region they are deepest in or nearest to, as in `labelled`, and loops of parts are welcome. Vertices
    near a seam are moved onto it, so that it is even.
    """
    mesh = with_fitted_seams(without_pinches(solid.tets(edge)), list(regions.values()))
    return labelled(mesh, regions, tree=False)


def numbered_parts(mesh: Mesh, labels: Ids) -> Mesh:
    """The mesh with the cells of label 0, 1, ... as the groups "part 1", "part 2", ..."""
    groups = {f"part {number + 1}": np.flatnonzero(labels == number) for number in range(labels.max() + 1)}
    return Mesh(mesh.vertices, mesh.cells, mesh.vertex_groups, groups)


def sliced(field: sdf.Field, cuts: Sequence[Cut]) -> list[sdf.Field]:
    """The solid between each two planes that follow each other, with normals that point to the next slice."""
    whole = _remembered(field.distance)
    heights = [_height_over(*cut) for cut in cuts]
    return [
        sdf.Field(_between(whole, low, high), field.bounds)
        for low, high in zip([None, *heights], [*heights, None], strict=True)
    ]


def near(field: sdf.Field, margin: float) -> sdf.Field:
    """The same solid, measured only within `margin` [m] of its box; beyond, the distance to the box stands in.

    A union of many small solids becomes fast to evaluate, and is the same where its distance is below `margin`.
    """
    centre, half = field.bounds.mean(axis=0), np.ptp(field.bounds, axis=0) / 2

    def distance(p: Array) -> Array:
        result = np.linalg.norm(np.maximum(np.abs(p - centre) - half, 0), axis=1)
        close = result < margin
        result[close] = field.distance(p[close])
        return result

    return sdf.Field(distance, field.bounds)


def _height_over(point: ArrayLike, normal: ArrayLike) -> Distance:
    origin, direction = np.asarray(point, dtype=float), np.asarray(normal, dtype=float)
    unit = direction / np.linalg.norm(direction)
    return lambda p: (p - origin) @ unit


def _between(whole: Distance, low: Distance | None, high: Distance | None) -> Distance:
    def distance(p: Array) -> Array:
        above = [] if low is None else [-low(p)]
        below = [] if high is None else [high(p)]
        return np.max([whole(p), *above, *below], axis=0)

    return distance


def _remembered(distance: Distance) -> Distance:
    """The same, but asked again about the same array it gives the last answer: all slices of a solid are."""
    last: list[Array] = []

    def answer(p: Array) -> Array:
        if not last or last[0] is not p:
            last[:] = p, distance(p)
        return last[1]

    return answer
