"""From a scene and its solid to a system; a new kind of system is a line in the table here."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import numpy as np

from pliant.errors import ArgumentError
from pliant.fem import Solid
from pliant.numerics.progress import Progress
from pliant.scenes.part_building import build_model
from pliant.scenes.schema import SceneFile
from pliant.scenes.system_building_seams import build_seams
from pliant.scenes.system_building_tree import build_tree
from pliant.systems import Clamped, Full, System

TRUE_NEWTON = 30


def build_system(scene: SceneFile, solid: Solid, folder: Path, progress: Progress = None) -> System:
    """The system of a scene whose part is `solid`; files are looked up in `folder`."""
    return SYSTEMS[scene.system](scene, solid, folder, progress)


def _clamped(scene: SceneFile, solid: Solid, folder: Path, progress: Progress) -> System:
    if not len(solid.fixed):
        raise ArgumentError('part[0].fixed is missing: a clamped system needs vertices that are held, e.g. "y < 0.01"')
    model = build_model(scene.part[0], solid, folder, progress)
    return Clamped(
        model,
        scene.dt,
        damping=scene.damping,
        gravity=scene.gravity,
        newton=scene.newton or 1,
        integrator=scene.integrator,
        dtype=np.float32 if scene.precision == "single" else np.float64,
    )


def _full(scene: SceneFile, solid: Solid, _folder: Path, _progress: Progress) -> System:
    kind: Literal["explicit", "implicit"] = "explicit" if scene.integrator == "explicit" else "implicit"
    newton = scene.newton or TRUE_NEWTON
    return Full(solid, scene.dt, damping=scene.damping, gravity=scene.gravity, newton=newton, integrator=kind)


SYSTEMS: dict[str, Callable[[SceneFile, Solid, Path, Progress], System]] = {
    "clamped": _clamped,
    "tree": build_tree,
    "seams": build_seams,
    "full": _full,
}
