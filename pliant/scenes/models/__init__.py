"""Models of our own that scenes are made with, each a signed-distance solid in a file of its own."""

from collections.abc import Callable

from pliant.mesh import Mesh
from pliant.scenes.models.bridge import bridge
from pliant.scenes.models.heart import heart
from pliant.scenes.models.tower import tower

MODELS: dict[str, Callable[..., Mesh]] = {"bridge": bridge, "heart": heart, "tower": tower}

__all__ = ["MODELS", "bridge", "heart", "tower"]
