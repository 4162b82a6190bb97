"""From kicks and forces over time to samples, for one listener or two, still or moving."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np

from pliant.errors import Array
from pliant.sound.bank import Bank
from pliant.sound.hammers import pulse
from pliant.sound.radiation import SOUND_SPEED, Radiator

STRIDE = 512  # samples between places of a listener who moves
Path = Callable[[float], Array]  # time [s] -> (e, 3) ears in the axes of the solid


class Hit(NamedTuple):
    """A pulse of a `duration` [s] from `time` [s] on, which adds `gains` (m,) to z' in all."""

    time: float
    gains: Array
    duration: float


class Kick(NamedTuple):
    """An impulse: `gains` (m,) added to z' at `time` [s]."""

    time: float
    gains: Array


class Signal(NamedTuple):
    """A force: gains (m,) times `force` (k,), constant over each sample from number `first` on."""

    first: int
    gains: Array
    force: Array

    @property
    def end(self) -> int:
        return self.first + len(self.force)


def kicks_and_pulses(hits: Sequence[Hit], step: float) -> tuple[list[Kick], list[Signal]]:
    """Hits that are shorter than a step act at once, in their middle; others as forces over samples."""
    kicks, pulses = [], []
    for hit in hits:
        if hit.duration <= step:
            kicks.append(Kick(hit.time + hit.duration / 2, hit.gains))
        else:
            first = int(np.floor(hit.time / step))
            pulses.append(Signal(first, hit.gains, pulse(hit.duration, hit.time - first * step, step)))
    return kicks, pulses


class Ringing(Protocol):
    """What rings: a bank of oscillators, linear or not."""

    z: Array
    Y: Array

    def ring(self, by_place: Array, by_past: Array, out: Array) -> None: ...
    def drive(self, gains: Array, signals: Array, by_place: Array, by_past: Array, out: Array) -> None: ...


def render(
    bank: Bank, rings: Ringing, kicks: Sequence[Kick], signals: Sequence[Signal], ear: "Ear | MovingEar", count: int
) -> Array:
    """(count,) samples of what one ear hears."""
    late = _landed(bank, kicks, count)
    cuts = {0, count, *late, *(s.first for s in signals), *(s.end for s in signals), *ear.changes(count)}
    places = sorted(k for k in cuts if 0 <= k <= count)
    out = np.zeros(count)
    for first, last in pairwise(places):
        if first in late:
            rings.z += late[first][0]
            rings.Y += late[first][1]
        acting = [s for s in signals if s.first <= first < s.end]
        for weights, fading in ear.weights(first, last):
            part = np.zeros(last - first)
            kept = (rings.z.copy(), rings.Y.copy()) if fading is not None and not fading.last else None
            if acting:
                gains = np.stack([s.gains for s in acting])
                force = np.stack([s.force[first - s.first : last - s.first] for s in acting])
                rings.drive(gains, force, *weights, part)
            else:
                rings.ring(*weights, part)
            if kept is not None:
                rings.z, rings.Y = kept
            out[first:last] += part if fading is None else fading.share * part
    return ear.delayed(out)


def _landed(bank: Bank, kicks: Sequence[Kick], count: int) -> dict[int, tuple[Array, Array]]:
    """What kicks have done to z and Y by the first sample after each."""
    late: dict[int, tuple[Array, Array]] = {}
    for kick in kicks:
        k = int(np.ceil(kick.time / bank.step - 1e-9))
        if not 0 <= k < count:
            continue
        z, Y = bank.kicked(kick.gains, max(k * bank.step - kick.time, 0.0))
        old = late.get(k, (0.0, 0.0))
        late[k] = old[0] + z, old[1] + Y
    return late


class Fading(NamedTuple):
    """The share (k,) of one of two sets of weights, and whether it is the last of them."""

    share: Array
    last: bool


class Ear:
    """One place where sound is heard, in the axes of the solid; None: nowhere in particular."""

    def __init__(self, bank: Bank, radiator: Radiator, place: Array | None):
        whole, self._rest = (0, 0.0) if place is None else divmod(radiator.distance(place) / SOUND_SPEED, bank.step)
        self._delay = int(whole)
        self._weights = bank.weights(*radiator.weights(place, self._rest))

    def changes(self, _count: int) -> range:
        return range(0)

    def weights(self, _first: int, _last: int) -> list[tuple[tuple[Array, Array], Fading | None]]:
        return [(self._weights, None)]

    def delayed(self, out: Array) -> Array:
        return np.concatenate([np.zeros(self._delay), out])[: len(out)]


class MovingEar:
    """An ear on its way: weights are those of places some hundred times a second, and delays shift what is heard."""

    def __init__(self, bank: Bank, radiator: Radiator, path: Callable[[float], Array]):
        self.bank, self.radiator, self.path = bank, radiator, path
        self._known: dict[int, tuple[Array, Array]] = {}

    def changes(self, count: int) -> range:
        return range(0, count, STRIDE)

    def weights(self, first: int, last: int) -> list[tuple[tuple[Array, Array], Fading | None]]:
        corner = first // STRIDE * STRIDE
        share = (np.arange(first, last) - corner) / STRIDE
        return [(self._at(corner), Fading(1 - share, False)), (self._at(corner + STRIDE), Fading(share, True))]

    def _at(self, k: int) -> tuple[Array, Array]:
        if k not in self._known:
            self._known[k] = self.bank.weights(*self.radiator.weights(self.path(k * self.bank.step)))
        return self._known[k]

    def delayed(self, out: Array) -> Array:
        """What is heard at t left at t - r(t) / c; between samples by a cubic."""
        k = np.arange(0, len(out) + STRIDE, STRIDE)
        far = [self.radiator.distance(self.path(i * self.bank.step)) / SOUND_SPEED / self.bank.step for i in k]
        at = np.arange(len(out)) - np.interp(np.arange(len(out)), k, far)
        whole = np.floor(at).astype(np.int64)
        t = at - whole
        padded = np.concatenate([np.zeros(2), out, np.zeros(2)])
        a, b, c, d = (padded[np.clip(whole + shift + 2, 0, len(padded) - 1)] for shift in (-1, 0, 1, 2))
        return b + t / 2 * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)))
