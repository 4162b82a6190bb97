"""Pictures of gallery scenes: the first of a recording, and those that follow from the same place."""

from functools import partial

import pliant as pl
from bench.timing import best_times, table
from pliant.export.photographer import Photographer
from pliant.export.picture import SIZE

SCENES = ("spoon", "tower", "tyrannosaur", "sailboat")


def main() -> None:
    rows = []
    for name in SCENES:
        system = pl.load_scene(name).build()
        recording = pl.record(system, 0.1, 20)
        taken = Photographer(recording, SIZE)
        taken.take(0)
        times = best_times({"first": partial(_first, recording), "next": partial(taken.take, 1)}, rounds=3)
        shown = {f"{what} s": seconds for what, seconds in times.items()}
        rows.append({"scene": name, "triangles": len(system.triangles), **shown, "asked s": 1.0})
    print(f"{SIZE[0]} x {SIZE[1]} pixels")
    print(table(rows))


def _first(recording: pl.Recording) -> None:
    Photographer(recording, SIZE).take(0)
