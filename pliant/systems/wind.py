"""Wind: a mean velocity and gusts that travel with it, as a pressure on surfaces.

    v(x, t) = velocity (1 + gust sum_k sin(k . (x - velocity t) + phase_k) / n_k),   p = 1/2 air drag |v| v  [Pa]

over a few wave vectors k, n_k = 1, 2, .., of 2 pi n_k / length along the wind, that lean a little off it.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import ArgumentError, Array, check_array, check_count, check_number
from pliant.systems.saving import savable

WAVES = 4
AIR = 1.2  # density of air [kg/m^3]


class WindField(NamedTuple):
    """What compiled code reads: mean velocity (3,), waves (WAVES, 6) of amplitude, wave vector, rate and phase."""

    velocity: Array
    waves: Array
    pressure: float


@dataclass(frozen=True, eq=False)
class Wind:
    """A steady wind with gusts.

    Attributes:
        velocity: (3,) mean [m/s].
        gust: strength of the gusts relative to the mean.
        length: of the longest gust [m].
        seed: of the phases of the gusts.
        drag: coefficient of the surfaces.
    """

    velocity: Array
    gust: float = 0.3
    length: float = 10.0
    seed: int = 0
    drag: float = 1.0
    field: WindField = field(init=False, repr=False)

    def __repr__(self) -> str:
        velocity = ", ".join(f"{x:.4g}" for x in self.velocity)
        return f"Wind(({velocity}) m/s, gust={self.gust:.4g}, length={self.length:.4g} m, drag={self.drag:.4g})"

    def __post_init__(self) -> None:
        # Its own and writable: compiled code treats read-only arrays as a type of their own.
        velocity = check_array("velocity of the wind", self.velocity, (3,)).copy()
        check_number("gust", self.gust, at_least=0)
        check_number("length of the gusts", self.length, above=0)
        check_number("drag", self.drag, at_least=0)
        random = np.random.default_rng(check_count("seed of the wind", self.seed, at_least=0))
        speed = float(np.linalg.norm(velocity))
        along = velocity / speed if speed else np.zeros(3)
        waves = np.zeros((WAVES, 6))
        for k in range(WAVES):
            number = 2 * np.pi * (k + 1) / self.length
            across = np.cross(along, random.normal(size=3))
            waves[k, 0] = self.gust / (k + 1)
            waves[k, 1:4] = number * (along + 0.5 * across)
            waves[k, 4] = number * speed
            waves[k, 5] = random.uniform(0, 2 * np.pi)
        object.__setattr__(self, "velocity", velocity)
        object.__setattr__(self, "field", WindField(velocity, waves, 0.5 * AIR * float(self.drag)))

    def pressure(self, x: Array, time: float) -> Array:
        """(n, 3) [Pa] at points x (n, 3) [m]."""
        points = check_array("points", x, (None, 3))
        out = np.empty_like(points)
        for point, p in zip(points, out):
            wind_pressure(self.field, point, float(time), p)
        return out


savable(Wind)


def check_wind(wind: Wind | None) -> Wind | None:
    """A wind, or None for calm."""
    if wind is not None and not isinstance(wind, Wind):
        raise ArgumentError(f"wind must be a pliant Wind or None; {type(wind).__name__} was given")
    return wind


CALM = Wind(np.zeros(3)).field


@njit(cache=True, nogil=True)
def wind_pressure(wind, x, time, out):
    """out = pressure (3,) at x (3,) and `time`."""
    swell = 1.0
    for k in range(len(wind.waves)):
        wave = wind.waves[k]
        swell += wave[0] * np.sin(wave[1] * x[0] + wave[2] * x[1] + wave[3] * x[2] - wave[4] * time + wave[5])
    v = wind.velocity
    speed = np.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    factor = wind.pressure * speed * abs(swell) * swell
    out[0], out[1], out[2] = factor * v[0], factor * v[1], factor * v[2]
