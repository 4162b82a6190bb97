"""Trees of instanced pieces as data: a few pieces, many placements, each standing on the surface of an earlier one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, Ids, check_array, check_count, check_ids, check_number
from pliant.mesh import Mesh
from pliant.mesh.topology import same_rows
from pliant.reduced.interface import patch_centroid

FACING = np.cos(np.radians(60))  # triangles of a seat lean at most this much away from the one at the point
ROUNDING = 1e-9  # how far from orthonormal a rotation may be


@dataclass(frozen=True, eq=False)
class Piece:
    """What is instanced: a mesh in its own coordinates.

    Attributes:
        mesh: rest shape.
        fixed: ids of the vertices of the base, which it stands on.
        size: reduced coordinates; 0 makes it rigid.
        young: Young's modulus [Pa]; None: that of the scene.
        density: [kg/m^3]; None: that of the scene.
    """

    mesh: Mesh
    fixed: Ids
    size: int
    young: float | None = None
    density: float | None = None

    def __repr__(self) -> str:
        return f"Piece({self.mesh.vertex_count} vertices, {len(self.fixed)} fixed, size={self.size})"

    def __post_init__(self) -> None:
        _settle(self, fixed=np.unique(check_ids("fixed", self.fixed, self.mesh.vertex_count)))
        check_count("size", self.size, at_least=0)
        for name in ("young", "density"):
            if getattr(self, name) is not None:
                check_number(name, getattr(self, name), above=0)


@dataclass(frozen=True, eq=False)
class Placement:
    """An instance: its point X is at rest at position + scale rotation (X - origin) in the world.

    Attributes:
        piece: name of the piece.
        parent: number of the placement it stands on; -1 for the root.
        triangles: (k, 3) boundary triangles of the parent's piece it stands on, whose area centroid is `position`; None
            for the root. Instances that stand on the same place of their parents share one array.
        rotation: rest axes of the piece in the world (3, 3).
        scale: uniform.
        origin: (3,) the point of the piece [its coordinates] that stands on the centroid.
        position: (3,) [m], of the root only.
    """

    piece: str
    parent: int = -1
    triangles: Ids | None = None
    rotation: Array = field(default_factory=lambda: np.eye(3))
    scale: float = 1.0
    origin: Array = field(default_factory=lambda: np.zeros(3))
    position: Array = field(default_factory=lambda: np.zeros(3))

    def __repr__(self) -> str:
        where = "root" if self.parent < 0 else f"on {self.parent}"
        return f"Placement({self.piece[:60]!r}, {where}, scale={self.scale:g})"

    def __post_init__(self) -> None:
        R = check_array("rotation", self.rotation, (3, 3))
        if np.abs(R @ R.T - np.eye(3)).max() > ROUNDING or np.linalg.det(R) < 0:
            raise ArgumentError("rotation must be a rotation matrix; its rows must be orthonormal and right-handed")
        check_number("scale", self.scale, above=0)
        origin, position = check_array("origin", self.origin, (3,)), check_array("position", self.position, (3,))
        _settle(self, rotation=R, origin=origin, position=position)
        if self.triangles is not None and self.triangles.flags.writeable:
            _settle(self, triangles=np.array(self.triangles, dtype=np.int64))


@dataclass(frozen=True, eq=False)
class Assembly:
    """Pieces by name, and the placements, parents before children, the root first."""

    pieces: Mapping[str, Piece]
    placements: Sequence[Placement]

    def __repr__(self) -> str:
        kinds = ", ".join(f"{sum(each.piece == name for each in self.placements)} {name}" for name in self.pieces)
        return f"Assembly({kinds})"

    def __post_init__(self) -> None:
        boundary = {name: {tuple(sorted(row)) for row in piece.mesh.surface.tolist()}
                    for name, piece in self.pieces.items()}  # fmt: skip
        seen: set[tuple[str, int]] = set()
        for number, placed in enumerate(self.placements):
            if placed.piece not in self.pieces:
                raise ArgumentError(f"placement {number} must name a piece; {placed.piece!r} is none of them")
            if (placed.parent == -1) != (number == 0) or not -1 <= placed.parent < number:
                raise ArgumentError(f"placement {number} must stand on an earlier one; {placed.parent} was given")
            if number == 0:
                continue
            if placed.triangles is None or not len(placed.triangles):
                raise ArgumentError(f"placement {number} must stand on triangles of its parent; none were given")
            parent = self.placements[placed.parent].piece
            if (parent, id(placed.triangles)) not in seen:
                seen.add((parent, id(placed.triangles)))
                if not all(tuple(sorted(row)) in boundary[parent] for row in placed.triangles.tolist()):
                    raise ArgumentError(
                        f"placement {number} must stand on boundary triangles of {parent!r}; use seat()"
                    )

    @property
    def size(self) -> int:
        """Reduced coordinates of all instances together."""
        return sum(self.pieces[placed.piece].size for placed in self.placements)

    @cached_property
    def depths(self) -> Ids:
        """Steps to the root (d,)."""
        depths = np.zeros(len(self.placements), dtype=np.int64)
        for number, placed in enumerate(self.placements[1:], start=1):
            depths[number] = depths[placed.parent] + 1
        return _read_only(depths)

    @cached_property
    def positions(self) -> Array:
        """Where the origins are in the world at rest (d, 3) [m]."""
        places = np.zeros((len(self.placements), 3))
        centroids: dict[tuple[str, int], Array] = {}
        for number, placed in enumerate(self.placements):
            if placed.triangles is None:
                places[number] = placed.position
                continue
            parent = self.placements[placed.parent]
            key = (parent.piece, id(placed.triangles))
            if key not in centroids:
                centroids[key] = patch_centroid(self.pieces[parent.piece].mesh.vertices, placed.triangles)
            offset = parent.scale * parent.rotation @ (centroids[key] - parent.origin)
            places[number] = places[placed.parent] + offset
        return _read_only(places)

    @cached_property
    def mesh(self) -> Mesh:
        """All instances at rest, one after the other."""
        meshes = [self.pieces[placed.piece].mesh for placed in self.placements]
        starts = np.cumsum([0, *(mesh.vertex_count for mesh in meshes[:-1])])
        vertices = np.concatenate([self.vertices(number) for number in range(len(meshes))])
        return Mesh(vertices, np.concatenate([start + mesh.cells for start, mesh in zip(starts, meshes)]))

    def moved(self, R: Array, t: Array) -> "Assembly":
        """The same, its point x at R x + t."""
        turned = [replace(placed, rotation=R @ placed.rotation) for placed in self.placements]
        turned[0] = replace(turned[0], position=R @ self.placements[0].position + t)
        return Assembly(self.pieces, turned)

    def vertices(self, number: int) -> Array:
        """Rest positions (n, 3) [m] of an instance in the world."""
        placed = self.placements[number]
        local = self.pieces[placed.piece].mesh.vertices - placed.origin
        return self.positions[number] + placed.scale * local @ placed.rotation.T


def seat(mesh: Mesh, point: ArrayLike, radius: float) -> Ids:
    """Boundary triangles (k, 3) around a point (3,) that a child can stand on.

    The triangle nearest to the point, its neighbours, and all those within `radius` [m] of the point (by their middle)
    that edges link to it; all face the same way up to 60 degrees.
    """
    place = check_array("point", point, (3,))
    reach = check_number("radius", radius, above=0)
    corners = mesh.vertices[mesh.surface]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    away = np.linalg.norm(corners.mean(axis=1) - place, axis=1)
    nearest = int(away.argmin())
    neighbour = np.isin(mesh.surface, mesh.surface[nearest]).sum(axis=1) >= 2
    chosen = np.flatnonzero(((away <= reach) | neighbour) & (normals @ normals[nearest] >= FACING))
    return _read_only(mesh.surface[_linked(mesh.surface, chosen, nearest)])


def _linked(triangles: Ids, chosen: Ids, first: int) -> Ids:
    """Those of the chosen triangles that edges link to the first one."""
    rows = triangles[chosen]
    one, other = same_rows(rows[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2))
    links = np.concatenate([np.stack([one, other], axis=1), np.stack([other, one], axis=1)]) // 3
    reached = chosen == first
    while True:
        further = reached.copy()
        further[links[reached[links[:, 0]], 1]] = True
        if (further == reached).all():
            return chosen[reached]
        reached = further


def _settle(target: object, **arrays: Any) -> None:
    for name, array in arrays.items():
        object.__setattr__(target, name, _read_only(array))


def _read_only(array: Any) -> Any:
    copy = np.array(array)
    copy.setflags(write=False)
    return copy
