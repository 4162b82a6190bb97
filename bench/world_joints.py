"""Chains of more and more bodies: what a step costs over their joints."""

import time
from itertools import pairwise

import numpy as np

import pliant as pl
from bench.timing import table

COUNTS = (5, 10, 20, 50, 100, 200)
SEEN = 10  # steps of which the median is taken


def chain(count: int, kind: str, soft: bool) -> pl.World:
    """Bars in a row, each joined to the next, the first to the world; it hangs down after a while."""
    mesh = pl.shapes.bar((1.0, 0.1, 0.1), (4, 1, 1))
    model: pl.ReducedModel | pl.Rigid = pl.Rigid(mesh, 1000.0)
    if soft:
        solid = pl.Solid(mesh, pl.Linear(1e8, 0.3, 1000.0))
        model = pl.reduce(solid, pl.Basis(pl.vibration_modes(solid, 6).vectors), force="linear")
    world = pl.World(0.005)
    bodies = [world.add(model, (k, 0.0, 0.0), group=1, damping=(0.0, 1e-4 if soft else 0.0)) for k in range(count)]
    axis = (0.0, 0.0, 1.0) if kind == "hinge" else None
    world.join(bodies[0], (-0.5, 0.0, 0.0), kind=kind, axis=axis)  # type: ignore[arg-type]
    for a, b in pairwise(bodies):
        world.join(a, (0.5, 0.0, 0.0), b, kind=kind, axis=axis)  # type: ignore[arg-type]
    return world


def measured(count: int, kind: str, soft: bool) -> float:
    """Median processor time of a step [ms]."""
    world, times = chain(count, kind, soft), []
    world.step(4)
    for _ in range(SEEN):
        start = time.process_time()
        world.step()
        times.append(time.process_time() - start)
    return 1e3 * float(np.median(times))


def main() -> None:
    for kind, soft in (("point", False), ("hinge", False), ("rigid", True)):
        rows = []
        for count in COUNTS:
            took = measured(count, kind, soft)
            rows.append({"bodies": count, "joints": kind, "ms a step": took, "us a body": 1e3 * took / count})
        print(table(rows))
        x, y = (np.log([row[key] for row in rows]) for key in ("bodies", "ms a step"))
        print(f"cost grows as bodies^{np.polyfit(x[1:], y[1:], 1)[0]:.2f} from ten on")


if __name__ == "__main__":
    main()
