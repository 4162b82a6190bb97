"""Mesh: space: read, write, shapes, voxelise, tetrahedralise, split, embed."""

from pliant.mesh import shapes
from pliant.mesh.files.reading import read_mesh
from pliant.mesh.mesh import Mesh
from pliant.mesh.surface import Surface

__all__ = ["Mesh", "Surface", "read_mesh", "shapes"]
