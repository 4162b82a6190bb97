"""One scene on several models: errors against the first, frequencies, speeds, and the curves to look at."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pliant.errors import Array, Diverged, check_choice
from pliant.scenes import Scene, Track
from pliant.scenes.schedule import crossing_frequency
from pliant.systems import System


def _full(scene: Scene) -> Scene:
    # The truth is run to convergence in double precision, whatever the scene does for speed.
    return scene.changed(system="full", newton=None, integrator="implicit", precision="double")


def _reduced(force: str, modes_alone: bool = False) -> Callable[[Scene], Scene]:
    def changed(scene: Scene) -> Scene:
        basis = scene.file.part[0].basis.model_dump()
        if modes_alone:
            size = basis["modes"] if basis["size"] == "auto" else basis["size"]
            basis = {"kind": "modes", "size": size}
        return scene.changed(system="clamped", part=[{"basis": basis, "force": force}])

    return changed


def usual_methods(scene: Scene) -> list[str]:
    """What suits the scene's material."""
    model = scene.file.part[0].material.model
    return {"stvk": ["full", "cubic", "modes", "linear"], "linear": ["full", "linear"]}.get(model, ["full", "cubature"])


METHODS: dict[str, Callable[[Scene], Scene]] = {
    "full": _full,
    "cubic": _reduced("cubic"),
    "cubature": _reduced("cubature"),
    "modes": _reduced("cubic", modes_alone=True),
    "linear": _reduced("linear", modes_alone=True),
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
        """sqrt(sum |u - u_ref|^2 / sum |u_ref|^2) over time and mass, for as long as both ran; nan if one did not."""
        f = min(len(self.times), len(reference.times))
        if f == 0:
            return float("nan")
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
    scenes = [METHODS[check_choice("--with", method, tuple(METHODS))](scene) for method in methods]
    outcomes = []
    for number, (method, each) in enumerate(zip(methods, scenes)):
        if progress:
            progress(method, number / len(methods))
        outcomes.append(_run(each, method, seconds))
    return outcomes


def _run(scene: Scene, method: str, seconds: float | None) -> Outcome:
    system = scene.build()
    every = max(1, round(0.01 / system.dt))
    shapes: list[Array] = []
    rest, note = scene.mesh.vertices, ""

    def keep(system: System) -> None:
        shapes.append((system.vertices("mesh") - rest).ravel())

    track = Track([], {probe.name: [] for probe in scene.file.probe})
    try:
        scene.watch(system, seconds, every, keep, track)
    except Diverged as reason:
        note = str(reason)
    steps = max(1, round(system.time / system.dt))
    count = len(system.pose().flat)
    found = np.array(shapes).reshape(-1, rest.size)
    times, values = np.array(track.times), {name: np.array(v) for name, v in track.values.items()}
    return Outcome(method, count, times, values, found, track.stepping / steps, note)
