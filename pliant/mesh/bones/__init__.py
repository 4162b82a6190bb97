"""Bones in a mesh: skeletons, and how much each bone moves every vertex."""

from pliant.mesh.bones.skeleton import Skeleton, read_skeleton
from pliant.mesh.bones.weights import bone_weights

__all__ = ["Skeleton", "bone_weights", "read_skeleton"]
