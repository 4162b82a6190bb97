"""Kinds of cells: error against build time on a beam, a plate, a twisted bar, Cook's membrane (nu = 0.49), and voxels.

The error is that of the compliance f . u / F of a small load, or of the first frequency. The build is what a user waits
for: mesh, modes with derivatives (5 modes, 15 vectors) and the cubic force. `python -m bench.elements FILE.png` draws
the table.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import pliant as pl
from bench.timing import table
from pliant.mesh.cell_kinds import KINDS
from pliant.mesh.grid import Grid, filled_mesh
from pliant.numerics import PatternSolver, lowest_eigenpairs

MODES, SIZE, ROUNDS = 5, 15, 2
# What a unit of traction on a flat face means to its nodes, by their number: int N dA / A.
SHARES = {3: [1 / 3] * 3, 4: [1 / 4] * 4, 6: [0.0] * 3 + [1 / 3] * 3, 8: [-1 / 12] * 4 + [1 / 3] * 4}


@dataclass(frozen=True)
class Case:
    """A problem: its mesh of a kind with n cells across, what is measured, and what is right.

    Attributes:
        mesh: (kind, n) -> mesh, clamped at x = 0.
        sizes: n by kind.
        force: direction (3,) of a traction on the face at the far end; None: the first frequency is measured.
        reference: kind and n of our own finest mesh, which errors are taken against.
        known: what the literature has, in words and as a number in the same unit.
        plane: nothing moves along z.
    """

    name: str
    mesh: Callable[[str, int], pl.Mesh]
    material: tuple[float, float]
    sizes: dict[str, tuple[int, ...]]
    force: tuple[float, float, float] | None
    reference: tuple[str, int]
    known: tuple[str, float]
    plane: bool = False


def beam(kind: str, n: int) -> pl.Mesh:
    return pl.shapes.bar((1, 0.1, 0.1), (10 * n, n, n), kind)


def plate(kind: str, n: int) -> pl.Mesh:
    return pl.shapes.bar((1, 0.02, 1), (n, max(1, n // 16), n), kind)


def twisted(kind: str, n: int) -> pl.Mesh:
    """[MacNeal and Harder 1985]: 12 x 1.1 x 0.32, turned by 90 degrees along its length."""
    mesh = pl.shapes.bar((12, 1.1, 0.32), (6 * n, n, max(1, n // 2)), kind)
    x, y, z = mesh.vertices.T
    c, s = np.cos(np.pi * x / 24), np.sin(np.pi * x / 24)
    return pl.Mesh(np.stack([x, c * y - s * z, s * y + c * z], axis=1), mesh.cells)


def membrane(kind: str, n: int) -> pl.Mesh:
    """[Cook 1974]: the trapezoid (0, 0) (48, 44) (48, 60) (0, 44), a slab 1 thick that cannot move along z."""
    mesh = pl.shapes.bar((48, 1, 1), (n, n, 1), kind)
    x, y, z = mesh.vertices.T
    return pl.Mesh(np.stack([x, 44 * x / 48 + (y + 0.5) * (44 - 28 * x / 48), z], axis=1), mesh.cells)


def voxels(kind: str, n: int) -> pl.Mesh:
    """A slanted bar of cubes, about three across; n cuts every cube into n^3, so that all have the same steps."""
    solid = pl.sdf.box((1, 0.12, 0.12)).rotate((0, 0, 1), 0.4).rotate((0, 1, 0), 0.3)
    coarse = Grid.around(solid.bounds, 0.04)
    filled = coarse.at_centres(solid.distance) < 0
    for axis in range(3):
        filled = np.repeat(filled, n, axis=axis)
    mesh = filled_mesh(Grid(coarse.origin, 0.04 / n, filled.shape), filled)
    shifted = pl.Mesh(mesh.vertices - mesh.bounds[0] - [0.16, 0, 0], mesh.cells)  # the first four layers are held
    if kind == "hex11":
        return shifted.bendable()
    return shifted.refine_order() if kind == "hex20" else shifted


COLOURS = {"tet": "tab:orange", "hex": "tab:red", "hex11": "tab:purple", "tet10": "tab:blue", "hex20": "tab:green"}
EVERY = {"tet": (2, 4, 8), "hex": (1, 2, 4), "hex11": (1, 2, 4), "tet10": (1, 2), "hex20": (1, 2)}
CASES = (
    Case(
        "beam, tip",
        beam,
        (1e6, 0.3),
        EVERY,
        (0, 1, 0),
        ("hex20", 6),
        ("Timoshenko", 1 / (3 * 1e6 * 0.1**4 / 12) + 1.2 * 2.6 / (1e6 * 0.01)),
    ),
    Case(
        "beam, f1",
        beam,
        (1e6, 0.3),
        EVERY,
        None,
        ("hex20", 6),
        ("Euler and Bernoulli", 1.87510407**2 * np.sqrt(1e6 * 0.1**2 / 12 / 1000) / (2 * np.pi)),
    ),
    Case(
        "plate, f1",
        plate,
        (1e6, 0.3),
        {"tet": (8, 16, 32), "hex": (8, 16, 32), "hex11": (8, 16, 32), "tet10": (4, 8, 16), "hex20": (4, 8, 16)},
        None,
        ("hex20", 32),
        ("Leissa 1969", 3.4917 * np.sqrt(1e6 * 0.02**2 / (12 * 0.91 * 1000)) / (2 * np.pi)),
    ),
    Case(
        "twisted bar, tip",
        twisted,
        (29e6, 0.22),
        {"tet": (2, 4, 8), "hex": (2, 4, 8), "hex11": (2, 4, 8), "tet10": (2, 4), "hex20": (1, 2, 4)},
        (0, 1, 0),
        ("hex20", 8),
        ("MacNeal and Harder 1985", 0.001754),
    ),
    Case(
        "Cook, nu = 0.49",
        membrane,
        (1.125, 0.49),
        {
            "tet": (4, 8, 16, 32),
            "hex": (4, 8, 16, 32),
            "hex11": (4, 8, 16, 32),
            "tet10": (2, 4, 8, 16),
            "hex20": (2, 4, 8, 16),
        },
        (0, 1, 0),
        ("hex20", 32),
        ("none at 0.49; see the check below", np.nan),
        plane=True,
    ),
    Case(
        "voxels, f1",
        voxels,
        (1e6, 0.3),
        {"hex": (1, 2), "hex11": (1, 2), "hex20": (1,)},
        None,
        ("hex20", 2),
        ("none", np.nan),
    ),
)
# Compliances of the membrane: plane stress, E = 1, nu = 1/3 [Cook 1989] and plane strain, lambda = 7500, G = 0.375
# (P. Krysl's FAESOR toolkit, extrapolated); both at the middle (48, 52) of the loaded edge.
COOK_STRESS, COOK_STRAIN = 23.96, 16.4326


def traction(mesh: pl.Mesh, direction: tuple[float, float, float]) -> np.ndarray:
    """A unit force in a direction, spread evenly over the face at the far end (3n,)."""
    kind, end = KINDS[mesh.cells.shape[1]], mesh.vertices[:, 0] > mesh.bounds[1, 0] - 1e-6
    faces = mesh.cells[:, kind.faces].reshape(-1, kind.faces.shape[1])
    faces = faces[end[faces].all(axis=1)]
    corners = mesh.vertices[faces[:, : 3 if kind.corners == 4 else 4]]
    spans = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    areas = np.linalg.norm(np.cross(*spans), axis=1)  # twice that of a triangle, once that of a parallelogram
    weights = np.zeros(mesh.vertex_count)
    np.add.at(weights, faces, areas[:, None] * SHARES[faces.shape[1]])
    return np.outer(weights / weights.sum(), direction).ravel()


def measured(case: Case, mesh: pl.Mesh) -> float:
    """Compliance [m/N] or first frequency [Hz]."""
    solid = pl.Solid(mesh, pl.StVK(*case.material, 1000.0), fixed="x < 1e-9")
    if case.force is None:
        K, M = solid.free_matrix(solid.stiffness()), solid.free_matrix(solid.mass)
        return float(np.sqrt(lowest_eigenpairs(K, M, 1)[0][0]) / (2 * np.pi))
    load = traction(mesh, case.force)
    return float(load @ response(solid, load, case.plane))


def response(solid: pl.Solid, load: np.ndarray, plane: bool) -> np.ndarray:
    """The small displacement (3n,) under a load (3n,)."""
    free = solid.free[solid.free % 3 != 2] if plane else solid.free
    u = np.zeros(solid.dof_count)
    u[free] = PatternSolver(definite=True).solve(solid.stiffness()[free][:, free], load[free])
    return u


def check_membrane() -> None:
    """Our finest membranes beside the literature's."""
    for title, known, material, plane in (
        ("plane stress, nu = 1/3", COOK_STRESS, (1.0, 1 / 3), False),
        ("plane strain, nu = 0.499975", COOK_STRAIN, (1.1249719, 0.49997500125), True),
    ):
        for n in (16, 32):
            mesh = membrane("hex20", n)
            solid = pl.Solid(mesh, pl.StVK(*material, 1000.0), fixed="x < 1e-9")
            middle = mesh.select("x > 48 - 1e-6 and abs(y - 52) < 1e-6")
            u = response(solid, traction(mesh, (0, 1, 0)), plane).reshape(-1, 3)[middle, 1].mean()
            print(f"Cook's membrane, {title}, {n} x {n} hex20: {u:.4f}; literature {known}")


