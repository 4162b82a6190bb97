"""Unreduced solids from a scene."""

from typing import Literal

from pliant.numerics.progress import Progress
from pliant.scenes.bodies import Body
from pliant.scenes.kinds.kind import Kind
from pliant.scenes.schema import SceneFile
from pliant.systems import Full

TRUE_NEWTON = 30


def build_full(scene: SceneFile, body: Body, _progress: Progress) -> Full:
    """The solid of a body as it is."""
    kind: Literal["explicit", "implicit"] = "explicit" if scene.integrator == "explicit" else "implicit"
    newton = scene.newton or TRUE_NEWTON
    return Full(body.solid, scene.dt, damping=scene.damping, gravity=scene.gravity, newton=newton, integrator=kind)


def _can_do_it(scene: SceneFile) -> None:
    if scene.integrator in ("static", "exact") or scene.precision == "single":
        raise ValueError('system = "full" is implicit or explicit, in double precision')


FULL = Kind("full", build_full, accepts=frozenset({"wind", "hold", "newton", "integrator", "start"}), check=_can_do_it)
