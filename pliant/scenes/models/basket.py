"""A basket without a handle: a round floor and a wall that leans outward."""

from collections.abc import Sequence

import numpy as np

from pliant.errors import ArgumentError, check_count, check_number
from pliant.mesh import Mesh
from pliant.mesh.round_shapes import conforming_tets, disc, extruded

FOOT = 0.75  # of the radius at the rim


def basket(radius: float = 0.25, height: float = 0.32, wall: float = 0.04, cells: Sequence[int] = (6, 3)) -> Mesh:
    """Around the y axis, y from -height / 2 to height / 2, open above.

    Args:
        radius: of its rim [m].
        height: [m].
        wall: thickness of the wall and the floor [m], below half the radius and height.
        cells: number of bricks along a diameter (about), and up the wall.
    """
    across, up = (check_count("cells", count) for count in cells)
    check_number("wall", wall, above=0)
    if not wall < min(check_number("radius", radius, above=0), check_number("height", height, above=0)) / 2:
        raise ArgumentError(f"wall must be below half the radius and the height; {wall:g} was given")
    points, quads = disc(across)
    outward = np.linalg.norm(points, axis=1)
    rim = outward > 1 - 1e-9
    # All but the outermost circle of the disc becomes the floor, as wide as the wall leaves it.
    inner = outward[~rim].max()
    direction = points / np.maximum(outward, 1e-12)[:, None]
    reach = np.where(rim, radius, (radius - wall) * outward / inner)
    levels = np.concatenate([[0.0], np.linspace(wall, height, up + 1)])
    hexes = extruded(quads, len(levels), len(points))
    of_wall = np.tile((rim[quads]).any(axis=1), len(levels) - 1)
    layer = np.repeat(np.arange(len(levels) - 1), len(quads))
    flat = reach[:, None] * direction
    spread = FOOT + (1 - FOOT) * levels / height
    vertices = [np.stack([s * flat[:, 1], np.full(len(flat), y - height / 2), s * flat[:, 0]], axis=1)
                for s, y in zip(spread, levels)]  # fmt: skip
    kept = conforming_tets(hexes[of_wall | (layer == 0)])
    used, cells_of = np.unique(kept, return_inverse=True)
    return Mesh(np.concatenate(vertices)[used], cells_of.reshape(-1, 4))
