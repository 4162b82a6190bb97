"""Mesh: space: read, write, shapes, voxelise, tetrahedralise, split, embed."""

from pliant.mesh import sdf, shapes
from pliant.mesh.bones import Dab, Rig, Skeleton, bone_weights, curve_skeleton, read_rig, read_skeleton
from pliant.mesh.congruence import CongruentPieces, congruent_pieces
from pliant.mesh.domains import Domains, domains_of, labels_of_groups
from pliant.mesh.embedding import Embedding, embed
from pliant.mesh.files.reading import read_mesh
from pliant.mesh.mesh import Mesh
from pliant.mesh.parting import Parting
from pliant.mesh.sheet import Sheet
from pliant.mesh.splitting import split
from pliant.mesh.surface import Surface
from pliant.mesh.surface_input import read_surface
from pliant.mesh.tetrahedralisation import tetrahedralise
from pliant.mesh.voxelisation import voxelise

__all__ = [
    "CongruentPieces",
    "Dab",
    "Domains",
    "Embedding",
    "Mesh",
    "Parting",
    "Rig",
    "Sheet",
    "Skeleton",
    "Surface",
    "bone_weights",
    "congruent_pieces",
    "curve_skeleton",
    "domains_of",
    "embed",
    "labels_of_groups",
    "read_mesh",
    "read_rig",
    "read_skeleton",
    "read_surface",
    "sdf",
    "shapes",
    "split",
    "tetrahedralise",
    "voxelise",
]
