"""A texture: a picture, and where in it the corners of the triangles of a surface are."""

from dataclasses import dataclass

from pliant.errors import ArgumentError, Array, check_array

KINDS = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpeg"}  # by how files begin


@dataclass(frozen=True, eq=False)
class Texture:
    """For those who draw elsewhere: exporters hand it on, as it is.

    Attributes:
        uv: (t, 3, 2) places of the corners in the picture, from 0 to 1, u to the right and v up.
        image: the bytes of a .png or .jpeg file.
    """

    uv: Array
    image: bytes

    def __post_init__(self) -> None:
        object.__setattr__(self, "uv", check_array("uv of a texture", self.uv, (None, 3, 2)))
        if not any(self.image.startswith(begin) for begin in KINDS):
            raise ArgumentError("image of a texture must be the bytes of a .png or .jpeg file")

    def __repr__(self) -> str:
        return f"Texture({len(self.uv)} triangles, {self.kind} of {len(self.image)} bytes)"

    @property
    def kind(self) -> str:
        """Of its picture: png or jpeg."""
        return next(kind for begin, kind in KINDS.items() if self.image.startswith(begin))
