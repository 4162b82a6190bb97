"""The surfaces that functions accept: a Surface, a path, or vertices and triangles."""

from os import PathLike

from numpy.typing import ArrayLike

from pliant.errors import ArgumentError
from pliant.mesh.files.surface_files import read_triangles
from pliant.mesh.surface import Surface

SurfaceLike = Surface | str | PathLike[str] | tuple[ArrayLike, ArrayLike]


def read_surface(path: str | PathLike[str]) -> Surface:
    """The triangles of a .obj, .off, .ply or .stl file; polygons are cut into triangles, nothing is merged.

    Raises:
        FileError: the file is missing, damaged or of an unknown kind.
        MeshError: it holds no triangles.
    """
    return Surface(*read_triangles(path))


def as_surface(surface: SurfaceLike) -> Surface:
    """`surface` as a Surface."""
    if isinstance(surface, Surface):
        return surface
    if isinstance(surface, str | PathLike):
        return read_surface(surface)
    if isinstance(surface, tuple | list) and len(surface) == 2:
        return Surface(*surface)
    given = type(surface).__name__
    raise ArgumentError(f"surface must be a Surface, a path, or a pair (vertices, triangles); {given} was given")
