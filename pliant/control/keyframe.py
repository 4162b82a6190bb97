"""What a motion should look like at an instant: a pose, a saved state, or places of some vertices."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, Ids, check_array, check_ids, check_number
from pliant.systems import Clamped
from pliant.systems.world.body import Body, checked_rotation


@dataclass(frozen=True, eq=False)
class Keyframe:
    """One of `q`, `state` or `targets` says how the body should be at a time.

    Attributes:
        time: from the present of the system on [s].
        q: coordinates (r,).
        position, rotation: of a free body with `q`, where the origin of its model is (3,) [m] and its axes (3, 3);
            those of now without them.
        state: what `system.state()` gave, of a clamped part.
        vertices: of the mesh (k,), which `targets` are of; None: of all.
        targets: places (k, 3) [m].
        weight: how much it counts, besides the others.
    """

    time: float
    q: ArrayLike | None = None
    position: ArrayLike | None = None
    rotation: ArrayLike | None = None
    state: Mapping[str, ArrayLike] | None = None
    vertices: ArrayLike | None = None
    targets: ArrayLike | None = None
    weight: float = 1.0

    def __repr__(self) -> str:
        what = "places" if self.targets is not None else "a state" if self.state is not None else "a pose"
        return f"Keyframe({what} at {self.time:g} s)"

    @classmethod
    def of(cls, thing: Clamped | Body, time: float, weight: float = 1.0) -> Keyframe:
        """How a clamped part or a body of a world is now, to be at a time [s]."""
        if isinstance(thing, Body):
            return cls(time, thing.q.copy(), thing.position, thing.rotation, weight=weight)
        return cls(time, thing.q.copy(), weight=weight)


def checked_keyframes(keyframes: Sequence[Keyframe], dt: float, duration: float | None) -> tuple[list[int], int]:
    """Steps after which they are due, and how many there are in all."""
    if not keyframes:
        raise ArgumentError("keyframes has none; give at least one")
    times = [check_number(f"time of keyframe {k}", each.time, above=0) for k, each in enumerate(keyframes)]
    for k, (one, other) in enumerate(itertools.pairwise(times)):
        if other - one < dt / 2:
            raise ArgumentError(
                f"keyframe {k + 1} at {other:g} s is not later than that before it, at {one:g} s; put them in order"
            )
    if times[0] < dt / 2:
        raise ArgumentError(f"keyframe 0 at {times[0]:g} s is nearer than a step of {dt:g} s; put it later")
    end = times[-1] if duration is None else check_number("duration", duration, above=0)
    if times[-1] > end + dt / 2:
        raise ArgumentError(
            f"keyframe {len(times) - 1} at {times[-1]:g} s lies beyond the end at {end:g} s; "
            "give a longer duration or an earlier time"
        )
    return [round(time / dt) for time in times], round(end / dt)


def checked_pose(keyframe: Keyframe, k: int, size: int) -> Array:
    """q (r,) of a keyframe that has one."""
    given: Any = keyframe.q if keyframe.state is None else keyframe.state.get("q")
    q = check_array(f"q of keyframe {k}", () if given is None else given, (None,))
    if len(q) != size:
        raise ArgumentError(
            f"keyframe {k} has {len(q)} coordinates and the body {size}: it is of another mesh or basis; "
            "take it from this one"
        )
    return q


def checked_targets(keyframe: Keyframe, k: int, vertex_count: int) -> tuple[Ids, Array]:
    """Vertices (k,) and their places (k, 3)."""
    targets = check_array(f"targets of keyframe {k}", np.asarray(keyframe.targets), (None, 3))
    if keyframe.vertices is None:
        if len(targets) != vertex_count:
            raise ArgumentError(
                f"keyframe {k} has places of {len(targets)} vertices and the mesh {vertex_count}: it is of another "
                "mesh; take it from this one, or say which vertices are meant"
            )
        return np.arange(vertex_count), targets
    ids = check_ids(f"vertices of keyframe {k}", keyframe.vertices, vertex_count)
    if len(ids) != len(targets) or not len(ids):
        raise ArgumentError(f"keyframe {k} has {len(ids)} vertices and {len(targets)} targets; give one for each")
    return ids, targets


def checked_kind(keyframe: Keyframe, k: int) -> None:
    """One thing is said."""
    given = [name for name in ("q", "state", "targets") if getattr(keyframe, name) is not None]
    if len(given) != 1:
        raise ArgumentError(
            f"keyframe {k} must have one of q, state or targets; {' and '.join(given) or 'none'} was given"
        )
    check_number(f"weight of keyframe {k}", keyframe.weight, above=0)


def checked_frame(keyframe: Keyframe, k: int, position: Array, rotation: Array) -> tuple[Array, Array]:
    """Position and rotation of a keyframe of a free body, those given here where it has none."""
    where = position if keyframe.position is None else check_array(f"position of keyframe {k}", keyframe.position, (3,))
    turned = rotation
    if keyframe.rotation is not None:
        turned = checked_rotation(f"rotation of keyframe {k}", keyframe.rotation)
    return where, turned
