"""A free reduced body with smoothed contact, and the exact slopes of its motion: what keyframes of flying bodies need.

The body is its mass points x_i = t + R (X_i + S_i q), and a step is implicit Euler in these, projected on what the body
can do, y = (t, R, q):

    J^T [ M (x - 2 x- + x--) / dt^2 - M g - f_contact - R P g_k ] + (0, 0, f(q) + C (q - q-) / dt) = 0,   J = dx/dy

All of inertia, with centrifugal, Coriolis and Euler forces ([MC15] Eq. 14), is in J, since the points themselves move
in straight lines. So the slopes need no derivative of any of these: with h the bracket,

    A = J^T M J / dt^2 + K + C / dt + (dJ)^T h - J_c^T df J_c,   B = -2 J^T M J- / dt^2 - ...,   E = J^T M J-- / dt^2
    A dy + B dy- + E dy-- = J^T R P dg                and backwards    A^T l = row - B+^T l+ - E++^T l++

which is three products of matrices where an adjoint of the equations in (v, L, q') would be pages. Turns are of the
left, R <- exp(dtheta) R. The sum over mass points is exact with 4 + 3r of them: a root of the Gram matrix of inertia.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import scipy.linalg as la

from pliant.control.smooth_ground import Pressed, SmoothPlane, pressed
from pliant.errors import Array, Diverged, Ids
from pliant.numerics import rotation_exponential
from pliant.reduced import ReducedModel
from pliant.reduced.inertia import Inertia

SOLVED = 1e-9  # of what acts: residual at which a step is solved; its slopes are then exact to about 1e-8
REACH = 0.05  # of the size of a body: how far off the ground points are not asked within a step
MOST = 40  # iterations of a step
SHORTEST = 1e-3  # of Newton's step, which is halved as long as the residual would grow


class Place(NamedTuple):
    """t: (3,) of the centre of mass [m]. R: (3, 3). q: (r,)."""

    t: Array
    R: Array
    q: Array

    def moved(self, by: Array) -> Place:
        """By a step (6 + r,) in t, turn and q."""
        return Place(self.t + by[:3], rotation_exponential(by[3:6]) @ self.R, self.q + by[6:])


class Guide(NamedTuple):
    """Springs of mass points to a way: path (T + 1, p, 3) at the places of a run, stiffness [1/s^2], drag [1/s]."""

    path: Array
    stiffness: float
    drag: float


class Rows(NamedTuple):
    """Points c t + R (Z z), z = (1, q): c: (k,), one of real points. Z: (k, 3, 1 + r) [m]."""

    c: Array
    Z: Array

    def place(self, y: Place) -> Array:
        """(k, 3)."""
        return self.c[:, None] * y.t + self.arms(y)

    def arms(self, y: Place) -> Array:
        """R Z z (k, 3)."""
        return (self.Z[:, :, 0] + self.Z[:, :, 1:] @ y.q) @ y.R.T

    def jacobian(self, y: Place, arms: Array) -> Array:
        """dx/dy (k, 3, 6 + r)."""
        J = np.zeros((len(self.c), 3, 6 + len(y.q)))
        for i in range(3):
            J[:, i, i] = self.c
            j, k = (i + 1) % 3, (i + 2) % 3
            J[:, j, 3 + i], J[:, k, 3 + i] = -arms[:, k], arms[:, j]
        J[:, :, 6:] = y.R @ self.Z[:, :, 1:]
        return J

    def some(self, ids: Ids) -> Rows:
        return Rows(self.c[ids], self.Z[ids])


@dataclass(frozen=True, eq=False)
class SmoothBody:
    """What a motion follows from.

    Attributes:
        model: of the body, without fixed vertices. dt: [s]. gravity: (3,) [m/s^2]. damping: alpha [1/s], beta [s].
        planes: that it stands on.
        patterns: forces (k, 3, c) [N] of each control at one on some vertices `pushed` (k,), in the body's axes.
        touching: vertices that touch. guide: that the body is kept near; None: none.
    """

    model: ReducedModel
    dt: float
    gravity: Array
    damping: tuple[float, float]
    planes: tuple[SmoothPlane, ...]
    pushed: Ids
    patterns: Array
    touching: Ids
    guide: Guide | None
    masses: Rows = field(init=False, repr=False)
    points: Rows = field(init=False, repr=False)
    sums: tuple[Array, Array, Array] = field(init=False, repr=False)
    viscosity: Array = field(init=False, repr=False)
    reach: float = field(init=False, repr=False)

    def __post_init__(self) -> None:
        alpha, beta = self.damping
        inertia = self.model.inertia.centred()
        pushing = self.rows(self.pushed)
        made = {
            "masses": mass_points(inertia),
            "points": self.rows(self.touching),
            "sums": (
                self.patterns.sum(axis=0),
                _torques(pushing.Z, self.patterns),
                np.einsum("kil,kic->lc", pushing.Z[:, :, 1:], self.patterns),
            ),
            "reach": REACH * float(np.linalg.norm(np.ptp(self.model.X, axis=0))),
            "viscosity": alpha * inertia.reduced_mass + beta * self.model.stiffness(),
        }
        for name, value in made.items():
            object.__setattr__(self, name, value)

    def rows(self, vertices: Ids) -> Rows:
        """Of some vertices."""
        return vertex_rows(self.model, vertices)

    def applied(self, y: Place, g: Array) -> tuple[Array, Array]:
        """J^T R P (6 + r, c), and how its product with g (c,) changes with y (6 + r, 6 + r)."""
        force, arms, bend = self.sums
        z = np.concatenate([[1.0], y.q])
        F = np.vstack([y.R @ force, y.R @ np.tensordot(z, arms, axes=(0, 1)), bend])
        change = np.zeros((len(F), len(F)))
        change[:3, 3:6], change[3:6, 3:6] = -_cross(F[:3] @ g), -_cross(F[3:6] @ g)
        change[3:6, 6:] = y.R @ (arms[:, 1:] @ g)
        return F, change


class Solved(NamedTuple):
    """A step: where it led, and its matrices. factors: of A. B: (n, n), of the step before. J: (p 3, n). F: (n, c)."""

    y: Place
    factors: tuple[Array, Array]
    B: Array
    J: Array
    F: Array


@dataclass(frozen=True, eq=False)
class SmoothRun:
    """places: T + 1, each half a step later than the steps are. steps: T. controls: (T, c)."""

    body: SmoothBody
    places: list[Place]
    steps: list[Solved]
    controls: Array


def mass_points(inertia: Inertia) -> Rows:
    """Points of mass one each, c t + R Z z, that have all this inertia."""
    values, vectors = np.linalg.eigh(inertia.gram)
    root = (np.sqrt(np.maximum(values, 0.0)) * vectors).T
    return Rows(root[:, 0], np.ascontiguousarray(root[:, 1:].reshape(len(root), -1, 3).transpose(0, 2, 1)))


def vertex_rows(model: ReducedModel, vertices: Ids) -> Rows:
    """About the centre of mass, of vectors that do not move it."""
    inertia = model.inertia
    X = model.X[vertices] - inertia.centre
    S = model.U.reshape(len(model.X), 3, model.size)[vertices] - inertia.N / inertia.mass
    return Rows(np.ones(len(X)), np.concatenate([X[:, :, None], S], axis=2))


def run(body: SmoothBody, start: Place, rates: Array, controls: Array) -> SmoothRun:
    """T steps under controls (T, c) from a place with rates (6 + r,): velocity, spin of the frame, q'.

    Places are those half a step after the ends of steps: then implicit Euler is the leapfrog rule, x + dt/2 x', which
    is exact in flight, and the mean of two places is where the body is at the end of a step.

    Raises:
        Diverged: a step found no solution.
    """
    masses = body.masses
    start = start.moved(0.5 * body.dt * rates)
    x = masses.place(start)
    before = x - body.dt * (masses.jacobian(start, masses.arms(start)) @ rates)
    places, steps = [start], []
    step = body.dt * rates
    for k, g in enumerate(controls):
        solved = _step(body, places[-1], 2 * x - before, _towards(body, k, x), g, step, k)
        before, x = x, masses.place(solved.y)
        step = _between(places[-1], solved.y)
        places.append(solved.y)
        steps.append(solved)
    return SmoothRun(body, places, steps, controls)


def pull_back(motion: SmoothRun, rows: Mapping[int, Array]) -> Array:
    """d/dg (m, T, c) of m functions whose slopes are rows (m, 6 + r) of the places after steps k = 1 .. T."""
    steps, dt = motion.steps, motion.body.dt
    m, n = next(iter(rows.values())).shape
    found = np.zeros((m, len(steps), motion.controls.shape[1]))
    later: list[tuple[Array, Solved]] = []  # l of the next step, and of the one after it
    for k in range(len(steps), 0, -1):
        right = rows[k].T.copy() if k in rows else np.zeros((n, m))
        now = steps[k - 1]
        if later:
            right -= later[0][1].B.T @ later[0][0]
        if len(later) > 1:
            right -= now.J.T @ (later[1][1].J @ later[1][0]) / dt**2  # E
        l = la.lu_solve(now.factors, right, trans=1, check_finite=False)
        found[:, k - 1] = (now.F.T @ l).T
        later = [(l, now), *later[:1]]
    return found


class _Balance(NamedTuple):
    """G (n,), how large what is in it is, and what its slopes are made of."""

    G: Array
    size: float
    h: Array
    arms: Array
    J: Array
    near: Pressed
    contact_arms: Array
    Jc: Array
    F: Array
    turned: Array


class _Before(NamedTuple):
    """What a step begins with: y; free: where the mass points would be without any force; pull: of the guide, at x = 0;
    points: that may touch in this step, and where they are."""

    y: Place
    free: Array
    pull: Array | float
    points: Rows
    x: Array


def _towards(body: SmoothBody, k: int, x: Array) -> Array | float:
    """stiffness path + drag (path' + x- / dt), of step k + 1 from the place x- (p, 3)."""
    if body.guide is None:
        return 0.0
    path, slow = body.guide.path, body.guide.drag / body.dt
    return body.guide.stiffness * path[k + 1] + slow * (path[k + 1] - path[k] + x)


def _springs(body: SmoothBody) -> tuple[float, float]:
    """What an acceleration grows by with the place of a mass point, and with that before."""
    squared, slow = 1 / body.dt**2, 0.0 if body.guide is None else body.guide.drag / body.dt
    return squared + slow + (0.0 if body.guide is None else body.guide.stiffness), -2 * squared - slow


def _near(body: SmoothBody, y: Place) -> tuple[Rows, Array]:
    """Points that may touch within a step, and where they are."""
    x = body.points.place(y)
    near = np.zeros(len(x), dtype=bool)
    for plane in body.planes:
        near |= x @ plane.normal - plane.height < body.reach
    ids = np.flatnonzero(near)
    return body.points.some(ids), x[ids]


def _step(
    body: SmoothBody, y_before: Place, free: Array, pull: Array | float, g: Array, guess: Array, k: int
) -> Solved:
    before = _Before(y_before, free, pull, *_near(body, y_before))
    y = y_before.moved(guess)
    now = _balance(body, y, before, g)
    for _ in range(MOST):
        if not np.isfinite(now.size):
            break
        A = _slope(body, y, before, now)
        factors = la.lu_factor(A, check_finite=False)
        if np.linalg.norm(now.G) <= SOLVED * now.size:
            B = _slope_before(body, before, now)
            return Solved(y, factors, B, now.J, now.F)
        change, share = -la.lu_solve(factors, now.G, check_finite=False), 1.0
        while True:
            tried = y.moved(share * change)
            then = _balance(body, tried, before, g)
            if np.linalg.norm(then.G) < np.linalg.norm(now.G) or share < SHORTEST:
                break
            share /= 2
        y, now = tried, then
    left = float(np.linalg.norm(now.G) / now.size) if now.size > 0 else float("nan")
    raise Diverged(f"the smoothed motion found no solution in step {k + 1}; use a smaller dt", k * body.dt, left)


def _balance(body: SmoothBody, y: Place, before: _Before, g: Array) -> _Balance:
    masses, dt = body.masses, body.dt
    arms = masses.arms(y)
    J = masses.jacobian(y, arms)
    own, _ = _springs(body)
    x = masses.c[:, None] * y.t + arms
    h = own * x - before.free / dt**2 - before.pull - masses.c[:, None] * body.gravity
    n = J.shape[2]
    G = J.reshape(-1, n).T @ h.ravel()
    inner = body.model.force(y.q)
    drag = body.viscosity @ (y.q - before.y.q) / dt
    F, turned = body.applied(y, g)
    size = _weight(body) + float(np.linalg.norm(G) + np.linalg.norm(inner) + np.linalg.norm(F @ g))
    G[6:] += inner + drag
    G -= F @ g
    near = pressed(body.planes, before.points.place(y), before.x, dt) if len(before.x) else _nothing()
    touching = before.points.some(near.ids)
    contact_arms = touching.arms(y)
    Jc = touching.jacobian(y, contact_arms)
    if len(near.ids):
        G -= Jc.reshape(-1, n).T @ near.force.ravel()
    return _Balance(G, size, h, arms, J.reshape(-1, n), near, contact_arms, Jc, F, turned)


def _weight(body: SmoothBody) -> float:
    return float(body.model.inertia.mass * max(float(np.linalg.norm(body.gravity)), 1.0))


def _slope(body: SmoothBody, y: Place, before: _Before, now: _Balance) -> Array:
    """A."""
    own, _ = _springs(body)
    A = own * (now.J.T @ now.J) - now.turned
    A[6:, 6:] += body.model.stiffness(y.q) + body.viscosity / body.dt
    _add_turning(A, now.arms, now.h, now.J.reshape(*now.h.shape, -1)[:, :, 6:])
    if len(now.near.ids):
        n = len(A)
        A -= now.Jc.reshape(-1, n).T @ (now.near.slope @ now.Jc).reshape(-1, n)
        _add_turning(A, now.contact_arms, -now.near.force, now.Jc[:, :, 6:])
    return A


def _add_turning(A: Array, arms: Array, h: Array, S: Array) -> None:
    """(dJ)^T h: r x h and S^T R^T h, as r = R Z z and R turn."""
    outer = arms.T @ h
    A[3:6, 3:6] += outer - np.trace(outer) * np.eye(3)
    moved = np.tensordot(h, S, axes=(0, 0))  # (3, 3, r): h_a S_b
    twist = np.stack([moved[2, 1] - moved[1, 2], moved[0, 2] - moved[2, 0], moved[1, 0] - moved[0, 1]])
    A[3:6, 6:] += twist
    A[6:, 3:6] += twist.T


def _slope_before(body: SmoothBody, before: _Before, now: _Balance) -> Array:
    """B."""
    masses, y = body.masses, before.y
    J = masses.jacobian(y, masses.arms(y))
    n, (_, last) = J.shape[2], _springs(body)
    B = last * (now.J.T @ J.reshape(-1, n))
    B[6:, 6:] -= body.viscosity / body.dt
    if len(now.near.ids):
        touching = before.points.some(now.near.ids)
        then = touching.jacobian(y, touching.arms(y))
        B -= now.Jc.reshape(-1, n).T @ (now.near.before @ then).reshape(-1, n)
    return B


def _between(a: Place, b: Place) -> Array:
    """The step (6 + r,) from a to b, to first order: a guess for the next."""
    turn = b.R @ a.R.T
    axis = 0.5 * np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    return np.concatenate([b.t - a.t, axis, b.q - a.q])


def _torques(Z: Array, forces: Array) -> Array:
    """sum Z_il x f_ic (3, l, c)."""
    both = np.tensordot(Z, forces, axes=(0, 0))  # (3, l, 3, c)
    return np.stack([both[j, :, k] - both[k, :, j] for j, k in ((1, 2), (2, 0), (0, 1))])


def _cross(w: Array) -> Array:
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def _nothing() -> Pressed:
    return Pressed(np.zeros(0, np.int64), np.zeros((0, 3)), np.zeros((0, 3, 3)), np.zeros((0, 3, 3)))
