"""Seams from a scene: the parts are the cell groups of the mesh, or a cut of it."""

from pathlib import Path

from pliant.errors import Ids
from pliant.fem import Solid
from pliant.mesh import split
from pliant.mesh.domains import labels_of_groups
from pliant.scenes.cooking import Progress
from pliant.scenes.schema import Part, SceneFile
from pliant.scenes.serving_wind import wind_of
from pliant.systems import Seams, couple


def cook_labels(part: Part, solid: Solid) -> Ids:
    """(m,) the part number of every cell."""
    return labels_of_groups(solid.mesh)[0] if part.cut is None else split(solid.mesh, part.cut)


def serve_seams(scene: SceneFile, solid: Solid, _folder: Path, progress: Progress) -> Seams:
    """The solid of a scene, its parts coupled by their interfaces."""
    wanted = scene.seams
    system = couple(
        solid,
        cook_labels(scene.part[0], solid),
        wanted.soft,
        wanted.order,
        dt=scene.dt,
        damping=scene.damping,
        gravity=scene.gravity,
        internal=wanted.internal,
        trace=wanted.trace,
        projection=wanted.projection,
        progress=progress,
    )
    system.wind = wind_of(scene)
    return system
