"""The surfaces that functions accept: a Surface, a path, or vertices and triangles."""

from os import PathLike

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, MeshError
from pliant.mesh.files.surface_files import read_triangles
from pliant.mesh.surface import Surface

SurfaceLike = Surface | str | PathLike[str] | tuple[ArrayLike, ArrayLike]


def read_surface(path: str | PathLike[str]) -> Surface:
    """The triangles of a .obj, .off, .ply, .stl, .glb or .gltf file; polygons are cut into triangles.

    Nothing is merged, but for vertices of .glb and .gltf files that lie in one place.

    Raises:
        FileError: the file is missing, damaged or of an unknown kind.
        MeshError: it holds no triangles.
    """
    vertices, triangles = read_triangles(path)
    if not len(triangles):
        raise MeshError(f"{path} holds no triangles; get another file, or write it again")
    try:
        return Surface(vertices, triangles)
    except MeshError as error:
        raise MeshError(f"{path}: {error}; get another file, or write it again") from None


def as_surface(surface: SurfaceLike) -> Surface:
    """`surface` as a Surface that is larger than a point."""
    if isinstance(surface, str | PathLike):
        surface = read_surface(surface)
    if isinstance(surface, tuple | list) and len(surface) == 2:
        surface = Surface(*surface)
    if not isinstance(surface, Surface):
        given = type(surface).__name__
        raise ArgumentError(f"surface must be a Surface, a path, or a pair (vertices, triangles); {given} was given")
    if not np.ptp(surface.bounds, axis=0).any():
        raise MeshError("surface must have an extent; all its triangles lie in one point")
    return surface
