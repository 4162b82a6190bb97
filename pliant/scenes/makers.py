"""The shapes and assemblies that scene files may name: the ready-made ones and our models."""

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

from pliant.mesh import Mesh, shapes
from pliant.scenes.models import ASSEMBLIES, MODELS

READY_MADE = ("bar", "box", "spoon", "sphere", "cylinder", "torus", "sheet")
MAKERS: dict[str, Callable[..., Mesh]] = {name: getattr(shapes, name) for name in READY_MADE} | MODELS

__all__ = ["ASSEMBLIES", "MAKERS", "MODELS", "model_recipe"]


@cache
def model_recipe() -> str:
    """SHA-256 of the code of our models: other code may make another mesh."""
    digest = hashlib.sha256()
    for source in sorted((Path(__file__).parent / "models").glob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()
