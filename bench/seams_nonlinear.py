"""The bar of [BA13] Fig. 7 with nonlinear parts: error and time of a step over the number of coordinates and parts.

Beside it, linear warped seams and the single-domain derivative basis. The error is that of the mean tip height over 300
steps against the unreduced solid, relative, in L2 (maths sheet boundary-aware 9). Then what a step costs in processor
time over the number of parts of long bars and large rings, whose parts are alike and wave alike. Last, the steps of
three bodies for which a time was asked, beside the time of one unreduced step of each, `python -m bench.seams_nonlinear
asked` alone.
"""

import sys
import time
from collections.abc import Iterable

import numpy as np

import pliant as pl
from bench.timing import best_times, table
from pliant.errors import Array, Ids
from pliant.systems.seams.nonlinear import couple_nonlinear
from pliant.systems.state import State
from pliant.systems.system import System

STEPS, DT, DAMPING, GRAVITY = 300, 0.01, (0.5, 0.08), (0.0, 0.0, -9.8)
SIZES = [(0, 6), (2, 6), (4, 6), (4, 10), (4, 14), (6, 14)]  # soft columns of an interface, derivatives of a part
PARTS = [1, 2, 3, 6, 12]
MANY = [8, 16, 32, 64, 128]  # parts of bars and rings
EDGE, SLOPE = 0.125, 0.3  # length of a part of these [m], and how steeply they wave


def bar() -> pl.Solid:
    """Of Fig. 7."""
    return pl.Solid(pl.shapes.bar((1, 0.1, 0.1), (24, 3, 3)), pl.StVK(1.2e6, 0.4, 1000), fixed="x < 1e-9")


def slices(solid: pl.Solid, count: int) -> Ids:
    """Equal parts along the bar."""
    return np.minimum((count * solid.mesh.centroids[:, 0]).astype(int), count - 1)


def heights(system: System, tip: Ids) -> Array:
    """Mean tip height of all samples, from the rest on."""
    start, z = system.vertices()[tip, 2].mean(), [0.0]
    for _ in range(STEPS):
        system.step()
        z.append(system.vertices()[tip, 2].mean() - start)
    return np.array(z)


def long_bar(count: int) -> tuple[pl.Solid, Ids]:
    """Held at one end, and its parts."""
    mesh = pl.shapes.bar((EDGE * count, 0.1, 0.1), (3 * count, 3, 3))
    labels = np.minimum((mesh.centroids[:, 0] / EDGE).astype(int), count - 1)
    return pl.Solid(mesh, pl.StVK(2e6, 0.4, 1000), fixed="x < 1e-9"), labels


def large_ring(count: int) -> tuple[pl.Solid, Ids]:
    """Held nowhere, and its parts."""
    mesh = pl.shapes.torus(count * EDGE / (2 * np.pi), 0.05, (3, 3 * count))
    angle = np.arctan2(mesh.centroids[:, 2], mesh.centroids[:, 0])
    labels = np.minimum((count * (angle / (2 * np.pi) + 0.5)).astype(int), count - 1)
    return pl.Solid(mesh, pl.StVK(2e6, 0.4, 1000)), labels


def waving_step(solid: pl.Solid, labels: Ids) -> dict[str, object]:
    """Size, processor time of a step of parts that wave up and down, the median of 40 [ms], and factors a step."""
    system = couple_nonlinear(solid, labels, 4, 10, dt=0.002, damping=(0.1, 0.002), gravity=None, force="cubature")
    X = solid.mesh.vertices
    along = X[:, 0] if len(solid.fixed) else len(np.unique(labels)) * EDGE * np.arctan2(X[:, 2], X[:, 0]) / (2 * np.pi)
    wave = np.zeros_like(X)
    wave[:, 1] = SLOPE * np.sin(2 * np.pi * along / (4 * EDGE))
    system.v = system.coordinates_of(wave)
    system.step(5)
    factors, spent = system._workspace.factors[0], []
    for _ in range(40):
        start = time.process_time()
        system.step()
        spent.append(time.process_time() - start)
    made = (system._workspace.factors[0] - factors) / 40
    return {"coordinates": system.size, "step ms": 1e3 * float(np.median(spent)), "factors": made}


def over_parts() -> None:
    """Cost over the number of parts, of trees of parts and of loops."""
    rows: list[dict[str, object]] = []
    for name, make in (("bar", long_bar), ("ring", large_ring)):
        for count in MANY:
            measured = waving_step(*make(count))
            share = 1e3 * float(measured["step ms"]) / count  # type: ignore[arg-type]
            rows.append({"shape": name, "parts": count, **measured, "us a part": share})
            print(table(rows[-1:]), flush=True)
    print(table(rows))


def gallery_bridge() -> tuple[pl.Solid, Ids, dict]:
    """In 8 parts."""
    part = pl.load_scene("bridge").build()
    solid = pl.Solid(part.mesh, pl.StVK(1e9, 0.3, 1000), fixed="abs(x) > 31")
    return solid, pl.split(part.mesh, 8), {"dt": 0.005, "damping": (0.02, 0.001)}


def cube() -> tuple[pl.Solid, Ids, dict]:
    """In 2 x 2 x 2 parts."""
    mesh = pl.shapes.box((1, 1, 1), (8, 8, 8))
    labels = (mesh.centroids > 0) @ np.array([1, 2, 4])
    solid = pl.Solid(mesh, pl.StVK(1e5, 0.4, 1000), fixed=f"y < {-0.5 + 1e-9}")
    return solid, labels, {"dt": 0.005, "damping": (0.1, 0.002)}


