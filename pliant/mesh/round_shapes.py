"""Round solids of good cells: a square or cubic core, and layers that lead from its sides to the round outside."""

from itertools import pairwise

import numpy as np

from pliant.errors import Array, Ids
from pliant.mesh.cell_kinds import HEX
from pliant.mesh.grid import grid_cells
from pliant.mesh.topology import same_rows

CORE = 0.55  # the corners of the core lie at this fraction of the radius
ROUNDING = 0.4  # 0 leaves the core square, 1 makes it round
_QUAD_SIDES = np.array([[0, 1], [1, 2], [2, 3], [3, 0]])


def disc(across: int) -> tuple[Array, Ids]:
    """Points (n, 2) and counter-clockwise quads (m, 4) of the unit disc, about `across` quads along a diameter."""
    count = _core_count(across)
    first = np.add.outer(np.arange(count) * (count + 1), np.arange(count)).reshape(-1, 1)
    quads = first + np.array([0, count + 1, count + 2, 1])
    points, layers = _inflated(_square(count, 2), _outer_sides(quads, _QUAD_SIDES), across)
    return points, np.concatenate(
        [quads, *(np.concatenate([inner[:, ::-1], outer], axis=1) for inner, outer in layers)]
    )


def ball(across: int) -> tuple[Array, Ids]:
    """Points (n, 3) and hexes (m, 8) of the unit ball, about `across` hexes along a diameter."""
    count = _core_count(across)
    hexes = grid_cells(np.ones((count,) * 3, dtype=bool))
    points, layers = _inflated(_square(count, 3), _outer_sides(hexes, HEX.faces), across)
    return points, np.concatenate([hexes, *(np.concatenate(layer, axis=1) for layer in layers)])


def extruded(quads: Ids, slices: int, layer_size: int, closed: bool = False) -> Ids:
    """Hexes between copies of a quad mesh; copy s has ids higher by s * layer_size, `closed` joins the ends."""
    bottom = np.arange(slices - (not closed))[:, None, None] * layer_size + quads
    top = (bottom + layer_size) % (slices * layer_size)
    return np.concatenate([bottom, top], axis=2).reshape(-1, 8)


def conforming_tets(hexes: Ids) -> Ids:
    """Six tets a hex (6 m, 4), for hexes that meet in any way: every face is cut from its smallest vertex.

    A hex is seen from its smallest vertex as three faces, each cut in two triangles: each is the base of a tet.
    """
    tets = []
    for corner, mine in enumerate(hexes.argmin(axis=1) == np.arange(8)[:, None]):
        for face in HEX.faces[~(HEX.faces == corner).any(axis=1)]:
            quad = hexes[mine][:, face]
            turn = (quad.argmin(axis=1)[:, None] + np.arange(4)) % 4
            a, b, c, d = np.take_along_axis(quad, turn, axis=1).T
            apex = hexes[mine, corner]
            tets += [np.stack([apex, a, b, c], axis=1), np.stack([apex, a, c, d], axis=1)]
    return np.concatenate(tets)


def _core_count(across: int) -> int:
    return 2 * max(1, round(across / 4))  # even, so that a vertex lies on each axis


def _square(count: int, dimension: int) -> Array:
    axes = [np.linspace(-1, 1, count + 1)] * dimension
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, dimension)


def _outer_sides(cells: Ids, sides: Ids) -> Ids:
    rows = cells[:, sides].reshape(-1, sides.shape[1])
    return np.delete(rows, np.concatenate(same_rows(rows)), axis=0)


def _inflated(square: Array, sides: Ids, across: int) -> tuple[Array, list[tuple[Ids, Ids]]]:
    count = max(1, round(across / 4))
    skin, local = np.unique(sides, return_inverse=True)
    local = local.reshape(sides.shape)
    core, outside = _core(square), _on_sphere(square[skin])
    shells = [core[skin] + (outside - core[skin]) * layer / count for layer in range(1, count + 1)]
    ids = [skin, *(len(core) + layer * len(skin) + np.arange(len(skin)) for layer in range(count))]
    layers = [(inner[local], outer[local]) for inner, outer in pairwise(ids)]
    return np.concatenate([core, *shells]), layers


def _core(square: Array) -> Array:
    largest = np.abs(square).max(axis=1, keepdims=True)
    lengths = np.maximum(np.linalg.norm(square, axis=1, keepdims=True), 1e-300)
    flat = square / np.sqrt(square.shape[1])
    return CORE * ((1 - ROUNDING) * flat + ROUNDING * square * largest / lengths)


def _on_sphere(square: Array) -> Array:
    equal_angles = np.tan(square * np.pi / 4)
    return equal_angles / np.linalg.norm(equal_angles, axis=1, keepdims=True)
