"""What makes vertices and cells a mesh that can be simulated: the checks, and the one repair (orientation)."""

import warnings
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import Array, Ids, MeshError, PliantWarning, check_array, check_ids, check_number
from pliant.mesh.cell_kinds import KINDS, CellKind, signed_volumes
from pliant.mesh.integration import energy_rule
from pliant.mesh.shape_functions import INNER_SHARES, are_straight, determinants, tabulated
from pliant.mesh.topology import same_rows

FLATNESS = 1e-12  # a cell of less volume than this times its longest edge cubed has no usable shape
LARGEST = 1e50  # [m]: volumes and their squares must not overflow


def checked_vertices(vertices: ArrayLike) -> Array:
    """A private read-only copy of finite positions (n, 3)."""
    copy = check_array("vertices", vertices, (None, 3), MeshError).copy()
    if len(copy) == 0:
        raise MeshError("vertices must hold at least one point; an empty array was given")
    if np.abs(copy).max() > LARGEST:
        raise MeshError(
            f"vertices must lie within {LARGEST:g} m of the origin; {np.abs(copy).max():g} was given: rescale"
        )
    copy.setflags(write=False)
    return copy


def checked_indices(name: str, indices: ArrayLike, vertex_count: int, widths: tuple[int, ...]) -> Ids:
    """A private copy of rows of vertex ids, all in range."""
    rows = _whole_number_rows(name, indices, widths)
    outside = np.flatnonzero(((rows < 0) | (rows >= vertex_count)).any(axis=1))
    if outside.size:
        row = rows[outside[0]].tolist()
        raise MeshError(
            f"{name} must name vertices 0 to {vertex_count - 1}; {listed(outside)} do not, the first is {row}"
        )
    return rows.astype(np.int64, order="C")


def check_no_repeats(name: str, rows: Ids) -> None:
    """Refuse rows that name a vertex twice."""
    ordered = np.sort(rows, axis=1)
    repeated = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
    if repeated.size:
        raise MeshError(
            f"{name} must have different corners; {listed(repeated)} name a vertex twice, "
            f"the first is {rows[repeated[0]].tolist()}: remove these cells"
        )


def check_no_duplicates(cells: Ids) -> None:
    """Refuse two cells with the same corners."""
    first, second = same_rows(cells)
    if first.size:
        raise MeshError(f"cells must differ; {listed(second)} repeat earlier ones: remove them")


def oriented(vertices: Array, cells: Ids) -> tuple[Ids, Array]:
    """The cells with flipped ones turned right (counted in one warning), and their volumes (m,)."""
    kind = KINDS[cells.shape[1]]
    volumes = signed_volumes(vertices[cells[:, : kind.corners]])
    flipped = volumes < 0
    if flipped.any():
        cells = cells.copy()
        cells[flipped] = cells[flipped][:, kind.mirrored]
        warnings.warn(f"{flipped.sum()} of {len(cells)} cells were inside out and have been turned", PliantWarning, 3)
    return cells, np.abs(volumes) if kind.order == 1 else signed_volumes(vertices[cells])


def check_shapes(vertices: Array, cells: Ids, volumes: Array) -> None:
    """Refuse flat cells, and those that are folded where they are integrated."""
    kind = KINDS[cells.shape[1]]
    if kind.order == 2:
        _refuse_folded(vertices, cells, kind)
    longest = _longest_edges(vertices, cells)
    rounding = 8 * np.finfo(float).eps * np.abs(vertices).max()
    flat = np.flatnonzero(volumes <= longest**2 * np.maximum(FLATNESS * longest, rounding))
    if flat.size:
        raise MeshError(f"cells must have volume; {listed(flat)} are flat: remove them or remesh")
    if kind.corners == 8 and kind.order == 1:
        _refuse_folded(vertices, cells, kind)


def _refuse_folded(vertices: Array, cells: Ids, kind: CellKind) -> None:
    folded = np.flatnonzero(_smallest_jacobian(vertices, cells) <= 0)
    if folded.size:
        cure = "reorder or remesh" if kind.order == 1 else "reorder, move nodes to the middle of their edges, or remesh"
        raise MeshError(f"{kind.title} must be convex, nodes in VTK order; {listed(folded)} are folded: {cure}")


def placed(vertices: Array, cells: Ids) -> Array:
    """The vertices with the inner ones of cells where their corners have them: what moves a cell moves these too."""
    kind = KINDS[cells.shape[1]]
    if not kind.inner:
        return vertices
    moved = vertices.copy()
    moved[cells[:, kind.corners :]] = np.einsum("kc,mci->mki", INNER_SHARES, vertices[cells[:, : kind.corners]])
    moved.setflags(write=False)
    return moved


