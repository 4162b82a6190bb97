"""A device that feels a world ([SI05] Fig. 1): position in, force out, a thousand times a second."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, check_array, check_number
from pliant.systems.world.body import Body
from pliant.systems.world.world import World

RATE = 100.0  # [1/s] how fast the tool follows


class Timing(NamedTuple):
    """How a device was served.

    Attributes:
        seconds: (k,) from each position to its force.
        missed: how many of them took longer than a period.
        share: of those in time.
    """

    seconds: Array
    missed: int
    share: float

    def histogram(self, bins: int = 20) -> tuple[Array, Array]:
        """Counts (bins,) and edges (bins + 1,) [s] of the latencies."""
        counts, edges = np.histogram(self.seconds, bins)
        return counts.astype(np.float64), edges


class Haptics:
    """A hand with a tool in it. The tool follows the device, critically damped, as far as what it meets allows; what
    pulls it is what the hand feels (a virtual coupling: the device never touches the world itself).

    Args:
        world: where the tool is; its dt becomes a period of the device.
        tool: a free body of the world.
        rate: of the device [1/s].
        follow: how fast the tool follows [1/s].
        limit: the largest force [N] that the device can give; None: whatever it takes.

    Attributes:
        world, tool, rate: as given.
    """

    def __init__(
        self, world: World, tool: Body, rate: float = 1000.0, follow: float = RATE, limit: float | None = None
    ):
        if not isinstance(tool, Body) or tool.world is not world:
            raise ArgumentError("the tool must be a body of this world")
        if tool.kind != "free":
            raise ArgumentError(f"{tool.name} is {tool.kind}; a tool must be free, so that it can be stopped")
        self.world, self.tool, self.rate = world, tool, check_number("rate", rate, above=0)
        x = tool.vertices()
        self._vertex = int(np.linalg.norm(x - tool.centre, axis=1).argmin())
        self._arm = x[self._vertex] - tool.centre
        self._follow, self._limit = check_number("follow", follow, above=0), limit
        self._hand = tool.hold(self._vertex, x[self._vertex], self._follow, limit)
        world.dt = 1 / self.rate
        self._seconds: list[float] = []

    def __repr__(self) -> str:
        return f"Haptics({self.tool.name}, {self.rate:g} Hz)"

    def __call__(self, position: ArrayLike) -> Array:
        """One period: where the device is (3,) [m] -> the force on it (3,) [N]."""
        start = time.perf_counter()
        if self._hand is None or not self._hand.held:
            raise ArgumentError(f"{self.tool.name} was let go; make another pl.Haptics to feel with it")
        self._hand.target = check_array("position", position, (3,)) + self._arm
        self.world.step()
        force = -self._hand.force
        self._seconds.append(time.perf_counter() - start)
        return force

    def run(self, device: Callable[[Array], ArrayLike], seconds: float) -> Timing:
        """Serve a device in real time: it gets a force (3,) [N], and gives where it is (3,) [m] by then.

        Periods that come late are counted, and followed at once by the next.
        """
        if not callable(device):
            raise ArgumentError(f"device must be a function, force -> position; {type(device).__name__} was given")
        self._seconds.clear()
        force, period = np.zeros(3), 1 / self.rate
        due = time.perf_counter()
        for _ in range(round(check_number("seconds", seconds, at_least=0) * self.rate)):
            force = self(device(force))
            due += period
            now = time.perf_counter()
            if now < due:
                time.sleep(due - now)
            else:
                due = now
        return self.timing()

    def timing(self) -> Timing:
        """Of all periods since the last `run` began, or since it was made."""
        taken = np.array(self._seconds)
        missed = int((taken > 1 / self.rate).sum())
        return Timing(taken, missed, 1 - missed / max(1, len(taken)))

    def release(self) -> None:
        """Let the tool go."""
        if self._hand is not None:
            self._hand.release()
            self._hand = None
