"""Parts joined in the way that fits them, from a scene: its cut, its cell groups, or where it is narrow."""

from pliant.mesh import labels_of_groups, split
from pliant.numerics.progress import Progress
from pliant.scenes.bodies import Body
from pliant.scenes.kinds.kind import Kind
from pliant.scenes.schema import SceneFile
from pliant.systems import System, assemble


def build_assembled(scene: SceneFile, body: Body, progress: Progress) -> System:
    """The solid of a body in parts; without a cut and without cell groups, in those of `pl.split`."""
    labels = body.labels
    if labels is None:
        labels = labels_of_groups(body.mesh)[0] if len(body.mesh.cell_groups) > 1 else split(body.mesh)
    given = (body.solid, labels)
    return assemble(*given, dt=scene.dt, damping=scene.damping, gravity=scene.gravity, progress=progress)


ASSEMBLED = Kind("assembled", build_assembled, accepts=frozenset({"wind", "hold"}))
