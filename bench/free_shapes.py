"""Free bodies with the defaults: shapes that nothing holds, pushed at an end, against the solid unreduced.

    error = max_t |b(t) - b_full(t)| / max_t |b_full(t)|,   b = R^T (x - c) - (X - C)

b are the bends of all vertices: what is left of a motion without that of the nearest rigid body (c, R: Kabsch), root
mean square over vertices. A push at the vertex farthest from the middle, which would bend the linear solid by a tenth
of its size, acts for half a period of the first mode; then the body flies for two periods, in fiftieths of one.

`python -m bench.free_shapes [shape ...]` prints errors, estimates, coordinates, times of steps, and counts warnings.
"""

import sys
import time
import warnings

import numpy as np

import pliant as pl
from bench.timing import table
from bench.zoo import SHAPES, solid_of
from pliant.basis.response import StaticResponse
from pliant.errors import Array, PliantWarning
from pliant.systems.system import System

PERIODS, PER_PERIOD, WAY, PARTS = 2.5, 50, 0.1, 4
HEADING = ("shape", "way", "error %", "estimate %", "coordinates", "ms a step", "of ms", "built in s", "warnings")
SOME = ("comb", "animal", "hand", "ring", "plate", "octopus")


def free_solid(name: str) -> pl.Solid:
    held = solid_of(name)
    return pl.Solid(held.mesh, held.material)


def pushed(solid: pl.Solid) -> tuple[int, Array]:
    """The vertex farthest from the middle, and the force (3,) [N] on it."""
    X = solid.mesh.vertices
    vertex = int(np.linalg.norm(X - X.mean(axis=0), axis=1).argmax())
    loads = np.zeros((solid.dof_count, 3))
    loads[3 * vertex + np.arange(3), np.arange(3)] = 1.0
    bends = StaticResponse(solid).solve(loads).reshape(-1, 3, 3)
    soft = np.linalg.eigh(bends[vertex] + bends[vertex].T)[1][:, 2]
    return vertex, soft * WAY * np.ptp(X, axis=0).max() / np.linalg.norm(bends[vertex] @ soft)


def bends(x: Array, X: Array) -> Array:
    """(n, 3)"""
    C, c = X.mean(axis=0), x.mean(axis=0)
    left, _, right = np.linalg.svd((x - c).T @ (X - C))
    R = left @ np.diag([1, 1, np.sign(np.linalg.det(left @ right))]) @ right
    return (x - c) @ R - (X - C)


def flight(system: System, vertex: int, force: Array) -> tuple[Array, float]:
    """Bends (steps, n, 3), and the median seconds of a step."""
    X, seen, spent = system.vertices().copy(), list[Array](), list[float]()
    system.push([vertex], force)
    for count in range(round(PERIODS * PER_PERIOD)):
        if count == PER_PERIOD // 2:
            system.release()
        start = time.perf_counter()
        system.step()
        spent.append(time.perf_counter() - start)
        seen.append(bends(system.vertices(), X))
    return np.array(seen), float(np.median(spent))


def rows_of(name: str) -> list[dict[str, object]]:
    solid = free_solid(name)
    vertex, force = pushed(solid)
    dt = float(2 * np.pi / pl.vibration_modes(solid, 1).frequencies[0]) / PER_PERIOD
    still = {"dt": dt, "gravity": None, "damping": (0.0, 0.0)}
    truth, _ = flight(pl.Full(solid, **still), vertex, force)
    size = np.sqrt((truth**2).sum(axis=2).mean(axis=1)).max()
    labels, rows = pl.split(solid, PARTS), list[dict[str, object]]()
    for way, build in {
        "nonlinear seams": lambda: pl.couple_nonlinear(solid, labels, **still),
        "usual columns": lambda: pl.couple_nonlinear(solid, labels, soft=4, derivatives=20, **still),
    }.items():
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", PliantWarning)
            start = time.process_time()
            system = build()
            built = time.process_time() - start
            try:
                seen, spent = flight(system, vertex, force)
                error = 100 * np.sqrt(((seen - truth) ** 2).sum(axis=2).mean(axis=1)).max() / size
            except pl.Diverged:
                error, spent = np.inf, np.nan
        estimate = 100 * pl.estimate_errors(system).max()
        figures = (name, way, float(error), float(estimate), system.size, 1e3 * spent, 1e3 * dt, built, len(told))
        rows.append(dict(zip(HEADING, figures, strict=True)))
    return rows


def main(names: list[str]) -> None:
    print(table([row for name in names or SOME for row in rows_of(name)]))


if __name__ == "__main__":
    main([name for name in sys.argv[1:] if name in SHAPES])
