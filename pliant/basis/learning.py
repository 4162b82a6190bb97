"""What a solid is likely to meet and to do: loads to learn from, loads held out, and candidates for columns.

What was learned from is never held out, so that an error under what is held out says something about other loads.
"""

import contextlib
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from pliant.basis.borne import BEYOND, borne
from pliant.basis.candidates import Candidates
from pliant.basis.columns import as_columns
from pliant.basis.part_basis import span_limit
from pliant.basis.response import StaticResponse
from pliant.basis.rigid import is_free
from pliant.basis.size_report import GRACE
from pliant.basis.sudden import Sudden
from pliant.basis.typical_loads import far_loads, held_out_loads, point_pulls, typical_loads
from pliant.basis.vibration import vibration_modes
from pliant.errors import Array, Diverged, SingularMatrix
from pliant.fem import Solid, inverted_share, solve_static
from pliant.numerics.progress import Progress, report

MODES, QUICK = 20, 60  # to combine, and to look at alone
DENSE, MANY = (
    6.0,
    40,
)  # where the usual ones lie within DENSE times the first frequency, as many arms make them, so many
MIXTURES = 6  # of given loads, held out
ITERATIONS = 25  # of Newton: a load that takes more makes the solid buckle
STATIC = 1e-5  # relative residual of the static states


class Learning:
    """The loads of a solid, its modes, and what it does under them.

    Args:
        loads: (3n, s), (s, 3n) or (s, n, 3) [N] that will act; None: weight, and pulls at the extremities.
        modes: vibration modes, at most; None: MODES, or MANY where their frequencies are close.

    Attributes:
        response: of the solid at rest.
        modes: its lowest vibrations.
        loads: (3n, s) [N] to learn from.
        beyond: how much farther than the linear solid it may rest (`borne`); given loads may buckle it.
    """

    def __init__(
        self, solid: Solid, loads: ArrayLike | None = None, modes: int | None = None, progress: Progress = None
    ):
        self.solid, self._progress, self._given = solid, progress, loads is not None
        self.beyond = np.inf if self._given else BEYOND
        self.response = StaticResponse(solid)
        self._limit = span_limit(solid.mesh.vertex_count, len(solid.fixed))
        self.modes = vibration_modes(solid, min(modes or MODES, self._limit), progress, self.response)
        if modes is None and self.modes.frequencies[-1] < DENSE * self.modes.frequencies[0]:
            self.modes = vibration_modes(solid, min(MANY, self._limit), progress, self.response)
        self.loads = typical_loads(solid, self.response) if loads is None else as_columns(solid, "loads", loads)

    @cached_property
    def give(self) -> Array:
        """Linear responses (3n, s) [m] to pulls at single vertices of the extremities, or to the given loads."""
        return self.response.solve(self.loads if self._given else point_pulls(self.solid, self.response))

    @cached_property
    def candidates(self) -> Candidates:
        """Modes, derivatives and `give`; `learn` adds to them."""
        made = Candidates(self.solid, self.modes, self.response, self._progress)
        made.add(self.give)
        return made

    def learn(self, loads: Array, most: int, whole: bool = False) -> Array:
        """Take static states (3n, s) of loads, as far as they are borne, into the candidates.

        Args:
            most: vectors of the basis in which they begin.
            whole: whether states with cells inside out are left out.
        """
        states = self._at_rest(loads, most, self.beyond)
        states = self._whole(states) if whole else states
        self.candidates.add(states)
        return states

    def learn_far(self, most: int, seed: int = 0) -> None:
        """As `learn`, of loads that bend the solid farther, as far as they turn no cell inside out."""
        states = self._at_rest(far_loads(self.solid, self.modes, self.response, seed), most, np.inf)
        self.candidates.add(self._whole(states))

    def _whole(self, states: Array) -> Array:
        """Those of the states (3n, s) that turn no cell inside out."""
        return states[:, [inverted_share(self.solid, u) == 0 for u in states.T]]

    def _at_rest(self, loads: Array, most: int, beyond: float) -> Array:
        begun = self.candidates.basis(most)
        return _static_states(self.solid, begun, loads, self.response, beyond, self._progress)

    @property
    def weights(self) -> Array:
        """Those of `loads` (3n, 3 or 0) that are weight along an axis: slanting ones hide errors where it is stiff."""
        return self.loads[:, -3:] if not self._given and not is_free(self.solid) else self.loads[:, :0]

    def held_out(self, seed: int = 0, count: int = 3, pulls: int | None = None) -> Array:
        """Other loads (3n, s) of the same kind [N]; count, pulls: as of `held_out_loads`, where none are given."""
        if self._given:
            return _mixtures(self.loads, seed)
        return held_out_loads(self.solid, self.modes, self.response, seed, count, pulls)

    @cached_property
    def sudden(self) -> Sudden | None:
        """Weight that comes at once, with the vibrations that it sets going; None where no weight is learned."""
        if not self.weights.shape[1]:
            return None
        quick = vibration_modes(self.solid, min(QUICK, self._limit), self._progress, self.response)
        return Sudden(self.solid, quick, self.weights)

    def learn_vibrations(self, basis: Array, tolerance: float) -> None:
        """Take those vibrations into the candidates without which a basis (3n, r) errs when weight comes at once."""
        if self.sudden is not None and self.sudden.errors(basis).max() > GRACE * tolerance:
            self.candidates.add(self.sudden.modes.vectors[:, self.sudden.missed(basis, tolerance)])


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
