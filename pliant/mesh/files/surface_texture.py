"""The texture of a surface file: an image, and where in it every corner of every triangle lies."""

import contextlib
import io
import warnings
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from pliant.errors import Array, Ids
from pliant.mesh.packages import imported

NAMED_BY = {".obj": b"mtllib", ".ply": b"TextureFile", ".glb": b'"images"', ".gltf": b'"images"'}
SAME = 1e-5  # of the size: triangles whose centres are nearer are one


@dataclass(frozen=True, eq=False)
class Texture:
    """An image and coordinates in it.

    Attributes:
        uv: (t, 3, 2) of the corners of the triangles, from 0 to 1, from the lower left; beyond, the image repeats.
        png: the image as a file.
    """

    uv: Array
    png: bytes


def read_texture(path: str | PathLike[str], vertices: Array, triangles: Ids) -> Texture | None:
    """Of triangles that were read from the file; None where it has no texture, or several."""
    piece = _textured_piece(Path(path))
    if piece is None or not len(triangles):
        return None
    corners, wanted = piece.vertices[piece.faces], vertices[triangles]
    far, nearest = cKDTree(corners.mean(axis=1)).query(wanted.mean(axis=1))
    if far.max() > SAME * np.ptp(piece.vertices, axis=0).max():
        return None
    # The corners of a triangle may begin elsewhere.
    apart = np.linalg.norm(wanted[:, :, None] - corners[nearest][:, None], axis=-1)
    uv = np.asarray(piece.visual.uv, dtype=np.float64)[piece.faces[nearest]]
    placed = np.take_along_axis(uv, apart.argmin(axis=2)[:, :, None], axis=1)
    return Texture(placed, _bytes(_image(piece)))


def _textured_piece(path: Path) -> Any:
    """The mesh of trimesh in a file that is one piece with one picture."""
    if not _names_a_picture(path):
        return None
    trimesh = imported("trimesh", "reading surfaces")
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            content = trimesh.load(path, process=False)
            pieces = content.dump() if isinstance(content, trimesh.Scene) else [content]
    except Exception:  # what is wrong with the file is said where its triangles are read
        return None
    found = [piece for piece in pieces if len(getattr(piece, "faces", ()))]
    if len(found) != 1 or found[0].visual.kind != "texture" or found[0].visual.uv is None:
        return None
    image, nothing = _image(found[0]), trimesh.visual.material.empty_material().image
    unsaid = image is not None and image.tobytes() == nothing.tobytes()  # what trimesh has where a file names none
    fits = len(found[0].visual.uv) == len(found[0].vertices)
    return None if image is None or unsaid or not fits else found[0]


def _names_a_picture(path: Path) -> bool:
    """Could a file have a texture? Most have none, and need not be read a second time."""
    word = NAMED_BY.get(path.suffix.lower())
    return word is not None and word in path.read_bytes()


def _image(piece: Any) -> Any:
    material = piece.visual.material
    return getattr(material, "baseColorTexture", None) or getattr(material, "image", None)


def _bytes(image: Any) -> bytes:
    stream = io.BytesIO()
    image.convert("RGBA" if "A" in image.getbands() else "RGB").save(stream, format="PNG")
    return stream.getvalue()
