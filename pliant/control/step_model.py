"""A system near a path, in a few of its motions: the linear model of its own steps, by differences of these steps.

Impulses J_i on the sensors (3p, m), turned with the body, make the motions y_i = A^-1 W^T J_i of its unknowns; V = W y
are what the sensors see of them. Coordinates of an error are

    z = V^+ R^T (x - xbar),   z' = V^+ R^T (x' - xbar'),   V^+ = (V^T m V)^-1 V^T m

R the rotation of the path, m the shares of the sensors. At knots of the path, the system is put beside it by +-y_i, its
coordinates or its unknowns, takes a step, and is looked at:

    (z, z')+ = A (z, z') + B0 u + B1 u_before

B1 is what the push of the step before still does, where accelerations are carried on (Newmark). Steps may be of any
kind: all that is asked of a system is what it answers to impulses, `state` and `restore`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pliant.control.actuators import Actuation
from pliant.control.path import Path
from pliant.control.sensors import Sight
from pliant.errors import ArgumentError, Array
from pliant.systems import System
from pliant.systems.playing import play

SMALL = 1e-4  # of the extent: how far the system is put beside the path
PUSHED = 1e-3  # of the extent: what a trial push would bend the body by if it stayed
SEEN = 1e-9  # of the largest: motions that sensors see less of are no motions
POWERLESS = 1e-9  # of what the strongest actuator bends: one that bends less can move nothing


@dataclass(frozen=True, eq=False)
class Motions:
    """The motions of the system that are controlled.

    Attributes:
        impulses: J (3p, m) on the sensors, as the body stands at the start of the path.
        bends: (c,) root mean square displacement of the sensors under each actuator at its strongest [m].
        rates: (m,) about their angular frequencies, those of rigid ones as that of the slowest vibration [1/s].
        period: of the slowest vibration [s].
    """

    impulses: Array
    bends: Array
    rates: Array
    period: float

    def __repr__(self) -> str:
        return f"Motions({len(self.rates)}, the slowest vibration of {self.period:.4g} s)"


@dataclass(frozen=True, eq=False)
class StepModel:
    """The linear model along a path.

    Attributes:
        path: along which. actuation: by what.
        motions: that are steered.
        turned: R (T + 3, 3, 3) of the path from its start.
        seen: V (k, 3p, m) at the knots.
        A: (k, 2m, 2m). B: (2, k, 2m, c) of the push in the step, and of that in the step before.
    """

    path: Path
    actuation: Actuation
    motions: Motions
    turned: Array
    seen: Array
    A: Array
    B: Array

    def __repr__(self) -> str:
        return f"StepModel({self.size} motions, {len(self.A)} knots, {self.path})"

    @property
    def size(self) -> int:
        """m."""
        return self.seen.shape[2]

    def between(self, knots: Array, k: int) -> Array:
        """What belongs to step k, of what is known at the knots (n, ...)."""
        return between(self.path, knots, k)

    def errors(self, k: int, sight: Sight, reader: Array | None = None) -> Array:
        """(z, z') (2m,) of what is seen before step k; `reader(k)` may be at hand."""
        known = self.reader(k) if reader is None else reader
        return error_of(known, self.path.sight(k), self.turned[k], sight)

    def reader(self, k: int) -> Array:
        """V^+ (m, 3p) before step k."""
        return reader_of(self.between(self.seen, k), self.path.sensors.weights)


def reader_of(seen: Array, weights: Array) -> Array:
    """V^+ (m, 3p)."""
    weighted = seen.T * np.repeat(weights, 3)
    return np.asarray(np.linalg.solve(weighted @ seen, weighted))


def error_of(reader: Array, wanted: Sight, R: Array, sight: Sight) -> Array:
    """V^+ R^T (x - xbar) and V^+ R^T (x' - xbar') (2m,)."""
    off = np.stack([(now - there) @ R for now, there in zip(sight, wanted)]).reshape(2, -1)
    return (off @ reader.T).ravel()


def between(path: Path, knots: Array, k: int) -> Array:
    """What belongs to step k, of what is known at the knots (n, ...)."""
    at = path.knots
    low = int(np.searchsorted(at, k, side="right")) - 1
    if low + 1 < len(at):
        end, high = int(at[low + 1]), low + 1
    elif path.repeats:
        end, high = path.step_count, 0
    else:
        return knots[low]
    share = min((k - at[low]) / (end - at[low]), 1.0)
    return (1 - share) * knots[low] + share * knots[high]


def motions(path: Path, actuation: Actuation, count: int) -> Motions:
    """The `count` motions that give way most to slow forces everywhere: rigid ones, and vibrations from below.

    Raises:
        ArgumentError: an actuator can move nothing.
    """
    system, sensors = path.system, path.sensors
    try:
        period = system._first_period()
    except ArgumentError as reason:
        raise ArgumentError(f"{reason}, and cannot be steered as one; note the path of a system in it") from None
    share = np.sqrt(np.repeat(sensors.weights, 3))
    points, acted = sensors.points(system), actuation.points(system)
    patterns = actuation.patterns(system).reshape(len(actuation), -1)
    dt = system.dt
    try:
        system.dt = period / 2
        W, answers = system.rows(points), system.response(points)
        pushed = system.response(acted) @ patterns.T
    finally:
        system.dt = dt
    bends = np.sqrt((share**2) @ (W @ pushed) ** 2) * (period / 2) ** 2 / 2
    weakest = int(np.argmin(bends))
    if bends[weakest] <= max(POWERLESS * bends.max(), 1e-12 * path.extent):
        raise ArgumentError(
            f"actuator {weakest}, {actuation.actuators[weakest]}, can move nothing; act on vertices that are not held, "
            "or give it more force"
        )
    soft = share[:, None] * (W @ answers) * share
    values, vectors = np.linalg.eigh((soft + soft.T) / 2)
    kept = min(count, int((values > SEEN * values[-1]).sum()), len(answers))
    first = np.argsort(-values, kind="stable")[:kept]
    # Of a vibration, V^T m A^-1 m V is 1 / (M (1 + om^2 dt^2 / 4)).
    squares = np.maximum(1 / (system._mass() * values[first]) - 1, 0) * (4 / period) ** 2
    rates = np.sqrt(np.maximum(squares, (2 * np.pi / period) ** 2))
    return Motions(share[:, None] * vectors[:, first] / values[first], bends, rates, period)


def step_model(path: Path, actuation: Actuation, modes: int) -> StepModel:
    """Differences of its own steps at the knots of a path."""
    chosen, sensors = motions(path, actuation, modes), path.sensors
    free = path.system.free
    turned = np.array([sensors.turned(x, path.x[0]) if free else np.eye(3) for x in path.x])
    trials = [_Trial(path, actuation, chosen, turned, number) for number in range(len(path.knots))]
    seen = np.array([trial.seen for trial in trials])
    A, B0, B1 = (np.array(each) for each in zip(*(trial.tried(seen) for trial in trials)))
    return StepModel(path, actuation, chosen, turned, seen, A, np.stack([B0, B1]))


class _Trial:
    """Steps beside the path at a knot.

    Attributes:
        seen: V (3p, m).
    """

    def __init__(self, path: Path, actuation: Actuation, chosen: Motions, turned: Array, number: int):
        self.path, self.actuation, self.chosen, self.system, self.turned = path, actuation, chosen, path.system, turned
        self.k, self._before = int(path.knots[number]), path.before[number]
        self._begins = self.k == 0 and not path.repeats
        self._begin()
        self._here = self.system.state()
        self._changes, self._momenta, self.seen = self._moved_by(chosen.impulses)

    def _moved_by(self, impulses: Array) -> tuple[Array, Array, Array]:
        """What impulses (3p, m) do to the unknowns (s, m) in a long step, their momenta (6, m), and V (3p, m)."""
        system, R, m = self.system, self.turned[self.k], impulses.shape[1]
        points, dt = self.path.sensors.points(system), system.dt
        J = np.einsum("ij,pjm->pim", R, impulses.reshape(-1, 3, m))
        x = points.place(system.pose())
        momenta = np.concatenate([J.sum(axis=0), np.cross(x[:, None], J.transpose(0, 2, 1)).sum(axis=0).T])
        try:
            system.dt = self.chosen.period / 2
            changes = system.response(points) @ J.reshape(-1, m)
        finally:
            system.dt = dt
        velocities = (system.rows(points) @ changes).reshape(-1, 3, m)
        return changes, momenta, np.einsum("ij,pim->pjm", R, velocities).reshape(-1, m)

    def tried(self, seen: Array) -> tuple[Array, Array, Array]:
        """A, B0 and B1; V of all knots are `seen`."""
        path, m = self.path, self.seen.shape[1]
        self._readers = [reader_of(between(path, seen, self.k + i), path.sensors.weights) for i in range(3)]
        sizes = SMALL * path.extent / np.sqrt(np.repeat(path.sensors.weights, 3) @ self.seen**2)
        began, ended = np.zeros((2, 2 * m, 2 * m))
        for i in range(2 * m):
            change, momentum = sizes[i % m] * self._changes[:, i % m], sizes[i % m] * self._momenta[:, i % m]
            pair = [self._beside(sign * change, sign * momentum, i < m) for sign in (1.0, -1.0)]
            began[:, i], ended[:, i] = ((one - other) / (2 * sizes[i % m]) for one, other in zip(*pair))
        A = np.linalg.solve(began.T, ended.T).T
        return A, *self._pushes(A)

    def _begin(self) -> None:
        """At the knot, as the motion came there."""
        self.system.release()
        self.system.restore(self._before)
        if not self._begins:
            play(self.system, self.path.forces, 1)

    def _read(self, ahead: int) -> Array:
        k = self.k + ahead
        sight = self.path.sensors.look(self.system)
        return error_of(self._readers[ahead], self.path.sight(k), self.turned[k], sight)

    def _beside(self, change: Array, momentum: Array, moved: bool) -> tuple[Array, Array]:
        """(z, z') beside the path, and a step later."""
        system, rate = self.system, 1.0 / self.chosen.period
        system.restore(self._here)
        if moved:
            system._correct(change, momentum, 1.0 / system.dt)
            system._correct(-change, -momentum, 0.0)
        else:
            system._correct(rate * change, rate * momentum, 0.0)
        began = self._read(0)
        play(system, self.path.forces, 1)
        return began, self._read(1)

    def _pushes(self, A: Array) -> tuple[Array, Array]:
        """B0 and B1 (2m, c): the step in which a push acts, and what comes of it in the next."""
        B0, B1 = np.zeros((2, len(A), len(self.actuation)))
        for i in range(len(self.actuation)):
            size = PUSHED * self.path.extent / self.chosen.bends[i]
            pair = [self._pushed(i, sign * size) for sign in (1.0, -1.0)]
            first, second = ((one - other) / (2 * size) for one, other in zip(*pair))
            B0[:, i], B1[:, i] = first, second - A @ first
        return B0, B1

    def _pushed(self, actuator: int, size: float) -> tuple[Array, Array]:
        """(z, z') after a step with a push, and after one more without."""
        self._begin()
        u = np.zeros(len(self.actuation))
        u[actuator] = size
        act(self.system, self.path, self.actuation, u)
        self.system.step()
        first = self._read(1)
        act(self.system, self.path, self.actuation, 0 * u)
        self.system.step()
        return first, self._read(2)


def act(system: System, path: Path, actuation: Actuation, u: Array) -> None:
    """Push with what acts along the path and with the actuators, in place of what was pushed before."""
    system.release()
    if path.forces is not None:
        path.forces.apply(system)
    actuation.push(system, u)
