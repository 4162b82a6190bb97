"""The kinds of cells: their local faces and edges, their volumes, and how a flipped one is turned right."""

from dataclasses import dataclass, field, replace

import numpy as np

from pliant.errors import Array, Ids
from pliant.mesh.integration import volume_rule
from pliant.mesh.shape_functions import HEX_EDGES, TET_EDGES, determinants, tabulated

_QUAD_DIAGONALS = np.array([[0, 1, 2], [0, 2, 3], [0, 1, 3], [1, 2, 3]])


@dataclass(frozen=True)
class CellKind:
    """A table of local node numbers in VTK's order; faces wind counter-clockwise seen from outside.

    Attributes:
        name: "tet", "hex", "tet10", "hex11" or "hex20"; "triangle" of sheets.
        title: of a single cell, in messages.
        meshio: the name that meshio and its files know.
        corners: how many of the nodes are corners; they come first. inner: how many lie inside; they come last.
        faces: (f, 3|4|6|8) nodes of every face: its corners, then the node between each corner and the next.
        edges: (e, 2) corners at the ends of every edge.
        middles: (e,) the node on every edge; none in linear cells.
        mirrored: (c,) the nodes of the mirror image, which turns a flipped cell right.
        cuts: (t, 3) flat triangles that pass through all nodes of a face, numbered within the face.
        all_cuts: (s, 3) these, and those of a quad that is cut along its other diagonal.
    """

    name: str
    title: str
    meshio: str
    corners: int
    faces: Ids
    edges: Ids
    mirrored: Ids
    cuts: Ids
    all_cuts: Ids
    middles: Ids = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    inner: int = 0

    @property
    def order(self) -> int:
        """Degree of the shape functions along an edge: 1 or 2."""
        return 2 if len(self.middles) else 1


TET = CellKind(
    "tet",
    "tets",
    "tetra",
    corners=4,
    faces=np.array([[1, 2, 3], [0, 2, 1], [0, 1, 3], [0, 3, 2]]),
    edges=np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]),
    mirrored=np.array([0, 1, 3, 2]),
    cuts=np.array([[0, 1, 2]]),
    all_cuts=np.array([[0, 1, 2]]),
)
HEX = CellKind(
    "hex",
    "hexes",
    "hexahedron",
    corners=8,
    faces=np.array([[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]]),
    edges=HEX_EDGES,
    mirrored=np.array([4, 5, 6, 7, 0, 1, 2, 3]),
    cuts=_QUAD_DIAGONALS[:2],
    all_cuts=_QUAD_DIAGONALS,
)


def _quadratic(name: str, meshio: str, linear: CellKind, edges: Ids) -> CellKind:
    """The kind with a node on every edge, numbered after the corners in the order of `edges`."""
    middle = {frozenset(edge): linear.corners + number for number, edge in enumerate(edges.tolist())}

    def between(ends: Ids) -> list[int]:
        return [middle[frozenset(pair)] for pair in ends.tolist()]

    rings = [np.stack([face, np.roll(face, -1)], axis=1) for face in linear.faces]
    k = linear.faces.shape[1]
    tips = np.array([[i, k + i, k + (i - 1) % k] for i in range(k)])
    inner = [k + (cuts if k == 4 else np.array([[0, 1, 2]])) for cuts in (linear.cuts, linear.all_cuts)]
    return CellKind(
        name,
        f"quadratic {linear.title}",
        meshio,
        linear.corners,
        faces=np.array([[*face, *between(ring)] for face, ring in zip(linear.faces.tolist(), rings)]),
        edges=edges,
        mirrored=np.array([*linear.mirrored, *between(linear.mirrored[edges])]),
        cuts=np.vstack([tips, inner[0]]),
        all_cuts=np.vstack([tips, inner[1]]),
        middles=linear.corners + np.arange(len(edges)),
    )


TET10 = _quadratic("tet10", "tetra10", TET, TET_EDGES)
HEX20 = _quadratic("hex20", "hexahedron20", HEX, HEX_EDGES)
HEX11 = replace(HEX, name="hex11", title="hexes that bend", mirrored=np.array([*HEX.mirrored, 8, 9, 10]), inner=3)
TRIANGLE = CellKind(
    "triangle",
    "triangles",
    "triangle",
    corners=3,
    faces=np.array([[0, 1, 2]]),
    edges=np.array([[0, 1], [1, 2], [2, 0]]),
    mirrored=np.array([0, 2, 1]),
    cuts=np.array([[0, 1, 2]]),
    all_cuts=np.array([[0, 1, 2]]),
)
VOLUME_KINDS = {4: TET, 8: HEX, 10: TET10, 11: HEX11, 20: HEX20}
KINDS = {3: TRIANGLE, **VOLUME_KINDS}


def signed_volumes(corners: Array) -> Array:
    """Volumes (m,) [m^3] of cells with node positions (m, 4|8|10|11|20, 3); negative where a cell is flipped.

    Of triangles (m, 3, 3) areas [m^2].
    """
    count = corners.shape[1]
    if count == 3:
        return 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    if count == 4:
        return triple_product(*(corners[:, i] - corners[:, 0] for i in (1, 2, 3))) / 6
    if count in (8, 11):
        return _hex_volumes(corners[:, :8] - corners[:, :8].mean(axis=1, keepdims=True))
    points, weights = volume_rule(count)
    return determinants(corners - corners[:, :1], tabulated(count, points)[1]) @ weights


def triple_product(a: Array, b: Array, c: Array) -> Array:
    """a . (b x c) of rows (m, 3)."""
    return np.einsum("ij,ij->i", a, np.cross(b, c))


def _hex_volumes(corners: Array) -> Array:
    # The volume under a bilinear face is the mean of its two triangulations, so this is exact for trilinear hexes.
    volumes = np.zeros(len(corners))
    for a, b, c, d in HEX.faces:
        for i, j, k in ((a, b, c), (a, c, d), (a, b, d), (b, c, d)):
            volumes += triple_product(corners[:, i], corners[:, j], corners[:, k]) / 12
    return volumes
