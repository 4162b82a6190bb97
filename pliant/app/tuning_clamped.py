"""Tunes one reduced part that is fixed to the ground."""

from typing import Any, cast

import numpy as np
import scipy.linalg

from pliant.app.tuning import Resketched, Settings, Tuner, Vibrations
from pliant.basis import sketch_basis
from pliant.errors import Array
from pliant.numerics.progress import Report
from pliant.reduced import ReducedModel, reduce
from pliant.systems import Clamped, System
from pliant.systems.system import State


class ClampedTuner(Tuner[Clamped]):
    """All settings; none needs new precomputation."""

    tunable = ("stiffness", "alpha", "beta", "gravity", "vectors", "dt", "newton")
    can_sketch = True

    def settings(self, system: Clamped) -> Settings:
        x, y, z = (float(g) for g in system.gravity)
        return Settings(1.0, system.alpha, system.beta, (x, y, z), system.model.size, system.dt, system.newton)

    def tuned(self, base: Clamped, settings: Settings) -> Clamped:
        model = base.model.truncate(settings.vectors)
        if settings.stiffness != 1.0:
            model = model.with_material(young=settings.stiffness * model.groups.young)
        return _like(base, model, settings)

    def carried(self, state: State, target: System) -> State:
        """Coordinates that one of them lacks are zero."""
        size = len(target.pose().flat)
        return {name: resized(value, size) if isinstance(value, np.ndarray) else value for name, value in state.items()}

    def vibrations(self, system: Clamped) -> Vibrations:
        eigenvalues, vectors = scipy.linalg.eigh(system.model.stiffness(), system.model.mass)
        return Vibrations(np.sqrt(np.maximum(eigenvalues, 0)) / (2 * np.pi), vectors.T)

    def compliance(self, system: Clamped, vertex: int) -> float | None:
        """Largest eigenvalue of U_v K^-1 U_v^T."""
        pose, skin = system.pose(), system.skin or system.body
        rows = np.array([skin.gather_at(pose, [vertex], axis[None]).flat for axis in np.eye(3)])
        moved = rows @ np.linalg.solve(system.model.stiffness(), rows.T)
        return float(np.linalg.eigvalsh(moved)[-1])

    def sketched(self, base: Clamped, loads: Array, progress: Report) -> Resketched:
        """As many vectors as before, or as many as the pulls span."""
        solid = base.model.solid
        basis = sketch_basis(solid, loads, progress=progress)
        basis = basis.truncate(min(basis.size, base.model.size))
        model = reduce(solid, basis, base.model.force_law.kind, progress)
        U = basis.vectors
        projection = np.linalg.solve(U.T @ (solid.mass @ U), U.T @ (solid.mass @ base.model.U))
        return Resketched(_like(base, model, self.settings(base)), projection)


def _like(base: Clamped, model: ReducedModel, settings: Settings) -> Clamped:
    damping, integrator = (settings.alpha, settings.beta), cast(Any, base.integrator)
    return Clamped(model, settings.dt, damping, settings.gravity, settings.newton, integrator, base.dtype)


def resized(array: Array, size: int) -> Array:
    """The first `size` entries, zeros where there are fewer."""
    result = np.zeros(size)
    result[: min(size, len(array))] = array[:size]
    return result
