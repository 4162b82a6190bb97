"""Ready-made meshes: bar, box, spoon, sphere, cylinder, torus, and the sheet of a shell."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from pliant.errors import ArgumentError, Array, Ids, check_array, check_choice, check_count, check_number
from pliant.mesh.cell_kinds import KINDS as CELL_KINDS
from pliant.mesh.grid import grid_cells, kuhn_tets
from pliant.mesh.mesh import Mesh
from pliant.mesh.round_shapes import ball, conforming_tets, disc, extruded
from pliant.mesh.sheet import Sheet

KINDS = ("tet", "hex", "tet10", "hex11", "hex20")
BRICKS = ("hex", "hex11", "hex20")
MAX_CELLS = 100_000_000
ROUND = 1e-9  # of the size: a vertex nearer to the round surface than this lies on it
_ALONG_Y, _ACROSS_Y = np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 1.0])


def bar(size: Sequence[float], cells: Sequence[int], kind: str = "tet") -> Mesh:
    """A beam along x: x from 0 to size[0], y and z centred on 0.

    Args:
        size: edge lengths (3,) [m].
        cells: bricks along x, y, z (3,).
        kind: "tet" cuts each brick into 6 tets (Kuhn), "hex" keeps it, "hex11" can bend as well; "tet10" and
            "hex20" are quadratic.

    Returns:
        Mesh whose vertex (i, j, k) has index (i * (ny + 1) + j) * (nz + 1) + k. Vertices on edges follow.
    """
    lengths = _checked_size(size)
    return _block(lengths * [0, -0.5, -0.5], lengths, cells, kind)


def box(size: Sequence[float] = (1, 1, 1), cells: Sequence[int] = (8, 8, 8), kind: str = "tet") -> Mesh:
    """A brick centred on the origin.

    Args:
        size, cells, kind: as of `bar`, whose order of vertices it has.
    """
    lengths = _checked_size(size)
    return _block(-lengths / 2, lengths, cells, kind)


def spoon() -> Mesh:
    """The spoon of the reference experiment: 765 vertices, 2400 tets; clamp it with select("x < 1e-9").

    With s in [0, 1] and eta, zeta in [-1, 1] the grid coordinates, and b = sin^2(pi clip((s - 0.65) / 0.35, 0, 1)):
    x = 2.5 s,  y = (0.06 + 0.14 b) eta,  z = 0.03 zeta - 0.08 b (1 - eta^2).
    """
    counts = (50, 4, 2)
    s, eta, zeta = _unit_grid(counts).T * [[1], [2], [2]] - [[0], [1], [1]]
    bump = np.sin(np.pi * np.clip((s - 0.65) / 0.35, 0, 1)) ** 2
    vertices = np.stack([2.5 * s, (0.06 + 0.14 * bump) * eta, 0.03 * zeta - 0.08 * bump * (1 - eta**2)], axis=1)
    return Mesh(vertices, _grid(counts, "tet"))


def sphere(radius: float = 0.5, cells: int = 8, kind: str = "tet") -> Mesh:
    """A ball centred on the origin.

    Args:
        radius: of the outermost vertices [m].
        cells: number of bricks along a diameter, about.
        kind: "tet" cuts each brick into 6 tets, "hex" keeps it, "hex11" can bend as well; "tet10" and "hex20" are
            quadratic and round.
    """
    points, hexes = ball(check_count("cells", cells, at_least=2, at_most=400))
    check_number("radius", radius, above=0)
    return _round_mesh(radius * points, hexes, kind, lambda p: _at_distance(p, radius))


def cylinder(radius: float = 0.25, height: float = 1.0, cells: Sequence[int] = (6, 10), kind: str = "tet") -> Mesh:
    """A cylinder around the y axis, y from -height / 2 to height / 2.

    Args:
        radius: of the outermost vertices [m].
        height: along y [m].
        cells: number of bricks along a diameter (about), and along y.
        kind: "tet" cuts each brick into 6 tets, "hex" keeps it, "hex11" can bend as well; "tet10" and "hex20" are
            quadratic and round.
    """
    across, along = _checked_counts(cells, 2)
    points, quads = disc(across)
    y = np.linspace(-0.5, 0.5, along + 1) * check_number("height", height, above=0)
    z, x = check_number("radius", radius, above=0) * points.T
    vertices = np.stack(np.broadcast_arrays(x, y[:, None], z), axis=-1).reshape(-1, 3)
    hexes = extruded(quads, along + 1, len(points))
    return _round_mesh(vertices, hexes, kind, lambda p: p * _ALONG_Y + _at_distance(p * _ACROSS_Y, radius))


def torus(radius: float = 0.5, thickness: float = 0.15, cells: Sequence[int] = (6, 32), kind: str = "tet") -> Mesh:
    """A ring around the y axis.

    Args:
        radius: from the y axis to the middle of the ring's section [m].
        thickness: radius of the section [m], smaller than `radius`.
        cells: number of bricks along a diameter of the section (about), and around the ring (at least 3).
        kind: "tet" cuts each brick into 6 tets, "hex" keeps it, "hex11" can bend as well; "tet10" and "hex20" are
            quadratic and round.
    """
    across, around = _checked_counts(cells, 2, at_least=3)
    if kind == "tet10":
        check_count("cells around a ring of tet10", around, at_least=4)  # a third of a circle is too much for an edge
    check_number("thickness", thickness, above=0)
    if check_number("radius", radius, above=0) <= thickness:
        raise ArgumentError(f"radius must be larger than thickness; {radius:g} and {thickness:g} were given")
    points, quads = disc(across)
    out, y = thickness * points.T
    angle = np.linspace(0, 2 * np.pi, around, endpoint=False)[:, None]
    rings = np.broadcast_arrays((radius + out) * np.cos(angle), y, (radius + out) * np.sin(angle))
    vertices = np.stack(rings, axis=-1).reshape(-1, 3)

    def onto(p: Array) -> Array:
        middle = _at_distance(p * _ACROSS_Y, radius)
        return middle + _at_distance(p - middle, thickness)

    return _round_mesh(vertices, extruded(quads, around, len(points), closed=True), kind, onto, _around_y)


def sheet(size: Sequence[float] = (1, 1), cells: Sequence[int] = (8, 8)) -> Sheet:
    """A rectangle for `pl.Shell` in the plane z = 0: x from 0 to size[0], y centred on 0.

    Args:
        size: edge lengths (2,) [m].
        cells: rectangles along x and y (2,), each cut into two triangles, the diagonals in turn.

    Returns:
        Sheet whose vertex (i, j) has index i * (ny + 1) + j.
    """
    lengths = check_array("size", size, (2,))
    if not (lengths > 0).all():
        raise ArgumentError(f"size must be two lengths above 0 m; {list(map(float, lengths))} was given")
    nx, ny = _checked_counts(cells, 2)
    x, y = np.meshgrid(np.arange(nx + 1) / nx, np.arange(ny + 1) / ny - 0.5, indexing="ij")
    vertices = np.stack([lengths[0] * x, lengths[1] * y, np.zeros_like(x)], axis=2).reshape(-1, 3)
    i, j = (index.ravel() for index in np.meshgrid(np.arange(nx), np.arange(ny), indexing="ij"))
    a, b = i * (ny + 1) + j, (i + 1) * (ny + 1) + j
    rising = np.stack([a, b, b + 1, a, b + 1, a + 1], axis=1)
    falling = np.stack([a, b, a + 1, b, b + 1, a + 1], axis=1)
    return Sheet(vertices, np.where(((i + j) % 2 == 0)[:, None], rising, falling).reshape(-1, 3))


def _round_mesh(
    vertices: Array,
    hexes: Ids,
    kind: str,
    onto: Callable[[Array], Array],
    middle: Callable[[Array], Array] = lambda ends: ends.mean(axis=1),
) -> Mesh:
    """Cells of a kind; `middle` places the vertices of quadratic ones between the ends (k, 2, 3) of their edges.

    Where both ends of a surface edge lie on the round surface, `onto` takes its middle there.
    """
    check_choice("kind", kind, KINDS)
    mesh = _of_kind(Mesh(vertices, hexes if kind in BRICKS else conforming_tets(hexes)), kind)
    if mesh.order == 1:
        return mesh
    table, X = CELL_KINDS[mesh.cells.shape[1]], mesh.vertices.copy()
    X[mesh.cells[:, table.middles].ravel()] = middle(X[mesh.cells[:, table.edges]].reshape(-1, 2, 3))
    is_round = np.linalg.norm(onto(X) - X, axis=1) < ROUND * np.abs(X).max()
    middles = mesh.cells[:, table.middles][is_round[mesh.cells[:, table.edges]].all(axis=2)]
    moved = np.intersect1d(middles, mesh.surface_vertices)
    X[moved] = onto(X[moved])
    return Mesh(X, mesh.cells)


def _around_y(ends: Array) -> Array:
    """Middles (k, 3) of arcs around the y axis, from edges (k, 2, 3)."""
    across = (ends * _ACROSS_Y).sum(axis=1)
    reach = np.linalg.norm(ends * _ACROSS_Y, axis=2).mean(axis=1)
    heights = ends[:, :, 1].mean(axis=1)
    return _at_distance(across, 1.0) * reach[:, None] + heights[:, None] * _ALONG_Y


def _at_distance(points: Array, distance: float) -> Array:
    """The points (n, 3) moved towards or away from the origin."""
    return distance * points / np.maximum(np.linalg.norm(points, axis=1, keepdims=True), np.finfo(float).tiny)


def _of_kind(linear: Mesh, kind: str) -> Mesh:
    if kind == "hex11":
        return linear.bendable()
    return linear if kind in ("tet", "hex") else linear.refine_order()


def _block(corner: Array, size: Array, cells: Sequence[int], kind: str) -> Mesh:
    counts = _checked_counts(cells, 3)
    return _of_kind(Mesh(corner + size * _unit_grid(counts), _grid(counts, kind)), kind)


def _unit_grid(counts: Sequence[int]) -> Array:
    axes = [np.arange(count + 1) / count for count in counts]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)


def _grid(counts: Sequence[int], kind: str) -> Ids:
    check_choice("kind", kind, KINDS)
    bricks = grid_cells(np.ones(tuple(counts), dtype=bool))
    return bricks if kind in BRICKS else kuhn_tets(bricks)


def _checked_size(size: Sequence[float]) -> Array:
    lengths = check_array("size", size, (3,))
    if (lengths <= 0).any():
        raise ArgumentError(f"size must be three positive lengths; {lengths.tolist()} was given")
    return lengths


def _checked_counts(cells: Sequence[int], axes: int, at_least: int = 1) -> tuple[int, ...]:
    counts = tuple(cells) if isinstance(cells, Sequence | np.ndarray) and not isinstance(cells, str) else ()
    if len(counts) != axes:
        raise ArgumentError(f"cells must be {axes} whole numbers; {cells!r} was given")
    checked = tuple(check_count("cells", count, at_least) for count in counts)
    if math.prod(checked) > MAX_CELLS:
        raise ArgumentError(f"cells must make at most {MAX_CELLS:.0e} bricks; {checked} was given")
    return checked
