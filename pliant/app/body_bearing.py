"""What a body among others bears of a hand: many times its weight, at a speed of some of its sizes a second."""

from typing import Any

import numpy as np

from pliant.systems import System
from pliant.systems.gentleness import Gentleness

WEIGHTS, SIZES = 20.0, 8.0  # of the body; of it, in a second
EARTH = 9.81  # [m/s^2] where there is less or none


def borne_by_its_body(system: System, vertex: int) -> Gentleness:
    """Of the body that a vertex of the skin belongs to; systems without bodies of a mass bear all."""
    bodies: tuple[Any, ...] = getattr(system, "bodies", ())
    if not bodies:
        return Gentleness(np.inf, np.inf)
    body = bodies[int(system.points([vertex]).frames[0])]
    pull = max(float(np.linalg.norm(system.gravity)), EARTH)
    size = float(np.ptp(body.model.X, axis=0).max())
    return Gentleness(WEIGHTS * body.mass * pull, SIZES * size)
