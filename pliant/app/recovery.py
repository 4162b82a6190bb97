"""When a body goes astray: back to a calm state that is remembered, and on; the third time in a row, stop."""

import math
from collections import deque
from dataclasses import dataclass

from pliant.systems import System
from pliant.systems.state import State

APART = 0.25  # [s] of simulated time between two states that are remembered
REMEMBERED = 24  # states
IN_A_ROW = 5.0  # [s] of wall time: events no farther apart than this are one trouble
MOST = 3  # events of one trouble


@dataclass(frozen=True)
class Moment:
    """A state that was good, and its energy [J]."""

    state: State
    time: float
    energy: float


class Recovery:
    """Remembers states of a system that runs, and goes back to one of them."""

    def __init__(self) -> None:
        self._system: System | None = None
        self._moments: deque[Moment] = deque(maxlen=REMEMBERED)
        self._events: deque[float] = deque(maxlen=MOST)

    def forget(self) -> None:
        """Nothing that was is worth going back to."""
        self._system = None
        self._moments.clear()
        self._events.clear()

    def note(self, system: System) -> None:
        """Remember how the system is now, if it is time to; states of another system are forgotten."""
        if system is not self._system:
            self._moments.clear()
            self._system = system
        last = self._moments[-1].time if self._moments else -math.inf
        if abs(system.time - last) < APART:
            return
        energy = float(system.energy())
        if math.isfinite(energy):
            self._moments.append(Moment(system.state(), system.time, energy))

    def put_back(self, system: System, now: float) -> bool:
        """Put a system that went astray at `now` [s] into a calm state; returns whether it may play on.

        The first time that is the newest of the calmer half of what is remembered: what went astray has usually grown
        wild before. The next times it is the calmest. A system of which nothing is remembered keeps its last good
        state.
        """
        self._events.append(now)
        in_a_row = sum(now - event <= IN_A_ROW for event in self._events)
        moments = list(self._moments) if system is self._system else []
        if moments:
            ranked = sorted(moment.energy for moment in moments)
            allowed = ranked[(len(ranked) - 1) // 2] if in_a_row == 1 else ranked[0]
            chosen = max(k for k, moment in enumerate(moments) if moment.energy <= allowed)
            system.restore(moments[chosen].state)
            self._moments = deque(moments[: chosen + 1], maxlen=REMEMBERED)
        return in_a_row < MOST
