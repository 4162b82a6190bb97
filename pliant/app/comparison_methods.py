"""The models that a scene can be compared on: each makes another scene of it; a new one is a line in the table."""

from collections.abc import Callable
from typing import Any

from pliant.errors import ArgumentError
from pliant.scenes import Scene
from pliant.scenes.kinds.seams import SeamsTable
from pliant.scenes.kinds.tree import TreeTable

CONVERGED = 30  # Newton iterations at most


def _on_its_part(scene: Scene, **keys: Any) -> list[dict[str, Any]]:
    """Keys of the part of its body, as `Scene.changed` merges them."""
    return [{}] * scene.bodies[0].number + [keys]


def _full(scene: Scene) -> Scene:
    # The truth is run to convergence in double precision, whatever the scene does for speed.
    return scene.with_system("full", newton=None, integrator="implicit", precision="double")


def _reduced(force: str, modes_alone: bool = False) -> Callable[[Scene], Scene]:
    def changed(scene: Scene) -> Scene:
        basis = scene.bodies[0].part.basis.model_dump()
        if modes_alone:
            size = basis["modes"] if basis["size"] == "auto" else basis["size"]
            basis = {"kind": "modes", "size": size}
        return scene.with_system("clamped", part=_on_its_part(scene, basis=basis, force=force))

    return changed


def _modal_derivatives(scene: Scene) -> Scene:
    """Vibration modes and their derivatives, each step taken to convergence."""
    return _reduced("cubic")(scene).changed(newton=CONVERGED)


def _modal_warping(scene: Scene) -> Scene:
    """Warped vibration modes of the whole, as many as the basis of the part has: seams without a seam."""
    basis = scene.bodies[0].part.basis
    size = basis.modes if basis.size == "auto" else basis.size
    seams = {"columns": size, "internal": "normal", "projection": scene.file.table(SeamsTable).projection}
    return scene.with_system("seams", seams=seams, part=_on_its_part(scene, cut=1))


def _seams(soft: bool) -> Callable[[Scene], Scene]:
    """As the scene says, or with rigid interfaces instead of soft ones."""

    def changed(scene: Scene) -> Scene:
        _check_parts(scene, "couple")
        seams = scene.file.table(SeamsTable).model_dump()
        return scene.with_system("seams", seams=seams if soft else {**seams, "soft": 0, "tolerance": None})

    return changed


def _nonlinear_seams(scene: Scene) -> Scene:
    """The same parts with cubic forces, with the columns that they have by default."""
    _check_parts(scene, "couple")
    return scene.with_system("seams", seams={"force": "cubic"}, newton=None)


def _tree(inertia: str | None = None) -> Callable[[Scene], Scene]:
    """With the scene's inertia, or another. L1 and L2 blow up with little damping, so they have at least their own."""

    def changed(scene: Scene) -> Scene:
        _check_parts(scene, "make a tree of")
        tree = {**scene.file.table(TreeTable).model_dump(), **({} if inertia is None else {"inertia": inertia})}
        made = scene.with_system("tree", tree=tree)
        if inertia in (None, "full"):
            return made
        alpha, beta = scene.file.damping
        return made.changed(damping=(alpha, max(beta, made.build().steady_damping[1])))

    return changed


def _check_parts(scene: Scene, purpose: str) -> None:
    if not has_parts(scene):
        raise ArgumentError(
            f"{scene.name} has no parts to {purpose}; cut its part (cut = 8), or give its mesh cell groups"
        )


def has_parts(scene: Scene) -> bool:
    """Can it be a tree, or have seams?"""
    return scene.assembly is not None or bool(scene.bodies[0].part.cut or scene.bodies[0].shape.cell_groups)


def _full_can(scene: Scene) -> bool:
    """Does the unreduced solid know all that acts in the scene? It has no hands, wind or throw."""
    file = scene.file
    starts = [getattr(file, file.system, None), *file.body]
    thrown = any(any(getattr(start, key, ())) for start in starts for key in ("velocity", "spin"))
    return scene.assembly is None and not (file.hold or file.turn or file.wind or thrown)


def usual_methods(scene: Scene) -> list[str]:
    """What suits the scene's system and material."""
    truth = ["full"] if _full_can(scene) else []
    if scene.file.system == "tree":
        return [*truth, "tree-full", "tree-L2", "tree-L1"]
    if scene.file.system == "seams":
        return [*truth, "seams-soft", "seams"]
    model = scene.bodies[0].part.material.model
    return {"stvk": ["full", "cubic", "modes", "linear"], "linear": ["full", "linear"]}.get(model, ["full", "cubature"])


METHODS: dict[str, Callable[[Scene], Scene]] = {
    "full": _full,
    "cubic": _reduced("cubic"),
    "cubature": _reduced("cubature"),
    "modes": _reduced("cubic", modes_alone=True),
    "linear": _reduced("linear", modes_alone=True),
    "modal-derivatives": _modal_derivatives,
    "modal-warping": _modal_warping,
    "seams": _seams(soft=False),
    "seams-soft": _seams(soft=True),
    "seams-nonlinear": _nonlinear_seams,
    "tree": _tree(),
    "tree-L1": _tree("L1"),
    "tree-L2": _tree("L2"),
    "tree-full": _tree("full"),
}
