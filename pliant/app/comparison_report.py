"""The outcome of a comparison: a table and a plot."""

from pathlib import Path
from typing import Any

from pliant.app.comparison import Outcome
from pliant.export import write_plot
from pliant.scenes import Scene


def comparison_table(scene: Scene, outcomes: list[Outcome]) -> list[dict[str, Any]]:
    """A row a model; errors are relative to the first."""
    weights, truth = scene.solid.lumped_mass, outcomes[0]
    rows = []
    for outcome in outcomes:
        row: dict[str, Any] = {
            "model": outcome.method,
            "coordinates": outcome.coordinates,
            "L2 error %": 100 * outcome.error(truth, weights),
        }
        for probe, track in outcome.probes.items():
            row[f"{probe} max"] = float(track.max()) if len(track) else float("nan")
            row[f"{probe} min"] = float(track.min()) if len(track) else float("nan")
            row[f"{probe} Hz"] = outcome.frequency(probe)
        row["us per step"] = 1e6 * outcome.step_seconds
        row["times faster"] = truth.step_seconds / outcome.step_seconds if outcome.step_seconds else float("nan")
        row["note"] = outcome.note
        rows.append(row)
    return rows


def draw_comparison(scene: Scene, outcomes: list[Outcome], path: Path) -> None:
    """Curves of the probes; without probes, how far the solid is from rest (root mean square)."""
    curves = {}
    for outcome in outcomes:
        tracks = outcome.probes or {"from rest": (outcome.shapes**2).mean(axis=1) ** 0.5}
        for probe, track in tracks.items():
            label = outcome.method if len(tracks) == 1 else f"{outcome.method}, {probe}"
            curves[label] = (outcome.times, track)
    write_plot(path, curves, title=scene.title, y_label="displacement [m]")
