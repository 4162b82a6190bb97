"""Congruent meshes: which parts are turned, moved and uniformly scaled copies of others, vertex by vertex.

    y_{p(k)} = s R x_k + t,   det R = +1,   cell by cell

Mirror images do not match: no rotation makes one from the other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy.spatial import cKDTree

from pliant.errors import Array, Ids

TOLERANCE = 1e-6  # of the root mean square radius: vertices that are nearer than this are the same
EQUAL = 1e-9  # relative difference of values a cell that count as equal
ROUNDING = 1e-12  # of the scale of a copy that is not scaled
SLANT = 1e-2  # sine of the least angle between two directions that fix a rotation
PROBES = 24  # vertices that a rotation must match before all are tried


class Cells(Protocol):
    """A mesh, or the triangles of a piece of a surface: vertices (n, 3), and ids (m, k) of those of every cell."""

    @property
    def vertices(self) -> Array: ...

    @property
    def cells(self) -> Ids: ...


@dataclass(frozen=True, eq=False)
class Shape:
    """A mesh and what must match beside its vertices and cells.

    Attributes:
        mesh: tets, hexes or triangles.
        kind: shapes of different kinds never match.
        cell_values: (m, c), equal cell by cell.
        held: vertices that must match held vertices.
        ports: sets of vertices, each of which must match one of the other's, in any order.
    """

    mesh: Cells
    kind: str = ""
    cell_values: Array | None = None
    held: Ids = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    ports: tuple[Ids, ...] = ()

    @cached_property
    def centre(self) -> Array:
        return self.mesh.vertices.mean(axis=0)

    @cached_property
    def radius(self) -> float:
        """Root mean square distance of the vertices from their mean [m]."""
        return float(np.sqrt(((self.mesh.vertices - self.centre) ** 2).sum(axis=1).mean()))

    @cached_property
    def points(self) -> Array:
        """Vertices about their mean, in units of `radius`."""
        return (self.mesh.vertices - self.centre) / self.radius

    @cached_property
    def counts(self) -> tuple:
        """What is compared exactly, and first."""
        ports = tuple(sorted(len(port) for port in self.ports))
        return self.kind, self.mesh.cells.shape, len(self.points), len(self.held), ports

    @cached_property
    def marks(self) -> Ids:
        """(n,) a number for the cells around a vertex, whether it is held, and in how many ports it lies."""
        around = np.bincount(self.mesh.cells.ravel(), minlength=len(self.points))
        held = np.bincount(self.held, minlength=len(self.points))
        inside = np.zeros(len(self.points), dtype=np.int64)
        for port in self.ports:
            inside[port] += 1
        return (around * 2 + held) * (len(self.ports) + 1) + inside

    @cached_property
    def lengths(self) -> Array:
        """(n, 2) distances of every vertex from the mean of all and from that of the held ones."""
        base = self.points[self.held].mean(axis=0) if len(self.held) else np.zeros(3)
        return np.stack([np.linalg.norm(self.points, axis=1), np.linalg.norm(self.points - base, axis=1)], axis=1)

    @cached_property
    def spectrum(self) -> Array:
        """(3n + 3,) numbers that no rotation changes: ordered distances and marks, and the three second moments."""
        moments = np.linalg.eigvalsh(self.points.T @ self.points / len(self.points))
        return np.concatenate([*np.sort(self.lengths, axis=0).T, np.sort(self.marks), moments])


@dataclass(frozen=True, eq=False)
class Alignment:
    """How one mesh lies in another: vertex k of the first is vertex `vertices[k]` of the second.

    second.vertices[vertices[k]] = scale rotation first.vertices[k] + shift
    """

    rotation: Array
    scale: float
    shift: Array
    vertices: Ids

    def turned(self, vectors: Array) -> Array:
        """scale rotation v of rows (..., 3)."""
        return self.scale * vectors @ self.rotation.T

    @cached_property
    def inverse(self) -> Ids:
        """(n,) the vertex of the first that each vertex of the second is."""
        numbers = np.empty_like(self.vertices)
        numbers[self.vertices] = np.arange(len(numbers))
        return numbers


def itself(mesh: Cells) -> Alignment:
    """A mesh on itself."""
    return Alignment(np.eye(3), 1.0, np.zeros(3), np.arange(len(mesh.vertices)))


def alike(shapes: Sequence[Shape]) -> tuple[list[int], list[Alignment]]:
    """For every shape the first one that it is a copy of, itself if none, and how that one lies in it."""
    first, places = [], []
    leaders: dict[tuple, list[int]] = {}
    for number, shape in enumerate(shapes):
        known = leaders.setdefault(shape.counts, [])
        for leader in known:
            if (place := align(shapes[leader], shape)) is not None:
                first.append(leader)
                places.append(place)
                break
        else:
            known.append(number)
            first.append(number)
            places.append(itself(shape.mesh))
    return first, places


def align(first: Shape, second: Shape, tolerance: float = TOLERANCE) -> Alignment | None:
    """How the first shape lies in the second, or None if they are not congruent up to scale."""
    if not may_match(first, second, tolerance):
        return None
    tree = cKDTree(second.points)
    for R in _rotations(first, second, tolerance):
        vertices = _permutation(first, tree, R, tolerance)
        if vertices is not None and _same_marks(first, second, vertices) and _same_cells(first, second, vertices):
            return fitted(first, second, vertices, tolerance)
    return None


def may_match(first: Shape, second: Shape, tolerance: float = TOLERANCE) -> bool:
    """Do all numbers agree that no rotation changes, and no mirror?"""
    return first.counts == second.counts and bool(np.abs(first.spectrum - second.spectrum).max() <= tolerance)


def _rotations(first: Shape, second: Shape, tolerance: float) -> Iterator[Array]:
    """Rotations that carry two distinctive vertices of the first to vertices of the second that look the same."""
    labels, others = _labels(first, second, tolerance)
    rarity = np.bincount(labels)[labels] + np.where(first.lengths[:, 0] < SLANT, len(labels), 0)
    a = int(np.argmin(rarity))
    slant = np.linalg.norm(np.cross(first.points, first.points[a]), axis=1)
    b = int(np.argmin(rarity + np.where(slant < SLANT * first.lengths[a, 0] * first.lengths[:, 0], len(labels), 0)))
    frame, apart = _frame(first.points[a], first.points[b]), np.linalg.norm(first.points[a] - first.points[b])
    seconds = np.flatnonzero(others == labels[b])
    for i in np.flatnonzero(others == labels[a]):
        distances = np.linalg.norm(second.points[seconds] - second.points[i], axis=1)
        for j in seconds[np.abs(distances - apart) < 2 * tolerance]:
            yield _frame(second.points[i], second.points[j]) @ frame.T


def _labels(first: Shape, second: Shape, tolerance: float) -> tuple[Ids, Ids]:
    """A number for every vertex of both; vertices that an alignment can exchange have the same."""
    n = len(first.points)
    columns = [np.concatenate([first.marks, second.marks])]
    for k in range(first.lengths.shape[1]):
        values = np.concatenate([first.lengths[:, k], second.lengths[:, k]])
        order = np.argsort(values)
        step = np.empty(2 * n, dtype=np.int64)
        step[order] = np.cumsum(np.diff(values[order], prepend=values[order[0]]) > tolerance)
        columns.append(step)
    _, labels = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    return labels.ravel()[:n], labels.ravel()[n:]


def _frame(a: Array, b: Array) -> Array:
    """Orthonormal right-handed axes (3, 3), as columns: along a, across it towards b, and their cross product."""
    along = a / np.linalg.norm(a)
    across = b - along * (along @ b)
    across /= np.linalg.norm(across)
    return np.stack([along, across, np.cross(along, across)], axis=1)


def _permutation(first: Shape, tree: cKDTree, R: Array, tolerance: float) -> Ids | None:
    # The frame of two vertices turns far ones by more than their own error: hence the factor.
    reach = tolerance / SLANT
    probes = first.points[:: max(1, len(first.points) // PROBES)] @ R.T
    if tree.query(probes, distance_upper_bound=reach)[0].max() > reach:
        return None
    distances, vertices = tree.query(first.points @ R.T, distance_upper_bound=reach)
    if distances.max() > reach or len(np.unique(vertices)) < len(vertices):
        return None
    return vertices.astype(np.int64)


def _same_marks(first: Shape, second: Shape, vertices: Ids) -> bool:
    if not np.array_equal(np.sort(vertices[first.held]), np.sort(second.held)):
        return False
    images = sorted(np.sort(vertices[port]).tolist() for port in first.ports)
    return images == sorted(np.sort(port).tolist() for port in second.ports)


def _same_cells(first: Shape, second: Shape, vertices: Ids) -> bool:
    images, cells = np.sort(vertices[first.mesh.cells], axis=1), np.sort(second.mesh.cells, axis=1)
    here, there = np.lexsort(images.T), np.lexsort(cells.T)
    if not np.array_equal(images[here], cells[there]):
        return False
    if first.cell_values is None or second.cell_values is None:
        return first.cell_values is second.cell_values
    return np.allclose(first.cell_values[here], second.cell_values[there], rtol=EQUAL, atol=0)


def fitted(first: Shape, second: Shape, vertices: Ids, tolerance: float = TOLERANCE) -> Alignment | None:
    """The best rotation and scale of all vertices (Kabsch); None if they leave one too far away."""
    X, Y = first.points, second.points[vertices]
    V, _, Wt = np.linalg.svd(Y.T @ X)
    R = V @ np.diag([1.0, 1.0, np.sign(np.linalg.det(V @ Wt))]) @ Wt
    if np.linalg.norm(X @ R.T - Y, axis=1).max() > tolerance:
        return None
    scale = second.radius / first.radius
    if abs(scale - 1) < ROUNDING:
        scale = 1.0
    return Alignment(R, scale, second.centre - scale * R @ first.centre, vertices)
