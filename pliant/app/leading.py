"""Bones of characters that go their own way, and what people do to them: a hand takes one along, a slider turns the
clip that leads them back and forth.

    x(t) = path(s(t)) + o(t)

s is the time of the clip and o how far a hand has taken the bone aside. Both go towards what is wanted no faster than
is said here, as functions of the time of the world, so that nothing jumps, whoever asks for which time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pliant.app.holding import REACH, Hand, within
from pliant.app.reports import ClipFacts, RigFacts
from pliant.errors import ArgumentError, Array
from pliant.systems import System
from pliant.systems.world.body import Body, Path

QUICKEST = 4.0  # seconds of a clip in one second, while it is turned back and forth
FASTEST = 3.0  # sizes of the scene in a second, that a hand takes a bone


class Clock:
    """The time of the clips of a scene."""

    def __init__(self) -> None:
        self.wanted: float | None = None
        self.rest()

    def rest(self) -> None:
        """As the world has it."""
        self._begun, self._from, self.wanted = 0.0, 0.0, None

    def at(self, time: float) -> float:
        """s at a time of the world [s]."""
        if self.wanted is None:
            return self._from + time - self._begun
        most = QUICKEST * max(time - self._begun, 0.0)
        return self._from + float(np.clip(self.wanted - self._from, -most, most))

    def turn(self, wanted: float | None, now: float) -> None:
        """To a time of the clip, where it stays; None: let it run on from where it is."""
        self._begun, self._from, self.wanted = now, self.at(now), wanted


class Led:
    """The way of one bone: a path, its clock, and what a hand adds."""

    def __init__(self, path: Path, clock: Clock, speed: float):
        self.path, self._clock, self._speed = path, clock, speed
        self.rest()

    def rest(self) -> None:
        """Where the path says."""
        self._begun, self._from, self._wanted = 0.0, np.zeros(3), np.zeros(3)

    def __call__(self, time: float) -> tuple[Array, Array]:
        x, R = self.path(self._clock.at(time))
        return np.asarray(x) + self.aside(time), np.asarray(R)

    def aside(self, time: float) -> Array:
        """o (3,) [m]."""
        way = within(self._wanted - self._from, self._speed * max(time - self._begun, 0.0))
        return self._from + way

    def jump(self, aside: Array) -> None:
        """Be aside by this (3,) [m] from the first on."""
        self._begun, self._from, self._wanted = 0.0, aside, aside

    def take(self, wanted: Array, now: float) -> None:
        """Go aside by this (3,) [m]."""
        self._begun, self._from, self._wanted = now, self.aside(now), wanted


class Lead:
    """A hand that takes a bone along, which stays where it is let go.

    Attributes:
        vertex: which vertex of what is drawn.
        target: (3,) where it shall go [m].
        force, steady_force: (3,) zero: such a bone goes where it is led, whatever that takes.
    """

    force = steady_force = np.zeros(3)

    def __init__(self, system: System, led: Led, vertex: int, target: ArrayLike):
        self.vertex, self.target, self._led = vertex, np.array(target, dtype=float), led
        self._size = float(np.ptp(system.vertices(), axis=0).max())
        self._start = system.points([vertex]).place(system.pose())[0] - led.aside(system.time)
        self.take(system)

    def take(self, system: System) -> None:
        """Lead the bone of this system, which may have come in the place of another."""
        self._system = system
        self.aim()

    def aim(self) -> None:
        """Tell the bone where the hand is now."""
        self._led.take(within(self.target - self._start, REACH * self._size), self._system.time)

    def release(self) -> None:
        """Leave it where it is."""
        now = self._system.time
        self._led.take(self._led.aside(now), now)

    def __repr__(self) -> str:
        x, y, z = self.target
        return f"Lead(vertex {self.vertex} to ({x:.4g}, {y:.4g}, {z:.4g}))"


Touch = Hand | Lead


class Leading:
    """All bones of a scene that are led.

    Attributes:
        duration: of the longest clip or path [s]; 0: none has an end.
    """

    def __init__(self, system: System):
        self._system, self.clock = system, Clock()
        bodies: Any = getattr(system, "bodies", ())
        bones = [body for body in bodies if isinstance(body, Body) and body.is_bone and body.path is not None]
        speed = FASTEST * float(np.ptp(system.vertices(), axis=0).max()) if bones else 0.0
        self._led: dict[int, Led] = {}
        for bone in bones:
            assert bone.path is not None
            bone.path = self._led[bone.number] = Led(bone.path, self.clock, speed)
        self.duration = max((float(getattr(led.path, "duration", 0.0)) for led in self._led.values()), default=0.0)

    def at(self, vertex: int) -> Led | None:
        """The bone that moves a vertex most, if it is led."""
        if not self._led:
            return None
        points = self._system.points([vertex])
        return self._led.get(int(points.frames[np.argmax(points.tables.weights)]))

    def scrub(self, time: float | None) -> None:
        """Turn all clips to a time, where they stay; None: let them run on."""
        if self.duration <= 0:
            raise ArgumentError("no clip leads a bone in this scene; [[drive]] one")
        wanted = None if time is None else float(np.clip(time, 0.0, self.duration))
        self.clock.turn(wanted, self._system.time)

    def reset(self) -> None:
        """As the scene has it."""
        self.clock.rest()
        for led in self._led.values():
            led.rest()

    def adopt(self) -> None:
        """Another state came: bones are where they are in it, and the clip runs on from its time."""
        self.clock.rest()
        for number, led in self._led.items():
            body: Any = self._system.bodies[number]  # type: ignore[attr-defined]
            led.rest()
            led.jump(body.position - led(self._system.time)[0])

    def facts(self) -> ClipFacts | None:
        """For pages; None where there is no clip."""
        if self.duration <= 0:
            return None
        now = self._system.time
        return ClipFacts(self.duration, self.clock.at(now) - now, self.clock.wanted)

    def __repr__(self) -> str:
        return f"Leading({len(self._led)} bones, {self.duration:.4g} s)"


def rig_facts(system: System) -> tuple[RigFacts, ...]:
    """Characters with names of their bones, and the parts of the pose that these are."""
    skin = system.skin
    if skin is None:
        return ()
    return tuple(
        RigFacts(
            rigged.name,
            rigged.armature.names,
            tuple(skin.reads[rigged.first + k][0] for k in range(len(rigged.armature.names))),
        )
        for rigged in system.rigs
    )
