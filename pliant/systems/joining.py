"""What several systems show, in a row: poses, rates, skins, meshes and worn surfaces, each behind the one before."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from pliant.errors import ArgumentError, Ids, PliantWarning
from pliant.mesh import Mesh, Surface
from pliant.mesh.embedding import Embedding
from pliant.mesh.sheet import mesh_of
from pliant.skin import Points, Pose, Rates, Skin, SkinPart, Worn
from pliant.skin.points import selected_points
from pliant.skin.tables import SkinTables, frozen


def joined_poses(poses: Sequence[Pose]) -> Pose:
    """One pose with the parts of all."""
    counts = np.concatenate([np.diff(pose.offsets) for pose in poses])
    return Pose.stacked(
        np.concatenate([pose.rotations for pose in poses]),
        np.concatenate([pose.translations for pose in poses]),
        np.concatenate([pose.flat for pose in poses]),
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
    )


def joined_rates(rates: Sequence[Rates]) -> Rates:
    """The rates of a joined pose."""
    counts = np.concatenate([np.diff(each.offsets) for each in rates])
    return Rates(
        np.concatenate([each.linear for each in rates]),
        np.concatenate([each.angular for each in rates]),
        np.concatenate([each.flat for each in rates]),
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
    )


def joined_skins(skins: Sequence[Skin | None]) -> Skin | None:
    """One skin that reads the joined poses; None where one of them has no basis."""
    known = [skin for skin in skins if skin is not None]
    if len(known) < len(skins):
        return None
    parts: list[SkinPart] = []
    sizes: list[int] = []
    firsts = _firsts([skin.vertex_count for skin in known])
    for skin, first in zip(known, firsts):
        for part, reads in zip(skin.parts, skin.reads):
            chained = tuple(i + len(sizes) for i in reads)
            parts.append(SkinPart(part.vertices + first, part.weights, part.X, part.U, part.omega, chained))
        sizes += skin.sizes or ()
    triangles = np.concatenate([skin.triangles + first for skin, first in zip(known, firsts)])
    return Skin(sum(skin.vertex_count for skin in known), triangles, parts, sizes)


def joined_meshes(meshes: Sequence[Mesh | Surface]) -> Mesh:
    """One mesh with the cells of all, without their groups; of surfaces it has the vertices, so that numbers stay."""
    solid = [mesh for mesh in meshes if isinstance(mesh, Mesh)]
    if len({mesh.kind for mesh in solid}) > 1:
        raise ArgumentError(
            "cells of different kinds cannot be joined in one mesh; take those of the bodies one by one"
        )
    firsts = _firsts([len(mesh.vertices) for mesh in meshes])
    cells = np.concatenate([mesh.cells + first for mesh, first in zip(meshes, firsts) if isinstance(mesh, Mesh)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # vertices of surfaces belong to no cell
        return mesh_of(np.concatenate([mesh.vertices for mesh in meshes]), cells)


def joined_worn(meshes: Sequence[Mesh], each: Sequence[Worn]) -> Worn:
    """One worn surface on the vertices of all meshes."""
    firsts = _firsts([len(one.surface.vertices) for one in each])
    cells = _firsts([mesh.cell_count for mesh in meshes])
    return Worn(
        Surface(
            np.concatenate([one.surface.vertices for one in each]),
            np.concatenate([one.surface.triangles + first for one, first in zip(each, firsts)]),
        ),
        Embedding(
            sp.block_diag([one.embedding.rows for one in each], format="csr"),
            np.concatenate([one.embedding.cells + first for one, first in zip(each, cells)]),
            np.concatenate([one.embedding.outside for one in each]),
        ),
    )


def bare(mesh: Mesh, triangles: Ids) -> Worn:
    """The surface of a mesh itself, worn vertex by vertex."""
    n = mesh.vertex_count
    cells = np.zeros(n, dtype=np.int64)
    cells[mesh.cells.ravel()] = np.repeat(np.arange(mesh.cell_count), mesh.cells.shape[1])
    surface = Surface(mesh.vertices, triangles)
    return Worn(surface, Embedding(sp.identity(n, format="csr"), cells, np.zeros(n, dtype=bool)))


def _firsts(counts: Sequence[int]) -> Ids:
    return np.cumsum([0, *counts[:-1]]).astype(np.int64)


def points_of_bodies(points: Points, poses: Sequence[Pose]) -> list[tuple[Ids, Points]]:
    """Of every body, which of the points (k,) are its own, and these as points of its own pose."""
    parts = np.cumsum([0, *(pose.part_count for pose in poses)])
    firsts = np.cumsum([0, *(len(pose.flat) for pose in poses)])
    body = np.searchsorted(parts, points.frames[points.tables.start[:-1]], side="right") - 1
    split = []
    for k, pose in enumerate(poses):
        ids = np.flatnonzero(body == k)
        chosen = selected_points(points.tables, points.offsets, ids)
        frame, chain = chosen.tables.frame - parts[k], chosen.tables.chain - firsts[k]
        tables = chosen.tables._replace(frame=frozen(frame), chain=frozen(chain))
        split.append((ids, Points(tables, points.measure[ids], pose.offsets)))
    return split


def joined_points(own: Sequence[tuple[Ids, Points]], poses: Sequence[Pose], count: int) -> Points:
    """The points of all bodies as points of the joined pose; of each body, which of the `count` points are its own."""
    tables = [points.tables for _, points in own]

    def shifted(name: str, sizes: Sequence[int]) -> Any:
        firsts = np.cumsum([0, *sizes[:-1]])
        arrays = (getattr(table, name) for table in tables)
        return np.concatenate([np.where(array < 0, array, array + first) for array, first in zip(arrays, firsts)])

    entries = np.concatenate([[0], *(np.diff(table.start) for table in tables)])
    U, omega = ([getattr(table, name) for table in tables] for name in ("U", "omega"))
    joined = SkinTables(
        np.cumsum(entries),
        shifted("part", [len(table.frame) for table in tables]),
        np.concatenate([table.weights for table in tables]),
        np.concatenate([table.X for table in tables]),
        shifted("rows", [len(rows) for rows in U]),
        shifted("turns", [len(rows) for rows in omega]),
        np.concatenate(U),
        np.concatenate(omega),
        shifted("frame", [pose.part_count for pose in poses]),
        shifted("first", [len(table.chain) for table in tables]),
        np.concatenate([table.size for table in tables]),
        shifted("chain", [len(pose.flat) for pose in poses]),
    )
    order = np.empty(count, dtype=np.int64)
    order[np.concatenate([ids for ids, _ in own])] = np.arange(count)
    frozen_tables = SkinTables._make([frozen(array) for array in joined])
    return selected_points(frozen_tables, joined_poses(poses).offsets, order)
