"""An artist's motion of joints: keyframes of nodes, and where these are at any time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from pliant.errors import ArgumentError, Array, FileError, Ids
from pliant.numerics import rotation_from_quaternion

RIGID = 1e-3  # how far a joint's motion may be from a rotation; seven digits, through many joints
STEP, LINEAR, SPLINE = "STEP", "LINEAR", "CUBICSPLINE"


@dataclass(frozen=True, eq=False)
class Track:
    """Keyframes of one property of a node: times (n,) [s], values (n, 3 or 4), and how it goes between them."""

    node: int
    path: str
    times: Array
    values: Array
    way: str = LINEAR

    def at(self, time: float) -> Array:
        """Its value, that of the first and the last keyframe outside of them."""
        k = int(np.clip(np.searchsorted(self.times, time, side="right") - 1, 0, max(len(self.times) - 2, 0)))
        if len(self.times) == 1:
            return self.values[0] if self.way != SPLINE else self.values[1]
        span = self.times[k + 1] - self.times[k]
        s = float(np.clip((time - self.times[k]) / span, 0, 1)) if span > 0 else 1.0
        if self.way == SPLINE:
            return self._spline(k, s, span)
        if self.way == STEP:
            return self.values[k + 1] if s >= 1 else self.values[k]
        a, b = self.values[k], self.values[k + 1]
        return _slerp(a, b, s) if self.path == "rotation" else (1 - s) * a + s * b

    def _spline(self, k: int, s: float, span: float) -> Array:
        """Values come in threes: tangent in, value, tangent out."""
        a, out, into, b = self.values[3 * k + 1], self.values[3 * k + 2], self.values[3 * k + 3], self.values[3 * k + 4]
        h = 2 * s**3 - 3 * s**2 + 1, s**3 - 2 * s**2 + s, 3 * s**2 - 2 * s**3, s**3 - s**2
        value = h[0] * a + h[1] * span * out + h[2] * b + h[3] * span * into
        return value / np.linalg.norm(value) if self.path == "rotation" else value


def _slerp(a: Array, b: Array, s: float) -> Array:
    """Between two quaternions, the short way."""
    cosine = float(a @ b)
    b, cosine = (b, cosine) if cosine >= 0 else (-b, -cosine)
    angle = np.arccos(min(cosine, 1.0))
    if angle < 1e-6:
        value = (1 - s) * a + s * b
    else:
        value = (np.sin((1 - s) * angle) * a + np.sin(s * angle) * b) / np.sin(angle)
    return value / np.linalg.norm(value)


@dataclass(frozen=True, eq=False)
class Nodes:
    """A tree of nodes at rest: parents (n,), -1 of roots; translation (n, 3), rotation (n, 4) as x, y, z, w, scale
    (n, 3), or a matrix (4, 4) by number instead."""

    parents: Ids
    translation: Array
    rotation: Array
    scale: Array
    matrix: Mapping[int, Array]

    def placed(self, tracks: Sequence[Track] = (), time: float = 0.0) -> Array:
        """(n, 4, 4) from the axes of every node to the world."""
        own = {name: getattr(self, name).copy() for name in ("translation", "rotation", "scale")}
        for track in tracks:
            own[track.path][track.node] = track.at(time)
        moved = {track.node for track in tracks}
        local = np.tile(np.eye(4), (len(self.parents), 1, 1))
        for k in range(len(local)):
            if k in self.matrix and k not in moved:
                local[k] = self.matrix[k]
                continue
            x, y, z, w = own["rotation"][k]
            local[k, :3, :3] = rotation_from_quaternion(np.array([w, x, y, z])) * own["scale"][k]
            local[k, :3, 3] = own["translation"][k]
        out: dict[int, Array] = {}
        for k in range(len(local)):
            self._place(k, local, out)
        return np.array([out[k] for k in range(len(local))])

    def _place(self, k: int, local: Array, out: dict[int, Array]) -> None:
        chain = [k]
        while chain[-1] not in out and self.parents[chain[-1]] >= 0:
            chain.append(int(self.parents[chain[-1]]))
            if len(chain) > len(local):
                raise FileError("nodes of the file hang below themselves")
        for node in reversed(chain):
            if node not in out:
                parent = int(self.parents[node])
                out[node] = local[node] if parent < 0 else out[parent] @ local[node]


@dataclass(frozen=True, eq=False)
class Clip:
    """A motion of the joints of a rig.

    Attributes:
        name: its own. duration: [s]. joints: names of those that it can lead.
    """

    name: str
    duration: float
    joints: tuple[str, ...]
    _numbers: tuple[int, ...] = field(repr=False)
    _nodes: Nodes = field(repr=False)
    _tracks: tuple[Track, ...] = field(repr=False)
    _last: dict[float, Array] = field(default_factory=dict, repr=False)

    def path(self, joint: str, repeats: bool = False) -> Callable[[float], tuple[Array, Array]]:
        """Where a joint takes the whole at rest: time [s] -> position (3,) [m] and rotation (3, 3).

        Args:
            repeats: begin anew at the end; otherwise it stays there.
        """
        if joint not in self.joints:
            raise ArgumentError(f"clip {self.name!r} has no joint {joint!r}; it has {', '.join(self.joints[:8])}")
        node = self._numbers[self.joints.index(joint)]
        rest = self._nodes.placed()[node]
        if not np.isfinite(rest).all() or np.linalg.matrix_rank(rest) < len(rest):
            raise ArgumentError(
                f"joint {joint!r} of clip {self.name!r} has a scale of zero at rest; apply scales first"
            )
        back = np.linalg.inv(rest)

        def there(time: float) -> tuple[Array, Array]:
            now = time % self.duration if repeats and self.duration > 0 else time
            moved = self._placed(now)[node] @ back
            return moved[:3, 3], _rotation(moved[:3, :3], self.name, joint)

        return there

    def _placed(self, time: float) -> Array:
        """All nodes; joints ask one after the other for the same time."""
        if time not in self._last:
            self._last.clear()
            self._last[time] = self._nodes.placed(self._tracks, time)
        return self._last[time]


def _rotation(A: Array, clip: str, joint: str) -> Array:
    if not np.isfinite(A).all():
        raise ArgumentError(f"clip {clip!r} turns {joint} by no rotation: a quaternion is zero; bake it again")
    U, sizes, Vt = np.linalg.svd(A)
    if np.abs(sizes - 1).max() > RIGID or np.linalg.det(A) < 0:
        raise ArgumentError(
            f"clip {clip!r} scales {joint}, by {sizes[0]:.4g}, and bones only turn and move; bake it without scales"
        )
    return U @ Vt
