"""Skins that nothing is near: their BD-spheres tell, from the bones alone, and none of their points is placed.

Spheres cull, boxes decide: a skin is clear as long as no sphere of its tree, which has few levels here, comes within
the margins for which contacts are found of a sphere of another skin, of a box of another body, or of a field.
"""

from collections.abc import Sequence
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from pliant.collide import CollisionShape
from pliant.collide.body import SKIP
from pliant.collide.boxes import box_distance
from pliant.collide.sphere_queries import leaves_near_field, pairs_near
from pliant.collide.spheres import Moved, Posed, SphereTree, sphere_tree, update_sphere
from pliant.collide.sweeping import pair_margin
from pliant.errors import Array, Ids
from pliant.numerics.counting import borrowing
from pliant.systems.world.proxies import centred_rows
from pliant.systems.world.tables import SKIN

LEVELS = 3  # of the trees, below the root
FEW = 64  # pairs that wait at a time: more than trees of so few levels have


class SkinSpheres(NamedTuple):
    """BD-trees of the skins of all models in a row; indices in them are those within each model.

    Attributes:
        nodes, starts, shares, numbers: (models + 1,) where nodes, starts, shares and rows of each begin.
        skip to radius: as of `SphereTree`.
        first_node: (b,) of a skin where its own spheres and stamps begin. clock: (1,) the number of this pose.
        stack, nothing, none, widest: work space.
        allowed, allowed_fields: (b, b), (b, f) who may touch, when nobody is clear.
    """

    nodes: Ids
    starts: Ids
    shares: Ids
    numbers: Ids
    skip: Ids
    start: Ids
    bone: Ids
    mean: Array
    most: Array
    off: Array
    X: Array
    at: Ids
    rows: Array
    radii: Array
    radius: Array
    first_node: Ids
    stamp: Ids
    spheres: Array
    work: Array
    clock: Ids
    stack: Ids
    nothing: Ids
    none: Ids
    widest: Array
    allowed: Array
    allowed_fields: Array


PER_SHARE = ("bone", "mean", "most", "off", "X", "at", "radius")


def skin_spheres(
    bodies: Any, models: Any, which: Ids, shapes: Sequence[CollisionShape | None], allowed: Any, fields: Any
) -> SkinSpheres:
    """Of the bodies of a world, the numbers of their models, and shapes of these."""
    trees = [_tree_of(model, shape) for model, shape in zip(models, shapes)]
    nodes, shares, numbers = (
        _starts([len(getattr(tree, name)) if tree is not None else 0 for tree in trees])
        for name in ("skip", "bone", "rows")
    )
    made = [tree for tree in trees if tree is not None]
    own = np.array([len(trees[m].skip) if trees[m] is not None else 0 for m in which], dtype=np.int64)  # type: ignore[union-attr]
    joined: dict[str, Any] = {
        name: _joined([getattr(tree, name) for tree in made], name) for name in ("skip", "start", *PER_SHARE)
    }
    return SkinSpheres(
        nodes=nodes,
        starts=nodes + np.cumsum([0, *(tree is not None for tree in trees)]),
        shares=shares,
        numbers=numbers,
        **joined,
        rows=np.concatenate([np.zeros(0), *(tree.rows for tree in made)]),
        radii=np.concatenate([np.zeros(0), *(tree.radii for tree in made)]),
        first_node=np.cumsum(own) - own,
        stamp=np.full(int(own.sum()), -1, dtype=np.int64),
        spheres=np.zeros((int(own.sum()), 4)),
        work=np.zeros((max((len(body.bones) for body in bodies), default=0), 4)),
        clock=np.zeros(1, np.int64),
        stack=np.zeros((FEW, 2), np.int64),
        nothing=np.zeros((0, 2), np.int64),
        none=np.zeros(0, np.int64),
        widest=np.zeros(len(bodies)),
        allowed=allowed.copy(),
        allowed_fields=fields.copy(),
    )


def _starts(counts: Sequence[int]) -> Ids:
    return np.cumsum([0, *counts]).astype(np.int64)


def _joined(arrays: list[Array], name: str) -> Array:
    empty = np.zeros((0, 3)) if name == "X" else np.zeros(0)
    kind = np.int64 if name in ("skip", "start", "bone", "at") else np.float64
    return np.concatenate([empty, *arrays]).astype(kind)


def _tree_of(model: Any, shape: CollisionShape | None) -> SphereTree | None:
    """Of the part of a skin that touches; None of other models."""
    character = getattr(model, "character", None)
    return None if character is None or shape is None else tree_of_skin(character, shape, LEVELS)