def gallery_fish() -> tuple[pl.Solid, None, dict]:
    """Free, in its 10 groups of cells."""
    return pl.load_scene("fish").build().solid, None, {"dt": 0.005, "damping": (0.5, 0.01)}


ASKED = {  # soft columns of an interface, derivatives of a part, and ms a step
    "bridge": (gallery_bridge, (6, 10), 2.0),
    "cube": (cube, (6, 10), 3.0),
    "fish": (gallery_fish, (4, 20), 1.5),
}
SWAY, SHAKEN = 0.15, 2.0
ELSEWHERE = 4  # vertices taken at random that are shaken as well
FASTEST = 0.1  # of the steps: what a busy machine does not disturb


def asked_steps() -> None:
    """Processor time of a step [ms]: the fastest tenth, medians under a pull and after it, of what nothing holds
    while a hand shakes its end and while it shakes other vertices, and of an unreduced step.
    """
    rows: list[dict[str, object]] = []
    for name, (make, columns, asked) in ASKED.items():
        solid, labels, settings = make()
        system = couple_nonlinear(solid, labels, *columns, **settings, gravity=None)
        full = pl.Full(solid, **settings, gravity=None)
        rest = system.state()
        spent, unreduced = 1e3 * _pulled(system, 200), 1e3 * _pulled(full, 4).min()
        medians = {"pulled ms": float(np.median(spent[:100])), "free ms": float(np.median(spent[100:]))}
        if not len(solid.fixed):
            X = solid.mesh.vertices
            end, others = int(X[:, 0].argmin()), np.random.default_rng(1).choice(len(X), ELSEWHERE)
            medians["shaken ms"] = 1e3 * float(np.median(_shaken(system, rest, [end], 400)))
            medians["elsewhere ms"] = 1e3 * float(np.median(_shaken(system, rest, others, 400)))
        times = {"fast ms": float(np.quantile(spent, FASTEST)), **medians, "asked ms": asked, "full ms": unreduced}
        rows.append({"body": name, "cells": solid.mesh.cell_count, "coordinates": system.size, **times})
        print(table(rows[-1:]), flush=True)


def _pulled(system: System, count: int) -> Array:
    """Times of steps (count,) [s], the first half while the end of the body is pulled by a third of its weight."""
    X = system.mesh.vertices
    end = np.flatnonzero(X[:, 0] > X[:, 0].max() - 0.05 * np.ptp(X[:, 0]))
    share = float(np.abs(system.solid.gravity_load((0, -9.81, 0))).sum()) / len(end)
    system.push(end, np.tile((0.0, 0.3 * share, 0.2 * share), (len(end), 1)), on="mesh")
    spent = []
    for number in range(count):
        if number == count // 2:
            system.release()
        start = time.process_time()
        system.step()
        spent.append(time.process_time() - start)
    return np.array(spent)


def _shaken(system: System, rest: State, held: Iterable[int], count: int) -> Array:
    """Times of steps [s], `count` for each vertex, which is held and goes to and fro by SWAY of the length."""
    X, spent = system.mesh.vertices, []
    way = SWAY * np.ptp(X, axis=0).max() * np.array([0.0, 0.6, 0.8])
    for vertex in held:
        system.restore(rest)
        for number in range(count):
            system.hold(int(vertex), X[vertex] + way * np.sin(2 * np.pi * SHAKEN * (number + 1) * system.dt))
            began = time.process_time()
            system.step()
            spent.append(time.process_time() - began)
        system.hold(int(vertex), None)
    return np.array(spent)


def main() -> None:
    if sys.argv[1:] != ["asked"]:
        over_parts()
        over_columns()
    asked_steps()


def over_columns() -> None:
    """Error and time of the bar of Fig. 7."""
    solid = bar()
    tip, thirds = solid.mesh.select("x > 0.999"), slices(solid, 3)
    linear_settings = {"dt": DT, "damping": DAMPING, "gravity": GRAVITY}
    settings = {**linear_settings, "damping_law": "stiffness"}  # the sheet's
    truth = heights(pl.Full(solid, **settings), tip)

    systems: list[tuple[str, int, System]] = []
    model = pl.reduce(solid, pl.modal_basis(solid, modes=10, size=55))
    systems.append(("one domain, derivatives", 55, pl.Clamped(model, **settings, newton=20)))
    linear = pl.couple(solid, thirds, 0, columns=[17, 22, 16], **linear_settings, nonlinear=False)
    systems.append(("linear seams, 3 parts", len(linear.q), linear))
    for soft, derivatives in SIZES:
        system = couple_nonlinear(solid, thirds, soft, derivatives, **settings)
        systems.append((f"nonlinear, 3 parts, {soft} soft, {derivatives} derivatives", len(system.q), system))
    for count in PARTS:
        system = couple_nonlinear(solid, slices(solid, count), 4, 10, **settings)
        systems.append((f"nonlinear, {count} parts, default", len(system.q), system))
    once = couple_nonlinear(solid, thirds, 4, 10, **settings, newton=1)
    systems.append(("nonlinear, 3 parts, one iteration a step", len(once.q), once))

    rows: list[dict[str, object]] = []
    for name, size, system in systems:
        error = np.linalg.norm(heights(system, tip) - truth) / np.linalg.norm(truth)
        swing = system.state()
        step = best_times({name: lambda s=system, swing=swing: (s.restore(swing), s.step(20))})[name] / 20
        rows.append({"method": name, "coordinates": size, "error %": 100 * error, "step ms": 1e3 * step})
    print(table(rows))


if __name__ == "__main__":
    main()
