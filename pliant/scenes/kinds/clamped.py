"""Clamped parts from a scene."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pliant.basis import modal_basis
from pliant.errors import ArgumentError, Ids
from pliant.fem import Solid
from pliant.numerics.progress import COMPILING, Progress, report
from pliant.reduced import reduce
from pliant.scenes.bodies import Body
from pliant.scenes.kinds.comparing import Method, on_its_part, reductions
from pliant.scenes.kinds.kind import Kind
from pliant.scenes.model_building import build_model
from pliant.scenes.schema import SceneFile
from pliant.systems import Clamped, Wind
from pliant.systems.system import CONVERGED

if TYPE_CHECKING:
    from pliant.scenes.scene import Scene


def build_clamped(scene: SceneFile, body: Body, progress: Progress) -> Clamped:
    """The part of a body, reduced and fixed to the ground."""
    if not len(body.solid.fixed):
        raise ArgumentError(
            f'{body.place}.fixed is missing: a clamped system needs vertices that are held, e.g. "y < 0.01"'
        )
    model = build_model(body, progress)
    report(progress, COMPILING, 1.0)
    return Clamped(
        model,
        scene.dt,
        damping=scene.damping,
        gravity=scene.gravity,
        newton=scene.newton or CONVERGED,
        integrator=scene.integrator,
        dtype=np.float32 if scene.precision == "single" else np.float64,
        damping_law=scene.damping_law,
        warp=scene.warp,
    )


def _warm(solid: Solid, _labels: Ids) -> None:
    if len(solid.fixed):
        model = reduce(solid, modal_basis(solid, modes=1, size=2).truncate(2))  # crude, and not told of
        for dtype in (np.float64, np.float32):
            for newton in (1, CONVERGED):  # the second is what most scenes have compiled already
                part = Clamped(model, 0.01, (0.0, 0.001), newton=newton, dtype=dtype)  # trains what damps, too
                part.wind = Wind(np.array([1.0, 0.0, 0.0]))
                part.step()


def _reduced(force: str, modes_alone: bool = False) -> Method:
    def changed(scene: Scene) -> Scene:
        basis = scene.bodies[0].part.basis.model_dump()
        if modes_alone:
            size = basis["modes"] if basis["size"] == "auto" else basis["size"]
            basis = {"kind": "modes", "size": size}
        return scene.with_system("clamped", part=on_its_part(scene, basis=basis, force=force))

    return changed


def _rotation_strain(scene: Scene) -> Scene:
    return _reduced("linear", modes_alone=True)(scene).changed(warp="rotation-strain")


def _modal_derivatives(scene: Scene) -> Scene:
    """Vibration modes and their derivatives, each step taken to convergence."""
    return _reduced("cubic")(scene).changed(newton=CONVERGED)


METHODS: dict[str, Method] = {
    "cubic": _reduced("cubic"),
    "cubature": _reduced("cubature"),
    "modes": _reduced("cubic", modes_alone=True),
    "linear": _reduced("linear", modes_alone=True),
    "rotation-strain": _rotation_strain,
    "modal-derivatives": _modal_derivatives,
}
ACCEPTED = frozenset({"wind", "hold", "newton", "integrator", "precision", "start", "damping_law", "warp"})
CLAMPED = Kind(
    "clamped",
    build_clamped,
    None,
    ACCEPTED,
    warm=_warm,
    by_basis=True,
    comparisons=METHODS,
    compared=reductions,
    visits=True,
)
