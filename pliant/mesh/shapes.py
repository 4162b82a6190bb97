"""Ready-made volume meshes: bar, box, spoon, sphere, cylinder, torus."""

from collections.abc import Sequence

import numpy as np

from pliant.errors import ArgumentError, Array, Ids, check_array, check_choice, check_count
from pliant.mesh.grid import kuhn_tets, grid_cells
from pliant.mesh.mesh import Mesh


def bar(size: Sequence[float], cells: Sequence[int], kind: str = "tet") -> Mesh:
    """A beam along x: x from 0 to size[0], y and z centred on 0.

    Args:
        size: edge lengths (3,) [m].
        cells: bricks along x, y, z (3,).
        kind: "tet" cuts each brick into 6 tets (Kuhn), "hex" keeps it.

    Returns:
        Mesh whose vertex (i, j, k) has index (i * (ny + 1) + j) * (nz + 1) + k.
    """
    lengths = _checked_size(size)
    return _block(lengths * [0, -0.5, -0.5], lengths, cells, kind)


def box(size: Sequence[float] = (1, 1, 1), cells: Sequence[int] = (8, 8, 8), kind: str = "tet") -> Mesh:
    """A brick centred on the origin; arguments and vertex order as in `bar`."""
    lengths = _checked_size(size)
    return _block(-lengths / 2, lengths, cells, kind)


def spoon() -> Mesh:
    """The spoon of the reference experiment: 765 vertices, 2400 tets; clamp it with select("x < 1e-9").

    With s, eta, zeta the grid coordinates and b = sin^2(pi clip((s - 0.65) / 0.35, 0, 1)):
    x = 2.5 s,  y = (0.06 + 0.14 b) eta,  z = 0.03 zeta - 0.08 b (1 - eta^2).
    """
    s, eta, zeta = _unit_grid((50, 4, 2)).T * [[1], [2], [2]] - [[0], [1], [1]]
    bump = np.sin(np.pi * np.clip((s - 0.65) / 0.35, 0, 1)) ** 2
    vertices = np.stack([2.5 * s, (0.06 + 0.14 * bump) * eta, 0.03 * zeta - 0.08 * bump * (1 - eta**2)], axis=1)
    return Mesh(vertices, _cells((50, 4, 2), "tet"))


def _block(corner: Array, size: Array, cells: Sequence[int], kind: str) -> Mesh:
    counts = _checked_cells(cells)
    return Mesh(corner + size * _unit_grid(counts), _cells(counts, kind))


def _unit_grid(counts: Sequence[int]) -> Array:
    axes = [np.arange(count + 1) / count for count in counts]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)


def _cells(counts: Sequence[int], kind: str) -> Ids:
    hexes = grid_cells(np.ones(tuple(counts), dtype=bool))
    return hexes if check_choice("kind", kind, ("tet", "hex")) == "hex" else kuhn_tets(hexes)


def _checked_size(size: Sequence[float]) -> Array:
    lengths = check_array("size", size, (3,))
    if (lengths <= 0).any():
        raise ArgumentError(f"size must be three positive lengths; {lengths.tolist()} was given")
    return lengths


def _checked_cells(cells: Sequence[int]) -> tuple[int, ...]:
    counts = tuple(np.atleast_1d(np.asarray(cells, dtype=object)).tolist())
    if len(counts) != 3:
        raise ArgumentError(f"cells must be three counts, one an axis; {cells!r} was given")
    return tuple(check_count("cells", count, at_most=10_000) for count in counts)
