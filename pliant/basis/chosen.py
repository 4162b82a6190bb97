"""A basis chosen for a tolerance: grown on the loads that a solid meets, measured on others.

    U grows -> q(load) by `galerkin_static` -> `motion_error` of loads held out -> the smallest size that meets it

What was held out and failed is learned, and other loads are held out, until the tolerance holds or ATTEMPTS are over.
"""

import contextlib
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from pliant.basis.basis import Basis, check_solid
from pliant.basis.borne import BEYOND, borne
from pliant.basis.candidates import Candidates
from pliant.basis.columns import as_columns
from pliant.basis.part_basis import span_limit
from pliant.basis.response import StaticResponse
from pliant.basis.rigid import is_free
from pliant.basis.size_report import SizeReport
from pliant.basis.size_search import SizeSearch
from pliant.basis.typical_loads import held_out_loads, point_pulls, typical_loads
from pliant.basis.vibration import vibration_modes
from pliant.errors import Array, Diverged, SingularMatrix, check_count, check_number
from pliant.fem import Solid, inverted_share, solve_static
from pliant.numerics.progress import Progress, report

MODES = 20
MOST = 80, 100  # vectors, the second for tolerances below FINE: cubic forces cost about half a millisecond, and two
FINE = 0.02
ATTEMPTS = 3  # at growing on what was held out before
MIXTURES = 6  # of given loads, held out
ITERATIONS = 25  # of Newton: a load that takes more makes the solid buckle
STATIC = 1e-5  # relative residual of the static states


def chosen_basis(
    solid: Solid,
    tolerance: float = 0.02,
    loads: ArrayLike | None = None,
    most: int | None = None,
    progress: Progress = None,
) -> Basis:
    """The smallest basis found that keeps the error of a motion under `tolerance`, as `choose` does."""
    basis, measured = choose(solid, tolerance, loads, most, progress)
    measured.warn_if_short()
    measured.warn_if_crushed(type(solid.material))
    return basis


def choose(
    solid: Solid,
    tolerance: float = 0.02,
    loads: ArrayLike | None = None,
    most: int | None = None,
    progress: Progress = None,
) -> tuple[Basis, SizeReport]:
    """A basis for a tolerance, and what was measured on the way.

    Args:
        tolerance: of the displacement after a period of motion, relative, as `motion_error` estimates it.
        loads: (3n, s), (s, 3n) or (s, n, 3) [N] that will act; None: weight, and pulls at the extremities.
        most: vectors that are allowed, None: 80, or 100 for a tolerance below 0.02; where they do not suffice, the
            report says how far they reach.
        progress: called with a stage and the fraction of it that is done.
    """
    tolerance = check_number("tolerance", tolerance, above=0, at_most=1)
    limit = span_limit(check_solid(solid).mesh.vertex_count, len(solid.fixed))
    most = min(allowed(most, tolerance), limit)
    response = StaticResponse(solid)
    modes = vibration_modes(solid, min(MODES, limit), progress, response)
    candidates = Candidates(solid, modes, response, progress)
    given = typical_loads(solid, response) if loads is None else as_columns(solid, "loads", loads)
    candidates.add(response.solve(point_pulls(solid, response) if loads is None else given))
    trials, inverted, beyond = given, 0.0, BEYOND if loads is None else np.inf
    for attempt in range(ATTEMPTS):
        states = _static_states(solid, candidates.basis(most), trials, response, beyond, progress)
        candidates.add(states)
        basis = Basis(candidates.basis(most), frequencies=modes.frequencies)
        held_out = held_out_loads(solid, modes, response, attempt) if loads is None else _mixtures(given, attempt)
        search = SizeSearch(solid, basis, held_out, response, beyond)
        measured = search.smallest(tolerance, progress)
        inverted = max(inverted, inverted_share(solid, states.T), inverted_share(solid, search.states))
        if measured.error <= tolerance:
            break
        trials = search.loads
    return basis.truncate(measured.size), replace(measured, inverted=inverted)


def allowed(most: int | None, tolerance: float) -> int:
    """Vectors that are allowed."""
    return MOST[tolerance < FINE] if most is None else check_count("most", most)


def _static_states(
    solid: Solid, U: Array, loads: Array, response: StaticResponse, beyond: float, progress: Progress
) -> Array:
    """Full equilibria (3n, s) of as much of the loads as is `borne`, each begun at the one in the basis."""
    if is_free(solid):
        return np.empty((solid.dof_count, 0))
    states = list[Array]()
    for number, load in enumerate(loads.T, 1):
        if (found := borne(solid, U, load, response, beyond)) is not None:
            with contextlib.suppress(Diverged, SingularMatrix):
                states.append(solve_static(solid, found[0], U @ found[1], STATIC, ITERATIONS))
        report(progress, "static states", number / loads.shape[1])
    return np.stack(states, axis=1) if states else np.empty((solid.dof_count, 0))


def _mixtures(loads: Array, seed: int) -> Array:
    """Loads (3n, MIXTURES) between those given: random shares that add up to one, or to less."""
    random = np.random.default_rng(seed)
    shares = random.dirichlet(np.ones(loads.shape[1]), MIXTURES) * random.uniform(0.5, 1.0, (MIXTURES, 1))
    return loads @ shares.T
