"""The outcome of a comparison: a table and a plot."""

from pathlib import Path
from typing import Any

import numpy as np

from pliant.app.comparison import Outcome
from pliant.app.momentum_report import draw_momenta, drifts, keeps_momentum
from pliant.errors import Array
from pliant.export import write_plot
from pliant.export.plot import Panel, write_panels
from pliant.scenes import Scene
from pliant.scenes.bodies import first_vertices

MOST_PATHS = 2  # seen from above, side by side


def comparison_table(scene: Scene, outcomes: list[Outcome]) -> list[dict[str, Any]]:
    """A row a model; errors and ratios are relative to the first."""
    weights, truth, published = _weights(scene), outcomes[0], scene.file.published
    rows = []
    for outcome in outcomes:
        row: dict[str, Any] = {
            "model": outcome.method,
            "coordinates": outcome.coordinates,
            "L2 error %": 100 * outcome.error(truth, weights),
        }
        for probe, track in outcome.probes.items():
            row[f"{probe} error %"] = 100 * outcome.probe_error(truth, probe)
            row[f"{probe} max"] = float(track.max()) if len(track) else float("nan")
            row[f"{probe} min"] = float(track.min()) if len(track) else float("nan")
            row[f"{probe} Hz"] = outcome.frequency(probe)
            row[f"{probe} Hz / {truth.method}"] = outcome.frequency(probe) / truth.frequency(probe)
        row |= drifts(scene, outcome)
        if published is not None:
            row[f"{published.source} %"] = published.errors.get(outcome.method, "")
        row["us per step"] = 1e6 * outcome.step_seconds
        row["times faster"] = truth.step_seconds / outcome.step_seconds if outcome.step_seconds else float("nan")
        row["note"] = outcome.note
        rows.append(row)
    return rows


def _weights(scene: Scene) -> Array:
    """(3n,) masses; of an assembly, which is no solid, all vertices count the same."""
    return scene.solid.lumped_mass if scene.assembly is None else np.ones(scene.mesh.vertices.size)


def draw_comparison(scene: Scene, outcomes: list[Outcome], path: Path) -> None:
    """Curves of the probes; without probes, how far the solid is from rest (root mean square).

    What is made of parts moves in all directions: its first probes are also seen from above, as in [LS11] Fig. 7. Where
    errors of a first probe were published, as in [BA13] Fig. 7, it is that probe over time. Of a world that claims to
    keep angular momentum and energy it is these, as in [MC15] Fig. 3.
    """
    if keeps_momentum(scene):
        draw_momenta(scene, outcomes, path)
        return
    if scene.bodies[0].has_parts and scene.file.probe and scene.file.published is None:
        _draw_paths(scene, outcomes, path)
        return
    curves = {}
    for outcome in outcomes:
        tracks = outcome.probes or {"from rest": (outcome.shapes**2).mean(axis=1) ** 0.5}
        for probe, track in tracks.items():
            label = outcome.method if len(tracks) == 1 else f"{outcome.method}, {probe}"
            curves[label] = (outcome.times, track)
    axis = f"{scene.file.probe[0].axis} " if len(scene.file.probe) == 1 else ""
    write_plot(path, curves, title=scene.title, y_label=f"{axis}displacement [m]")


def _draw_paths(scene: Scene, outcomes: list[Outcome], path: Path) -> None:
    seen = [
        Panel(_from_above(scene, outcomes, number), f"{probe.name} from above", "x [m]", "z [m]", equal=True)
        for number, probe in enumerate(scene.file.probe[:MOST_PATHS])
    ]
    first = scene.file.probe[0]
    curves = {each.method: (each.times, each.probes[first.name]) for each in outcomes}
    over_time = Panel(curves, f"{first.name} over time", "time [s]", f"{first.axis} [m]")
    write_panels(path, [seen, [over_time]], title=scene.title)


def _from_above(scene: Scene, outcomes: list[Outcome], number: int) -> dict[str, tuple[Array, Array]]:
    """Of every model x and z (f,) of a probe; y is up."""
    vertices = scene.probed(scene.file.probe[number]) - first_vertices(scene.bodies)[0]
    paths = {outcome.method: outcome.path(vertices) for outcome in outcomes}
    return {method: (track[:, 0], track[:, 2]) for method, track in paths.items()}
