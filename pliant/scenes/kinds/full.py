"""Unreduced solids from a scene."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pliant.numerics.progress import Progress
from pliant.scenes.bodies import Body
from pliant.scenes.kinds.comparing import reductions
from pliant.scenes.kinds.kind import Kind
from pliant.scenes.schema import SceneFile
from pliant.systems import Full
from pliant.systems.system import CONVERGED

if TYPE_CHECKING:
    from pliant.scenes.scene import Scene


def build_full(scene: SceneFile, body: Body, _progress: Progress) -> Full:
    """The solid of a body as it is."""
    kind: Literal["explicit", "implicit"] = "explicit" if scene.integrator == "explicit" else "implicit"
    newton, law = scene.newton or CONVERGED, scene.damping_law
    return Full(body.solid, scene.dt, scene.damping, scene.gravity, newton, kind, law)


def _can_do_it(scene: SceneFile) -> None:
    if scene.integrator in ("static", "exact") or scene.precision == "single":
        raise ValueError('system = "full" is implicit or explicit, in double precision')


def _converged(scene: Scene) -> Scene:
    # The truth is run to convergence in double precision, whatever the scene does for speed.
    return scene.with_system("full", newton=None, integrator="implicit", precision="double")


FULL = Kind(
    "full",
    build_full,
    accepts=frozenset({"wind", "hold", "newton", "integrator", "start", "damping_law"}),
    check=_can_do_it,
    comparisons={"full": _converged},
    compared=reductions,
)
