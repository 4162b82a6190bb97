"""The surface of a tree that the wind reaches: the boundaries of its limbs less where they stand on each other.

    int f dA over the outer surface of a limb = int over its boundary - int over its foot - int over what is covered

The foot of a limb is made of the boundary triangles whose corners its model holds or, of a rigid limb, that lie at
corners which its parent offers; where some of them are triangles of the parent too, of these alone. A child covers as
much of what it stands on (`stands_on`) as its foot is large, evenly: all of it where limbs were cut out of one mesh, a
small part where a leaf stands on a few triangles of a twig. Limbs that share a model bear different children, so every
limb has integrals of its own. Both sides of a thin limb count.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.spatial import cKDTree

from pliant.errors import Array, Ids
from pliant.reduced.interface import patch_centroid
from pliant.skin.points import vertex_areas
from pliant.systems.tree.limb import Limb

MEETS = 1e-6  # of its extent: how far apart the corners of limbs that touch may be


def outer_integrals(limbs: Sequence[Limb]) -> Iterator[Array]:
    """Per limb (4 + 3 r,): area, int (X - origin) dA (3,), int U_l dA (r, 3), in class units."""
    for limb, areas in zip(limbs, outer_areas(limbs)):
        U = limb.model.U.reshape(len(limb.model.X), 3 * limb.model.size)
        arms = areas @ (limb.model.X - limb.origin)
        yield np.concatenate([[areas.sum()], arms, (areas @ U).reshape(3, -1).T.ravel()])


def outer_areas(limbs: Sequence[Limb]) -> list[Array]:
    """Per limb (n,) the outer area that each vertex stands for, in class units."""
    closed: dict[int, Array] = {}
    found = []
    for limb in limbs:
        X = limb.model.X
        boundary = closed.setdefault(id(limb.model), vertex_areas(X, limb.model.mesh.surface))
        foot = vertex_areas(X, _foot(limb, limbs))
        found.append(boundary - foot)
        if limb.parent >= 0:
            on = limbs[limb.parent]
            patch = vertex_areas(on.model.X, np.asarray(limb.stands_on))
            share = foot.sum() * limb.scale**2 / (patch.sum() * on.scale**2)
            found[limb.parent] = found[limb.parent] - min(share, 1.0) * patch
    return found


def _foot(limb: Limb, limbs: Sequence[Limb]) -> Ids:
    """Boundary triangles (k, 3) by which a limb stands on its parent: those that meet some of its patch, if any do."""
    surface, held = limb.model.mesh.surface, limb.model.fixed
    if limb.parent < 0:
        return surface[:0]
    on, patch = limbs[limb.parent], np.asarray(limb.stands_on)
    offered = on.scale * (on.model.X - patch_centroid(on.model.X, patch)) @ on.rotation.T
    own = limb.scale * (limb.model.X - limb.origin) @ limb.rotation.T
    near = MEETS * np.ptp(own, axis=0).max()
    if not len(held):
        held = np.flatnonzero(cKDTree(offered[np.unique(patch)]).query(own)[0] < near)
    foot = surface[np.isin(surface, held).all(axis=1)]
    meets = cKDTree(offered[patch].mean(axis=1)).query(own[foot].mean(axis=1))[0] < near
    return foot[meets] if meets.any() else foot
