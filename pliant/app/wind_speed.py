"""The wind as a slider sees it: its mean speed, in the direction that the scene gave it."""

from dataclasses import replace

import numpy as np

from pliant.systems.wind import Wind

BREATH = 1e-9  # [m/s] of a wind that is switched off, so that it comes back from where it was
SIDEWAYS = np.array([1.0, 0.0, 0.0])


def wind_speed(wind: Wind | None) -> float:
    """Mean [m/s]."""
    return 0.0 if wind is None else float(np.linalg.norm(wind.velocity))


def with_speed(wind: Wind | None, speed: float) -> Wind | None:
    """The wind at another mean speed [m/s]; from the side where there was none."""
    before = wind_speed(wind)
    if wind is None or before == 0:
        return Wind(speed * SIDEWAYS) if speed else wind
    return wind if speed == before else replace(wind, velocity=max(speed, BREATH) / before * wind.velocity)