def tree_of_skin(character: Any, shape: CollisionShape, levels: int | None = None) -> SphereTree:
    """The BD-tree of the triangles of a shape, over all vertices of the mesh, in the axes of the bones' bodies."""
    triangles = shape.ids[shape.triangles]
    moved = []
    for bone in character.bones:
        own = np.flatnonzero(bone.weights > 0)
        moved.append(Moved(bone.vertices[own], bone.weights[own], *centred_rows(bone.model, own)))
    X = character.solid.mesh.vertices
    return sphere_tree(triangles, X[triangles].mean(axis=1), moved, len(X), levels)


@borrowing
def _tree(spheres, table, s):
    """The tree of skin s."""
    m = table.model[s]
    n0, n1, e0, e1 = spheres.nodes[m], spheres.nodes[m + 1], spheres.shares[m], spheres.shares[m + 1]
    r0, r1, own = spheres.numbers[m], spheres.numbers[m + 1], spheres.first_node[s]
    skip = spheres.skip[n0:n1]
    return SphereTree(
        skip,
        skip,
        skip,
        spheres.start[spheres.starts[m] : spheres.starts[m + 1]],
        spheres.bone[e0:e1],
        spheres.mean[e0:e1],
        spheres.most[e0:e1],
        spheres.off[e0:e1],
        spheres.X[e0:e1],
        spheres.at[e0:e1],
        spheres.rows[r0:r1],
        spheres.radii[r0 // 3 : r1 // 3],
        spheres.radius[e0:e1],
        spheres.stamp[own : own + n1 - n0],
        spheres.spheres[own : own + n1 - n0],
        spheres.work,
    )


@borrowing
def _posed(spheres, table, skins, state, s):
    """Where the bones of skin s are."""
    b, k = skins.first_bone[s], skins.bones[s]
    return Posed(skins.R[b : b + k], state.t[b : b + k], state.q, table.first[b : b + k + 1], spheres.clock)


@borrowing
def is_clear(table, state, skins, spheres, surfaces, fields, margins, s):
    """Is nothing near skin s that it may touch? Boxes of other bodies are where these are; margins: (b,) [m]."""
    tree, posed = _tree(spheres, table, s), _posed(spheres, table, skins, state, s)
    way = surfaces.ways[s]
    own = margins[s] + sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2])
    for k in range(len(fields.kind)):
        margin = own + fields.margin[k]
        if spheres.allowed_fields[s, k] and leaves_near_field(tree, posed, fields, k, margin, spheres.none) > 0:
            return False
    for o in range(len(table.model)):
        if o == s or not (spheres.allowed[s, o] and spheres.allowed[o, s]):
            continue
        margin = pair_margin(surfaces, margins, s, o)
        if table.kind[o] == SKIN:
            other, there = _tree(spheres, table, o), _posed(spheres, table, skins, state, o)
            if pairs_near(tree, posed, other, there, False, margin, spheres.stack, spheres.nothing) > 0:
                return False
        elif _meets_boxes(tree, posed, surfaces, o, margin):
            return False
    return True


@borrowing
def _meets_boxes(tree, posed, surfaces, o, margin):
    """Does a leaf of the tree come near a leaf of the box tree of body o?"""
    nodes = surfaces.nodes[surfaces.shape_node[surfaces.shape[o]] :]
    boxes, node = surfaces.boxes[surfaces.first_box[o] : surfaces.first_box[o + 1]], 0
    while node < len(tree.skip):
        update_sphere(tree, posed, node)
        s, i, near = tree.spheres[node], 0, False
        reach = (s[3] + margin) ** 2
        while i < len(boxes):
            if not box_distance(boxes[i], s[0], s[1], s[2]) <= reach:
                i = nodes[i, SKIP]
            elif nodes[i, SKIP] == i + 1:
                near = True
                break
            else:
                i += 1
        if near and tree.skip[node] == node + 1:
            return True
        node = node + 1 if near else tree.skip[node]
    return False


@borrowing
def allow(spheres, may_touch, may_touch_fields, clear, s):
    """Who may touch skin s: nobody, where it is clear."""
    for o in range(may_touch.shape[1]):
        may_touch[s, o] = 0 if clear else spheres.allowed[s, o]
    for k in range(may_touch_fields.shape[1]):
        may_touch_fields[s, k] = 0 if clear else spheres.allowed_fields[s, k]
