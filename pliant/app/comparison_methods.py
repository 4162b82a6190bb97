"""The models that a scene can be compared on: those that the kinds of systems name."""

from pliant.scenes import Scene
from pliant.scenes.kinds import SYSTEMS
from pliant.scenes.kinds.comparing import Method

TRUTH = "full"


def methods() -> dict[str, Method]:
    """Each makes another scene of one, by name."""
    return {name: method for kind in SYSTEMS.values() for name, method in kind.methods.items()}


def usual_methods(scene: Scene) -> list[str]:
    """What suits the scene's system and material, after the truth where it knows all that acts."""
    usual = SYSTEMS[scene.bodies[0].kind].usual(scene)
    return [TRUTH, *usual] if TRUTH not in usual and _truth_can(scene) else usual


def _truth_can(scene: Scene) -> bool:
    """Does the unreduced solid know all that acts in the scene? It has no hands, wind or throw."""
    file = scene.file
    starts = [getattr(file, scene.bodies[0].kind, None), *file.body]
    thrown = any(any(getattr(start, key, ())) for start in starts for key in ("velocity", "spin"))
    return scene.assembly is None and not (file.hold or file.turn or file.wind or thrown)
