"""A bank of oscillators, exact for any step and force that is constant over it (maths sheet 9).

z'' + d z' + lambda z = f. Its two numbers a mode are z and Y = (c - s n) z - n z', so that without force z+ = 2 c z - Y
and Y+ = e^(-d h) z: two products a sample, and nothing to divide by where a mode is overdamped.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit

from pliant.errors import Array
from pliant.systems.clamped.modal import transition

TILE = 256  # modes whose numbers stay in the nearest cache
STRETCH = 1024  # samples between looks at which modes have died away
DEAD = 300.0  # e-folds after which nothing is left
SILENT = 1e-200  # far from numbers so small that processors compute with them slowly


@dataclass(eq=False)
class Bank:
    """Oscillators that ring together.

    Attributes:
        eigenvalues, damping: lambda (m,) [1/s^2] and d (m,) [1/s].
        step: h [s].
        z, Y: (m,) where they are now.
    """

    eigenvalues: Array
    damping: Array
    step: float

    def __post_init__(self) -> None:
        rows = [transition(value, d, self.step) for value, d in zip(self.eigenvalues, self.damping)]
        P = np.array(rows).reshape(-1, 6).T
        self.fade = P[0] * P[3] - P[1] * P[2]  # e^(-d h)
        self.turn = P[0] + P[3]  # 2 c
        self.sine, self.slack = P[1].copy(), P[3].copy()  # n, c - s n
        self.push = P[4].copy()  # of z, by a force over a step
        self.pull = P[3] * P[4] - P[1] * P[5]  # of Y
        self.silence()

    def __repr__(self) -> str:
        return f"Bank({len(self.eigenvalues)} oscillators, step {self.step:.3g} s)"

    def silence(self) -> None:
        """Bring all to rest."""
        self.z, self.Y = np.zeros(len(self.turn)), np.zeros(len(self.turn))

    @property
    def rates(self) -> Array:
        """z' (m,)."""
        return (self.slack * self.z - self.Y) / self.sine

    def kicked(self, gains: Array, wait: float) -> tuple[Array, Array]:
        """What impulses `gains` (m,) have added to z and Y, `wait` [s] after they came; at most a step."""
        s = self.damping / 2
        w = np.sqrt((self.eigenvalues - s * s).astype(complex))  # imaginary where overdamped
        w[s * wait > DEAD] = 0.0  # the cosine would overflow where all is over
        n = np.exp(-s * wait) * wait * np.sinc(w * wait / np.pi).real
        c = np.exp(-s * wait) * np.cos(w * wait).real
        z, rate = gains * n, gains * (c - s * n)
        return z, self.slack * z - self.sine * rate

    def displaced(self, places: Array) -> tuple[Array, Array]:
        """z and Y of modes that are at `places` (m,) and do not move."""
        return places, self.slack * places

    def ring(self, by_place: Array, by_past: Array, out: Array) -> None:
        """Add sum_i by_place_i z_i + by_past_i Y_i to each sample of `out` (k,), the first now; k steps on after it."""
        for first in range(0, len(out), STRETCH):
            ring(self.turn, self.fade, self.z, self.Y, by_place, by_past, out[first : first + STRETCH])
            gone = np.abs(self.z) + np.abs(self.Y) < SILENT
            self.z[gone] = self.Y[gone] = 0.0

    def drive(self, gains: Array, signals: Array, by_place: Array, by_past: Array, out: Array) -> None:
        """As `ring`, under forces gains (s, m) times signals (s, k), each constant over its step."""
        drive(
            self.turn, self.fade, self.push * gains, self.pull * gains, signals, self.z, self.Y, by_place, by_past, out
        )

    def weights(self, of_place: Array, of_rate: Array) -> tuple[Array, Array]:
        """Weights of z and Y that make of_place z + of_rate z' of them."""
        share = np.divide(of_rate, self.sine, out=np.zeros_like(self.sine), where=of_rate != 0)
        return of_place + share * self.slack, -share


@njit(cache=True, nogil=True)
def ring(turn, fade, z, Y, by_place, by_past, out):
    """Tile by tile of modes."""
    for first in range(0, len(z), TILE):
        t = slice(first, min(first + TILE, len(z)))
        _ring_tile(turn[t], fade[t], z[t], Y[t], by_place[t], by_past[t], out)


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def _ring_tile(turn, fade, z, Y, by_place, by_past, out):
    """Four samples at a time, in registers."""
    count = len(out)
    for t in range(count // 4):
        s0 = s1 = s2 = s3 = 0.0
        for j in range(len(z)):
            a, b, u, f = by_place[j], by_past[j], turn[j], fade[j]
            x0, y0 = z[j], Y[j]
            x1, y1 = u * x0 - y0, f * x0
            x2, y2 = u * x1 - y1, f * x1
            x3, y3 = u * x2 - y2, f * x2
            s0 += a * x0 + b * y0
            s1 += a * x1 + b * y1
            s2 += a * x2 + b * y2
            s3 += a * x3 + b * y3
            z[j] = u * x3 - y3
            Y[j] = f * x3
        out[4 * t] += s0
        out[4 * t + 1] += s1
        out[4 * t + 2] += s2
        out[4 * t + 3] += s3
    for t in range(count - count % 4, count):
        out[t] += _step(turn, fade, z, Y, by_place, by_past)


@njit(cache=True, nogil=True)
def drive(turn, fade, pushes, pulls, signals, z, Y, by_place, by_past, out):
    """One sample after the other, since forces come between them."""
    for t in range(len(out)):
        out[t] += _step(turn, fade, z, Y, by_place, by_past)
        for k in range(len(signals)):
            if signals[k, t] != 0:
                _add(signals[k, t], pushes[k], pulls[k], z, Y)


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def _step(turn, fade, z, Y, by_place, by_past):
    s = 0.0
    for j in range(len(z)):
        x, y = z[j], Y[j]
        s += by_place[j] * x + by_past[j] * y
        z[j] = turn[j] * x - y
        Y[j] = fade[j] * x
    return s


@njit(cache=True, nogil=True, fastmath={"contract"})
def _add(p, pushes, pulls, z, Y):
    for j in range(len(z)):
        z[j] += p * pushes[j]
        Y[j] += p * pulls[j]
