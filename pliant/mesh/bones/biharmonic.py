"""Bounded biharmonic weights (Jacobson et al. 2011): as smooth as can be, in [0, 1], one on their own bone."""

import numpy as np
from scipy.spatial import cKDTree

from pliant.errors import ArgumentError, Array, Ids
from pliant.mesh.bones.skeleton import Skeleton
from pliant.mesh.mesh import Mesh
from pliant.mesh.packages import imported
from pliant.mesh.round_shapes import conforming_tets

TURNS = 8  # of the active set: weights change by less than a thousandth after that


def biharmonic_weights(mesh: Mesh, skeleton: Skeleton) -> Array:
    """(n, k) on all vertices of a mesh of linear cells."""
    igl = imported("igl", "weights of bones")
    tets = mesh.cells if mesh.kind == "tet" else conforming_tets(mesh.cells)
    ids, owners = _on_bones(mesh, skeleton)
    w = igl.bbw(mesh.vertices, tets, ids, np.eye(len(skeleton.names))[owners], max_iter=TURNS)
    w = np.clip(w, 0, 1)
    return w / w.sum(axis=1, keepdims=True)


def _on_bones(mesh: Mesh, skeleton: Skeleton) -> tuple[Ids, Ids]:
    """Vertices nearest to the bones, and the bone that each belongs to; those that two want are left free, but for the
    one at the middle of a bone that would have none."""
    X, tree = mesh.vertices, cKDTree(mesh.vertices)
    spacing = float(np.median(np.linalg.norm(X[mesh.edges[:, 0]] - X[mesh.edges[:, 1]], axis=1)))
    near = [np.unique(tree.query(places)[1]) for places in skeleton.samples(spacing)]
    wanted = np.bincount(np.concatenate(near), minlength=mesh.vertex_count)
    own = [ids[wanted[ids] == 1] for ids in near]
    middles = tree.query(skeleton.ends.mean(axis=1))[1]
    short = [k for k, ids in enumerate(own) if not len(ids) and not skeleton.is_point(k)]
    for k in short:
        if (middles[short] == middles[k]).sum() == 1:
            own[k] = middles[[k]]
    for name, ids in zip(skeleton.names, own):
        if not len(ids):
            raise ArgumentError(f"{name} has no vertex of its own: the mesh is too coarse there, or two bones coincide")
    return np.concatenate(own), np.repeat(np.arange(len(own)), [len(ids) for ids in own])
