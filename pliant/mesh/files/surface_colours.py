"""Colours of the triangles of a surface file: of its faces, its vertices, its textures or its materials.

One colour a triangle is what pliant draws and writes; a texture is averaged over each triangle.
"""

from collections.abc import Sequence
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
    nearest = matched(pieces, vertices, triangles)
    return None if nearest is None else np.round(np.concatenate(filled)[nearest] * LEVELS) / LEVELS


def matched(pieces: Sequence[Any], vertices: Array, triangles: Ids) -> Ids | None:
    """Which of the faces of all pieces each triangle is; None where they were cut in another way."""
    centres = np.concatenate([piece.vertices[piece.faces].mean(axis=1) for piece in pieces])
    far, nearest = cKDTree(centres).query(vertices[triangles].mean(axis=1))
    return None if far.max() > SAME * np.ptp(centres, axis=0).max() else nearest


def image_of(piece: Any) -> Any | None:
    """The texture of a mesh of trimesh, an image of pillow; None where it has none, or no coordinates in it."""
    visual = piece.visual
    uv, material = getattr(visual, "uv", None), getattr(visual, "material", None)
    image = getattr(material, "baseColorTexture", None) or getattr(material, "image", None)
    return None if image is None or uv is None or len(uv) != len(piece.vertices) or _is_blank(image) else image


def _is_blank(image: Any) -> bool:
    """Is it what trimesh has where a file names no material?"""
    usual = imported("trimesh", "reading surfaces").visual.material.empty_material().image
    return bool(image.tobytes() == usual.tobytes())


def _colours(piece: Any) -> Array | None:
    """(t, 3) of a mesh of trimesh."""
    visual = piece.visual
    if visual.kind == "face":
        return np.asarray(visual.face_colors)[:, :3] / 255
    if visual.kind == "vertex":
        return np.asarray(visual.vertex_colors)[piece.faces, :3].mean(axis=1) / 255
    return _textured(piece) if visual.kind == "texture" else None


def _textured(piece: Any) -> Array | None:
    visuals, material, image = imported("trimesh", "reading surfaces").visual, piece.visual.material, image_of(piece)
    if image is not None:
        points = np.einsum("sk,tkd->tsd", WHERE, np.asarray(piece.visual.uv)[piece.faces])
        colours = np.asarray(visuals.color.uv_to_color(points.reshape(-1, 2), image))[:, :3]
        return colours.reshape(len(piece.faces), len(WHERE), 3).mean(axis=1) / 255
    blank = getattr(material, "image", None)
    plain, unsaid = (np.asarray(each.main_color)[:3] for each in (material, visuals.material.SimpleMaterial()))
    if (blank is not None and _is_blank(blank)) or np.array_equal(plain, unsaid):
        return None
    return np.tile(plain / 255, (len(piece.faces), 1))
