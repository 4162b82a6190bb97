"""Parts joined in the way that fits them, from a scene: its cut, its cell groups, or where it is narrow."""

from pliant.mesh import labels_of_groups, split
from pliant.numerics.progress import Progress
from pliant.scenes.bodies import Body
from pliant.scenes.kinds.kind import Kind
from pliant.scenes.schema import SceneFile
from pliant.systems import System, assemble


def build_assembled(scene: SceneFile, body: Body, progress: Progress) -> System:
    """The solid of a body in parts; without a cut and without cell groups, in those of `pl.split`.

    A tolerance for which its basis is chosen is that of the parts.
    """
    labels = body.labels
    if labels is None:
        labels = labels_of_groups(body.mesh)[0] if len(body.mesh.cell_groups) > 1 else split(body.mesh)
    basis = body.part.basis
    tolerance = basis.tolerance if basis.kind == "chosen" and "tolerance" in basis.model_fields_set else None
    return assemble(
        body.solid,
        labels,
        dt=scene.dt,
        damping=scene.damping,
        gravity=scene.gravity,
        tolerance=tolerance,
        progress=progress,
    )


ASSEMBLED = Kind("assembled", build_assembled, accepts=frozenset({"wind", "hold"}))
