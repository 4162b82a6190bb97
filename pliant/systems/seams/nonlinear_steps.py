"""Compiled implicit Newmark steps of nonlinear seams ([SI05] App. C, over parts that share boundary coordinates).

residual = f_ext - M a+ - C v+ - f(q+),   C = alpha M + beta D(q+),   A = a1 M + a4 C + K(q+)
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array
from pliant.fem.material import implements
from pliant.numerics.counting import borrowing, counting
from pliant.numerics.dot import dot
from pliant.numerics.merging import merged
from pliant.systems.constraints import Constraints, add_constraint_forces, apply_change, find_change, meets, want
from pliant.systems.newmark import BETA, GAMMA
from pliant.systems.overshoot import share_of
from pliant.systems.seams.energy_control import (
    CHECKED,
    FINE,
    book,
    close_ledger,
    gains,
    go_back,
    look,
    note_good,
    open_ledger,
)
from pliant.systems.seams.kept_momentum import keep_momentum
from pliant.systems.seams.mixing import Mixing, mix, mixing_workspace
from pliant.systems.seams.newton import (
    factors_of,
    find_correction,
    measure,
    norm,
    note_iterations,
    relative_residual,
    substitute,
    subtract_forces,
)
from pliant.systems.seams.nonlinear_turning import Turning, lay_turns
from pliant.systems.seams.part_forces import Jets, begin_jets, damps_by_stiffness, end_jets
from pliant.systems.seams.point_forces import PointForces
from pliant.systems.wind_points import Sail, blow

HALVINGS, GENTLE = 8, 4


class Settings(NamedTuple):
    """dt [s], Rayleigh alpha and beta, Newton iterations, tolerance of the residual, largest |q| of a solution."""

    dt: float
    alpha: float
    beta: float
    newton: int
    tolerance: float
    limit: float


class Trial(NamedTuple):
    """The state that a step tries, where it began, the load, that at the start, a probe along v; all (size,); mixing.

    Attributes:
        earlier, lead: (size,) accelerations a step before a0, and how they are thought to change in this step.
        outside: (size,) the load without constraints, then without what turns interfaces.
        way: (size,) what the last iteration added to q.
    """

    q: Array
    v: Array
    a: Array
    q0: Array
    v0: Array
    a0: Array
    load: Array
    given: Array
    probe: Array
    earlier: Array
    lead: Array
    outside: Array
    way: Array
    mixing: Mixing


def trial_workspace(size: int) -> Trial:
    """Work space for q (size,)."""
    return Trial._make([*np.zeros((13, size)), mixing_workspace(size)])


class Drive(NamedTuple):
    """What acts besides constant loads: hands, and the wind on a surface in frames R (d, 3, 3), t (d, 3).

    Attributes:
        turning: of the last rows of the constraints.
    """

    constraints: Constraints
    turning: Turning
    sail: Sail
    windy: bool
    R: Array
    t: Array


@njit(cache=True, nogil=True)
def nonlinear_steps(forces, workspace, trial, settings, load, drive, kept, ledger, time, q, v, a, count):
    """`count` steps in place; returns how many were taken, the last residual, and what the watch found.

    Args:
        load: (size,) weight and pushes.
        kept: momentum of a free solid.
    """
    residual, dt, constraints, many = 0.0, settings.dt, drive.constraints, settings.newton > 1
    turning = drive.turning
    open_ledger(forces, workspace, ledger, kept, load, q, v, a)
    for step in range(count):
        for i in range(len(load)):
            trial.load[i] = load[i]
        if drive.windy:
            blow(drive.sail, drive.R, drive.t, time + (step + 1) * dt, 0, q, trial.load)
        for i in range(len(load)):
            trial.outside[i] = trial.load[i]
        _lay(turning, constraints, workspace, dt, q, v, a)
        add_constraint_forces(constraints.G, constraints.forces, trial.load)
        residual = _step(forces, workspace, trial, settings, constraints, turning, kept, ledger, many, q, v, a)
        if not residual <= 1:
            close_ledger(ledger, q, v)
            return step, residual, FINE
        if kept.free:
            held = 3 * len(constraints.limits)
            add_constraint_forces(constraints.G[:held], constraints.forces[:held], trial.outside)
            keep_momentum(kept, trial.outside if len(turning.fits) else trial.load, dt, trial.q, trial.v)
        book(ledger, trial.load, trial.q0 if many else q, trial.q)
        _copy(trial.q, trial.v, trial.a, q, v, a)
        ledger.steps[0] += 1
        if ledger.steps[0] == CHECKED or (many and step == count - 1):
            if not many:
                measure(forces, q, v, a, 0.0, 0.0, 0.0, 0.0, False, workspace)
            found = look(forces, workspace, ledger, q, v)
            if found != FINE:
                back = ledger.steps[0]
                go_back(ledger, kept, q, v, a)
                return step + 1 - back, residual, found
            note_good(ledger, kept, q, v, a)
    close_ledger(ledger, q, v)
    return count, residual, FINE


@counting
def _lay(turning, constraints, workspace, h, q, v, a):
    """The rows of turned interfaces for a step of h [s]; what was solved for older ones is void."""
    if len(turning.fits):
        lay_turns(turning, constraints.G, constraints.rates, constraints.work.wanted, h, q, v, a)
        workspace.factors[1] = -1


@borrowing
def _copy(q, v, a, q_to, v_to, a_to):
    for i in range(len(q)):
        q_to[i], v_to[i], a_to[i] = q[i], v[i], a[i]


@merged
def _step(forces, workspace, trial, settings, constraints, turning, kept, ledger, many, q, v, a):
    """A whole step into `trial`: a single iteration, or many, in halves where they do not converge or gain energy.

    q, v, a are as before if it fails. Shorter steps than dt / 2^GENTLE are not tried for energy alone: the watch looks
    at what they make.
    """
    done, h, dt, hands = 0.0, settings.dt, settings.dt, constraints.forces.copy()
    if many:
        _find_lead(trial, q, a)
        _copy(q, v, a, trial.q0, trial.v0, trial.a0)
    while True:
        residual = _try_step(forces, workspace, trial, settings, constraints, turning, kept, min(h, dt - done), q, v, a)
        if not many:
            return residual
        if residual <= 1 and gains(forces, workspace, ledger, trial, q) and h > dt / 2**GENTLE:
            residual = np.inf
        for i in range(len(trial.lead)):
            trial.lead[i] = 0.0
        if residual <= 1:
            done += min(h, dt - done)
            ledger.level[0] = ledger.level[1]
            if done >= dt * (1 - 1e-6):
                return residual
            _copy(trial.q, trial.v, trial.a, q, v, a)
        elif h <= dt / 2**HALVINGS:
            _copy(trial.q0, trial.v0, trial.a0, q, v, a)
            constraints.forces[:] = hands
            return residual
        else:
            h /= 2


@borrowing
def _find_lead(trial, q, a):
    """a+ - a ~ a- - a--: right for what changes steadily, and for stiff vibrations, whose a Newmark turns in each step.

    Zero where the last two steps did not lead here.
    """
    same = True
    for i in range(len(q)):
        same = same and trial.q[i] == q[i] and trial.a[i] == a[i]
    known = same and math.isfinite(trial.earlier[0])
    for i in range(len(q)):
        trial.lead[i] = trial.a0[i] - trial.earlier[i] if known else 0.0
        trial.earlier[i] = trial.a0[i] if same else np.nan


@merged
def _try_step(parts, workspace, trial, settings, constraints, turning, kept, h, q, v, a):
    """One step into `trial`; returns the residual over what is allowed, and 0 after a single iteration that was found.

    Constraints are linear, so each iteration meets them; their forces are as before where no solution is found. Rows of
    turned interfaces are those of a whole step, or laid anew for a shorter one.
    """
    if not len(constraints.G):
        return _iterate(parts, workspace, trial, settings, constraints, kept, h, q, v, a)
    G, rest, targets, rates, limits, forces, (wanted, _, _, _) = constraints
    held = 3 * len(limits)
    if h < settings.dt and len(turning.fits):
        apply_change(G[held:], forces[held:], -1.0, trial.load)
        _lay(turning, constraints, workspace, h, q, v, a)
        add_constraint_forces(G[held:], forces[held:], trial.load)
    before = forces.copy()
    for i in range(len(trial.load)):
        trial.given[i] = trial.load[i]
    want(G[:held], rest[:held], targets[:held], rates[:held], wanted[:held], h, q, v, a)
    residual = _iterate(parts, workspace, trial, settings, constraints, kept, h, q, v, a)
    if not residual <= 1:
        forces[:] = before
        trial.load[:] = trial.given  # what was tried may be infinite, and cannot be subtracted again
    return residual


def begin(forces, q, beta):
    """What forces keep from the state at the start of a step; each kind has its own."""
    raise NotImplementedError


def end(forces, q, beta, iterations):
    """A step ended at q, where the forces were evaluated last, after so many iterations."""
    raise NotImplementedError


@implements(begin, Jets)
def _begin_jets(forces, q, beta):
    if damps_by_stiffness(forces, beta):
        begin_jets(forces, q)


@implements(end, Jets)
def _end_jets(forces, q, beta, iterations):
    if damps_by_stiffness(forces, beta):
        end_jets(forces, q)


@implements(begin, PointForces)
def _begin_points(forces, q, beta):
    pass


@implements(end, PointForces)
def _end_points(forces, q, beta, iterations):
    note_iterations(forces, iterations)


@borrowing
def _iterate(forces, workspace, trial, settings, constraints, kept, h, q, v, a):
    """Newton. A single iteration starts at the old q, as in [SI05] App. C, where it is stable; many where v and a lead.

    Forces that keep a factor go on with it while it serves: the residual is exact whatever the factor is of.
    """
    many, alpha, beta, held = settings.newton > 1, settings.alpha, settings.beta, len(constraints.G) > 0
    mass_factor, damping_factor = factors_of(h, alpha, beta)
    if many:
        begin(forces, q, beta)
    for i in range(len(q)):
        trial.q[i] = q[i] + h * (v[i] + h * (0.5 * a[i] + BETA * trial.lead[i])) if many else q[i] + h * v[i]
    residual, slope = 0.0, 0.0
    most = settings.newton if many else 1
    for iteration in range(most + 1):
        _update_rates(h, q, v, a, trial)
        if not many and iteration == 1:
            return 0.0 if norm(trial.q) < settings.limit else np.inf
        near, state = iteration > 0, (trial.q, trial.v, trial.a)
        measure(forces, *state, alpha, beta, mass_factor, damping_factor, near, workspace)
        previous = norm(workspace.residual) if iteration > 0 else np.inf
        subtract_forces(trial.load, workspace)
        last = iteration == most
        if many:
            residual = relative_residual(
                trial.load, trial.q, settings.tolerance, settings.limit, previous, last, workspace
            )
        met = iteration > 0 or not held or meets(constraints.G, constraints.work.wanted, trial.a)
        if many and ((met and residual <= 1) or last or not math.isfinite(residual)):
            break
        share = share_of(slope, dot(workspace.residual, trial.way)) if many and iteration > held else 1.0
        if share < 1:
            _go_back(1 - share, trial)
            slope *= share
            continue
        if not find_correction(forces, trial.q, trial.v, h, alpha, beta, many, iteration, residual, workspace):
            return np.inf
        if held:
            _constrain(forces, workspace, trial, constraints, 1 / (BETA * h * h))
        for i in range(len(q)):
            trial.way[i] = workspace.change[i]
        if many and iteration >= held:
            factor, begins = workspace.factors[0], iteration == held
            mix(forces, trial.mixing, factor, begins, trial.q, workspace.residual, trial.way)
        slope = dot(workspace.residual, trial.way)
        if slope <= 0:
            for i in range(len(q)):
                trial.way[i] = workspace.change[i]
            slope = dot(workspace.residual, trial.way)
        for i in range(len(q)):
            trial.q[i] += trial.way[i]
    if not norm(trial.q) < settings.limit:
        return np.inf
    if many and residual <= 1:
        end(forces, trial.q, beta, iteration)
    return residual


@borrowing
def _go_back(share, trial):
    """By so much of what the last iteration added."""
    for i in range(len(trial.q)):
        trial.q[i] -= share * trial.way[i]
        trial.way[i] *= 1 - share


@borrowing
def _constrain(parts, workspace, trial, constraints, a1):
    """Change the forces of the hands so that the correction meets the constraints, and the correction with them."""
    G, _, _, _, limits, forces, (wanted, change, Y, T) = constraints
    if workspace.factors[1] != workspace.factors[0]:
        workspace.factors[1] = workspace.factors[0]
        for row in range(len(G)):
            for j in range(len(trial.q)):
                Y[row, j] = G[row, j]
            substitute(parts, workspace, Y[row])
    for j in range(len(trial.q)):
        trial.probe[j] = trial.a[j] + a1 * workspace.change[j]
    find_change(G, wanted, forces, change, Y, T, limits, a1, trial.probe)
    apply_change(Y, change, 1.0, workspace.change)
    add_constraint_forces(G, change, trial.load)


@borrowing
def _update_rates(h, q, v, a, trial):
    """v+ = a4 (q+ - q) + a5 v + a6 a,  a+ = a1 (q+ - q) - a2 v - a3 a."""
    a1, a2, a3 = 1 / (BETA * h * h), 1 / (BETA * h), (1 - 2 * BETA) / (2 * BETA)
    a4, a5, a6 = GAMMA / (BETA * h), 1 - GAMMA / BETA, (1 - GAMMA / (2 * BETA)) * h
    for i in range(len(q)):
        d = trial.q[i] - q[i]
        trial.v[i] = a4 * d + a5 * v[i] + a6 * a[i]
        trial.a[i] = a1 * d - a2 * v[i] - a3 * a[i]
