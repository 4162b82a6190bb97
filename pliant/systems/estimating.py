"""How far a system is from the solid that it stands for: it comes to rest under loads, and the full model looks at it.

    e = u* - u,   f(u*) = load,   error = max(pi |e|_M / |u|_M, |load . e| / |load . u*|)

u is where the system rests under a load, u* where the full model does that sets out from there. This asks nothing of a
system but to be pushed, stepped and looked at, so it is the same for all kinds, and sees all that they err by in space:
poor bases, interfaces that lock or gape, linear parts that are bent too far.

What nothing holds does not rest under a load: it is bent by the load less the inertia of the rigid motion that it sets
going, and only a little, so that what is left does not turn it; u* is linear then. This sees bases and interfaces.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pliant.basis import vibration_modes
from pliant.basis.columns import as_columns
from pliant.basis.response import StaticResponse
from pliant.basis.rigid import is_free, rigid_modes
from pliant.basis.size_report import GOOD
from pliant.basis.size_search import larger_error
from pliant.basis.typical_loads import SWINGING, bounded, held_out_loads
from pliant.basis.vibration import Modes
from pliant.errors import Array, Diverged, PliantWarning
from pliant.fem import Linear, Solid, solve_static
from pliant.numerics.progress import Progress, report
from pliant.reduced.cache import ROOMS, cached_arrays
from pliant.systems.system import System, untold

PER_PERIOD, SETTLING, MOST = 10, 20, 200  # steps of a first period, between two looks whether it rests, and at most
FINER = 4  # short steps in a long one
ROUGH = 1e-3  # of the load: what the full model may leave of it
STILL = 5e-3  # the way from one look to the next, over that from the start
LITTLE = 0.01  # of typical loads: what bends a free solid by a thousandth of its size does not turn it
ROUNDED = 1e-9  # of a load: what is left of one that does not bend


def estimate_errors(
    system: System, loads: ArrayLike | None = None, solid: Solid | None = None, progress: Progress = None
) -> Array:
    """Estimated relative errors (s,) of where a system rests under some loads; 1: nowhere.

    What swings is out of phase by about as much after a period. The system itself stays as it is.

    Args:
        system: of one solid. Where nothing holds it, errors are those of bends by up to a thousandth of its size.
        loads: (3n, s), (s, 3n) or (s, n, 3) [N]; None: pulls at the extremities, weight, and the inertia of low modes,
            which bend it by up to a tenth of its size.
        solid: that it stands for; None: its own. Trees have none.
        progress: called with a stage and the fraction of it that is done.
    """
    solid = system.solid if solid is None else solid
    given = None if loads is None else as_columns(solid, "loads", loads)
    return _estimated(system, solid, given, 1.0, progress)


def _estimated(system: System, solid: Solid, loads: Array | None, times: float, progress: Progress) -> Array:
    """As `estimate_errors`; typical loads so many times as large."""
    modes = vibration_modes(solid, min(SWINGING, solid.dof_count - 3 * len(solid.fixed)))
    columns = times * _typical(solid, modes) if loads is None else loads
    omega = float(modes.frequencies[0])
    calm = {"dt": 2 * np.pi / omega / PER_PERIOD, "damping": (2 * omega, 0.5 / omega), "gravity": np.zeros(3)}
    with untold():  # the step is long, on purpose
        still, errors = system.retuned(**calm, wind=None), list[float]()
    truth = _Flying(solid, columns) if is_free(solid) else _Standing(solid, columns)
    for number, load in enumerate(truth.loads.T):
        report(progress, "errors under typical loads", number / columns.shape[1])
        errors.append(_error(still, truth, number, load))
    report(progress, "errors under typical loads", 1.0)
    return np.array(errors)


class _Standing:
    """Where a held solid rests under loads (3n, s)."""

    def __init__(self, solid: Solid, loads: Array):
        self.solid, self.loads = solid, loads

    def bend(self, u: Array) -> Array:
        return u

    def at_rest(self, number: int, u: Array) -> Array:
        """(3n,) as the full model finds it that sets out from u."""
        return solve_static(self.solid, self.loads[:, number], u, tolerance=ROUGH)


class _Flying:
    """How a free solid is bent by a little of loads (3n, s), less the inertia of the motion that they set going."""

    def __init__(self, solid: Solid, loads: Array):
        self.solid, self._rigid = solid, rigid_modes(solid)
        self._momenta = solid.mass @ self._rigid
        bending, response = loads - self._momenta @ (self._rigid.T @ loads), StaticResponse(solid)
        rigid = np.linalg.norm(bending, axis=0) <= ROUNDED * np.linalg.norm(loads, axis=0)
        self.loads = LITTLE * bounded(solid, np.where(rigid, 0.0, bending), response)
        self._bends = response.solve(self.loads)

    def bend(self, u: Array) -> Array:
        """Without its rigid motion, which is small."""
        return u - self._rigid @ (self._momenta.T @ u)

    def at_rest(self, number: int, _: Array) -> Array:
        return self._bends[:, number]


def _typical(solid: Solid, modes: Modes) -> Array:
    """Loads (3n, s) [N] of other kinds, and weight along the axes: slanting ones hide errors where it is stiff."""
    response = StaticResponse(solid)
    held_out = held_out_loads(solid, modes, response)
    if is_free(solid):
        return held_out
    weights = np.stack([solid.gravity_load(axis) for axis in np.eye(3)], axis=1)
    return np.hstack([held_out, bounded(solid, weights, response)])


def warn_of_errors(
    system: System,
    solid: Solid,
    recipe: Any,
    remedy: str,
    progress: Progress = None,
    times: float = 1.0,
    loads: Array | None = None,
    good: float = GOOD,
) -> None:
    """Where nobody counted the coordinates of a system: say so in a warning if it errs by more than is good.

    Args:
        recipe: plain values that, with the solid, say how the system was made.
        remedy: what to do.
        times: how many times as large typical loads are.
        loads: (3n, s) [N] that will act; None: typical ones.
        good: errors above are warned of.
    """
    if isinstance(solid.material, Linear):
        return
    key, rooms = ["errors of what nobody counted", solid, system.kind, recipe, times, loads], (*ROOMS, "systems")
    errors = cached_arrays(key, lambda: {"errors": _estimated(system, solid, loads, times, progress)}, rooms)["errors"]
    if errors.max(initial=0.0) > good:
        said = f"{system.size} coordinates, which nobody counted, leave an estimated error of {errors.max():.2g} under "
        far = "a thousandth" if is_free(solid) else "a tenth" if times == 1 else f"{times:g} tenths"
        said += "the given loads" if loads is not None else f"loads that bend the solid by {far} of its size"
        warnings.warn(f"{said}; {remedy}", PliantWarning, 3)


def _error(still: System, truth: _Standing | _Flying, number: int, load: Array) -> float:
    """Where the system, which is at rest, rests under a load (3n,)."""
    if not load.any():
        return 0.0  # of what flies, a load that sets it going alone
    u = _rest(still, truth, load.reshape(-1, 3))
    if u is None:
        return 1.0
    try:
        true = truth.at_rest(number, u)
    except Diverged:
        return 1.0
    return larger_error(truth.solid, u, true - u, load)


def _rest(still: System, truth: _Standing | _Flying, forces: Array) -> Array | None:
    """What bends it (3n,) after it has come to rest under forces (n, 3); None: it does not. It goes back then.

    Long steps lead there; short ones see whether it is rest, or lead there where long ones do not. A tree that is
    stretched may wander aside by long ones, too slowly to be seen from one look to the next.
    """
    loaded, start, dt = np.flatnonzero(forces.any(axis=1)), still.state(), still.dt
    still.release()
    still.push(loaded, forces[loaded], on="mesh")
    try:
        u = _led(still, truth, np.zeros(forces.size), SETTLING)
        still.dt = dt / FINER
        if u is not None:
            return _led(still, truth, u, SETTLING)
        still.restore(start)
        return _led(still, truth, np.zeros(forces.size), FINER * SETTLING)
    finally:
        still.dt = dt
        still.restore(start)


def _led(still: System, truth: _Standing | _Flying, u: Array, steps: int) -> Array | None:
    """What bends it (3n,) where it does not move any more from one look to the next, after so many steps; None: never.

    Args:
        u: what bends it now.
    """
    try:
        for _ in range(MOST // SETTLING):
            before = u
            still.step(steps)
            u = truth.bend((still.vertices("mesh") - still.mesh.vertices).ravel())
            if np.abs(u - before).max() < STILL * np.abs(u).max():
                return u
    except Diverged:
        pass
    return None
