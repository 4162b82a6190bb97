"""The skin and the mesh of a tree: every limb draws its vertices; where limbs meet, their mean ([LS11] section 5)."""

from collections.abc import Sequence

import numpy as np

from pliant.errors import ArgumentError, Array, Ids, check_ids
from pliant.mesh import Mesh
from pliant.reduced.interface import patch_centroid
from pliant.skin import Skin, SkinPart
from pliant.systems.tree.limb import Limb


def own_numbers(limbs: Sequence[Limb]) -> list[Ids]:
    """Vertex numbers where no limb shares one: limb after limb."""
    ends = np.cumsum([len(limb.model.X) for limb in limbs])
    return [np.arange(end - len(limb.model.X), end) for end, limb in zip(ends, limbs)]


def kept_numbers(numbers: Sequence[Ids], limbs: Sequence[Limb], were: Sequence[int]) -> list[Ids]:
    """Vertex numbers without gaps: limbs that were there share what they shared, new ones (-1 in `were`) nothing."""
    ends = 1 + max(int(ids.max()) for ids in numbers) + np.cumsum([len(limb.model.X) for limb in limbs])
    found = [
        numbers[old] if old >= 0 else np.arange(end - len(limb.model.X), end)
        for limb, old, end in zip(limbs, were, ends)
    ]
    flat = np.unique(np.concatenate(found), return_inverse=True)[1].ravel()
    return np.split(flat, np.cumsum([len(ids) for ids in found])[:-1])


def tree_skin(limbs: Sequence[Limb], numbers: Sequence[Ids], triangles: Ids | None) -> Skin:
    """Each vertex in the mean of its copies. Instances share U, and X where they are of one size."""
    count = 1 + max(int(ids.max()) for ids in numbers)
    copies = np.bincount(np.concatenate(numbers), minlength=count)
    placed: dict[tuple, Array] = {}
    parts = []
    for limb, ids in zip(limbs, numbers):
        key = (id(limb.model), limb.scale, limb.origin.tobytes())
        if key not in placed:
            placed[key] = limb.scale * (limb.model.X - limb.origin)
        parts.append(SkinPart(ids, 1 / copies[ids], placed[key], limb.model.U))
    if triangles is None:
        triangles = np.concatenate([ids[limb.model.mesh.surface] for limb, ids in zip(limbs, numbers)])
    return Skin(count, triangles, parts)


def rest_frames(limbs: Sequence[Limb]) -> list[Array]:
    """Where the origins of the limbs are at rest, (3,) each."""
    found: list[Array] = []
    for limb in limbs:
        if limb.parent < 0:
            found.append(limb.position)
            continue
        on = limbs[limb.parent]
        point = patch_centroid(on.model.X, np.asarray(limb.stands_on))
        found.append(found[limb.parent] + on.scale * on.rotation @ (point - on.origin))
    return found


def joined_mesh(limbs: Sequence[Limb], numbers: Sequence[Ids]) -> Mesh:
    """All cells at rest, in the numbers of the skin."""
    kinds = {limb.model.cells.shape[1] for limb in limbs}
    if len(kinds) > 1:
        raise ArgumentError(
            "the limbs have cells of different kinds, which make no single mesh; draw the limbs themselves"
        )
    vertices = np.empty((1 + max(int(ids.max()) for ids in numbers), 3))
    for limb, ids, position in zip(limbs, numbers, rest_frames(limbs)):
        vertices[ids] = position + limb.scale * (limb.model.X - limb.origin) @ limb.rotation.T
    return Mesh(vertices, np.concatenate([ids[limb.model.cells] for limb, ids in zip(limbs, numbers)]))


def checked_numbers(limbs: Sequence[Limb], numbers: Sequence[Ids]) -> list[Ids]:
    """Those that fit the limbs; others are refused."""
    if len(numbers) != len(limbs):
        raise ArgumentError(f"numbers must be given for each of the {len(limbs)} limbs; {len(numbers)} were given")
    for number, (limb, ids) in enumerate(zip(limbs, numbers)):
        if len(ids) != len(limb.model.X):
            raise ArgumentError(
                f"limb {number} {limb.name} has {len(limb.model.X)} vertices but {len(ids)} numbers were given"
            )
    count = sum(len(limb.model.X) for limb in limbs)  # no number is left out, so that there are no more
    return [check_ids(f"numbers of limb {number}", ids, count) for number, ids in enumerate(numbers)]
