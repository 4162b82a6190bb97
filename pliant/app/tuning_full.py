"""Tunes the unreduced solid."""

from dataclasses import replace
from typing import Any, cast

import numpy as np

from pliant.app.tuning import Settings, Tuner, Vibrations
from pliant.basis import vibration_modes
from pliant.fem import Solid
from pliant.systems import Full

MODES = 10
TOO_MANY = 60_000  # unknowns: beyond this, modes take longer than a person waits


class FullTuner(Tuner[Full]):
    """Everything but the number of vectors, which it has none of."""

    tunable = ("stiffness", "alpha", "beta", "gravity", "dt", "newton")

    def settings(self, system: Full) -> Settings:
        x, y, z = (float(g) for g in system.gravity)
        return Settings(1.0, system.alpha, system.beta, (x, y, z), len(system.u), system.dt, system.newton)

    def tuned(self, base: Full, settings: Settings) -> Full:
        solid = base.solid
        if settings.stiffness != 1.0:
            material = replace(solid.material, young=settings.stiffness * np.asarray(solid.material.young))
            solid = Solid(solid.mesh, material, solid.fixed)
        damping = (settings.alpha, settings.beta)
        return Full(solid, settings.dt, damping, settings.gravity, settings.newton, cast(Any, base.integrator))

    def vibrations(self, system: Full) -> Vibrations:
        if system.solid.dof_count > TOO_MANY:
            return super().vibrations(system)
        modes = vibration_modes(system.solid, min(MODES, len(system.solid.free) - 6))
        return Vibrations(modes.frequencies / (2 * np.pi), modes.vectors.T)
