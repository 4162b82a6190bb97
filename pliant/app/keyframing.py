"""Poses that people keep as keyframes, and the motion through them: found beside what is played, and then played."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.control import Keyframe, Reached, reach
from pliant.control.trajectory import check_steerable
from pliant.errors import ArgumentError, check_count
from pliant.numerics import rotation_logarithm
from pliant.numerics.progress import Report
from pliant.systems import System
from pliant.systems.playing import Forces
from pliant.systems.world.body import Body

if TYPE_CHECKING:
    from pliant.app.stage import Stage

MOST = 50  # keyframes
GAP = 1.0  # [s] from one that is kept to the next, until somebody says otherwise
MOTIONS = 20  # that are tried: people wait
FIRM, GENTLE = 1e-7, 1e-3  # prices of forces; contacts are rough, and gentle forces cross them better


def steerable(system: Any) -> Any:
    """What of a system can be led through keyframes: a clamped part, or the first soft body of a world that flies."""
    bodies = [each for each in getattr(system, "bodies", ()) if isinstance(each, Body)]
    if bodies:
        return next((each for each in bodies if each.kind == "free" and each.model.size), None)
    try:
        check_steerable(system)
    except ArgumentError:
        return None
    return system


@dataclass(frozen=True, eq=False)
class Keyframing:
    """Of one scene. Immutable: the session holds the newest.

    Attributes:
        frames: in the order of their times.
        found: the motion through them; None: not looked for since they changed.
        missed: how far it was from them in the real system at most [m].
    """

    frames: tuple[Keyframe, ...] = ()
    found: Reached | None = None
    missed: float | None = None

    def kept(self, system: System) -> Keyframing:
        """With the pose of now, a while after the last one."""
        thing = _thing(system)
        if len(self.frames) >= MOST:
            raise ArgumentError(f"{MOST} keyframes are kept already; remove some first")
        last = self.frames[-1].time if self.frames else 0.0
        return Keyframing((*self.frames, Keyframe.of(thing, last + GAP)))

    def retimed(self, number: int, time: float) -> Keyframing:
        """With another time [s] for one of them, which may change their order."""
        changed = [*self.frames]
        k = self._checked(number)
        if any(each.time == time for j, each in enumerate(changed) if j != k):
            raise ArgumentError(f"another keyframe is at {time:g} s already; give it another time")
        changed[k] = replace(changed[k], time=time)
        return Keyframing(tuple(sorted(changed, key=lambda each: each.time)))

    def without(self, number: int) -> Keyframing:
        """One of them less."""
        k = self._checked(number)
        return Keyframing(self.frames[:k] + self.frames[k + 1 :])

    def _checked(self, number: int) -> int:
        if not self.frames:
            raise ArgumentError("no keyframe is kept; pull the solid into a pose and keep it")
        return check_count("keyframe", number, at_least=0, at_most=len(self.frames) - 1)

    def tables(self) -> list[dict[str, Any]]:
        """As scene files write them."""
        return [_table(each) for each in self.frames]


def finder(stage: Stage, frames: tuple[Keyframe, ...]) -> Any:
    """The job that looks for the motion from the start of the scene, on a copy of its system."""
    _thing(stage.system)
    if not frames:
        raise ArgumentError("no keyframe is kept; pull the solid into a pose and keep it")
    double, start = copy.copy(stage.system), stage.beginning()
    double.release()

    def find(progress: Report) -> Keyframing:
        double.restore(start)
        thing = _thing(double)
        price = GENTLE if isinstance(thing, Body) else FIRM
        found = reach(thing, frames, gentleness=price, motions=MOTIONS, progress=progress)
        progress("trying it", 0.0)
        return Keyframing(frames, found, float(found.play().max()))

    return find


class Led:
    """Forces of a motion that was found, besides those of the scene."""

    def __init__(self, forces: Forces | None, found: Reached, system: System):
        self._forces, self._system = forces, system
        self._found = found.on(_thing(system))

    def apply(self, system: System) -> None:
        if self._forces is None:
            system.release()
        else:
            self._forces.apply(system)
        if system is self._system:  # after a change of settings it is another one, which they were not found for
            self._found.push(round(system.time / system.dt))

    def steady_steps(self, time: float, dt: float, most: int) -> int:
        steps = len(self._found.controls)
        if time < (steps + 1) * dt:
            return 1
        return most if self._forces is None else self._forces.steady_steps(time, dt, most)


def _thing(system: System) -> Any:
    thing = steerable(system)
    if thing is None:
        raise ArgumentError("keyframes are for one clamped part, or a soft body of a world; this scene has neither")
    return thing


def _table(frame: Keyframe) -> dict[str, Any]:
    table: dict[str, Any] = {"time": frame.time, "q": np.asarray(frame.q).tolist()}
    if frame.position is not None and frame.rotation is not None:
        table["at"] = np.asarray(frame.position).tolist()
        table["turn"] = np.degrees(rotation_logarithm(np.asarray(frame.rotation))).tolist()
    return table


def with_keyframes(document: dict[str, Any], keyframing: Keyframing, system: System) -> dict[str, Any]:
    """A scene file with those that are kept."""
    if not keyframing.frames:
        return document
    thing = _thing(system)
    control: dict[str, Any] = {"kind": "keyframes", "motions": MOTIONS}
    if isinstance(thing, Body):
        control |= {"body": thing.name, "gentleness": GENTLE}
    last = keyframing.frames[-1].time
    longer: Mapping[str, Any] = {"duration": max(float(document.get("duration", 2.0)), last)}
    return {**document, **longer, "keyframe": keyframing.tables(), "control": control}
