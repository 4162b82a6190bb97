"""Skin: pose -> vertices, and its transpose, forces on vertices -> forces on the pose."""

from pliant.skin.pose import Pose
from pliant.skin.rotation_strain import RotationStrainWarp
from pliant.skin.skin import PartLoad, Skin, SkinPart, plain_skin
from pliant.skin.warp import warp

__all__ = ["PartLoad", "Pose", "RotationStrainWarp", "Skin", "SkinPart", "plain_skin", "warp"]
