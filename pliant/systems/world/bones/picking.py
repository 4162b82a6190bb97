"""The BD-tree of a placed character: its spheres by level, and what of its skin a ray hits first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from pliant.collide import CollisionShape, capsule, fields_of
from pliant.collide.sphere_queries import leaves_near_field
from pliant.collide.spheres import Posed, SphereTree, levels_of, update_sphere
from pliant.errors import Array, Ids
from pliant.systems.world.body import Body, pose_of
from pliant.systems.world.bones.character import CharacterSkin
from pliant.systems.world.bones.culling import tree_of_skin

THIN = 1e-9  # of the length of a ray: its radius
_trees: WeakKeyDictionary[CharacterSkin, SphereTree] = WeakKeyDictionary()


class Picked(NamedTuple):
    """Where a ray hits a skin: vertices (3,) of the triangle, weights (3,) of the place in it, point (3,) and distance
    from the origin of the ray [m]."""

    vertices: Ids
    weights: Array
    point: Array
    distance: float


def tree_of(skin: CharacterSkin, shape: CollisionShape) -> SphereTree:
    """Of the part of a skin that touches; made once."""
    if skin not in _trees:
        _trees[skin] = tree_of_skin(skin.character, shape)
    return _trees[skin]


def posed(bones: Sequence[Body], stamp: int) -> Posed:
    """Where bodies are, as trees see them."""
    first = np.concatenate([[0], np.cumsum([body.model.size for body in bones])]).astype(np.int64)
    R, t = np.stack([body.rotation for body in bones]), np.stack([body._entry("t") for body in bones])
    return Posed(R, t, np.concatenate([body.q for body in bones]), first, np.array([stamp]))


def nodes_of(tree: SphereTree, level: int) -> Ids:
    """Of one level, with the leaves above it."""
    deep = levels_of(tree.skip)
    leaf = tree.skip == np.arange(len(tree.skip)) + 1
    return np.flatnonzero((deep == level) | (leaf & (deep < level)))


def boxes_of(skin: CharacterSkin, shape: CollisionShape, bones: Sequence[Body], level: int) -> Array:
    """(k, 6) least and greatest corners around the triangles of the nodes of one level, as they are placed."""
    tree = tree_of(skin, shape)
    x = skin.character.skin.points(shape.ids).place(pose_of(bones))[shape.triangles].reshape(-1, 9)
    found = []
    for node in nodes_of(tree, level):
        own = x[tree.items[tree.first[node] : tree.first[tree.skip[node]]]].reshape(-1, 3)
        found.append(np.concatenate([own.min(axis=0), own.max(axis=0)]))
    return np.array(found).reshape(-1, 6)


def spheres_of(tree: SphereTree, bones: Sequence[Body], level: int) -> Array:
    """(k, 4) centres and radii of the spheres of one level, with the leaves above it."""
    now = posed(bones, int(tree.stamp.max()) + 1)
    chosen = nodes_of(tree, level)
    for node in chosen:
        update_sphere(tree, now, node)
    return tree.spheres[chosen].copy()


def pick(
    skin: CharacterSkin, shape: CollisionShape, bones: Sequence[Body], origin: Array, direction: Array
) -> Picked | None:
    """The first triangle of what touches that a ray hits from outside or inside; None: none."""
    tree = tree_of(skin, shape)
    now = posed(bones, int(tree.stamp.max()) + 1)
    along = direction / np.linalg.norm(direction)
    update_sphere(tree, now, 0)
    length = float(np.linalg.norm(tree.spheres[0, :3] - origin) + tree.spheres[0, 3])
    across = np.cross(along, np.eye(3)[np.abs(along).argmin()])
    across /= np.linalg.norm(across)
    axes = np.stack([across, along, np.cross(across, along)], axis=1)
    ray = fields_of([capsule(THIN * length, length, origin + 0.5 * length * along, axes)])
    found = np.zeros(len(tree.skip), np.int64)
    count = leaves_near_field(tree, now, ray, 0, 0.0, found)
    if count == 0:
        return None
    items = np.concatenate([tree.items[tree.first[node] : tree.first[node + 1]] for node in found[:count]])
    corners = shape.ids[shape.triangles[items]]
    ids, at = np.unique(corners, return_inverse=True)
    x = skin.character.skin.points(ids).place(pose_of(bones))[at.reshape(-1, 3)]
    return _first_hit(x, corners, origin, along)


def _first_hit(x: Array, corners: Ids, origin: Array, along: Array) -> Picked | None:
    """Of triangles (t, 3, 3), by Cramer's rule (Moeller and Trumbore 1997)."""
    u, v, from_first = x[:, 1] - x[:, 0], x[:, 2] - x[:, 0], origin - x[:, 0]
    p, q = np.cross(along, v), np.cross(from_first, u)
    size = np.einsum("ti,ti->t", u, p)
    with np.errstate(divide="ignore", invalid="ignore"):
        b, c, d = (
            np.einsum("ti,ti->t", first, second) / size
            for first, second in ((from_first, p), (np.broadcast_to(along, q.shape), q), (v, q))
        )
    hits = np.flatnonzero((size != 0) & (b >= 0) & (c >= 0) & (b + c <= 1) & (d >= 0))
    if not len(hits):
        return None
    t = hits[d[hits].argmin()]
    weights = np.array([1 - b[t] - c[t], b[t], c[t]])
    return Picked(corners[t], weights, origin + d[t] * along, float(d[t]))
