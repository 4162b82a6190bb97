"""A basis chosen for a tolerance: grown on the loads that a solid meets, measured on others.

    U grows -> q(load) by `galerkin_static` -> `motion_error` of loads held out -> the smallest size that meets it

What was held out and failed is learned, and other loads are held out, until the tolerance holds or ATTEMPTS are over.
Where more than QUICK vectors are allowed, another attempt learns loads that bend the solid farther, and counts states
as much as modes; in a smaller basis they would crowd out the derivatives, which hold what modes do together, so it
takes more than QUICK. It comes second, or third where the first attempt NEARLY did. Below a tolerance of FINE loads
that come at once are held to it, too, and the next larger size is taken: motion goes farther than what was measured (a
block that was knocked four times as far erred by 2.1 % with 139 vectors for a tolerance of 0.01).
What is held out are PULLS at ENDS, a weight, and modes that swing. With one pull each at three ends an armadillo took
47 vectors, and erred by 5.7 % when it was knocked in another direction; eight other pulls show up to 26 % of them.
Weight along an axis is learned and measured too, at rest, and when it comes at once by the vibrations that are missed.
Loads that pliant held out are measured twice as large as well, where those go that come at once; who names loads knows
how they come.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from pliant.basis.basis import Basis, check_solid
from pliant.basis.candidates import STATES
from pliant.basis.learning import Learning
from pliant.basis.part_basis import span_limit
from pliant.basis.size_report import FINE, GRACE, SizeReport
from pliant.basis.size_search import SizeSearch
from pliant.basis.typical_loads import ENDS, PULLS
from pliant.errors import check_count, check_number
from pliant.fem import FirmStVK, Solid, StVK, inverted_share
from pliant.numerics.progress import Progress

MOST = 200  # vectors, where forces are exact: a step of 5000 cells takes 3 ms with 80, 8 with 140, and 13
FIRST, TRAINED = 80, 140  # vectors, at first or where forces are trained, and for tolerances below FINE
ATTEMPTS = 3  # at growing on what was held out before
QUICK = 100  # vectors: where it takes more, and attempts are left, fewer may do after another
NEARLY = 2.0  # tolerances that the first attempt may leave for a second one to try QUICK vectors, which know more loads
COUNTED = 1.0  # how much a static state counts from the second on, where there is room for more vectors than QUICK


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
        most: vectors that are allowed, None: as `allowed`; where they do not suffice, the report says how far they
            reach.
        progress: called with a stage and the fraction of it that is done.
    """
    tolerance = check_number("tolerance", tolerance, above=0, at_most=1)
    limit = span_limit(check_solid(solid).mesh.vertex_count, len(solid.fixed))
    most = min(allowed(solid, tolerance, most), limit)
    fine = tolerance < FINE
    learning = Learning(solid, loads, progress=progress)
    trials, inverted, best, roomy = learning.loads, 0.0, None, most > QUICK and loads is None
    nearly = False
    for attempt in range(ATTEMPTS):
        far = attempt > 0 and roomy and not nearly
        room = most if fine or far or (attempt > 0 and not roomy) else min(QUICK if nearly else FIRST, most)
        states = learning.learn(trials, room, attempt > 0 and loads is None)
        U = learning.candidates.basis(room, COUNTED if far else STATES)
        basis, held_out = Basis(U, frequencies=learning.modes.frequencies), learning.held_out(attempt, ENDS, PULLS)
        tried, at_once = np.hstack([held_out, learning.weights]), held_out.shape[1] if loads is None else 0
        search = SizeSearch(solid, basis, tried, learning.response, learning.beyond, at_once, learning.sudden)
        least, grace, spare = QUICK if far else 0, 1.0 if fine else GRACE, int(fine)
        measured = search.smallest(tolerance, progress, least, grace, spare)
        inverted = max(inverted, inverted_share(solid, states.T), inverted_share(solid, search.states))
        worse = best is not None and (best[1].meets or (fine and measured.far_off and not best[1].far_off))
        if measured.meets or not worse:
            best = basis.truncate(measured.size), measured
        if measured.meets and (measured.size <= QUICK or far):
            break
        nearly = attempt == 0 and roomy and not fine and search.worst(basis.size, grace) <= NEARLY * tolerance
        if attempt + 1 < ATTEMPTS:
            trials = search.loads
            learning.learn_vibrations(U, tolerance)
            if roomy and not nearly:
                learning.learn_far(most, attempt)
    assert best is not None
    return best[0], replace(best[1], inverted=inverted)


def allowed(solid: Solid, tolerance: float, most: int | None) -> int:
    """Vectors that are allowed: as many as were asked for, or MOST; FIRST or TRAINED where forces need training,
    FIRST of shells, whose forces are a table."""
    if most is not None:
        return check_count("most", most)
    if not solid.has_inside:
        return FIRST
    return MOST if type(solid.material) in (StVK, FirmStVK) else TRAINED if tolerance < FINE else FIRST
