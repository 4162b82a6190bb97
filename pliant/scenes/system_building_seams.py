"""Seams from a scene: the parts are the cell groups of the mesh, or a cut of it."""

from pathlib import Path

from pliant.errors import Ids
from pliant.fem import Solid
from pliant.mesh import split
from pliant.numerics.progress import Progress
from pliant.scenes.schedule import hands_of
from pliant.scenes.schema import Part, SceneFile
from pliant.scenes.system_building_wind import wind_of
from pliant.systems import NonlinearSeams, Seams, System, couple, couple_nonlinear

CONVERGED = 10  # Newton iterations of nonlinear parts at most


def build_labels(part: Part, solid: Solid) -> Ids | None:
    """(m,) the part number of every cell; None: its cell groups."""
    return None if part.cut is None else split(solid.mesh, part.cut)


def build_seams(scene: SceneFile, solid: Solid, _folder: Path, progress: Progress) -> System:
    """The solid of a scene, its parts coupled by their interfaces, thrown as the scene says."""
    wanted = scene.seams
    system = _cubic(scene, solid, progress) if wanted.force == "cubic" else _linear(scene, solid, progress)
    system.wind = wind_of(scene)
    if any(wanted.velocity) or any(wanted.spin):
        system.launch(wanted.velocity, wanted.spin)
    return system


def _cubic(scene: SceneFile, solid: Solid, progress: Progress) -> NonlinearSeams:
    return couple_nonlinear(
        solid,
        build_labels(scene.part[0], solid),
        scene.seams.soft,
        scene.seams.derivatives,
        dt=scene.dt,
        damping=scene.damping,
        gravity=scene.gravity,
        newton=scene.newton or CONVERGED,
        progress=progress,
    )


def _linear(scene: SceneFile, solid: Solid, progress: Progress) -> Seams:
    wanted = scene.seams
    system = couple(
        solid,
        build_labels(scene.part[0], solid),
        wanted.soft,
        wanted.order,
        dt=scene.dt,
        damping=scene.damping,
        gravity=scene.gravity,
        internal=wanted.internal,
        columns=wanted.columns,
        trace=wanted.trace,
        projection=wanted.projection,
        progress=progress,
    )
    for hand in hands_of(scene, solid.mesh):
        hand.prepare(system)
    return system
