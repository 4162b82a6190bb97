"""Parts of a mesh made by hand: painted, cut by planes or across limbs, joined, split and named; how good they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_matrix, triu
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from pliant.errors import ArgumentError, Array, Ids, MeshError, check_array, check_count, check_number
from pliant.mesh.crumbs import healed, neighbours_of, pieces_of
from pliant.mesh.domains import Domains, PartKey, domains_of, patch_count
from pliant.mesh.mesh import Mesh
from pliant.mesh.narrow_cuts import Cutter
from pliant.mesh.splitting import split

MOST_PARTS = 200
LONGEST = 9  # digits of a count of cells
CRUMBS = 0.05  # of the volume of a part: what hangs apart from it and is smaller joins a neighbour
LIMB = 0.002  # of the volume of a part: less is not cut off by a click on a limb
FLAT = 0.15  # of its radius: how far from a plane an interface is that counts as flat
SMALL, LARGE = 0.01, 0.6  # of the volume of the mesh: parts that are worth a word


@dataclass(frozen=True)
class Interface:
    """Where two parts meet.

    Attributes:
        parts: their numbers.
        area: [m^2]. patches: loose pieces of it.
        bumpiness: root mean square distance from its plane, over the radius of a disk so large; 0 is flat.
    """

    parts: tuple[int, int]
    area: float
    patches: int
    bumpiness: float

    @property
    def is_flat(self) -> bool:
        return self.bumpiness <= FLAT


@dataclass(frozen=True, eq=False)
class Parting:
    """A mesh and the part of every cell. Every change gives another one; nothing is ever changed in place.

    Attributes:
        mesh: tets or hexes.
        labels: (m,) a part number from 0 for every cell; every part has some.
        names: of the parts.
    """

    mesh: Mesh
    labels: Ids
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.mesh.kind == "triangle":
            raise MeshError("a shell cannot be cut into parts yet; fill its surface with cells (voxels or edge)")

    @staticmethod
    def of(mesh: Mesh, labels: ArrayLike | None = None, names: Sequence[str] | None = None) -> Parting:
        """From labels (m,), any whole numbers from 0; one part without. Names are "part 0", ... without."""
        if labels is None:
            return Parting(mesh, np.zeros(mesh.cell_count, dtype=np.int64), ("part 0",))
        given = check_array("labels", labels, (mesh.cell_count,))
        if (given < 0).any() or (np.floor(given) != given).any():
            raise ArgumentError("labels must be whole numbers from 0, one a cell")
        values, numbers = np.unique(given.astype(np.int64), return_inverse=True)
        if len(values) > MOST_PARTS:
            raise ArgumentError(f"{MOST_PARTS} parts may be made by hand; the labels have {len(values)}")
        titles = tuple(f"part {k}" for k in range(len(values))) if names is None else tuple(map(str, names))
        if len(titles) != len(values) or len(set(titles)) != len(titles):
            raise ArgumentError(f"names must be {len(values)} different texts, one a part; {len(titles)} were given")
        return Parting(mesh, numbers.ravel().astype(np.int64), titles)

    def __repr__(self) -> str:
        named = ", ".join(name[:20] for name in self.names[:3]) + (", ..." if self.count > 3 else "")
        return f"Parting({self.count} parts of {self.mesh.cell_count} cells: {named})"

    @property
    def count(self) -> int:
        """Parts."""
        return len(self.names)

    # Changes

    def painted(self, places: ArrayLike, radius: float, part: PartKey | None = None) -> Parting:
        """The cells whose middles are within `radius` [m] of some places (k, 3) go to a part; None: to a new one."""
        x = check_array("places", places, (None, 3))
        check_number("radius", radius, above=0)
        near = cKDTree(x).query(self.mesh.centroids)[0]
        cells = np.flatnonzero(near <= max(radius, near.min()))
        return self._given(cells, None if part is None else self.number(part))

    def cut(self, point: ArrayLike, normal: ArrayLike, part: PartKey | None = None) -> Parting:
        """A part, that at the point if none is named, cut by a plane; what lies where the normal points is a new part.

        Only what hangs together with the cut there: a plane through one arm does not cut the others.
        """
        x, n = check_array("point", point, (3,)), check_array("normal", normal, (3,))
        if not np.linalg.norm(n) > 0:
            raise ArgumentError("the normal of a cut must not be zero")
        old = self.part_at(x) if part is None else self.number(part)
        own = np.flatnonzero(self.labels == old)
        heights = (self.mesh.centroids[own] - x) @ (n / np.linalg.norm(n))
        if (heights > 0).all() or (heights <= 0).all():
            raise ArgumentError(f"the plane does not cut {self.names[old]}; draw it across")
        return self._given(self._cut_off(own, heights > 0, x), None)

    def limb_cut(self, point: ArrayLike) -> Parting:
        """The part at a point cut across its narrowest section through that point; the smaller side is a new part."""
        x = check_array("point", point, (3,))
        old = self.part_at(x)
        own = np.flatnonzero(self.labels == old)
        mesh, _ = self.mesh.submesh(own)
        cutter = Cutter(mesh, LIMB * float(mesh.volumes.sum()))
        seed = int(cKDTree(mesh.centroids).query(x)[1])
        made = cutter.through(np.arange(len(own)), seed)
        sides = [] if made is None else cutter.severed(np.arange(len(own)), made)
        if len(sides) < 2:
            raise ArgumentError(f"no cut through this place of {self.names[old]} parts it; draw a line across it")
        smaller = min(sides, key=lambda cells: mesh.volumes[cells].sum())
        return self._given(own[smaller], None)

    def joined(self, part: PartKey, other: PartKey) -> Parting:
        """Two parts as one, that keeps the name of the first."""
        a, b = self.number(part), self.number(other)
        if a == b:
            raise ArgumentError(f"{self.names[a]} cannot be joined to itself; choose another part")
        return self._relabelled(np.where(self.labels == b, a, self.labels))

    def split(self, part: PartKey, count: int = 2) -> Parting:
        """A part in so many: its loose pieces if it has as many, else cut where it is narrow."""
        old = self.number(part)
        own = np.flatnonzero(self.labels == old)
        check_count("count", count, at_least=2, at_most=min(len(own), MOST_PARTS))
        inner = pieces_of(self.mesh, self.labels)[own]
        found = np.unique(inner, return_inverse=True)[1].ravel()
        if found.max() + 1 < count:
            found = split(self.mesh.submesh(own)[0], count)
        labels = self.labels.copy()
        labels[own] = np.where(found == 0, old, self.count - 1 + found)
        return self._relabelled(labels)

    def renamed(self, part: PartKey, name: str) -> Parting:
        """With another name of a part."""
        number = self.number(part)
        if name in self.names and self.names[number] != name:
            raise ArgumentError(f"two parts cannot both be {name!r}; take another name")
        return replace(self, names=(*self.names[:number], name, *self.names[number + 1 :]))

    def healed(self) -> Parting:
        """Without crumbs: what hangs apart from its part and is small belongs to the neighbour around it."""
        return self._relabelled(healed(self.mesh, self.labels, CRUMBS))

    def freed(self, fixed: ArrayLike) -> Parting:
        """With every part that fixed vertices hold whole joined to the neighbour that it shares most faces with."""
        labels = self.labels.copy()
        for part in self.held_whole(fixed):
            around = neighbours_of(self.mesh, np.flatnonzero(labels == part), labels)
            if len(around):
                labels[labels == part] = np.bincount(around).argmax()
        return self._relabelled(labels)

    # Facts

    def held_whole(self, fixed: ArrayLike) -> tuple[int, ...]:
        """The parts of which fixed vertices hold every one, so that they cannot move."""
        free = ~np.isin(self.mesh.cells, np.asarray(fixed, dtype=np.int64)).all(axis=1)
        return tuple(np.flatnonzero(np.bincount(self.labels[free], minlength=self.count) == 0).tolist())

    def number(self, part: PartKey) -> int:
        """Of a part given by its number or its name."""
        if isinstance(part, str):
            if part not in self.names:
                raise ArgumentError(f"there is no part {part!r}; there are {', '.join(self.names[:12])}")
            return self.names.index(part)
        return check_count("part", part, at_least=0, at_most=self.count - 1)

    def part_at(self, point: ArrayLike) -> int:
        """The part of the cell nearest to a point (3,)."""
        return int(self.labels[cKDTree(self.mesh.centroids).query(check_array("point", point, (3,)))[1]])

    @cached_property
    def volumes(self) -> Array:
        """(d,) shares of the volume of the mesh."""
        volumes = np.bincount(self.labels, self.mesh.volumes, minlength=self.count)
        return np.asarray(volumes / volumes.sum())

    @cached_property
    def pieces(self) -> Ids:
        """(d,) the face-connected pieces of every part; more than one cannot be simulated as one part."""
        found = np.unique(np.stack([self.labels, pieces_of(self.mesh, self.labels)]), axis=1)
        return np.bincount(found[0], minlength=self.count)

    @property
    def is_whole(self) -> bool:
        """Is every part in one piece?"""
        return bool((self.pieces == 1).all())

    @cached_property
    def domains(self) -> Domains:
        """For `pl.substructure` and the like.

        Raises:
            MeshError: a part is in several pieces.
        """
        return domains_of(self.mesh, self.labels, self.names)

    @cached_property
    def interfaces(self) -> tuple[Interface, ...]:
        """Where parts meet; of parts in one piece."""
        return tuple(_interface(self.mesh, pair, rows) for pair, rows in self.domains.interfaces.items())

    @cached_property
    def said(self) -> tuple[str, ...]:
        """What is good and bad about them, in sentences for people."""
        if not self.is_whole:
            broken = np.flatnonzero(self.pieces > 1)
            return tuple(
                f"{self.names[k]} is in {self.pieces[k]} pieces: join it to a neighbour, or split it" for k in broken
            )
        if self.count == 1:
            return ("one part; paint or cut off another",)
        loops = self.domains.loops
        around = "one circle" if loops == 1 else f"{loops} circles"
        graph = "a tree" if loops == 0 else f"{around} of parts, which seams take and trees do not"
        said = [f"{self.count} parts make {graph}"]
        for each in self.interfaces:
            a, b = (self.names[k] for k in each.parts)
            if each.patches > 1:
                said.append(f"{a} and {b} meet in {each.patches} places")
            elif not each.is_flat:
                said.append(f"{a} and {b} meet unevenly; cut across once more for a flat interface")
        said += [
            f"{self.names[k]} is small, {100 * self.volumes[k]:.1f} % of all"
            for k in np.flatnonzero(self.volumes < SMALL)
        ]
        said += [
            f"{self.names[k]} is {100 * self.volumes[k]:.0f} % of all" for k in np.flatnonzero(self.volumes > LARGE)
        ]
        return tuple(said)

    # Parts

    def _given(self, cells: Ids, part: int | None) -> Parting:
        if part is None and self.count >= MOST_PARTS:
            raise ArgumentError(f"{MOST_PARTS} parts are made already; join some")
        labels = self.labels.copy()
        labels[cells] = self.count if part is None else part
        return self._relabelled(labels).healed()

    def _cut_off(self, own: Ids, above: Array, x: Array) -> Ids:
        """Of some cells, those on one side (k,) of the part of a cut that is nearest to a place and hangs together.

        Where that parts nothing, as half of a cut through a ring, all of the cut counts.
        """
        links = triu(self.mesh.cell_adjacency[own][:, own]).tocoo()
        cut = above[links.row] != above[links.col]
        upper = np.where(above[links.row[cut]], links.row[cut], links.col[cut])
        rim = own[np.unique(upper)]
        patch = connected_components(self.mesh.cell_adjacency[rim][:, rim], directed=False)[1]
        start = int(((self.mesh.centroids[rim] - x) ** 2).sum(axis=1).argmin())
        local = np.isin(own[upper], rim[patch == patch[start]])
        severed = cut.copy()
        severed[np.flatnonzero(cut)[~local]] = False
        lower = np.where(above[links.row[severed]], links.col[severed], links.row[severed])
        for kept in (~severed, ~cut):
            graph = coo_matrix((links.data[kept], (links.row[kept], links.col[kept])), links.shape)
            piece = connected_components(graph.tocsr(), directed=False)[1]
            off = piece == piece[np.searchsorted(own, rim[start])]
            if not off[lower].any():
                break
        return own[off]

    def _relabelled(self, labels: Ids) -> Parting:
        """With numbers without gaps, and names for those that are new."""
        values, numbers = np.unique(labels, return_inverse=True)
        names = {k: name for k, name in enumerate(self.names) if k in values}
        for value in values[values >= self.count].tolist():
            taken = set(names.values())
            names[value] = next(name for name in (f"part {k}" for k in range(len(values) + 1)) if name not in taken)
        return Parting(self.mesh, numbers.ravel().astype(np.int64), tuple(names[value] for value in values.tolist()))


def run_lengths(labels: Ids) -> str:
    """Labels as text: "0*412 1*20 0*3", so many cells of a part after each other."""
    starts = np.flatnonzero(np.diff(labels, prepend=-1))
    counts = np.diff(np.append(starts, len(labels)))
    return " ".join(f"{part}*{count}" for part, count in zip(labels[starts].tolist(), counts.tolist()))


def labels_of_runs(text: str, cells: int) -> Ids:
    """Labels (m,) from such a text, for a mesh of so many cells."""
    pairs = [run.split("*") for run in text.split()]
    if not pairs or any(len(pair) != 2 or not all(map(_is_count, pair)) for pair in pairs):
        raise MeshError('labels are written as runs, a part and how many cells: "0*412 1*20"')
    parts, counts = np.array(pairs, dtype=np.int64).T
    if counts.sum() != cells:
        raise MeshError(
            f"the labels are of {counts.sum()} cells, and the mesh has {cells}: they belong to another mesh, or to "
            "another filling of the surface"
        )
    return np.repeat(parts, counts)


def _is_count(text: str) -> bool:
    return text.isdecimal() and len(text) <= LONGEST


def _interface(mesh: Mesh, pair: tuple[int, int], triangles: Ids) -> Interface:
    corners = mesh.vertices[triangles]
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]).sum(axis=0)
    middles = corners.mean(axis=1)
    plane = normal / max(float(np.linalg.norm(normal)), 1e-300)
    heights = (middles - np.average(middles, axis=0, weights=areas)) @ plane
    radius = np.sqrt(areas.sum() / np.pi)
    bumpiness = float(np.sqrt(np.average(heights**2, weights=areas)) / radius)
    return Interface(pair, float(areas.sum()), patch_count(triangles), bumpiness)


def as_table(parting: Parting) -> dict[str, Any]:
    """As a part of a scene has it."""
    return {"labels": run_lengths(parting.labels), "label_names": list(parting.names)}
