"""What presses, what is joined, and what momentum there is in a world, for the pages that ask for it."""

import base64
import time
from collections.abc import Iterable
from typing import Any

import numpy as np

from pliant.app.character_overlays import OVERLAYS, overlays_of
from pliant.app.reports import InspectReport, JointReport
from pliant.app.stage import Stage
from pliant.errors import ArgumentError, Array, Ids
from pliant.systems import System

APART = 0.045  # [s] between two reports
SHARE = 0.2  # of the time of the live thread that may go into them
MOST_ARROWS, MOST_PROXIES, MOST_JOINTS, MOST_BODIES = 200, 2000, 64, 1000
DIGITS = 5


def can_inspect(system: System) -> bool:
    """Has it bodies that touch?"""
    return hasattr(system, "contacts") and bool(getattr(system, "bodies", ()))


class Inspecting:
    """What each page asks for, and when the next report is due."""

    def __init__(self) -> None:
        self.clients: dict[int, frozenset[str]] = {}
        self._next, self._level = 0.0, 0

    def want(self, client: int, what: Iterable[str], stage: Stage, level: int = 0) -> None:
        """A client asks for these, and for nothing else, and this level of trees; an error where nothing touches."""
        chosen = frozenset(what)
        if chosen and not can_inspect(stage.system):
            raise ArgumentError("nothing touches in this scene; contacts are those of worlds")
        self.forget(client)
        if chosen:
            self.clients[client], self._next, self._level = chosen, 0.0, level
        self._time(stage)

    def _time(self, stage: Stage) -> None:
        """Steps are timed by stage for as long as somebody looks at that."""
        wanted = any("charts" in what for what in self.clients.values())
        if can_inspect(stage.system):
            stage.system.timed = wanted  # type: ignore[attr-defined]

    def forget(self, client: int) -> None:
        """A client asks for nothing more."""
        self.clients.pop(client, None)

    def report(self, stage: Stage, now: float) -> InspectReport | None:
        """All that somebody asks for, if it is due."""
        self._time(stage)  # it may be another one by now, or nobody may look any more
        if not self.clients or now < self._next or not can_inspect(stage.system):
            return None
        begun = time.perf_counter()
        found = inspected(stage.system, frozenset().union(*self.clients.values()), self._level)
        self._next = now + max(APART, (time.perf_counter() - begun) / SHARE)
        return found


def inspected(world: Any, wanted: frozenset[str], level: int = 0) -> InspectReport:
    """What is wanted of a world as it is now; spheres and boxes of a level of trees."""
    report = world.contacts() if wanted & {"contacts", "charts"} else None
    sizes = np.zeros(0) if report is None else np.linalg.norm(report.forces, axis=1)
    arrows: Any = ()
    if report is not None and "contacts" in wanted:
        first = np.argsort(-sizes, kind="stable")[:MOST_ARROWS]
        forces = report.forces * _signs(world, report.bodies)[:, None]
        arrows = _rounded(np.concatenate([report.points[first], forces[first]], axis=1))
    linear, angular = world.momentum() if "charts" in wanted else (np.zeros(3), np.zeros(3))
    proxies, proxy_count = _proxies(world) if "proxies" in wanted else ("", 0)
    joints = world.joints if "joints" in wanted else ()
    islands = _islands(world) if "islands" in wanted else ()
    return InspectReport(
        time=world.time,
        told=tuple(sorted(wanted)),
        contacts=len(sizes),
        strongest=float(sizes.max(initial=0.0)),
        arrows=arrows,
        momentum=tuple(map(float, linear)),
        angular=tuple(map(float, angular)),
        proxies=proxies,
        proxy_count=proxy_count,
        joints=tuple(_joint_report(joint) for joint in joints[:MOST_JOINTS]),
        joint_count=len(joints),
        islands=islands,
        stages=_stages(world) if "charts" in wanted else {},
        **overlays_of(world.characters, wanted & set(OVERLAYS), level),
    )


def _stages(world: Any) -> dict[str, float]:
    """Seconds a step, by stage."""
    return {name: float(f"{seconds:.{DIGITS}g}") for name, seconds in world.stage_times().items()}


def _islands(world: Any) -> tuple[tuple[float, ...], ...]:
    """Of bodies that move: their centre (3,), their island, and whether they sleep."""
    which = world.islands()
    moving = [k for k, body in enumerate(world.bodies) if np.isfinite(body.mass)][:MOST_BODIES]
    rows = [(*_middle(world.bodies[k]), which[k], world.bodies[k].asleep) for k in moving]
    return _rounded(np.array(rows, dtype=np.float64).reshape(-1, 5))


def _middle(body: Any) -> Array:
    """(3,) of a body [m]: its centre of mass, which systems do not tell."""
    return body.vertices().mean(axis=0) if body.kind == "system" else body.centre


def _signs(world: Any, pairs: Ids) -> Array:
    """(k,) -1 where the force on the second body is shown: that on what moves, of two that do on the later one."""
    moves = [np.isfinite(body.mass) for body in world.bodies]
    rank = np.array(
        [*np.where(moves, np.arange(len(moves)), -1), -1]
    )  # fields, whose numbers are below zero, rank last
    first, second = np.where(pairs < 0, len(moves), pairs).T
    return np.where(rank[second] > rank[first], -1.0, 1.0)


def _rounded(rows: Iterable[Array]) -> tuple[tuple[float, ...], ...]:
    """Few digits, since they are sent as text."""
    return tuple(tuple(float(f"{value:.{DIGITS}g}") for value in row) for row in rows)


def _proxies(world: Any) -> tuple[str, int]:
    """Points that touch others, evenly left out where there are too many: float32 in base64, and how many there are."""
    points = np.concatenate([body.touching_points() for body in world.bodies if not body.is_bone])
    some = points[:: -(-len(points) // MOST_PROXIES)]
    return base64.b64encode(np.ascontiguousarray(some, dtype="<f4").tobytes()).decode(), len(points)


def _joint_report(joint: Any) -> JointReport:
    """Where it is on its first body, and how it does."""
    places, line = joint.places(), joint.kind == "hinge"
    turns = joint.turns
    return JointReport(
        kind=joint.kind,
        place=_rounded([places.mean(axis=0)])[0],
        axis=_rounded([(places[1] - places[0]) / np.linalg.norm(places[1] - places[0])])[0] if line else None,
        gap=joint.gap,
        force=float(np.linalg.norm(joint.force)),
        angle=joint.angle if turns else None,
        limits=joint.limits if turns and np.isfinite(joint.limits).any() else None,
        speed=joint.speed if turns and joint.torque else None,
        torque=joint.torque if turns and joint.torque else None,
    )
