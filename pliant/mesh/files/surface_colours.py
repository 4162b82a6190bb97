"""Colours of the triangles of a surface file: of its faces, its vertices, its textures or its materials.

One colour a triangle is what pliant draws and writes; a texture is averaged over each triangle.
"""

from os import PathLike
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from pliant.errors import Array, Ids
from pliant.mesh.files.surface_files import load_pieces
from pliant.mesh.packages import imported

LEVELS = 31  # steps of red, green and blue: palettes stay small
UNPAINTED = (0.5, 0.66, 0.74)  # pieces without a colour among painted ones
SAME = 1e-5  # of the size: triangles whose centres are nearer are one
WHERE = np.array([[4, 4, 4], [8, 2, 2], [2, 8, 2], [2, 2, 8], [5, 5, 2], [5, 2, 5], [2, 5, 5]]) / 12  # in a triangle


def read_colours(path: str | PathLike[str], vertices: Array, triangles: Ids) -> Array | None:
    """(t, 3) red, green, blue from 0 to 1 of triangles that were read from the file; None where it has no colours."""
    pieces = load_pieces(path, materials=True)
    found = [_colours(piece) for piece in pieces]
    if all(colours is None for colours in found):
        return None
    filled = [
        np.tile(UNPAINTED, (len(piece.faces), 1)) if colours is None else colours
        for piece, colours in zip(pieces, found)
    ]
    centres = np.concatenate([piece.vertices[piece.faces].mean(axis=1) for piece in pieces])
    wanted = vertices[triangles].mean(axis=1)
    far, nearest = cKDTree(centres).query(wanted)
    if far.max() > SAME * np.ptp(centres, axis=0).max():  # triangles were cut in another way
        return None
    return np.round(np.concatenate(filled)[nearest] * LEVELS) / LEVELS


def _colours(piece: Any) -> Array | None:
    """(t, 3) of a mesh of trimesh."""
    visual = piece.visual
    if visual.kind == "face":
        return np.asarray(visual.face_colors)[:, :3] / 255
    if visual.kind == "vertex":
        return np.asarray(visual.vertex_colors)[piece.faces, :3].mean(axis=1) / 255
    return _textured(piece) if visual.kind == "texture" else None


def _textured(piece: Any) -> Array | None:
    visuals, material, uv = imported("trimesh", "reading surfaces").visual, piece.visual.material, piece.visual.uv
    image = getattr(material, "baseColorTexture", None) or getattr(material, "image", None)
    if image is not None and image.tobytes() == visuals.material.empty_material().image.tobytes():
        return None  # what trimesh has where a file names no material
    if image is not None and uv is not None and len(uv) == len(piece.vertices):
        points = np.einsum("sk,tkd->tsd", WHERE, np.asarray(uv)[piece.faces])
        colours = np.asarray(visuals.color.uv_to_color(points.reshape(-1, 2), image))[:, :3]
        return colours.reshape(len(piece.faces), len(WHERE), 3).mean(axis=1) / 255
    plain, unsaid = (np.asarray(each.main_color)[:3] for each in (material, visuals.material.SimpleMaterial()))
    return None if np.array_equal(plain, unsaid) else np.tile(plain / 255, (len(piece.faces), 1))
