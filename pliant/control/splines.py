"""Forces that change smoothly: cubic B-splines over time, few numbers for each control."""

from typing import NamedTuple

import numpy as np
from scipy.interpolate import BSpline

from pliant.errors import Array

DEGREE = 3


class Spline(NamedTuple):
    """N: values in the middle of every step (T, m). rate: of change, times the whole duration (T, m)."""

    N: Array
    rate: Array


def spline(steps: int, pieces: int) -> Spline:
    """Over `steps` steps, in equal pieces, as smooth as curves of third degree are: m = pieces + 3."""
    knots = np.concatenate([np.zeros(DEGREE), np.linspace(0, 1, pieces + 1), np.ones(DEGREE)])
    times = (np.arange(steps) + 0.5) / steps
    curves = BSpline(knots, np.eye(pieces + DEGREE), DEGREE)
    return Spline(curves(times), curves.derivative()(times))
