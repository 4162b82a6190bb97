"""States that really occur: a reduced body after random blows, and under random pulls (maths sheet section 8).

Gaussian states are a trap: random stiff coordinates make membrane forces that no motion shows.
"""

from collections.abc import Callable

import numpy as np
import scipy.linalg as la

from pliant.errors import Array
from pliant.numerics.progress import Progress, report
from pliant.reduced.force import Force

AMPLITUDES = (0.02, 0.2)  # largest displacement of the linear response, in units of the body's extent
FRAMES, EVERY = 60, 3  # a run, and which of its frames count
PERIODS = (60, 250)  # frames in a period of the lowest mode: long looks at slow motion, short ones at quick motion
KEPT = 10  # states from a run: many short looks at different motions train better than a few long ones
DAMPING = 0.02  # of the lowest mode
PULLS = 0.2  # share of the looks that are at a pull
ITERATIONS = 12  # of Newton's method under a pull; what it passes on the way counts as well
LONGEST = 0.1  # change of one iteration, in units of the body's extent


def simulated_states(
    force: Force, M: Array, X: Array, U: Array, count: int, seed: int, progress: Progress = None
) -> Array:
    """`count` reduced states (count, r), in the order of the runs they come from."""
    random, states = np.random.default_rng(seed), list[Array]()
    body = _Body(force, M, X, U)
    empty = 0
    while len(states) < count:
        look: Callable[[np.random.Generator], list[Array]] = body.pull if random.random() < PULLS else body.blow
        seen = look(random)
        empty = 0 if seen else empty + 1
        if empty > count:  # a material that breaks down at once; rest is better than no end
            seen = [np.zeros(force.size)]
        states += [seen[i] for i in random.choice(len(seen), min(KEPT, len(seen)), replace=False)]
        report(progress, "states", min(1.0, len(states) / count))
    return np.array(states[:count])


class _Body:
    """A reduced body, its modes, and where it can be touched."""

    def __init__(self, force: Force, M: Array, X: Array, U: Array):
        self.force, self.M, self.U = force, M, U
        self.rows = U.reshape(-1, 3, U.shape[1])
        self.moving = np.flatnonzero(np.abs(self.rows).sum(axis=(1, 2)))
        self.extent = np.ptp(X, axis=0).max()
        K = self.tangent(np.zeros(force.size))[1]
        values, self.shapes = la.eigh(K, M)
        self.frequencies = np.sqrt(np.maximum(values, 1e-12 * values[-1]))

    def tangent(self, q: Array) -> tuple[Array, Array]:
        """f and K."""
        jet = self.force.jet(q)
        return jet[1:, 0], jet[1:, 1:] + jet[1:, 1:].T

    def reach(self, q: Array) -> float:
        """Largest displacement in units of the extent."""
        return float(np.abs(self.U @ q).max() / self.extent)

    def touch(self, random: np.random.Generator) -> Array:
        """A unit force in a random direction on a random vertex, in modal coordinates (r,)."""
        return self.shapes.T @ (self.rows[random.choice(self.moving)].T @ random.standard_normal(3))

    def blow(self, random: np.random.Generator) -> list[Array]:
        """Linearly implicit Newmark steps ([SI05] App. C) after a blow; stops early where the body breaks down."""
        modal = self.touch(random)
        v = self.shapes @ modal * (random.uniform(*AMPLITUDES) / self.reach(self.shapes @ (modal / self.frequencies)))
        dt = 2 * np.pi / self.frequencies[0] / random.choice(PERIODS)
        beta, M = 2 * DAMPING / self.frequencies[0], self.M
        q, a, states = np.zeros_like(v), np.zeros_like(v), []
        for step in range(1, FRAMES + 1):
            f, K = self.tangent(q)
            A = 4 / dt**2 * M + (1 + 2 / dt * beta) * K
            d = np.linalg.solve(A, M @ (4 / dt * v + a) + beta * (K @ v) - f)
            q, v, a = q + d, 2 / dt * d - v, 4 / dt**2 * d - 4 / dt * v - a
            if not np.isfinite(q).all() or self.reach(q) > 1:
                break
            if step % EVERY == 0:
                states.append(q)
        return states

    def pull(self, random: np.random.Generator) -> list[Array]:
        """Newton's iterations towards equilibrium with a pull on one vertex."""
        modal = self.touch(random)
        linear = self.shapes @ (modal / self.frequencies**2)
        size = random.uniform(*AMPLITUDES) / self.reach(linear)
        load, q, states = size * (self.M @ (self.shapes @ modal)), np.zeros_like(modal), []
        for _ in range(ITERATIONS):
            f, K = self.tangent(q)
            d = np.linalg.solve(K + 1e-6 * self.frequencies[0] ** 2 * self.M, load - f)
            q = q + d * min(1.0, LONGEST / max(self.reach(d), np.finfo(float).tiny))
            if not np.isfinite(q).all() or self.reach(q) > 1:
                break
            states.append(q)
        return states
