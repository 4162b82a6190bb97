"""One scene on several models: errors against the first, frequencies, speeds, and the curves to look at."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from pliant.app.comparison_methods import methods as known_methods
from pliant.errors import ArgumentError, Array, Diverged, Ids, check_choice
from pliant.scenes import Scene, Track
from pliant.scenes.bodies import first_vertices
from pliant.scenes.schedule import crossing_frequency
from pliant.systems import System


@dataclass(frozen=True)
class Outcome:
    """What one model did.

    Attributes:
        coordinates: unknowns a step.
        times: (f,) [s]; probes: one track (f,) [m] each; shapes: displacements (f, 3n) [m].
        step_seconds: mean wall time of a step.
        note: why it stopped early, if it did.
        track: all that was seen, also momenta and energies where a check of the scene asks for them.
    """

    method: str
    coordinates: int
    times: Array
    probes: dict[str, Array]
    shapes: Array
    step_seconds: float
    note: str = ""
    track: Track = field(default_factory=Track)

    def error(self, reference: "Outcome", weights: Array) -> float:
        """sqrt(sum |u - u_ref|^2 / sum |u_ref|^2) over time and mass, for as long as both ran; nan if one did not."""
        f = min(len(self.times), len(reference.times))
        if f == 0:
            return float("nan")
        gap, size = self.shapes[:f] - reference.shapes[:f], reference.shapes[:f]
        return float(np.sqrt((gap**2 @ weights).sum() / max((size**2 @ weights).sum(), np.finfo(float).tiny)))

    def probe_error(self, reference: "Outcome", probe: str) -> float:
        """Relative L2 error of a probe over time, for as long as both ran."""
        f = min(len(self.times), len(reference.times))
        gap, size = self.probes[probe][:f] - reference.probes[probe][:f], reference.probes[probe][:f]
        return float(np.linalg.norm(gap) / max(np.linalg.norm(size), np.finfo(float).tiny)) if f else float("nan")

    def frequency(self, probe: str) -> float:
        """Of a probe [Hz]."""
        return crossing_frequency(self.times, self.probes[probe])

    def path(self, vertices: Ids) -> Array:
        """Mean displacement (f, 3) [m] of some vertices."""
        return self.shapes.reshape(len(self.times), -1, 3)[:, vertices].mean(axis=1)

    def __repr__(self) -> str:
        ran = f"{len(self.times)} frames, {1e6 * self.step_seconds:.3g} us a step"
        return f"Outcome({self.method}: {self.coordinates} coordinates, {ran}{', stopped early' if self.note else ''})"


def compare(
    scene: Scene,
    methods: list[str],
    seconds: float | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> list[Outcome]:
    """Run the scene on each of the methods."""
    known = known_methods()
    for method in methods:
        check_choice("--with", method, tuple(known))
    if len(scene.bodies) > 1:
        raise ArgumentError(f"{scene.name} has several bodies; compare scenes of one")
    span = scene.file.duration if seconds is None else seconds
    outcomes = []
    for number, method in enumerate(methods):
        done = partial(_report, progress, method, number, len(methods), span)
        done(0.0)
        outcomes.append(_run(known[method](scene), method, span, done))
    return outcomes


def _report(
    progress: Callable[[str, float], None] | None, method: str, number: int, count: int, span: float, time: float
) -> None:
    if progress:
        progress(method, (number + time / max(span, time, 1e-9)) / count)


def _run(scene: Scene, method: str, seconds: float, done: Callable[[float], None]) -> Outcome:
    system = scene.build()
    every = max(1, round(0.01 / system.dt))
    shapes: list[Array] = []
    rest, note = scene.mesh.vertices, ""
    [first] = first_vertices(scene.bodies)

    def keep(system: System) -> None:
        shapes.append((system.vertices("mesh")[first : first + len(rest)] - rest).ravel())
        done(system.time)

    track = Track([], {probe.name: [] for probe in scene.file.probe})
    try:
        scene.watch(system, seconds, every, keep, track)
    except Diverged as reason:
        note = str(reason)
    steps = max(1, round(system.time / system.dt))
    count = system.size
    found = np.array(shapes).reshape(-1, rest.size)
    times, values = np.array(track.times), {name: np.array(v) for name, v in track.values.items()}
    return Outcome(method, count, times, values, found, track.stepping / steps, note, track)
