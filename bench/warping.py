"""[MR12] Fig. 10 made anew: a beam pulled far aside, linear, warped in two ways, and unreduced.

Volume and length of the axis over those at rest, and how far the vertices are from the unreduced ones, over how far
those moved. Then what it takes to draw a frame. The picture of `docs/warping.md` is of the same beams, left to right.
"""

import time
from pathlib import Path

import numpy as np

import pliant as pl
from bench.timing import table
from pliant.export import Camera, record
from pliant.mesh.cell_kinds import signed_volumes
from pliant.systems.system import System

SIZE, CELLS, FORCE = (0.2, 2.0, 0.2), (3, 24, 3), 9.0
APART, PICTURE = 1.9, Path("docs/images/warping.png")
WAYS = {"linear": None, "modal": "modal", "rotation-strain": "rotation-strain"}


def beam(shift: float) -> pl.Solid:
    """Held at its foot."""
    mesh = pl.shapes.bar(SIZE, CELLS)
    mesh = pl.Mesh(mesh.vertices + np.array([shift, SIZE[1] / 2, 0]), mesh.cells)
    return pl.Solid(mesh, pl.StVK(1e5, 0.4, 1000), fixed="y < 1e-9")


def pulled(name: str, shift: float) -> System:
    """At rest under a force at the top."""
    solid = beam(shift)
    if name == "full":
        system: System = pl.Full(solid, 0.01, gravity=None)
    else:
        model = pl.reduce(solid, pl.Basis(pl.vibration_modes(solid, 20).vectors), force="linear")
        system = pl.Clamped(model, 0.01, gravity=None, warp=WAYS[name])  # type: ignore[arg-type]
    top = solid.mesh.select(f"y > {SIZE[1] - 1e-6}")
    system.push(top, np.tile((FORCE / len(top), 0, 0), (len(top), 1)))
    system.settle()
    return system


def facts(system: System, true: System) -> dict[str, object]:
    """Of one beam."""
    X, x = system.mesh.vertices, system.vertices("mesh")
    volume = signed_volumes(x[system.mesh.cells]).sum() / system.mesh.volumes.sum()
    corner = np.flatnonzero(np.abs(X[:, [0, 2]] - X[:, [0, 2]].min(axis=0)).max(axis=1) < 1e-9)
    opposite = np.flatnonzero(np.abs(X[:, [0, 2]] - X[:, [0, 2]].max(axis=0)).max(axis=1) < 1e-9)
    axis = 0.5 * (x[corner[np.argsort(X[corner, 1])]] + x[opposite[np.argsort(X[opposite, 1])]])
    length = np.linalg.norm(np.diff(axis, axis=0), axis=1).sum() / SIZE[1]
    moved, truth = x - X, true.vertices("mesh") - true.mesh.vertices
    error = np.linalg.norm(moved - truth) / np.linalg.norm(truth)
    start = time.process_time()
    for _ in range(20):
        system.vertices("mesh")
    drawn = (time.process_time() - start) / 20
    return {"volume": volume, "length": length, "error %": 100 * error, "drawn in us": 1e6 * drawn}


def main() -> None:
    names = [*WAYS, "full"]
    systems = [pulled(name, APART * k) for k, name in enumerate(names)]
    rows = [{"way": name, **facts(system, systems[-1])} for name, system in zip(names, systems, strict=True)]
    print(table(rows))
    middle = APART * (len(names) - 1) / 2 + 0.7
    camera = Camera(eye=(middle, 1.4, 7.2), target=(middle, 1.0, 0.0))
    shown = record(pl.Bodies(systems, names=names), 0.0, camera=camera)
    pl.write(shown, PICTURE, size=(1200, 480))


if __name__ == "__main__":
    main()
