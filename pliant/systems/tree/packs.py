"""Limbs in packs of eight: same depth, same part, same part of the parent, so that one formula moves eight of them.

Numbers of a pack lie instance fastest: entry k of lane e is at 8 k + e from the pack's start. Lanes that a pack lacks
repeat its first limb; they are computed and never read.
"""

from typing import NamedTuple

import numpy as np

from pliant.errors import Array, Ids
from pliant.numerics.simd8 import WIDTH
from pliant.reduced.interface import interface_map
from pliant.systems.tree.limb import Limb
from pliant.systems.tree.outer_surface import outer_integrals
from pliant.systems.tree.parts import Parts, class_key, parts_of


class Packs(NamedTuple):
    """Per pack: its part, r, number of limbs, r of the parents, whether it bears limbs, and where its arrays begin.

    parent: (8 p,) place 8 pack + lane of each lane's parent; -1 for the root.   level: first pack of each depth.
    interface 12 r_p: rows of a_hat (3) and B (9), each (r_p,).      hat 12: x_hat from the parent's origin, R_hat.
    scale 5: s_parent, s^3, s^4, s^5, kappa^2 s^3.                   sail 4 + 3 r: area, int X dA (3), int U dA (r, 3).
    """

    part: Ids
    size: Ids
    lanes: Ids
    parent_size: Ids
    bears: Ids
    parent: Ids
    level: Ids
    vector_at: Ids
    triangle_at: Ids
    interface_at: Ids
    sail_at: Ids
    interface: Array
    hat: Array
    scale: Array
    sail: Array


class Layout(NamedTuple):
    """Where everything of a tree is.

    Attributes:
        places: (d,) 8 pack + lane of every limb.
        coordinates: (sum r,) where the coordinates of limb 0, 1, .. are in the arrays of the packs.
        offsets: (d + 1,) where the coordinates of a limb begin, in the order of the limbs.
    """

    parts: Parts
    packs: Packs
    places: Ids
    coordinates: Ids
    offsets: Ids


def layout_of(limbs: list[Limb]) -> Layout:
    """Sort limbs into packs and lay out their constants."""
    keys = [class_key(limb) for limb in limbs]
    first_of = {key: limbs[number] for number, key in reversed(list(enumerate(keys)))}
    number_of = {key: number for number, key in enumerate(first_of)}
    part = np.array([number_of[key] for key in keys])
    depth = _depths(limbs)
    groups: dict[tuple[int, int, int], list[int]] = {}
    for number, limb in enumerate(limbs):
        above = part[limb.parent] if limb.parent >= 0 else -1
        groups.setdefault((int(depth[number]), int(part[number]), int(above)), []).append(number)
    members: list[list[int]] = []
    for key in sorted(groups):
        together = sorted(groups[key], key=lambda number: (limbs[number].parent, number))
        members += [together[at : at + WIDTH] for at in range(0, len(together), WIDTH)]
    places = np.empty(len(limbs), dtype=np.int64)
    for pack, numbers in enumerate(members):
        places[numbers] = WIDTH * pack + np.arange(len(numbers))
    packs = _packs(limbs, members, part, places, depth)
    coordinates, offsets = _coordinates(limbs, packs, places)
    return Layout(parts_of(list(first_of.values())), packs, places, coordinates, offsets)


def _depths(limbs: list[Limb]) -> Ids:
    depth = np.zeros(len(limbs), dtype=np.int64)
    for number, limb in enumerate(limbs):
        depth[number] = 0 if limb.parent < 0 else depth[limb.parent] + 1
    return depth


def _packs(limbs: list[Limb], members: list[list[int]], part: Ids, places: Ids, depth: Ids) -> Packs:
    size = np.array([limbs[numbers[0]].model.size for numbers in members])
    heads = [limbs[numbers[0]] for numbers in members]
    above = np.array([limbs[head.parent].model.size if head.parent >= 0 else 0 for head in heads])
    parent = np.full((len(members), WIDTH), -1, dtype=np.int64)
    for pack, numbers in enumerate(members):
        if heads[pack].parent >= 0:
            parent[pack] = [places[limbs[number].parent] for number in _filled(numbers)]
    bears = np.zeros(len(members), dtype=np.int64)
    bears[np.unique(parent[parent >= 0]) // WIDTH] = 1
    deep = depth[[numbers[0] for numbers in members]]
    interface_at = _starts(12 * WIDTH * above)
    hat, interface = _interfaces(limbs, members, above, interface_at)
    return Packs(
        part[[numbers[0] for numbers in members]],
        size,
        np.array([len(numbers) for numbers in members]),
        above,
        bears,
        parent.ravel(),
        np.searchsorted(deep, np.arange(deep.max() + 2)),
        _starts(WIDTH * size)[:-1],
        _starts(WIDTH * size * (size + 1) // 2)[:-1],
        interface_at[:-1],
        _starts(WIDTH * (4 + 3 * size))[:-1],
        interface,
        hat,
        _scales(limbs, members),
        _sails(limbs, members),
    )


def _filled(numbers: list[int]) -> list[int]:
    return numbers + [numbers[0]] * (WIDTH - len(numbers))


def _starts(lengths: Array) -> Ids:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _scales(limbs: list[Limb], members: list[list[int]]) -> Array:
    table = np.empty((len(members), 5, WIDTH))
    for pack, numbers in enumerate(members):
        for lane, number in enumerate(_filled(numbers)):
            limb = limbs[number]
            s, above = limb.scale, limbs[limb.parent].scale if limb.parent >= 0 else 1.0
            table[pack, :, lane] = above, s**3, s**4, s**5, limb.stiffening**2 * s**3
    return table.ravel()


def _sails(limbs: list[Limb], members: list[list[int]]) -> Array:
    integrals = list(outer_integrals(limbs))
    return np.concatenate([np.stack([integrals[k] for k in _filled(numbers)], axis=1).ravel() for numbers in members])


def _interfaces(limbs: list[Limb], members: list[list[int]], above: Ids, starts: Ids) -> tuple[Array, Array]:
    """Rest frames (p, 12, 8) and interface maps (12, r_p, 8) of the packs, flat."""
    hat = np.zeros((len(members), 12, WIDTH))
    interface = np.zeros(starts[-1])
    for pack, numbers in enumerate(members):
        workspace = interface[starts[pack] : starts[pack + 1]].reshape(12, above[pack], WIDTH)
        for lane, number in enumerate(_filled(numbers)):
            limb = limbs[number]
            if limb.parent < 0:
                hat[pack, 3:, lane] = np.eye(3).ravel()
                continue
            parent = limbs[limb.parent]
            found = interface_map(parent.model, np.asarray(limb.stands_on))
            hat[pack, :3, lane] = found.centroid - parent.origin
            hat[pack, 3:, lane] = (parent.rotation.T @ limb.rotation).ravel()
            workspace[:3, :, lane] = found.shift
            workspace[3:, :, lane] = found.gradient.reshape(9, -1)
    return hat.ravel(), interface


def _coordinates(limbs: list[Limb], packs: Packs, places: Ids) -> tuple[Ids, Ids]:
    sizes = np.array([limb.model.size for limb in limbs])
    starts = packs.vector_at[places // WIDTH] + places % WIDTH
    found = [start + WIDTH * np.arange(r) for start, r in zip(starts, sizes)]
    return np.concatenate([np.empty(0, dtype=np.int64), *found]), _starts(sizes)
