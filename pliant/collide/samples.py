"""The points of a surface that touch others: its vertices, and points along edges longer than a spacing.

They miss two edges that cross. An edge that runs over a ridge whose sides fall off with slope k along it is inside over
a length of 2 depth / k, so with a point every s it is found at depth k s / 2 at the latest: half the spacing where two
upright square edges cross ridge on ridge (k = 1), and at once where an edge lies on a flat face (k = 0).
"""

from typing import Any

import numpy as np

from pliant.errors import Array, Ids

SHARP = np.cos(np.radians(40))  # of the angle between the normals of both sides: ridges, not the facets of a ball
MOST = 32  # pieces of a sharp edge: long thin things have no more points than finely meshed ones


def edge_samples(
    vertices: Array, triangles: Ids, across: Ids, spacing: float | None, sharp: bool = False
) -> tuple[Ids, Ids, Array]:
    """Half edges 3 t + e (k,), their ends (k, 2) and weights w (k,) of points (1 - w) x_0 + w x_1.

    They cut every edge, or those alone that are sharp, into equal pieces of at most `spacing` [m]; None makes none.
    """
    if spacing is None:
        return np.empty(0, dtype=np.int64), np.empty((0, 2), dtype=np.int64), np.empty(0)
    halves = np.arange(triangles.size)
    halves = halves[(across.ravel() < 0) | (halves < across.ravel())]  # each edge once, from its first triangle
    if sharp:
        halves = halves[_are_sharp(vertices, triangles, across, halves)]
    ends = np.stack([triangles.ravel()[halves], np.roll(triangles, -1, axis=1).ravel()[halves]], axis=1)
    lengths = np.linalg.norm(vertices[ends[:, 1]] - vertices[ends[:, 0]], axis=1)
    most = MOST if sharp else np.inf
    pieces = np.clip(np.ceil(lengths / spacing * (1 - 1e-12)), 1, most).astype(np.int64)
    inner = pieces - 1
    rows = np.repeat(np.arange(len(halves)), inner)
    number = np.arange(len(rows)) - np.repeat(np.cumsum(inner) - inner, inner) + 1
    return halves[rows], ends[rows], number / pieces[rows]


def _are_sharp(vertices: Array, triangles: Ids, across: Ids, halves: Ids) -> Any:
    """Which of these edges are ridges that stick out, or rims."""
    x = vertices[triangles]
    normals = np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1), np.finfo(float).tiny)[:, None]
    others = across.ravel()[halves]
    own, other = halves // 3, others // 3
    apex = vertices[triangles[other, (others + 2) % 3]]  # the corner of the other side that is not on the edge
    below = ((apex - x[own, 0]) * normals[own]).sum(axis=1) < 0
    return (others < 0) | (((normals[own] * normals[other]).sum(axis=1) < SHARP) & below)
