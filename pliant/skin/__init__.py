"""Skin: pose -> vertices, and its transpose, forces on vertices -> forces on the pose."""

from pliant.skin.pose import Pose

__all__ = ["Pose"]
