"""One scene on several models: errors against the first, frequencies, speeds, and the curves to look at."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pliant.errors import Array, Diverged, check_choice
from pliant.scenes import Scene
from pliant.scenes.schedule import crossing_frequency
from pliant.systems import System


def _full(scene: Scene) -> Scene:
    return scene.with_system("full")


def _reduced(kind: str | None = None, force: str = "auto") -> Callable[[Scene], Scene]:
    def changed(scene: Scene) -> Scene:
        part = scene.file.part[0]
        basis = part.basis if kind is None else part.basis.model_copy(update={"kind": kind})
        other = part.model_copy(update={"basis": basis, "force": force})
        return Scene(scene.name, scene.file.model_copy(update={"part": [other], "system": "clamped"}), scene.folder)

    return changed


METHODS: dict[str, Callable[[Scene], Scene]] = {
    "full": _full,
    "cubic": _reduced(force="cubic"),
    "cubature": _reduced(force="cubature"),
    "modes": _reduced("modes", force="cubic"),
    "linear": _reduced("modes", force="linear"),
}


@dataclass(frozen=True)
class Outcome:
    """What one model did.

    Attributes:
        coordinates: unknowns a step.
        times: (f,) [s]; probes: one track (f,) [m] each; shapes: displacements (f, 3n) [m].
        step_seconds: mean wall time of a step.
        note: why it stopped early, if it did.
    """

    method: str
    coordinates: int
    times: Array
    probes: dict[str, Array]
    shapes: Array
    step_seconds: float
    note: str = ""

    def error(self, reference: "Outcome", weights: Array) -> float:
        """sqrt(sum |u - u_ref|^2 / sum |u_ref|^2) over time and mass, for as long as both ran."""
        f = min(len(self.times), len(reference.times))
        gap, size = self.shapes[:f] - reference.shapes[:f], reference.shapes[:f]
        return float(np.sqrt((gap**2 @ weights).sum() / max((size**2 @ weights).sum(), np.finfo(float).tiny)))

    def frequency(self, probe: str) -> float:
        """Of a probe [Hz]."""
        return crossing_frequency(self.times, self.probes[probe])


def compare(
    scene: Scene,
    methods: list[str],
    seconds: float | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> list[Outcome]:
    """Run the scene on each of the methods."""
    outcomes = []
    for number, method in enumerate(methods):
        check_choice("--with", method, tuple(METHODS))
        if progress:
            progress(method, number / len(methods))
        outcomes.append(_run(METHODS[method](scene), method, seconds))
    return outcomes


def _run(scene: Scene, method: str, seconds: float | None) -> Outcome:
    system = scene.build()
    every = max(1, round(0.01 / system.dt))
    shapes: list[Array] = []
    rest, note = scene.mesh.vertices, ""

    def keep(system: System) -> None:
        shapes.append((system.vertices() - rest).ravel())

    try:
        track = scene.watch(system, seconds, every, keep)
    except Diverged as reason:
        note, track = str(reason), scene.watch(system, 0.0)
    steps = max(1, round(system.time / system.dt))
    count = sum(len(q) for q in system.pose().coordinates)
    found = np.array(shapes).reshape(-1, rest.size)
    return Outcome(method, count, track.times, track.values, found, track.stepping / steps, note)
