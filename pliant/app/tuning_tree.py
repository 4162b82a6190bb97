"""Tunes trees of parts."""

from dataclasses import replace
from typing import Any, cast

import numpy as np

from pliant.app.response import VertexPlace, one_step_response
from pliant.app.tuning import Settings, Tuner
from pliant.app.tuning_wind import wind_speed, with_speed
from pliant.errors import Diverged
from pliant.systems import Tree

SLOW = 1.0  # [s]: a step so long that inertia hardly counts
PROBE = 1e-4  # sizes of the tree: how far a probing force may move the vertex


class TreeTuner(Tuner[Tree]):
    """Damping, gravity, wind and step; the stiffness of all limbs as their frequencies, without precomputation."""

    tunable = ("stiffness", "alpha", "beta", "gravity", "dt", "wind")
    in_place = ("dt", "wind")

    def settings(self, system: Tree) -> Settings:
        x, y, z = (float(g) for g in system.gravity)
        vectors, wind = len(system.q), wind_speed(system.wind)
        return Settings(1.0, system.alpha, system.beta, (x, y, z), vectors, system.dt, wind=wind)

    def tuned(self, base: Tree, settings: Settings) -> Tree:
        limbs = base.limbs
        if settings.stiffness != 1.0:
            faster = np.sqrt(settings.stiffness)
            limbs = [replace(limb, stiffening=faster * limb.stiffening) for limb in limbs]
        return Tree(
            limbs,
            settings.dt,
            cast(Any, base.inertia),
            (settings.alpha, settings.beta),
            settings.gravity,
            base.passes,
            base.free,
            with_speed(base.wind, settings.wind),
            [part.vertices for part in base.body.parts],
            base.body.triangles,
        )

    def adjust(self, system: Tree, settings: Settings) -> None:
        system.dt, system.wind = settings.dt, with_speed(system.wind, settings.wind)

    def compliance(self, system: Tree, vertex: int) -> float | None:
        """What one long step from standstill gives in to; frames follow late, so it is up to a few times too small."""
        start, dt = system.state(), system.dt
        size = float(np.ptp(system.vertices(), axis=0).max())
        try:
            system.restore({**start, "v": 0 * start["v"], "a": 0 * start["a"]})
            system.dt = SLOW
            return one_step_response(system, VertexPlace(system, vertex), vertex, PROBE * size) or None
        except Diverged:
            return None
        finally:
            system.dt = dt
            system.restore(start)
