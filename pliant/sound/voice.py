"""A voice: modes that sound, and what happens to them over time."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable
from os import PathLike
from pathlib import Path as FilePath
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree

from pliant.errors import ArgumentError, Array, Ids, check_array, check_count, check_ids, check_number
from pliant.fem import Solid
from pliant.mesh.files.paths import replacing
from pliant.mesh.normals import vertex_normals
from pliant.numerics.waves import wav_bytes
from pliant.sound.bank import Bank
from pliant.sound.hammers import Hammer, hertz_duration
from pliant.sound.presets import Damping, decay_rates
from pliant.sound.radiation import KINDS, Radiator, radiator
from pliant.sound.rendering import Ear, Hit, MovingEar, Ringing, Signal, kicks_and_pulses, render

LONGEST = 3600.0  # [s] of samples at once
LOWEST_RATE, HIGHEST_RATE = 1000, 1_000_000
STILL = 0.1  # [s] over which a pluck is pulled
SIXTY_DECIBELS = 2 * np.log(1000.0)
Listener = ArrayLike | Callable[[float], ArrayLike] | None


class Voice(ABC):
    """What `Sound` and `NonlinearSound` share: events, the listener, samples.

    Attributes:
        rate: samples a second. solid: what sounds. eigenvalues, decay: lambda [1/s^2] and d [1/s] of its modes (m,).
        shapes: (n, 3, m) how modes move the vertices, psi^T M psi = 1.
        hits, forces: what has happened to it.
    """

    def __init__(
        self, solid: Solid, eigenvalues: Array, vectors: Array, rate: int, damping: Damping, radiation: str,
        listener: Listener,
    ):  # fmt: skip
        self.solid, self.rate = solid, rate
        self.eigenvalues, self.decay = eigenvalues, decay_rates(damping, eigenvalues)
        self.shapes = vectors.reshape(-1, 3, len(eigenvalues))
        mesh = solid.mesh
        self.radiator: Radiator = radiator(radiation, mesh.vertices, mesh.surface, self.shapes, eigenvalues)
        self.listener = listener
        self._normals = vertex_normals(mesh.vertices, mesh.surface)
        self._near = cKDTree(mesh.vertices[mesh.surface_vertices])
        self.silence()

    @property
    def frequencies(self) -> Array:
        """sqrt(lambda) / 2 pi (m,) [Hz], lowest first."""
        return np.sqrt(self.eigenvalues) / (2 * np.pi)

    @property
    def decay_times(self) -> Array:
        """(m,) [s] in which a mode falls by 60 dB, to a thousandth of its amplitude; inf without damping."""
        with np.errstate(divide="ignore"):
            return SIXTY_DECIBELS / self.decay

    @property
    def listener(self) -> Listener:
        """Where it is heard, in the axes of the solid: (3,), (2, 3) left and right, or a function of time; writable."""
        return self._listener

    @listener.setter
    def listener(self, place: Listener) -> None:
        if place is None and self.radiator.kind != KINDS[0]:
            raise ArgumentError(f'radiation="{self.radiator.kind}" needs a listener, such as (0, 0, 1)')
        if place is not None:
            checked_ears(place(0.0) if callable(place) else place)
        self._listener = place

    def copy(self) -> Self:
        """The same modes with no events yet, for another body of the same kind."""
        fresh = copy.copy(self)
        fresh.silence()
        return fresh

    def silence(self) -> None:
        """Forget all strikes, pushes and plucks."""
        self.hits: list[Hit] = []
        self.forces: list[Signal] = []

    def strike(
        self,
        time: float,
        vertex: ArrayLike,
        impulse: ArrayLike,
        hammer: Hammer | None = None,
        duration: float | None = None,
    ) -> None:
        """Hit a vertex.

        Args:
            time: when the hit begins [s].
            vertex: its number, or those of several that share the hit equally.
            impulse: (3,) [N s], or a number: that much straight into the surface.
            hammer: what hits; the pulse takes as long as Hertz' contact of it with the solid. None: no time at all.
            duration: of the pulse [s], instead of a hammer.
        """
        began, ids = self._checked(time, vertex)
        J = np.asarray(impulse, dtype=float)
        J = -float(J) * self._normals[ids].mean(axis=0) if J.ndim == 0 else check_array("impulse", impulse, (3,))
        if not np.isfinite(J).all():
            raise ArgumentError(f"impulse must be finite; {impulse!r} was given")
        if hammer is not None:
            duration = self.hit_duration(hammer, float(np.linalg.norm(J)))
        self.hit(
            began,
            J @ self.shapes[ids].mean(axis=0),
            0.0 if duration is None else check_number("duration", duration, at_least=0),
        )

    def hit(self, time: float, gains: Array, duration: float) -> None:
        """A pulse on all modes at once: `gains` (m,), what it adds to their rates in all."""
        self.hits.append(Hit(time, gains, duration))

    def push(self, time: float, vertices: ArrayLike, forces: ArrayLike, rate: float | None = None) -> None:
        """Press vertices by a force that changes over time, shared by them equally, from `time` [s] on.

        Args:
            forces: (k, 3) [N] at k instants; between them it changes evenly, and after the last there is none.
            rate: instants a second; None: samples.
        """
        began, ids = self._checked(time, vertices)
        f = check_array("forces", forces, (None, 3))
        often = self.rate if rate is None else check_number("rate", rate, above=0)
        gains = self.shapes[ids].mean(axis=0)
        ends = np.arange(np.ceil(len(f) / often * self.rate - 1e-9) + 1) / self.rate
        first = round(began * self.rate)
        for axis in np.flatnonzero(np.abs(f).max(axis=0, initial=0.0) > 0):
            held = np.append(f[:, axis], 0.0)
            held[-1] = held[-2]  # it stays until its last instant is over
            if often == self.rate:
                force = held[:-1]
            else:
                total = np.concatenate([[0.0], np.cumsum((held[1:] + held[:-1]) / 2)]) / often
                force = np.diff(_between(ends, np.arange(len(held)) / often, total, held)) * self.rate
            self.press(first, gains[axis], force)

    def press(self, first: int, gains: Array, force: Array) -> None:
        """A force on all modes at once: gains (m,) times force (k,), constant over each sample from `first` on."""
        self.forces.append(Signal(first, gains, np.ascontiguousarray(force)))

    def pluck(self, time: float, vertices: ArrayLike, force: ArrayLike, pull: float = STILL) -> None:
        """Pull vertices slowly by a force (3,) [N] from `time` on, and let go after `pull` [s]."""
        count = round(check_number("pull", pull, above=0) * self.rate)
        rise = (1 - np.cos(np.pi * (np.arange(count) + 0.5) / count)) / 2
        self.push(time, vertices, np.outer(rise, check_array("force", force, (3,))))

    def hit_duration(self, hammer: Hammer, impulse: float) -> float:
        """[s] of a hit that throws the hammer back as fast as it came, J = 2 m v."""
        speed = abs(impulse) / (2 * hammer.mass)
        if speed == 0:
            return 0.0
        modulus = 1 / (hammer.compliance + self.compliance)
        return hertz_duration(hammer.mass, hammer.radius, modulus, speed)

    @property
    def compliance(self) -> float:
        """(1 - nu^2) / E of its material [1/Pa], a mean over its cells."""
        material = self.solid.material
        return float(np.mean((1 - np.asarray(material.poisson) ** 2) / np.asarray(material.young)))

    def nearest(self, point: Array) -> int:
        """The vertex of its surface that is nearest to a place (3,) [m]."""
        return int(self.solid.mesh.surface_vertices[self._near.query(point)[1]])

    def samples(self, seconds: float) -> Array:
        """What is heard from time 0 on: (k,), or (k, 2) where two ears listen."""
        count = round(check_number("seconds", seconds, at_least=0, at_most=LONGEST) * self.rate)
        bank = Bank(self.eigenvalues, self.decay, 1 / self.rate)
        kicks, pulses = kicks_and_pulses(self.hits, bank.step)
        acting = [*pulses, *self.forces]
        heard = [render(bank, self._ringing(bank), kicks, acting, ear, count) for ear in self._ears(bank)]
        return heard[0] if len(heard) == 1 else np.stack(heard, axis=1)

    def write(self, path: str | PathLike[str], seconds: float, gain: float | None = None) -> None:
        """Write a .wav of 16 bits, whole or not at all; None: its loudest sample becomes 0.9."""
        if FilePath(path).suffix.lower() != ".wav":
            raise ArgumentError(f"{path} must end in .wav; other files come from pliant.write(recording, ...)")
        content = wav_bytes(self.samples(seconds), self.rate, gain)
        with replacing(path) as temporary:
            temporary.write_bytes(content)

    @abstractmethod
    def _ringing(self, bank: Bank) -> Ringing:
        """At rest."""

    def _ears(self, bank: Bank) -> list[Ear | MovingEar]:
        bank.silence()
        place = self.listener
        if place is None:
            return [Ear(bank, self.radiator, None)]
        if callable(place):
            count = len(checked_ears(place(0.0)))
            return [MovingEar(bank, self.radiator, _path(place, e)) for e in range(count)]
        return [Ear(bank, self.radiator, ear) for ear in checked_ears(place)]

    def _checked(self, time: float, vertices: ArrayLike) -> tuple[float, Ids]:
        began = check_number("time", time, at_least=0)
        ids = check_ids("vertex", vertices, self.solid.mesh.vertex_count)
        if not len(ids):
            raise ArgumentError("vertex must be at least one; none was given")
        if np.isin(ids, self.solid.fixed).all():
            raise ArgumentError(f"vertex {ids[0]} is held, so that striking it makes no sound; choose one that moves")
        return began, ids


def checked_rate(rate: int) -> int:
    """Samples a second."""
    return check_count("rate", rate, LOWEST_RATE, HIGHEST_RATE)


def checked_ears(place: ArrayLike) -> Array:
    """(e, 3), one or two."""
    array = np.asarray(place, dtype=float)
    array = array[None] if array.ndim == 1 else array
    if array.shape not in ((1, 3), (2, 3)) or not np.isfinite(array).all():
        raise ArgumentError(f"listener must be a place (3,) or two ears (2, 3) [m]; {np.shape(place)} was given")
    return array


def _path(place: Callable[[float], ArrayLike], ear: int) -> Callable[[float], Array]:
    return lambda time: checked_ears(place(time))[ear]


def _between(at: Array, times: Array, total: Array, slopes: Array) -> Array:
    """The integral of what changes evenly between times, at others: a parabola in each gap."""
    k = np.clip(np.searchsorted(times, at, side="right") - 1, 0, len(times) - 2)
    t = np.clip(at, times[0], times[-1]) - times[k]
    gap = times[k + 1] - times[k]
    return total[k] + t * (slopes[k] + t / (2 * gap) * (slopes[k + 1] - slopes[k]))
