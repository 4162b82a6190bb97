"""What watches over the steps of one reduced part: its first acceleration, its energy, and its cells.

    M a = load - f(q) - C v       where q or v were written by hand
    a += M^-1 (load+ - load)      where hands let go: exact, and no factorisation

Weight is felt from the start. A push is that of the end of the step in which it begins or changes: Newmark takes the
mean of both ends, which is of second order where pushes vary, and does not set stiff modes ringing where they jump.

Every CHECKED steps the energy must be what the work explains (`systems.energy_watch`) and the cells must not be inside
out; then the state is kept, and a later check that fails goes back to it.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import DTypeLike

from pliant.errors import Array, Ids
from pliant.fem import StVK
from pliant.numerics.inner import inner
from pliant.numerics.opaque import call
from pliant.reduced import ReducedModel
from pliant.reduced.linear import LinearForce
from pliant.systems.arrival import FAR
from pliant.systems.energy_watch import FLOOR, LOWEST, WORK, allowance, balanced, begin, energy_watch
from pliant.systems.inversion import TOO_MANY, samples, turned
from pliant.systems.newmark import GAMMA
from pliant.systems.strain_points import fill_damping

CHECKED = 64  # steps from check to check: an energy costs a jet
GAIN = 0.05  # of the energy: what a converged step may gain beyond its work; else it is halved
NOISE = 1e-13  # of the energy that deforms a body by its own size: what rounding makes of energies
CLIMBS = 0.05, 0.25  # of what was there to err with: as the ledger climbs from one to the other,
CALM = 1.0  # gamma of converged steps rises up to this, which takes energy from what is fast
ACCOUNT = (1, 1 + FLOOR)  # not to be taken for coordinates: T + V, and the ledger without its floor
SINCE, WHY, ANEW, TURNED, STRAYED = range(5)
FINE, GAINED, CRUSHED = range(3)
STEADY, FELT = 3, 4


class Guard(NamedTuple):
    """Attributes:
    ledger: of `energy_watch`.
    energy: (1,) T + V now [J], kept by converged steps.
    counts: (5,) steps since the last check, why it failed, whether it begins anew, cells seen inside out, and whether
        the motion went beyond `reach`.
    good, now: (5, pitch) z, v, a, the steady load that a balances (weight and pushes), and all of the load: at the last
        check that passed, and as the last call left them.
    inverse_mass: (r, r).
    crushed: how many evenly spread cells inside out are too many.
    reach: |q| up to which the basis is trusted. slopes, spread, workspace: of `Samples`.
    """

    ledger: Array
    energy: Array
    counts: Ids
    good: Array
    now: Array
    inverse_mass: Array
    crushed: int
    reach: float
    slopes: Array
    spread: int
    workspace: Array


def guard_of(model: ReducedModel, limit: float, dtype: DTypeLike, pitch: int) -> Guard:
    """For a part at rest under no load; limit: the |q| that moves it by `FAR` times its size."""
    stiffness = float(np.abs(np.diag(model.stiffness())).mean())
    kept, sampled = np.zeros((5, pitch), dtype), samples(model)
    kept[0, 0] = 1
    # Materials that resist being crushed find their way back, and linear forces do not know of it; StVK does not.
    frail = issubclass(model.material_law, StVK) and not isinstance(model.force_law, LinearForce)
    crushed = int(TOO_MANY * sampled.spread) if frail else sampled.spread
    reach = np.inf if model.report is None else model.report.trusted
    ledger = energy_watch(NOISE * 0.5 * stiffness * (limit / FAR) ** 2)
    state = (np.zeros(1), np.zeros(5, np.int64), kept, kept.copy())
    return Guard(ledger, *state, np.linalg.inv(model.mass).astype(dtype), crushed, reach, *sampled)


def spare_of(guard: Guard) -> Guard:
    """For steps whose work is counted by others, in a ledger of its own."""
    return guard._replace(ledger=guard.ledger.copy(), counts=guard.counts.copy(), now=guard.now.copy())


@njit(cache=True, nogil=True)
def arrive(law, load, settings, z, v, a, work, guard, count):
    """Find out what was written by hand.

    Args:
        load: the steady one (pitch,) for the next `count` steps; none: only what was written by hand is looked for.
        settings: dt, alpha, beta, tolerance, limit, and what explicit steps take off their energy.
    """
    ledger, energy, counts, good, now, inverse_mass, _, _, _, _, _ = guard
    moved, given = False, False
    for i in range(len(z)):
        moved |= z[i] != now[0, i] or v[i] != now[1, i]
        given |= a[i] != now[2, i]
    if moved or counts[ANEW] > 0:
        call(law, z, work.jet)
        if moved and not given:
            accelerate(work, inverse_mass, now[STEADY], settings, z, v, a)
        energy[0] = work.jet[0] + kinetic(work.mass, v)
        begin(ledger, energy[0] - settings[5] * kinetic(work.mass, a))
    if given or count > 0:
        copy_row(load, now[STEADY])
    if moved or counts[ANEW] > 0:
        leave(z, v, a, now)
        copy_rows(now, good)
        counts[SINCE] = counts[ANEW] = 0


@inner
def accelerate(work, inverse_mass, load, settings, z, v, a):
    """a = M^-1 (load - f - beta D v) - alpha v, for the jet at z."""
    pitch, n, jet, f = len(load), len(inverse_mass) + 1, work.jet, work.gathered
    if len(work.points.shear):
        fill_damping(work.points, 0, n - 1, z, work.damping)
    for j in range(1, n):
        f[j] = load[j] - jet[j * pitch]
        for i in range(1, n):
            at = j * pitch + i if i <= j else i * pitch + j
            f[j] -= settings[2] * work.damping[at] * v[i] * (2 if i == j else 1)
    for j in range(1, n):
        total = -settings[1] * v[j]
        for i in range(1, n):
            total += inverse_mass[j - 1, i - 1] * f[i]
        a[j] = total


@inner
def mean_work(felt, load, z, z_new):
    """Of a load that goes from `felt` to `load` while q goes to q+ [J]."""
    total = 0.0
    for i in range(1, len(z)):
        total += 0.5 * (felt[i] + load[i]) * (z_new[i] - z[i])
    return total


@inner
def work_of(load, z, z_new):
    """load . (q+ - q) [J]."""
    total = 0.0
    for i in range(1, len(z)):
        total += load[i] * (z_new[i] - z[i])
    return total


@njit(cache=True, nogil=True)
def leave(z, v, a, now):
    """Remember the state at the end of a call."""
    for i in range(len(z)):
        now[0, i], now[1, i], now[2, i] = z[i], v[i], a[i]


@njit(cache=True, nogil=True)
def kinetic(mass, v):
    """v M v / 2, from the rows L of M = L + L^T."""
    pitch, total = len(v), 0.0
    for j in range(1, len(mass) // pitch):
        row = v[0] - v[0]
        for i in range(1, j + 1):
            row += mass[j * pitch + i] * v[i]
        total += row * v[j]
    return total


@inner(fastmath={"contract", "reassoc"})
def stray(reach, z, counts):
    """Note where the motion is beyond `reach`: the farthest state of a swing may lie between two checks."""
    square = z[0] - z[0]
    for i in range(1, len(z)):
        square += z[i] * z[i]
    if square > reach * reach:
        counts[STRAYED] = 1


@inner
def passes(guard, energy, z, v, a):
    """Whether the state is sound; then it is kept, else z, v and a are those of the last check."""
    ledger, _, counts, good, now, _, crushed, reach, slopes, spread, workspace = guard
    stray(reach, z, counts)
    sound = balanced(ledger, energy)
    counts[WHY] = FINE if sound else GAINED
    if sound:
        even, others = turned(slopes, spread, workspace, z)
        counts[TURNED] = max(counts[TURNED], even + others)
        sound = even <= crushed
        counts[WHY] = FINE if sound else CRUSHED
    if sound:
        leave(z, v, a, good)
        copy_row(now[STEADY], good[STEADY])
        copy_row(now[FELT], good[FELT])
        counts[SINCE] = 0
        return True
    for i in range(len(z)):
        z[i], v[i], a[i] = good[0, i], good[1, i], good[2, i]
    copy_rows(good, now)
    # The ledger has seen the failure; it begins again with the state that is kept.
    counts[ANEW] = 1
    return False


@inner(forceinline=True)
def copy_row(given, to):
    """One by one: numba compiles a second for assignments of whole rows."""
    for i in range(len(to)):
        to[i] = given[i]


@inner(forceinline=True)
def copy_rows(given, to):
    for row in range(len(to)):
        copy_row(given[row], to[row])


@inner
def gamma_of(guard):
    """Of Newmark's rule for a converged step. Small gains add up: where energy has climbed it is taken out again."""
    ledger = guard.ledger
    balanced(ledger, guard.energy[0])
    climb = (guard.energy[0] - ledger[WORK] - ledger[LOWEST]) / max(allowance(ledger, 1.0), 1e-300)
    return GAMMA + (CALM - GAMMA) * min(1.0, max(0.0, (climb - CLIMBS[0]) / (CLIMBS[1] - CLIMBS[0])))


def account_of(guard: Guard) -> Array:
    """What steps to come ask of those before, with the energy at which that was so."""
    return np.append(guard.energy, guard.ledger[:FLOOR])[None]


def adopt_account(guard: Guard, account: Array, felt: Array) -> None:
    """Go on from it, and from the load (r,) that was felt, if it is of the energy of now.

    What has become softer or heavier since begins anew.
    """
    if guard.energy[0] == account[0, 0]:
        guard.ledger[:FLOOR], guard.now[FELT, 1 : len(felt) + 1] = account[0, 1:], felt


@inner
def excessive(guard, before, after, work):
    """Whether a step from T + V = before to after [J], with this work on it, gains more than an error of its rule."""
    return not after - before - work <= GAIN * (abs(before) + abs(work)) + guard.ledger[FLOOR]
