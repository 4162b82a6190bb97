"""The texture of a surface file: an image, and where in it every corner of every triangle lies."""

import io
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from pliant.errors import Array, Ids
from pliant.mesh.files.small_images import LARGEST
from pliant.mesh.files.surface_colours import image_of, matched
from pliant.mesh.files.surface_files import load_pieces


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
    pieces = load_pieces(path, materials=True)
    images = [image for image in map(image_of, pieces) if image is not None]
    if len(images) < len(pieces) or len({image.tobytes() for image in images}) != 1:
        return None
    nearest = matched(pieces, vertices, triangles)
    if nearest is None:
        return None
    corners = np.concatenate([piece.vertices[piece.faces] for piece in pieces])[nearest]
    uv = np.concatenate([np.asarray(piece.visual.uv)[piece.faces] for piece in pieces])[nearest]
    # The same triangle may begin at another corner.
    far = np.linalg.norm(vertices[triangles][:, :, None] - corners[:, None], axis=3)
    return Texture(np.take_along_axis(uv, far.argmin(axis=2)[:, :, None], axis=1), _png(images[0]))


def _png(image: Any) -> bytes:
    small = image.convert("RGB")
    small.thumbnail((LARGEST, LARGEST))
    stream = io.BytesIO()
    small.save(stream, "PNG")
    return stream.getvalue()
