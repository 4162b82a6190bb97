"""Keeps the poses of a recording while it runs."""

from collections.abc import Sequence

import numpy as np

from pliant.app.packing import resized
from pliant.errors import ArgumentError, Array, Ids
from pliant.export import Recording
from pliant.mesh.files.surface_texture import Texture
from pliant.skin import Pose, Skin
from pliant.systems import System
from pliant.systems.rigged import Rigged

MOST_SECONDS = 120.0
MOST_NUMBERS = 30_000_000


class Recorder:
    """Poses with their times. Time goes on growing where the simulation is reset; it ends when it is long enough."""

    def __init__(self) -> None:
        self._times: list[float] = []
        self._poses: list[Pose] = []
        self._positions: list[Array] = []
        self._skin: Skin | None = None
        self._triangles: Ids = np.empty((0, 3), dtype=np.int64)
        self._colours: Array | None = None
        self._texture: Texture | None = None
        self._rigs: Sequence[Rigged] = ()
        self._numbers = 0
        self._shift = 0.0

    @property
    def seconds(self) -> float:
        """How long it is."""
        return self._times[-1] - self._times[0] if self._times else 0.0

    @property
    def is_empty(self) -> bool:
        """Is nothing recorded yet?"""
        return not self._times

    @property
    def is_full(self) -> bool:
        """Is it as long as it may get?"""
        return self.seconds >= MOST_SECONDS or self._numbers >= MOST_NUMBERS

    def note(self, system: System, skin: Skin | None) -> None:
        """Add what the system looks like now, unless time has stood still."""
        if self._times and system.time + self._shift < self._times[-1]:
            self._shift = self._times[-1] - system.time + system.dt
        time = system.time + self._shift
        if self.is_full or (self._times and time <= self._times[-1]):
            return
        self._times.append(time)
        self._skin, self._triangles = skin, system.triangles
        self._colours, self._texture, self._rigs = system.colours, system.texture, system.rigs
        if skin is None:
            self._positions.append(system.vertices())
            self._numbers += self._positions[-1].size
        else:
            pose = resized(system.pose(), skin.offsets)
            self._poses.append(pose)
            self._numbers += 12 * pose.part_count + len(pose.flat)

    def recording(self, name: str, claim: str) -> Recording:
        """All of it, for the exporters."""
        if not self._times:
            raise ArgumentError("nothing is recorded yet; start a recording and let time run")
        return Recording(
            triangles=self._triangles,
            times=np.array(self._times) - self._times[0],
            skin=self._skin,
            poses=tuple(self._poses),
            positions=np.stack(self._positions) if self._skin is None else None,
            colours=self._colours,
            texture=self._texture,
            rigs=tuple(self._rigs),
            name=name,
            claim=claim,
        )
