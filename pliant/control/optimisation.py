"""Space-time optimisation: the controls of least cost, by L-BFGS on the adjoint gradient ([MR12]; sheet 10)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import OptimizeResult, minimize

from pliant.control.adjoint import gradient
from pliant.control.objective import Objective
from pliant.control.trajectory import Trajectory, simulate
from pliant.errors import Array, Diverged, check_array, check_count
from pliant.systems import Clamped

FLAT = 1e-13  # relative decrease of J in one iteration at which the search ends


class Optimum(NamedTuple):
    """The best motion that was found.

    Attributes:
        value: J.
        trajectory: its controls and states.
        iterations: how many were taken.
        message: why the search ended, in scipy's words.
    """

    value: float
    trajectory: Trajectory
    iterations: int
    message: str

    def __repr__(self) -> str:
        return f"Optimum({self.value:.6g} after {self.iterations} iterations of {self.trajectory.step_count} steps)"


def optimise(
    system: Clamped,
    B: ArrayLike,
    objective: Objective,
    controls: ArrayLike,
    iterations: int = 100,
    progress: Callable[[int, float], None] | None = None,
) -> Optimum:
    """Lower J from a first guess; the system is left as it was, but for its pushes.

    Args:
        B: (r, c), as in `simulate`. Controls should be of order one: put their size [N] into B.
        controls: the first guess (T, c).
        iterations: at most so many, each of one or a few motions and gradients.
        progress: called with the iteration number and J after every iteration.

    Raises:
        Diverged: the first guess diverges. Later ones that do only shorten the search step.
    """
    first = check_array("controls", controls, (None, None))
    best = _evaluated(system, B, objective, first)
    search = _Search(system, B, objective, first.shape, best)
    options = {"maxiter": check_count("iterations", iterations), "ftol": FLAT, "gtol": 0.0}
    tell = _reporter(progress)
    found = minimize(search, first.ravel(), jac=True, method="L-BFGS-B", callback=tell, options=options)
    return Optimum(search.best.value, search.best.trajectory, int(found.nit), str(found.message))


class _Evaluated(NamedTuple):
    value: float
    slope: Array
    trajectory: Trajectory


def _evaluated(system: Clamped, B: ArrayLike, objective: Objective, controls: Array) -> _Evaluated:
    trajectory = simulate(system, B, controls)
    return _Evaluated(*gradient(trajectory, objective), trajectory)


class _Search:
    """J and its gradient of flat controls, as scipy wants them; remembers the best."""

    def __init__(self, system: Clamped, B: ArrayLike, objective: Objective, shape: tuple, best: _Evaluated) -> None:
        self._problem, self._shape = (system, B, objective), shape
        self.best = best
        # A finite wall: a line search interpolates towards it, whereas infinity would make its next step NaN.
        self._wall = 2 * abs(best.value)

    def __call__(self, flat: Array) -> tuple[float, Array]:
        try:
            tried = _evaluated(*self._problem, flat.reshape(self._shape))
        except Diverged:
            return self._wall, np.zeros(len(flat))
        if tried.value < self.best.value:
            self.best = tried
        return tried.value, tried.slope.ravel()


def _reporter(progress: Callable[[int, float], None] | None) -> Callable | None:
    """scipy's callback, which is told the cost but not the number of its iteration."""
    if progress is None:
        return None
    told = 0

    def tell(intermediate_result: OptimizeResult) -> None:
        nonlocal told
        told += 1
        progress(told, float(intermediate_result.fun))

    return tell
