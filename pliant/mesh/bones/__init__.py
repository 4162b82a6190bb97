"""Bones in a mesh: skeletons, rigs of artists, and how much each bone moves every vertex."""

from pliant.mesh.bones.armature import Armature
from pliant.mesh.bones.clip import Clip
from pliant.mesh.bones.rig import Rig, read_rig
from pliant.mesh.bones.skeleton import Skeleton, read_skeleton
from pliant.mesh.bones.weights import bone_weights

__all__ = ["Armature", "Clip", "Rig", "Skeleton", "bone_weights", "read_rig", "read_skeleton"]
