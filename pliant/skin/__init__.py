"""Skin: pose -> vertices, and its transpose, forces on vertices -> forces on the pose."""

from pliant.skin.embedded import Worn, embedded_skin, wear
from pliant.skin.loads import Loads, PartLoad
from pliant.skin.points import Points
from pliant.skin.pose import Pose
from pliant.skin.rates import Rates
from pliant.skin.rotation_strain import RotationStrainWarp
from pliant.skin.skin import Skin, SkinPart, plain_skin
from pliant.skin.warp import warp

__all__ = [
    "Loads",
    "PartLoad",
    "Points",
    "Pose",
    "Rates",
    "RotationStrainWarp",
    "Skin",
    "SkinPart",
    "Worn",
    "embedded_skin",
    "plain_skin",
    "warp",
    "wear",
]
