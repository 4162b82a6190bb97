"""Parts of a mesh made whole: crumbs go to the neighbour that they share most faces with."""

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from pliant.errors import Ids
from pliant.mesh.mesh import Mesh


def pieces_of(mesh: Mesh, labels: Ids) -> Ids:
    """(m,) the face-connected piece of every cell, none of two parts."""
    graph = mesh.cell_adjacency.tocoo()
    same = labels[graph.row] == labels[graph.col]
    kept = coo_matrix((graph.data[same], (graph.row[same], graph.col[same])), graph.shape)
    return connected_components(kept.tocsr(), directed=False)[1].astype(np.int64)


def tidied(mesh: Mesh, labels: Ids, share: float) -> Ids:
    """Labels without crumbs: pieces below a share of the volume of the mesh join a neighbour; renumbered from 0."""
    return _numbered(_joined(mesh, pieces_of(mesh, labels), share * float(mesh.volumes.sum())))


def healed(mesh: Mesh, labels: Ids, share: float) -> Ids:
    """Labels with the crumbs of every part, below a share of its own volume, in a neighbour; numbers stay."""
    pieces = pieces_of(mesh, labels)
    part = np.zeros(int(pieces.max()) + 1, dtype=np.int64)
    part[pieces] = labels
    volume = np.bincount(pieces, mesh.volumes)
    whole = np.bincount(labels, mesh.volumes, minlength=int(labels.max()) + 1)
    largest = np.zeros(len(whole))
    np.maximum.at(largest, part, volume)
    small = (volume < share * whole[part]) & (volume < largest[part])
    new = labels.copy()
    for piece in np.flatnonzero(small)[np.argsort(volume[small], kind="stable")]:
        cells = np.flatnonzero(pieces == piece)
        around = neighbours_of(mesh, cells, new)
        if len(around):
            new[cells] = np.bincount(around).argmax()
    return new


def merged(mesh: Mesh, labels: Ids, count: int) -> Ids:
    """The smallest part in that neighbour which it shares most faces with, until there are `count`."""
    new = labels.copy()
    while len(np.unique(new)) > count:
        volumes = np.bincount(new, mesh.volumes)
        for part in np.argsort(np.where(volumes > 0, volumes, np.inf)):
            cells = np.flatnonzero(new == part)
            around = neighbours_of(mesh, cells, new)
            if len(around):
                new[cells] = np.bincount(around).argmax()
                break
        else:
            break
    return _numbered(new)


def _joined(mesh: Mesh, pieces: Ids, least: float) -> Ids:
    new = pieces.copy()
    volumes = np.bincount(pieces, mesh.volumes)
    for piece in np.argsort(volumes, kind="stable"):
        cells = np.flatnonzero(new == piece)
        if not len(cells) or mesh.volumes[cells].sum() >= least:
            continue
        around = neighbours_of(mesh, cells, new)
        if len(around):
            new[cells] = np.bincount(around).argmax()
    return new


def neighbours_of(mesh: Mesh, cells: Ids, labels: Ids) -> Ids:
    """The labels behind the faces of some cells, but for their own."""
    graph = mesh.cell_adjacency
    behind = graph[cells].indices
    inside = np.zeros(mesh.cell_count, dtype=bool)
    inside[cells] = True
    return labels[behind[~inside[behind]]]


def _numbered(labels: Ids) -> Ids:
    return np.unique(labels, return_inverse=True)[1].ravel().astype(np.int64)
