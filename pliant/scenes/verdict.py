"""What a run showed, and whether the numbers that a scene claims are among it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import NamedTuple

import numpy as np

from pliant.errors import Array
from pliant.scenes.schedule import crossing_frequency
from pliant.scenes.schema import FORCE, GLIDE, MISSED, TILT, TONE, Check

RESTING = 0.2  # of a run, its end: what bears a body is measured over it


@dataclass
class Track:
    """What was seen of a run.

    Attributes:
        times: (f,) [s]; values: a displacement (f,) [m] for every probe.
        momenta: (f, 6) linear [kg m/s] and angular [kg m^2/s], where a check asks for them.
        energies: (f,) [J]; depths, gaps: (f,) [m] of a world; swellings: (f,) relative changes of volumes;
            folds: (f,) [m] of skins into themselves; bends: (f,) [degrees] of their edges;
            tilts: [degrees] of its bodies by name, at the end; forces: (f, 3) [N] of all contacts on each of them;
            each where a check asks for them.
        off_path, off_alone: (f,) how far what is controlled is from its path, and would be if left alone [m].
        missed: [m] of keyframes, as they came due.
        tones, glides: [Hz] and ratios of what sounded, by name, at the end.
        stepping: wall time of the steps [s].
        pushed_until: when the last push ended [s].
    """

    times: list[float] = field(default_factory=list)
    values: dict[str, list[float]] = field(default_factory=dict)
    momenta: list[Array] = field(default_factory=list)
    energies: list[float] = field(default_factory=list)
    depths: list[float] = field(default_factory=list)
    gaps: list[float] = field(default_factory=list)
    swellings: list[float] = field(default_factory=list)
    folds: list[float] = field(default_factory=list)
    bends: list[float] = field(default_factory=list)
    tilts: dict[str, float] = field(default_factory=dict)
    forces: dict[str, list[Array]] = field(default_factory=dict)
    off_path: list[float] = field(default_factory=list)
    off_alone: list[float] = field(default_factory=list)
    missed: list[float] = field(default_factory=list)
    tones: dict[str, float] = field(default_factory=dict)
    glides: dict[str, float] = field(default_factory=dict)
    stepping: float = 0.0
    pushed_until: float = 0.0

    def __repr__(self) -> str:
        span = f", {self.times[0]:g} to {self.times[-1]:g} s" if self.times else ""
        return f"Track({len(self.times)} times{span}, {len(self.values)} probes)"


class Verdict(NamedTuple):
    """A check and the number that was found."""

    check: Check
    found: float

    @property
    def holds(self) -> bool:
        """Is the number within the tolerance?"""
        if self.check.value is None:
            return bool(self.found <= self.check.within)
        return bool(abs(self.found - self.check.value) <= self.check.within * abs(self.check.value))

    def __repr__(self) -> str:
        return f"Verdict({self}: {'holds' if self.holds else 'fails'})"

    def __str__(self) -> str:
        c = self.check
        whose = f"{c.measure} of {c.probe or c.body}" if c.probe or c.body else c.measure
        if c.value is None:
            return f"{whose}: {self.found:.2g}, claimed at most {c.within:.2g}"
        return f"{whose}: {self.found:.5g}, claimed {c.value:.5g} within {100 * c.within:g} %"


def judge(check: Check, track: Track) -> Verdict:
    """The check against what was seen."""
    if check.measure == TILT:
        return Verdict(check, _farthest(track.tilts, check))
    if check.measure in (TONE, GLIDE):
        return Verdict(check, _farthest(track.tones if check.measure == TONE else track.glides, check))
    if check.measure == FORCE:
        return Verdict(check, _farthest({name: _borne(track, name) for name in track.forces}, check))
    return Verdict(check, MEASURES[check.measure](track, check.probe or ""))


def _farthest(values: dict[str, float], check: Check) -> float:
    """Of the body that is farthest from what is claimed."""
    found = [value for name, value in values.items() if fnmatchcase(name, str(check.body))]
    return max(found, key=lambda value: abs(value - (check.value or 0.0)), default=float("nan"))


def _borne(track: Track, name: str) -> float:
    """| mean of f | over the end of the run [N]."""
    late = np.array(track.times) >= (1 - RESTING) * track.times[-1]
    return float(np.linalg.norm(np.array(track.forces[name])[late].mean(axis=0)))


def _of_values(measure: Callable[[Array], float]) -> Callable[[Track, str], float]:
    return lambda track, probe: float(measure(np.array(track.values[probe])))


def _frequency(track: Track, probe: str) -> float:
    return crossing_frequency(np.array(track.times), np.array(track.values[probe]))


def _momentum(track: Track, _probe: str) -> float:
    return float(np.linalg.norm(track.momenta[-1][:3]))


def _drift(part: slice) -> Callable[[Track, str], float]:
    """max |p(t) - p(t0)| / |p(t0)| over t > t0, the end of the last push."""

    def measured(track: Track, _probe: str) -> float:
        after = np.array(track.times) >= track.pushed_until
        p = np.array(track.momenta)[after, part]
        if len(p) < 2:
            return float("nan")
        return float(np.linalg.norm(p - p[0], axis=1).max() / np.linalg.norm(p[0]))

    return measured


def _energy(track: Track, change: Callable[[Array], Array]) -> float:
    """Relative to the energy E at the end of the last push: max |E(t) - E| / |E|, or of rises alone."""
    E = np.array(track.energies)[np.array(track.times) >= track.pushed_until]
    return float(change(E - E[0]).max() / abs(E[0])) if len(E) > 1 else float("nan")


MEASURES: dict[str, Callable[[Track, str], float]] = {
    "max": _of_values(np.max),
    "min": _of_values(np.min),
    "mean": _of_values(np.mean),
    "final": _of_values(lambda values: values[-1]),
    "frequency": _frequency,
    "momentum": _momentum,
    "momentum drift": _drift(slice(0, 3)),
    "angular momentum drift": _drift(slice(3, 6)),
    "energy drift": lambda track, _: _energy(track, np.abs),
    "energy gain": lambda track, _: _energy(track, lambda change: change),
    "penetration": lambda track, _: max(track.depths, default=float("nan")),
    "self penetration": lambda track, _: max(track.folds, default=float("nan")),
    "roughness": lambda track, _: max(track.bends, default=float("nan")),
    "joint gap": lambda track, _: max(track.gaps, default=float("nan")),
    MISSED: lambda track, _: max(track.missed, default=float("nan")),
    "volume": lambda track, _: max(track.swellings, default=float("nan")),
    "off path": lambda track, _: track.off_path[-1],
    "recovery": lambda track, _: track.off_path[-1] / track.off_alone[-1],
}
