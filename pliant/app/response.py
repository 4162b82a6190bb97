"""How a skin vertex answers a force: where it is, and how far one step of a unit force moves it."""

import numpy as np

from pliant.errors import Array
from pliant.systems import System

FIXED = 1e-12  # of its coordinates: a vertex that a probing force moves less than this is held


class VertexPlace:
    """Where one skin vertex is now, without moving all the others."""

    def __init__(self, system: System, vertex: int):
        self._system, self._vertex = system, vertex

    def __call__(self) -> Array:
        skin = self._system.skin
        if skin is None:
            return self._system.vertices()[self._vertex]
        return skin.vertices_at(self._system.pose(), [self._vertex])[0]


def one_step_response(system: System, place: VertexPlace, vertex: int, small: float) -> float:
    """The largest displacement of the vertex that one step of a unit force makes [m/N]; the state is put back."""
    start = system.state()
    still = _after_step(system, place, vertex, np.zeros(3), start)
    force = 1.0
    moved = _moved(system, place, vertex, force, still, start)
    if moved > small:
        force *= small / moved
        moved = _moved(system, place, vertex, force, still, start)
    return moved / force if moved > FIXED * np.abs(still).max() else 0.0


def _moved(system: System, place: VertexPlace, vertex: int, force: float, still: Array, start: dict) -> float:
    ends = [_after_step(system, place, vertex, force * axis, start) for axis in np.eye(3)]
    return float(np.abs(np.array(ends) - still).max())


def _after_step(system: System, place: VertexPlace, vertex: int, force: Array, start: dict) -> Array:
    system.release()
    system.push([vertex], force)
    try:
        system.step(1)
        return place()
    finally:
        system.release()
        system.restore(start)
