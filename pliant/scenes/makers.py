"""The shapes and assemblies that scene files may name: the ready-made ones and our models."""

from collections.abc import Callable

from pliant.mesh import Mesh, shapes
from pliant.scenes.models import ASSEMBLIES, MODELS

READY_MADE = ("bar", "box", "spoon", "sphere", "cylinder", "torus")
MAKERS: dict[str, Callable[..., Mesh]] = {name: getattr(shapes, name) for name in READY_MADE} | MODELS

__all__ = ["ASSEMBLIES", "MAKERS"]
