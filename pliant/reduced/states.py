"""States that really occur: a reduced StVK body after random nodal impulses (maths sheet section 8).

Gaussian states are a trap: random stiff coordinates make membrane forces that no motion shows.
"""

import numpy as np
import scipy.linalg as la

from pliant.errors import Array
from pliant.reduced.cubic import CubicForce

AMPLITUDES = (0.02, 0.2)  # largest displacement of an impulse's linear response, in units of the body's extent
FRAMES, EVERY = 60, 3  # a run, and which of its frames count
PERIOD = 250  # frames in a period of the lowest mode
KEPT = 5  # states from a run: many short looks at different motions train better than a few long ones
DAMPING = 0.02  # of the lowest mode


def simulated_states(force: CubicForce, M: Array, X: Array, U: Array, count: int, seed: int) -> Array:
    """`count` reduced states (count, r), in the order of the runs they come from."""
    random, states = np.random.default_rng(seed), list[Array]()
    frequencies, shapes = _modes(force, M)
    dt, beta = 2 * np.pi / frequencies[0] / PERIOD, 2 * DAMPING / frequencies[0]
    while len(states) < count:
        run = _run(force, M, _impulse(random, X, U, frequencies, shapes), dt, beta)
        states += [run[i] for i in random.choice(len(run), min(KEPT, len(run)), replace=False)]
    return np.array(states[:count])


def _modes(force: CubicForce, M: Array) -> tuple[Array, Array]:
    L = force.jet(np.zeros(force.size))[1:, 1:]
    values, shapes = la.eigh(L + L.T, M)
    return np.sqrt(np.maximum(values, 1e-12 * values[-1])), shapes


def _impulse(random: np.random.Generator, X: Array, U: Array, frequencies: Array, shapes: Array) -> Array:
    """Velocity (r,) after a blow on one vertex, scaled to a random amplitude of the linear response."""
    rows = U.reshape(-1, 3, U.shape[1])
    moving = np.flatnonzero(np.abs(rows).sum(axis=(1, 2)))
    direction = random.standard_normal(3)
    modal = shapes.T @ (rows[random.choice(moving)].T @ direction)
    reach = np.abs(U @ (shapes @ (modal / frequencies))).max()
    extent = np.ptp(X, axis=0).max()
    return shapes @ modal * (random.uniform(*AMPLITUDES) * extent / reach)


def _run(force: CubicForce, M: Array, v: Array, dt: float, beta: float) -> list[Array]:
    """Linearly implicit Newmark steps ([SI05] App. C); stops early where the body breaks down."""
    q, a, states = np.zeros_like(v), np.zeros_like(v), []
    for step in range(1, FRAMES + 1):
        jet = force.jet(q)
        f, K = jet[1:, 0], jet[1:, 1:] + jet[1:, 1:].T
        A = 4 / dt**2 * M + (1 + 2 / dt * beta) * K
        d = np.linalg.solve(A, M @ (4 / dt * v + a) + beta * (K @ v) - f)
        q, v, a = q + d, 2 / dt * d - v, 4 / dt**2 * d - 4 / dt * v - a
        if not np.isfinite(q).all():
            break
        if step % EVERY == 0:
            states.append(q)
    return states
