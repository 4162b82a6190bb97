"""How far a system is from the solid that it stands for: it comes to rest under loads, and the full model looks at it.

    e = u* - u,   f(u*) = load,   error = max(pi |e|_M / |u|_M, |load . e| / |load . u*|)

u is where the system rests under a load, u* where the full model does that sets out from there. This asks nothing of a
system but to be pushed, stepped and looked at, so it is the same for all kinds, and sees all that they err by in space:
poor bases, interfaces that lock or gape, linear parts that are bent too far.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pliant.basis import vibration_modes
from pliant.basis.columns import as_columns
from pliant.basis.response import StaticResponse
from pliant.basis.size_report import GOOD
from pliant.basis.size_search import larger_error
from pliant.basis.typical_loads import SWINGING, bounded, held_out_loads
from pliant.basis.vibration import Modes
from pliant.errors import ArgumentError, Array, Diverged, PliantWarning
from pliant.fem import Linear, Solid, solve_static
from pliant.numerics.progress import Progress, report
from pliant.reduced.cache import ROOMS, cached_arrays
from pliant.systems.system import System

PER_PERIOD, SETTLING, MOST = 10, 20, 200  # steps of a first period, between two looks whether it rests, and at most
ROUGH = 1e-3  # of the load: what the full model may leave of it
STILL = 5e-3  # the way from one look to the next, over that from the start


def estimate_errors(
    system: System, loads: ArrayLike | None = None, solid: Solid | None = None, progress: Progress = None
) -> Array:
    """Estimated relative errors (s,) of where a system rests under some loads; 1: nowhere.

    What swings is out of phase by about as much after a period. The system itself stays as it is.

    Args:
        system: of one solid that is held.
        loads: (3n, s), (s, 3n) or (s, n, 3) [N]; None: pulls at the extremities, weight, and the inertia of low modes,
            which bend it by up to a tenth of its size.
        solid: that it stands for; None: its own. Trees have none.
        progress: called with a stage and the fraction of it that is done.
    """
    solid = system.solid if solid is None else solid
    if not len(solid.fixed):
        raise ArgumentError("errors are estimated where a solid rests, and nothing holds this one; fix some vertices")
    given = None if loads is None else as_columns(solid, "loads", loads)
    return _estimated(system, solid, given, 1.0, progress)


def _estimated(system: System, solid: Solid, loads: Array | None, times: float, progress: Progress) -> Array:
    """As `estimate_errors`; typical loads so many times as large."""
    modes = vibration_modes(solid, min(SWINGING, solid.dof_count - 3 * len(solid.fixed)))
    columns = times * _typical(solid, modes) if loads is None else loads
    omega = float(modes.frequencies[0])
    calm = {"dt": 2 * np.pi / omega / PER_PERIOD, "damping": (2 * omega, 0.5 / omega), "gravity": np.zeros(3)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)  # the step is long, on purpose
        still, errors = system.retuned(**calm, wind=None), list[float]()
    start = still.state()
    for load in columns.T:
        report(progress, "errors under typical loads", len(errors) / columns.shape[1])
        still.restore(start)
        errors.append(_error(still, solid, load))
    report(progress, "errors under typical loads", 1.0)
    return np.array(errors)


def _typical(solid: Solid, modes: Modes) -> Array:
    """Loads (3n, s) [N] of other kinds, and weight along the axes: slanting ones hide errors where it is stiff."""
    response, weights = StaticResponse(solid), np.stack([solid.gravity_load(axis) for axis in np.eye(3)], axis=1)
    return np.hstack([held_out_loads(solid, modes, response), bounded(solid, weights, response)])


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
    if not len(solid.fixed) or isinstance(solid.material, Linear):
        return
    key, rooms = ["errors of what nobody counted", solid, system.kind, recipe, times, loads], (*ROOMS, "systems")
    errors = cached_arrays(key, lambda: {"errors": _estimated(system, solid, loads, times, progress)}, rooms)["errors"]
    if errors.max(initial=0.0) > good:
        said = f"{system.size} coordinates, which nobody counted, leave an estimated error of {errors.max():.2g} under "
        far = "a tenth" if times == 1 else f"{times:g} tenths"
        said += "the given loads" if loads is not None else f"loads that bend the solid by {far} of its size"
        warnings.warn(f"{said}; {remedy}", PliantWarning, 3)


def _error(still: System, solid: Solid, load: Array) -> float:
    """Where the system rests under a load (3n,); it is left there."""
    u = _rest(still, load.reshape(-1, 3))
    if u is None:
        return 1.0
    try:
        true = solve_static(solid, load, u, tolerance=ROUGH)
    except Diverged:
        return 1.0
    return larger_error(solid, u, true - u, load)


def _rest(still: System, forces: Array) -> Array | None:
    """Displacements (3n,) after it has come to rest under forces (n, 3); None: it does not."""
    X, loaded = still.mesh.vertices, np.flatnonzero(forces.any(axis=1))
    u = np.zeros_like(X)
    still.release()
    still.push(loaded, forces[loaded], on="mesh")
    try:
        for _ in range(MOST // SETTLING):
            before = u
            still.step(SETTLING)
            u = still.vertices("mesh") - X
            if np.abs(u - before).max() < STILL * np.abs(u).max():
                return u.ravel()
    except Diverged:
        pass
    return None
