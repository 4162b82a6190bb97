"""What a world passes on to the systems among its bodies: pushes, hands, wind, time steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, Ids
from pliant.skin import Pose, Rates
from pliant.systems.holding import Hold
from pliant.systems.wind import Wind
from pliant.systems.world.body import Body
from pliant.systems.world.system_body import SystemBody


class Hosted:
    """The systems of a world; vertices are those of all of its bodies in a row.

    Args:
        before: of the same world, whose hands go on.
    """

    def __init__(self, bodies: Sequence[Body], before: Hosted | None = None):
        counts = [len(body.model.X) for body in bodies]
        ends = np.cumsum([0, *counts])
        self.bodies = [(k, body) for k, body in enumerate(bodies) if isinstance(body, SystemBody)]
        self._ranges = [(body, int(ends[k]), int(ends[k + 1])) for k, body in self.bodies]
        self._inner: dict[int, tuple[SystemBody, Hold]] = {} if before is None else before._inner

    def __bool__(self) -> bool:
        return bool(self.bodies)

    def of(self, vertex: int) -> tuple[SystemBody, int] | None:
        """The system with this vertex, and its number there."""
        return next(((body, vertex - first) for body, first, end in self._ranges if first <= vertex < end), None)

    def push(self, vertices: Ids, forces: Array) -> Array:
        """Push those that are of systems; (k,) which of them are of none."""
        left = np.ones(len(vertices), dtype=bool)
        for body, first, end in self._ranges:
            own = (vertices >= first) & (vertices < end)
            if own.any():
                body.system._push(vertices[own] - first, forces[own] @ body.rotation)
            left &= ~own
        return left

    def release(self) -> None:
        """All pushes."""
        for _, body in self.bodies:
            body.system.release()

    def blow(self, wind: Wind | None) -> None:
        """The wind of the world, in the axes of each."""
        for _, body in self.bodies:
            if wind is None or np.array_equal(body.rotation, np.eye(3)):
                body.system.wind = wind
            else:
                turned = Wind(body.rotation.T @ wind.velocity, wind.gust, wind.length, wind.seed, wind.drag)
                body.system.wind = turned

    def adopt_step(self, dt: float) -> None:
        """Steps of all."""
        for _, body in self.bodies:
            if body.system.dt != dt:
                body.system.dt = dt

    # Hands

    def adopt_holds(self, holds: Sequence[Hold]) -> None:
        """Let the systems hold what these hold of theirs, and nothing else that they held for the world."""
        wanted = {id(hold): (hold, self.of(hold.vertex)) for hold in holds}
        for key in [key for key in self._inner if key not in wanted]:
            self._inner.pop(key)[1].release()
        for key, (hold, there) in wanted.items():
            if there is not None:
                body, vertex = there
                limit = None if np.isinf(hold.limit) else hold.limit
                inner = body.system.hold(vertex, body.into(hold.target), hold.rate, "mesh", limit)
                assert inner is not None
                self._inner[key] = body, inner

    def aim(self, holds: Sequence[Hold]) -> None:
        """Targets have moved."""
        for hold in holds:
            if id(hold) in self._inner:
                body, inner = self._inner[id(hold)]
                inner.target = body.into(hold.target)

    def hold_force(self, hold: Hold) -> Array | None:
        """(3,) [N]; None where it is on no system."""
        if id(hold) not in self._inner:
            return None
        body, inner = self._inner[id(hold)]
        return body.rotation @ inner.force

    # State

    def states(self) -> dict[str, Array]:
        """Of all, the number of the body in front of each name."""
        own = ((k, body.system.state()) for k, body in self.bodies)
        return {f"system {k} {name}": array for k, state in own for name, array in state.items()}

    def restore(self, state: Mapping[str, ArrayLike]) -> None:
        """As `states` told."""
        for k, body in self.bodies:
            start = f"system {k} "
            own = {name.removeprefix(start): array for name, array in state.items() if name.startswith(start)}
            body.system.restore(own)


def split_pose(pose: Pose, bodies: Sequence[Body]) -> list[Pose]:
    """Of every body, given that with one part for each."""
    first = pose.offsets
    return [
        body.pose()
        if isinstance(body, SystemBody)
        else Pose.stacked(
            pose.rotations[k : k + 1],
            pose.translations[k : k + 1],
            pose.flat[first[k] : first[k + 1]],
            np.array([0, first[k + 1] - first[k]]),
        )
        for k, body in enumerate(bodies)
    ]


def split_rates(rates: Rates, bodies: Sequence[Body]) -> list[Rates]:
    """Of every body, given those with one part for each."""
    first = rates.offsets
    return [
        body.rates()
        if isinstance(body, SystemBody)
        else Rates(
            rates.linear[k : k + 1],
            rates.angular[k : k + 1],
            rates.flat[first[k] : first[k + 1]],
            np.array([0, first[k + 1] - first[k]]),
        )
        for k, body in enumerate(bodies)
    ]


def check_hosted(system: SystemBody, gravity: Array) -> None:
    """Does it weigh what it weighs in the world?"""
    felt = system.rotation @ system.system.gravity
    if np.abs(felt - gravity).max() > 1e-9 * max(1.0, float(np.abs(gravity).max())):
        told = ", ".join(f"{g:.4g}" for g in felt)
        wanted = ", ".join(f"{g:.4g}" for g in gravity)
        raise ArgumentError(
            f"{system.name} feels the gravity ({told}) m/s^2 where it stands, and the world has ({wanted}); make the "
            "system with that of the world, turned into its axes"
        )