def build_time(case: Case, kind: str, n: int) -> float:
    """From nothing to a reduced model [s]; the best of two."""
    best = np.inf
    for _ in range(ROUNDS):
        start = time.perf_counter()
        solid = pl.Solid(case.mesh(kind, n), pl.StVK(*case.material, 1000.0), fixed="x < 1e-9")
        pl.reduce(solid, pl.modal_basis(solid, MODES, SIZE))
        best = min(best, time.perf_counter() - start)
    return best


def rows(case: Case, exact: float) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for kind, sizes in case.sizes.items():
        for n in sizes:
            mesh = case.mesh(kind, n)
            found.append(
                {
                    "cells": kind,
                    "n": n,
                    "count": mesh.cell_count,
                    "vertices": mesh.vertex_count,
                    "error %": 100 * (measured(case, mesh) / exact - 1),
                    "build s": build_time(case, kind, n),
                }
            )
    return found


def draw(found: dict[str, list[dict]], path: str) -> None:
    """Error over build time, a panel a case and a line a kind."""
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(2, 3, figsize=(10.5, 6), sharex=True, layout="constrained")
    for panel, (name, entries) in zip(panels.flat, found.items()):
        for kind, colour in COLOURS.items():
            points = [(row["build s"], abs(row["error %"])) for row in entries if row["cells"] == kind]
            if points:
                panel.loglog(*zip(*points), "o-", color=colour, label=kind)
        panel.set_title(name, fontsize=10)
        panel.grid(alpha=0.3)
    panels[0, 0].legend(frameon=False)
    figure.supxlabel("build [s]", fontsize=10)
    figure.supylabel("error [%]", fontsize=10)
    figure.savefig(path, dpi=110)


def main(path: str | None = None) -> None:
    for kind in ("tet", "hex20"):
        build_time(CASES[0], kind, 1)  # nothing is compiled on the clock
    found = {}
    for case in CASES:
        mesh = case.mesh(*case.reference)
        exact = measured(case, mesh)
        size = f"{mesh.cell_count} {mesh.kind} cells, {mesh.vertex_count} vertices"
        print(f"\n{case.name}: {exact:.5g} ({size}); literature: {case.known[0]} {case.known[1]:.5g}")
        found[case.name] = rows(case, exact)
        print(table(found[case.name]))
    check_membrane()
    if path is not None:
        draw(found, path)


if __name__ == "__main__":
    main(*sys.argv[1:])
