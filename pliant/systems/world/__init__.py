"""World: free, held, rigid, kinematic and static bodies that touch, and characters made of them ([MC15])."""

from pliant.systems.world.body import Body
from pliant.systems.world.bones import Character, bones
from pliant.systems.world.haptics import Haptics
from pliant.systems.world.world import World

__all__ = ["Body", "Character", "Haptics", "World", "bones"]
