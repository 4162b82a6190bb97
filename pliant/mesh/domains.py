"""The domains of a labelled mesh: a submesh each, the triangles where two meet, and the tree that they make.

Maths sheet substructuring 1: domains are disjoint sets of cells; two of them meet in a patch of faces or not at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from pliant.errors import ArgumentError, Ids, MeshError, check_array, check_count
from pliant.mesh.cell_kinds import KINDS
from pliant.mesh.domain_tree import DomainTree, grown_tree, least_deep_root
from pliant.mesh.mesh import Mesh
from pliant.mesh.topology import cell_faces, face_triangles, shared_faces

PartKey = int | str  # number or name
SHOWN = 6  # vertices or parts that a message lists


@dataclass(frozen=True, eq=False)
class Domain:
    """The cells with one label.

    Attributes:
        name: in messages.
        mesh: the submesh.
        vertices: (n_i,) ids of its vertices in the whole mesh, rising.
        cells: (m_i,) ids of its cells in the whole mesh, rising.
    """

    name: str
    mesh: Mesh
    vertices: Ids
    cells: Ids

    def __repr__(self) -> str:
        return f"Domain({self.name[:40]!r}, {len(self.vertices)} vertices, {len(self.cells)} {self.mesh.kind} cells)"

    def local(self, ids: Ids) -> Ids:
        """Ids of the whole mesh, all of this domain, as ids of the submesh."""
        return np.searchsorted(self.vertices, ids)


@dataclass(frozen=True, eq=False)
class Domains:
    """A mesh cut into domains; made by `domains_of`.

    Attributes:
        mesh: the whole mesh.
        labels: (m,) the domain of every cell.
        parts: the domains, by label.
        interfaces: (i, j) with i < j -> triangles (k, 3) of whole-mesh ids where i and j meet, outward from i.
    """

    mesh: Mesh
    labels: Ids
    parts: tuple[Domain, ...]
    interfaces: dict[tuple[int, int], Ids]

    def __repr__(self) -> str:
        return (
            f"Domains({self.count} of {self.mesh.cell_count} {self.mesh.kind} cells, {len(self.interfaces)} interfaces)"
        )

    @property
    def count(self) -> int:
        """d."""
        return len(self.parts)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(part.name for part in self.parts)

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """The domains that share faces with each, rising."""
        found: list[list[int]] = [[] for _ in self.parts]
        for i, j in self.interfaces:
            found[i].append(j)
            found[j].append(i)
        return tuple(tuple(sorted(others)) for others in found)

    @cached_property
    def loops(self) -> int:
        """Circles that the parts make: interfaces, each connected patch of faces for itself, beyond those of a tree."""
        patches = sum(patch_count(triangles) for triangles in self.interfaces.values())
        return patches - self.count + self.mesh.components[0]

    def holders(self, fixed: ArrayLike) -> tuple[int, ...]:
        """The parts that the fixed vertices make several supports of: as few as hold all of them, rising."""
        left = np.asarray(fixed, dtype=np.int64)
        found: list[int] = []
        while len(left):
            held = [np.isin(left, part.vertices) for part in self.parts]
            found.append(int(np.argmax([mask.sum() for mask in held])))
            left = left[~held[found[-1]]]
        return tuple(sorted(found))

    def interface(self, i: int, j: int) -> Ids:
        """Triangles (k, 3) of whole-mesh ids where i and j meet, outward from i, through all vertices there."""
        triangles = self.interfaces[min(i, j), max(i, j)]
        return triangles if i < j else triangles[:, ::-1]

    def root_of(self, fixed: ArrayLike) -> int:
        """The domain that holds the fixed vertices; of a free mesh the one that makes the tree least deep."""
        ids = np.asarray(fixed, dtype=np.int64)
        if not len(ids):
            return least_deep_root(self.neighbours, self.names)
        held = [int(np.isin(ids, part.vertices).sum()) for part in self.parts]
        if max(held) == len(ids):
            return int(np.argmax(held))
        holders = [f"{name} ({count})" for name, count in zip(self.names, held) if count]
        shown = ", ".join(holders[:SHOWN]) + (", ..." if len(holders) > SHOWN else "")
        raise ArgumentError(
            f"all fixed vertices must lie in one part, the root of the tree; they lie in {shown}: "
            "fix vertices of one part alone"
        )

    def rooted(self, root: int = 0) -> DomainTree:
        """The tree that grows from `root`.

        Raises:
            MeshError: the domains do not make a tree, or touch outside their interfaces.
        """
        root = check_count("root", root, at_least=0, at_most=self.count - 1)
        tree = grown_tree(self.neighbours, self.names, root)
        self.check_contacts()
        return tree

    def check_contacts(self) -> None:
        """Refuse domains that share a vertex but no face, or vertices outside their interface."""
        for (i, j), common in self._common_vertices().items():
            inner = np.unique(self.interfaces[i, j]) if (i, j) in self.interfaces else np.empty(0, dtype=np.int64)
            stray = np.setdiff1d(common, inner)
            if not len(stray):
                continue
            where = ", ".join(map(str, stray[:SHOWN])) + (", ..." if len(stray) > SHOWN else "")
            what = "outside their interface" if len(inner) else "but no face"
            raise MeshError(
                f"the parts {self.names[i]} and {self.names[j]} share {len(stray)} vertices {what} (vertices {where}); "
                "join them, or keep them apart by a layer of cells"
            )

    def _common_vertices(self) -> dict[tuple[int, int], Ids]:
        """(i, j) with i < j -> the vertices that both have."""
        owner = np.concatenate([np.full(len(part.vertices), i) for i, part in enumerate(self.parts)])
        vertex = np.concatenate([part.vertices for part in self.parts])
        order = np.lexsort([owner, vertex])
        owner, vertex = owner[order], vertex[order]
        pairs: dict[tuple[int, int], list[int]] = {}
        for shift in range(1, self.count):
            same = np.flatnonzero(vertex[shift:] == vertex[:-shift])
            if not len(same):
                break
            for k in same:
                pairs.setdefault((int(owner[k]), int(owner[k + shift])), []).append(int(vertex[k]))
        return {pair: np.array(ids) for pair, ids in pairs.items()}


def domains_of(mesh: Mesh, labels: ArrayLike, names: Sequence[str] | None = None) -> Domains:
    """Cut a mesh by a part number 0 to d - 1 for every cell (m,); each part must be face-connected."""
    if mesh.kind == "triangle":
        raise MeshError(
            "a shell cannot be cut into parts yet; keep it whole: pl.Clamped(pl.reduce(shell, basis)) or pl.Full"
        )
    numbers = _checked_labels(mesh, labels)
    titles = _checked_names(names, int(numbers.max()) + 1)
    _check_connected(mesh, numbers, titles)
    parts = []
    by_part = np.split(np.argsort(numbers, kind="stable"), np.cumsum(np.bincount(numbers))[:-1])
    for name, cells in zip(titles, by_part):
        submesh, vertices = mesh.submesh(cells)
        parts.append(Domain(name, submesh, vertices, cells))
    return Domains(mesh, numbers, tuple(parts), _interfaces(mesh, numbers))


def labelled_domains(mesh: Mesh, labels: ArrayLike | None, names: Sequence[str] | None = None) -> Domains:
    """`domains_of`, by the cell groups of the mesh where there are no labels."""
    if labels is None:
        labels, titles = labels_of_groups(mesh)
        names = titles if names is None else names
    return domains_of(mesh, labels, names)


def labels_of_groups(mesh: Mesh) -> tuple[Ids, tuple[str, ...]]:
    """Labels (m,) and names from the cell groups of a mesh, which must cover every cell once; their order counts."""
    labels = np.full(mesh.cell_count, -1)
    for part, (name, cells) in enumerate(mesh.cell_groups.items()):
        if (labels[cells] >= 0).any():
            raise MeshError(f"the cell groups must not overlap; {name} has cells of another group: give labels")
        labels[cells] = part
    if bare := int((labels < 0).sum()):
        raise MeshError(
            f"cell groups must cover every cell; {bare} of {len(labels)} have none: give labels, or in a scene cut = 8"
        )
    return labels, tuple(mesh.cell_groups)


def patch_count(triangles: Ids) -> int:
    """Connected patches of triangles, by shared vertices."""
    numbers = np.unique(triangles, return_inverse=True)[1].reshape(triangles.shape)
    rows, columns = numbers[:, :2].ravel(), numbers[:, 1:].ravel()
    size = int(numbers.max()) + 1
    graph = coo_matrix((np.ones(len(rows), dtype=np.int8), (rows, columns)), (size, size))
    return int(connected_components(graph.tocsr(), directed=False)[0])


def _interfaces(mesh: Mesh, labels: Ids) -> dict[tuple[int, int], Ids]:
    faces, kind = cell_faces(mesh.cells), KINDS[mesh.cells.shape[1]]
    first, second = shared_faces(mesh.cells)
    low, high = labels[first // len(kind.faces)], labels[second // len(kind.faces)]
    cut = low != high
    first, second, low, high = first[cut], second[cut], low[cut], high[cut]
    swap = low > high
    outward = faces[np.where(swap, second, first)]
    pairs = np.stack([np.minimum(low, high), np.maximum(low, high)], axis=1)
    kinds, of_face = np.unique(pairs, axis=0, return_inverse=True)
    of_face = of_face.ravel()
    found = {}
    for number, (i, j) in enumerate(kinds.tolist()):
        triangles = face_triangles(outward[of_face == number], kind)
        triangles.setflags(write=False)
        found[i, j] = triangles
    return found


def _checked_labels(mesh: Mesh, labels: ArrayLike) -> Ids:
    numbers = check_array("labels", labels, (mesh.cell_count,))
    if (bad := (np.floor(numbers) != numbers) | (numbers < 0) | (numbers > np.iinfo(np.int32).max)).any():
        raise ArgumentError(f"labels must be whole numbers from 0; {numbers[bad][0]:g} was given")
    whole = numbers.astype(np.int64)
    used = np.unique(whole)
    if len(gaps := np.flatnonzero(used != np.arange(len(used)))):
        raise ArgumentError(
            f"labels must use every number from 0 to {whole.max()}; no cell has {gaps[0]}: "
            "number the parts without gaps (np.unique(labels, return_inverse=True)[1])"
        )
    whole.setflags(write=False)
    return whole


def _checked_names(names: Sequence[str] | None, count: int) -> tuple[str, ...]:
    if names is None:
        return tuple(f"part {i}" for i in range(count))
    if isinstance(names, str) or len(names) != count or len(set(names)) != count:
        raise ArgumentError(f"names must be {count} different texts, one a part; {names!r} was given")
    return tuple(map(str, names))


def _check_connected(mesh: Mesh, labels: Ids, names: Sequence[str]) -> None:
    graph = mesh.cell_adjacency.tocoo()
    inside = labels[graph.row] == labels[graph.col]
    kept = coo_matrix((graph.data[inside], (graph.row[inside], graph.col[inside])), graph.shape)
    pieces = connected_components(kept.tocsr(), directed=False)[1]
    counts = np.bincount(np.unique(np.stack([labels, pieces]), axis=1)[0])
    if (broken := np.flatnonzero(counts > 1)).size:
        part = int(broken[0])
        sizes = sorted(np.unique(pieces[labels == part], return_counts=True)[1].tolist(), reverse=True)
        raise MeshError(
            f"every part must be in one piece through the faces of its cells; {names[part]} is in {counts[part]} "
            f"pieces of {', '.join(map(str, sizes[:SHOWN]))} cells: give them labels of their own"
        )


def part_number(domains: Domains, what: str, key: PartKey) -> int:
    """A part given by its number or its name."""
    if isinstance(key, str):
        if key not in domains.names:
            raise ArgumentError(f"{what} names the part {key!r}; there are {', '.join(domains.names[:12])}")
        return domains.names.index(key)
    return check_count(what, key, at_least=0, at_most=domains.count - 1)