def check_middles(cells: Ids) -> None:
    """Refuse quadratic cells that have different nodes on an edge that they share: they would come apart there."""
    kind = KINDS[cells.shape[1]]
    if kind.order == 1:
        return
    ends, base = np.sort(cells[:, kind.edges], axis=2), int(cells.max()) + 1
    edges, middles = (ends[:, :, 0] * base + ends[:, :, 1]).ravel(), cells[:, kind.middles].ravel()
    order = np.argsort(edges, kind="stable")
    torn = (edges[order[1:]] == edges[order[:-1]]) & (middles[order[1:]] != middles[order[:-1]])
    if torn.any():
        rows = np.unique(order[1:][torn] // len(kind.edges))
        raise MeshError(
            f"quadratic cells must share the nodes of the edges that they share; {listed(rows)} have others: "
            "merge these vertices"
        )


def warn_unused(vertex_count: int, cells: Ids) -> None:
    """Report vertices that no cell uses: they would have no mass."""
    unused = vertex_count - np.count_nonzero(np.bincount(cells.ravel(), minlength=vertex_count))
    if unused:
        message = f"{unused} of {vertex_count} vertices belong to no cell and would have no mass"
        warnings.warn(f"{message}; mesh.without_unused() removes them", PliantWarning, 3)


def checked_groups(name: str, groups: Mapping[str, ArrayLike] | None, count: int) -> dict[str, Ids]:
    """Named ids, each sorted, unique, in range and read-only."""
    result = {}
    for key, ids in (groups or {}).items():
        result[str(key)] = np.unique(check_ids(f"{name} {key!r}", ids, count, MeshError))
        result[str(key)].setflags(write=False)
    return result


def checked_materials(materials: Mapping[str, Mapping[str, float]] | None, groups: Mapping[str, Ids]) -> dict:
    """Constants of cell groups, each with young, poisson and density; whether they make sense is the material's job."""
    result = {}
    for name, constants in (materials or {}).items():
        if name not in groups:
            raise MeshError(f"materials must be named after cell groups; {name!r} is none: add it to cell_groups")
        if not isinstance(constants, Mapping) or set(constants) != {"young", "poisson", "density"}:
            raise MeshError(
                f"material {name!r} must have the constants young, poisson and density; {constants} was given"
            )
        result[name] = {key: check_number(f"{key} of {name!r}", constants[key], error=MeshError) for key in constants}
    return result


def listed(ids: Ids, show: int = 5) -> str:
    """How many rows, and the first few, for a message: `7 (rows 4, 7, 9, 12, 13, ...)`."""
    dots = ", ..." if len(ids) > show else ""
    return f"{len(ids)} (rows {', '.join(map(str, ids[:show]))}{dots})"


def _whole_number_rows(name: str, indices: ArrayLike, widths: tuple[int, ...]) -> np.ndarray:
    width = " or ".join([*filter(None, [", ".join(map(str, widths[:-1]))]), str(widths[-1])])
    try:
        rows = np.asarray(indices)
    except (TypeError, ValueError):
        raise MeshError(f"{name} must be rows of {width} vertex ids of equal length; ragged rows were given") from None
    if rows.size == 0:
        raise MeshError(f"{name} must hold at least one row of {width} vertex ids; an empty array was given")
    if rows.ndim != 2 or rows.shape[1] not in widths:
        raise MeshError(f"{name} must be rows of {width} vertex ids; shape {rows.shape} was given")
    if rows.dtype.kind not in "iu":
        raise MeshError(f"{name} must hold whole numbers (vertex ids); numbers of type {rows.dtype} were given")
    return rows


def _longest_edges(vertices: Array, cells: Ids) -> Array:
    longest = np.zeros(len(cells))
    for a, b in KINDS[cells.shape[1]].edges:
        edge = vertices[cells[:, a]] - vertices[cells[:, b]]
        np.maximum(longest, np.einsum("ij,ij->i", edge, edge), out=longest)
    return np.sqrt(longest)


def _smallest_jacobian(vertices: Array, cells: Ids) -> Array:
    """The least det dX/dxi (m,) of every cell over its integration points."""
    nodes = vertices[cells]
    points, _ = energy_rule(cells.shape[1], not are_straight(nodes))
    # Between the outermost points of trilinear hexes the determinant is no smaller.
    outermost = np.abs(points).min(axis=1) > 0 if cells.shape[1] in (8, 11) else slice(None)
    slopes = tabulated(cells.shape[1], points[outermost])[1]
    return determinants(nodes, slopes).min(axis=1)
