"""The energy watch of a tree: what acts on it does work, and no energy may appear that it does not explain.

Weight and pushes have potentials, so their work is read off where it is asked for; that of wind and hands is summed
step by step. What hands do from one check to the next counts as one: a hand that keeps a shaken point gives and takes
in every step, and that explains nothing. A state that passes the check is kept with its ledger, to go back to.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.linalg as la
from numba import njit

from pliant.errors import Array
from pliant.reduced import ReducedModel
from pliant.systems.energy_watch import BOUND, add_work, balanced, begin, energy_watch
from pliant.systems.free_frame import FreeFrame, free_frame, take
from pliant.systems.tree.composite import add_energies
from pliant.systems.tree.held_limbs import HeldLimbs, hand_work, keep_memory
from pliant.systems.tree.limb import Limb
from pliant.systems.tree.load_work import mark_surfaces, push_potential, wind_work
from pliant.systems.tree.loads import is_windy
from pliant.systems.tree.motion import Motion, Scratch, copied
from pliant.systems.tree.packs import Packs
from pliant.systems.tree.parts import Parts

CHECKED = 16  # steps from one check to the next
# L1 and L2 do not come from an energy: parents drive children and feel masses in their place, so that T + V of the
# true motion swings. In steady motion it was seen up to 40 times what the loads supplied; a tree gone wild has more.
LUMPED = 100.0
ROUNDING = 1e-12  # of the energies that a tree has room for
SINCE, TIME, PUSHED, WEIGHT, RATIO, HANDS = range(6)


class Watch(NamedTuple):
    """Attributes:
    ledger: see `energy_watch`. energies: (3,) kinetic, elastic, of weight, at the last check [J].
    numbers: (6,) steps since the last check; of the last good state its time [s]; potentials of pushes and of weight as
        they were last counted [J]; how much of what was supplied may appear besides; work of hands not yet counted [J].
    motion, frame: the last good state. accounts: (12,) its ledger and numbers.
    """

    ledger: Array
    energies: Array
    numbers: Array
    motion: Motion
    frame: FreeFrame
    accounts: Array


def watch_of(limbs: Sequence[Limb], motion: Motion, lumped: bool) -> Watch:
    """A watch, to be begun."""
    numbers = np.zeros(6)
    numbers[RATIO] = LUMPED if lumped else BOUND
    ledger = energy_watch(ROUNDING * _capacity(limbs))
    return Watch(ledger, np.zeros(3), numbers, copied(motion), free_frame(np.zeros(3)), np.zeros(12))


def _capacity(limbs: Sequence[Limb]) -> float:
    """sum m (omega L)^2 [J], omega the lowest frequency of a part held alone, L its size."""
    by_model: dict[int, float] = {}
    total = 0.0
    for limb in limbs:
        model = limb.model
        if not isinstance(model, ReducedModel):
            continue
        if id(model) not in by_model:
            lowest = la.eigh(model.stiffness(), model.mass, eigvals_only=True, subset_by_index=(0, 0))[0]
            by_model[id(model)] = model.inertia.mass * max(lowest, 0.0) * float(np.ptp(model.X, axis=0).max()) ** 2
        total += by_model[id(model)] * limb.scale**3 * limb.stiffening**2
    return total


def begin_watch(
    parts: Parts,
    packs: Packs,
    motion: Motion,
    scratch: Scratch,
    gravity: Array,
    frame: FreeFrame,
    held: HeldLimbs,
    watch: Watch,
    time: float,
) -> None:
    """From a state that nothing led to, its frames and forces being in `scratch`."""
    add_energies(parts, packs, motion, scratch, gravity, watch.energies)
    begin(watch.ledger, watch.energies[:2].sum())
    watch.numbers[SINCE], watch.numbers[WEIGHT], watch.numbers[HANDS] = 0, watch.energies[2], 0.0
    _keep(motion, frame, held, watch, time)


def take_accounts(watch: Watch) -> None:
    """Count on from the last good state."""
    watch.ledger[:], watch.numbers[:] = watch.accounts[:6], watch.accounts[6:]


@njit(cache=True, nogil=True)
def _keep(motion, frame, held, watch, time):
    """Keep a good state."""
    kept = watch.motion
    kept.q[:], kept.v[:], kept.a[:], kept.root[:] = motion.q, motion.v, motion.a, motion.root
    take(frame, watch.frame)
    keep_memory(held)
    watch.numbers[TIME] = time
    watch.accounts[:6], watch.accounts[6:] = watch.ledger, watch.numbers


@njit(cache=True, nogil=True)
def begin_call(packs, motion, scratch, forces, watch):
    """Where pushes and wind, which may be others than in the last call, begin to do work."""
    watch.numbers[PUSHED] = push_potential(motion, scratch, forces[2])
    if is_windy(forces[1]):
        mark_surfaces(packs, motion, scratch)


@njit(cache=True, nogil=True)
def watch_step(packs, motion, scratch, wind, held, watch):
    """Add the work of wind and hands in a step."""
    if is_windy(wind):
        add_work(watch.ledger, wind_work(packs, motion, scratch))
    if len(held.forces):
        watch.numbers[HANDS] += hand_work(held, motion, scratch)


@njit(cache=True, nogil=True)
def count_pushes(motion, scratch, pushes, watch):
    """Add the work of pushes since they were last counted."""
    potential = push_potential(motion, scratch, pushes)
    add_work(watch.ledger, potential - watch.numbers[PUSHED])
    watch.numbers[PUSHED] = potential


@njit(cache=True, nogil=True)
def is_due(watch, ends):
    """Whether a check is due after a step: every CHECKED steps, and where a long run `ends`."""
    watch.numbers[SINCE] += 1
    return watch.numbers[SINCE] >= CHECKED or ends


@njit(cache=True, nogil=True)
def explained(parts, packs, motion, scratch, frame, forces, held, watch, time):
    """Whether what acted explains the energy; then the state is kept as good."""
    gravity, _, pushes = forces
    count_pushes(motion, scratch, pushes, watch)
    add_energies(parts, packs, motion, scratch, gravity, watch.energies)
    add_work(watch.ledger, watch.numbers[WEIGHT] - watch.energies[2])
    add_work(watch.ledger, watch.numbers[HANDS])
    watch.numbers[SINCE], watch.numbers[WEIGHT], watch.numbers[HANDS] = 0, watch.energies[2], 0.0
    if not balanced(watch.ledger, watch.energies[0] + watch.energies[1], watch.numbers[RATIO]):
        return False
    _keep(motion, frame, held, watch, time)
    return True
