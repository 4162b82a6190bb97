"""Bones in a mesh: skeletons, rigs of artists, and how much each bone moves every vertex."""

from pliant.mesh.bones.armature import Armature
from pliant.mesh.bones.clip import Clip
from pliant.mesh.bones.curve_skeleton import curve_skeleton
from pliant.mesh.bones.painting import Dab
from pliant.mesh.bones.rig import Rig, read_rig
from pliant.mesh.bones.skeleton import Skeleton, read_skeleton
from pliant.mesh.bones.weights import bone_weights

__all__ = [
    "Armature",
    "Clip",
    "Dab",
    "Rig",
    "Skeleton",
    "bone_weights",
    "curve_skeleton",
    "read_rig",
    "read_skeleton",
]
