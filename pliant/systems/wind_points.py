"""Wind on the surface of a system: points that carry area, blown at the end of a step where they were at its start.

f_q = sum_p area_p (dx_p/dq)^T pressure(x_p, t)
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array, Ids
from pliant.skin import Points
from pliant.systems.system_points import SystemPoints, act, place, system_points
from pliant.systems.wind import CALM, Wind, WindField, wind_pressure


class Sail(NamedTuple):
    """A surface in the wind: its points, which measure area, the wind, and forces (p, 3)."""

    points: SystemPoints
    wind: WindField
    forces: Array


def sail_of(points: Points, reads: Ids, wind: Wind | None) -> Sail:
    """The surface of a system in the wind; `reads` are the coordinates that its pose is made of."""
    field = CALM if wind is None else wind.field
    # Writable arrays: compiled code treats read-only ones as a type of their own.
    own = WindField(field.velocity.copy(), field.waves.copy(), field.pressure)
    return Sail(system_points(points, reads), own, np.zeros((points.count, 3)))


@njit(cache=True, nogil=True)
def blow(sail, R, t, time, projection, q, load):
    """Add what the wind means to the coordinates q to `load`; what it means to frames is in the work space of `act`."""
    points, wind, forces = sail
    place(points, R, t, q)
    for k in range(len(forces)):
        wind_pressure(wind, points.work.x[k], time, forces[k])
        for i in range(3):
            forces[k, i] *= points.measure[k]
    act(points, R, forces, projection, load)
