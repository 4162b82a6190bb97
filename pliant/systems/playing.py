"""Time with things that act: apply them, step for as long as they stay the same, look."""

from collections.abc import Callable, Iterable
from typing import Protocol

from pliant.systems.system import System


class Forces(Protocol):
    """What acts on a system over time."""

    def apply(self, system: System) -> None:
        """Push with what acts during the next step, in place of what was pushed before."""

    def steady_steps(self, time: float, dt: float, most: int) -> int:
        """How many steps from `time` on have the same forces, at least one and at most `most`."""


class EachStep:
    """Forces of a function that is called before every step, to release and to push."""

    def __init__(self, apply: Callable[[System], None]):
        self._apply = apply

    def apply(self, system: System) -> None:
        self._apply(system)

    def steady_steps(self, _time: float, _dt: float, _most: int) -> int:
        return 1


def play(system: System, forces: Forces | None, count: int) -> None:
    """Take `count` steps under these forces; without any, under what is pushed already."""
    while count > 0:
        steps = count
        if forces is not None:
            steps = forces.steady_steps(system.time, system.dt, count)
            forces.apply(system)
        system.step(steps)
        count -= steps


def play_and_look(system: System, forces: Forces | None, stops: Iterable[int], look: Callable[[System], None]) -> None:
    """Look at the system after each of these numbers of steps from now, which grow."""
    taken = 0
    for stop in stops:
        play(system, forces, stop - taken)
        taken = stop
        look(system)
