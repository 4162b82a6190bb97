"""How kinds of systems say what `pliant compare` runs a scene on: each method makes another scene of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pliant.errors import ArgumentError

if TYPE_CHECKING:
    from pliant.scenes.scene import Scene

Method = Callable[["Scene"], "Scene"]


def on_its_part(scene: Scene, **keys: Any) -> list[dict[str, Any]]:
    """Keys of the part of its body, as `Scene.changed` merges them."""
    return [{}] * scene.bodies[0].number + [keys]


def check_parts(scene: Scene, purpose: str) -> None:
    """A tree or seams need more than one part."""
    if not scene.bodies[0].has_parts:
        raise ArgumentError(
            f"{scene.name} has no parts to {purpose}; cut its part (cut = 8), or give its mesh cell groups"
        )


def reductions(scene: Scene) -> list[str]:
    """The full model and the reduced ones that suit the material of a part."""
    model = scene.bodies[0].part.material.model
    return {"stvk": ["full", "cubic", "modes", "linear"], "linear": ["full", "linear"]}.get(model, ["full", "cubature"])
