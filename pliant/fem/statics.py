"""Equilibrium f(u) = load, by Newton with load steps and a line search on the potential W(u) - load . u."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, Diverged, SingularMatrix, check_array, check_count, check_number
from pliant.fem.rounding import arrived, rounding
from pliant.fem.solid import Solid
from pliant.numerics import PatternSolver

SMALLEST_LOAD_STEP = 1 / 256
SHORTEST_SEARCH = 1 / 1024
SUFFICIENT_DECREASE = 1e-4


def solve_static(
    solid: Solid,
    load: ArrayLike,
    start: ArrayLike | None = None,
    tolerance: float = 1e-9,
    iterations: int = 50,
    progress: Callable[[str, float], None] | None = None,
) -> Array:
    """Displacement u (3n,) [m] in equilibrium with a load (3n,) or (n, 3) [N].

    The whole load is tried first; where Newton does not arrive, it is applied in smaller steps.

    Args:
        start: first guess (3n,); None means rest.
        tolerance: on |f(u) - load| / |load|.
        iterations: Newton iterations allowed for each load step.
        progress: called with a stage and the fraction of the load that is carried.

    Raises:
        Diverged: no equilibrium was found; the message says how much of the load is carried.
    """
    if not isinstance(solid, Solid):
        raise ArgumentError(f"solid must be a pliant Solid; {type(solid).__name__} was given")
    if not len(solid.fixed):
        raise ArgumentError("solid has no fixed vertices, so it cannot carry a load at rest; give fixed= to Solid")
    flat = np.reshape(load, -1) if np.shape(load) == (solid.mesh.vertex_count, 3) else load
    load = check_array("load", flat, (solid.dof_count,))
    u = np.zeros(solid.dof_count) if start is None else check_array("start", start, (solid.dof_count,)).copy()
    u[np.setdiff1d(np.arange(solid.dof_count), solid.free, assume_unique=True)] = 0.0
    tolerance, iterations = check_number("tolerance", tolerance, above=0), check_count("iterations", iterations)
    size = float(np.linalg.norm(load[solid.free]))
    newton = _Newton(solid, tolerance * max(size, np.finfo(float).tiny), iterations)
    carried, increment = 0.0, 1.0
    while carried < 1.0:
        trial = min(1.0, carried + increment)
        solution, residual = newton(u, trial * load)
        if solution is not None:
            u, carried, increment = solution, trial, 2 * increment
            if progress:
                progress("static solve", carried)
        elif increment / 2 < SMALLEST_LOAD_STEP:
            raise Diverged(
                f"solve_static carried {carried:.3g} of the load and found no equilibrium beyond it (residual "
                f"{residual:.2g}); reduce the load, stiffen the material or give start=",
                residual=residual,
            )
        else:
            increment /= 2
    return u


class _Newton:
    """Newton's method at a fixed load; keeps the symbolic factorisation."""

    def __init__(self, solid: Solid, tolerance: float, iterations: int):
        self.solid, self.tolerance, self.iterations = solid, tolerance, iterations
        self.solver = PatternSolver(definite=False)

    def __call__(self, u: Array, load: Array) -> tuple[Array | None, float]:
        """The solution or None, and the relative residual."""
        free, residual = self.solid.free, np.inf
        for _ in range(self.iterations):
            f, K = self.solid.tangent(u)
            r = (load - f)[free]
            previous, residual = residual, float(np.linalg.norm(r))
            if arrived(residual, previous, self.tolerance, rounding(self.solid, K.diagonal(), u)):
                return u, residual
            if not np.isfinite(residual):
                break
            found = self._search(u, self._direction(u, K, r), r, load)
            if found is None:
                break
            u = found
        return None, residual / max(float(np.linalg.norm(load)), np.finfo(float).tiny)

    def _direction(self, u: Array, K: sp.csr_matrix, r: Array) -> Array:
        """A descent direction: Newton's, or that of the clamped stiffness where Newton's points uphill."""
        try:
            d = self._solve(K, r)
        except SingularMatrix:
            d = np.zeros_like(r)
        return d if d @ r > 0 else self._solve(self.solid.stiffness(u, clamp=True), r)

    def _solve(self, K: sp.csr_matrix, r: Array) -> Array:
        return self.solver.solve(self.solid.free_matrix(K), r)

    def _search(self, u: Array, d: Array, r: Array, load: Array) -> Array | None:
        """Backtrack until the potential falls, or the residual does (near the solution energy is all rounding)."""
        free, scale = self.solid.free, 1.0
        potential, slope, before = self.solid.energy(u) - load @ u, -(d @ r), float(np.linalg.norm(r))
        while scale >= SHORTEST_SEARCH:
            trial = u.copy()
            trial[free] += scale * d
            if self.solid.energy(trial) - load @ trial <= potential + SUFFICIENT_DECREASE * scale * slope:
                return trial
            if np.linalg.norm((load - self.solid.force(trial))[free]) < 0.9 * before:
                return trial
            scale /= 2
        return None
