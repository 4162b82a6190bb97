"""Interface entities: the shared vertices of a decomposed mesh, sorted by who shares them.

D(p) = the domains with a cell at vertex p.  Entity = shared free vertices with one D, connected along the edges of
interface triangles (maths sheet boundary-aware 1). Two domains: what [BA13] calls an interface; three or more: a cross
edge or cross point.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from pliant.errors import Array, Ids
from pliant.mesh.domains import Domains


@dataclass(frozen=True, eq=False)
class Entity:
    """Vertices that the same domains share.

    Attributes:
        parts: D, the domains that share it, rising.
        vertices: (k,) ids in the whole mesh, rising.
        centre: (3,) the mean of its vertices [m], pivot of its rotations.
        triangles: (t, 3) of its closed patch: interface triangles between the two domains with a corner here.
        edges: (e, 2) of its closed curve, where it has no triangles.
    """

    parts: tuple[int, ...]
    vertices: Ids
    centre: Array
    triangles: Ids
    edges: Ids

    def __repr__(self) -> str:
        return f"Entity(parts {self.parts}, {len(self.vertices)} vertices)"


def sharing(domains: Domains) -> tuple[Ids, tuple[tuple[int, ...], ...]]:
    """Which set D of domains each vertex has (n,), -1 for a vertex that no cell uses, and the sets, sorted."""
    owner = np.concatenate([np.full(len(part.vertices), i) for i, part in enumerate(domains.parts)])
    vertex = np.concatenate([part.vertices for part in domains.parts])
    kind = np.full(domains.mesh.vertex_count, -1)
    kind[vertex] = owner
    several = np.bincount(vertex, minlength=len(kind)) > 1
    members: dict[int, list[int]] = {}
    for p, i in zip(vertex[several[vertex]].tolist(), owner[several[vertex]].tolist()):
        members.setdefault(p, []).append(i)
    sets = [(i,) for i in range(domains.count)] + sorted({tuple(found) for found in members.values()})
    number = {parts: k for k, parts in enumerate(sets)}
    for p, found in members.items():
        kind[p] = number[tuple(found)]
    return kind, tuple(sets)


def interface_entities(domains: Domains, fixed: Ids) -> tuple[Entity, ...]:
    """All entities without fixed vertices; interfaces of two domains first, then by their domains and vertices."""
    kind, sets = sharing(domains)
    free = np.ones(domains.mesh.vertex_count, dtype=bool)
    free[fixed] = False
    shared = np.flatnonzero(free & (kind >= domains.count))
    if not len(shared):
        return ()
    triangles = np.concatenate([np.empty((0, 3), np.int64), *domains.interfaces.values()])
    edges = _edges(triangles)
    piece = _pieces(edges, kind, free, shared)
    groups = [shared[piece == number] for number in range(piece.max() + 1)]
    made = [_entity(domains, ids, sets, kind, edges) for ids in groups]
    return tuple(sorted(made, key=lambda e: (len(e.parts), e.parts, int(e.vertices[0]))))


def _edges(triangles: Ids) -> Ids:
    pairs = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    return np.unique(pairs, axis=0)


def _pieces(edges: Ids, kind: Ids, free: np.ndarray, shared: Ids) -> Ids:
    """The connected piece of every shared vertex; edges between vertices with one D connect."""
    inside = (kind[edges[:, 0]] == kind[edges[:, 1]]) & free[edges].all(axis=1)
    number = np.full(len(kind), -1)
    number[shared] = np.arange(len(shared))
    ends = number[edges[inside]]
    graph = sp.csr_matrix((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), (len(shared), len(shared)))
    return connected_components(graph, directed=False)[1]


def _entity(domains: Domains, ids: Ids, sets: Sequence[tuple[int, ...]], kind: Ids, edges: Ids) -> Entity:
    parts = sets[kind[ids[0]]]
    centre = domains.mesh.vertices[ids].mean(axis=0)
    patch = domains.interfaces.get((parts[0], parts[1])) if len(parts) == 2 else None
    patch = np.empty((0, 3), np.int64) if patch is None else patch[np.isin(patch, ids).any(axis=1)]
    curve = np.empty((0, 2), np.int64) if len(patch) else _closed_curve(ids, set(parts), sets, kind, edges)
    for array in (ids, centre, patch, curve):
        array.setflags(write=False)
    return Entity(parts, ids, centre, patch, curve)


def _closed_curve(ids: Ids, parts: set[int], sets: Sequence[tuple[int, ...]], kind: Ids, edges: Ids) -> Ids:
    """Edges with an end in the entity whose other end all of its domains share as well."""
    touching = edges[np.isin(edges, ids).any(axis=1)]
    inside = [all(parts <= set(sets[kind[vertex]]) for vertex in edge) for edge in touching.tolist()]
    return touching[np.array(inside, dtype=bool)]
