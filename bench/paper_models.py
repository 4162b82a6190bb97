"""The tables of [SI05] beside ours: spoon, bridge, lattice tower and heart, our own models of about the paper's sizes.

Fig. 5: polynomial coefficients. Fig. 8: modes and derivatives. Fig. 11: one integration step, and u = U q.
The paper's machine was a 3.0 GHz Pentium of 2005.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import pliant as pl
from bench.timing import best_times, table
from pliant.basis.response import StaticResponse
from pliant.reduced.cubic import cubic_force
from pliant.reduced.groups import groups_of
from pliant.scenes.models import bridge, heart, tower
from pliant.skin import plain_skin

STEPS = 1000


@dataclass(frozen=True)
class Case:
    """A model and what the paper measured on its namesake: seconds, and microseconds for a step and for u = U q."""

    mesh: Callable[[], pl.Mesh]
    fixed: str
    young: float
    modes: int
    size: int
    render_vertices: int
    polynomials: float
    linear_modes: float | None
    right_sides: float | None
    solves: float | None
    step: float
    draw: float


def voxel_spoon() -> pl.Mesh:
    """About the 2,005 voxels of the paper's spoon."""
    sdf = pl.sdf
    handle = sdf.sweep(sdf.spline(np.array([(0, 0, 0), (0.6, 0.05, 0), (1.2, 0.02, 0), (1.75, -0.05, 0)]), 24), 0.05)
    bowl = sdf.ellipsoid((0.42, 0.17, 0.26)).translate((2.1, 0.0, 0))
    hollow = sdf.ellipsoid((0.35, 0.14, 0.2)).translate((2.1, 0.07, 0))
    return (sdf.smooth_union(handle, bowl, radius=0.05) - hollow).voxels(0.0288)


CASES = {
    "spoon": Case(voxel_spoon, "x < 0.05", 2e8, 6, 12, 3321, 60, 24, 6.5, 33, 30.2, 565),
    "bridge": Case(bridge, "abs(x) > 31", 5e7, 10, 15, 41361, 186, None, None, None, 65.4, 14500),
    "tower": Case(tower, "y < 1", 2e8, 20, 30, 45882, 79.2 * 60, 65, 226, 26 * 60, 1395, 25500),
    "heart": Case(heart, "y > 0.06", 3e4, 20, 30, 12186, 97.4 * 60, 111, 291, 28 * 60, 1395, 6500),
}


def timed(work: Callable[[], object]) -> tuple[float, object]:
    """Wall time [s] and result."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def study(name: str, case: Case) -> tuple[dict[str, object], dict[str, object], dict[str, object]]:
    """A row for each of the paper's tables."""
    solid = pl.Solid(case.mesh(), pl.StVK(case.young, 0.35, 1000), fixed=case.fixed)
    mode_seconds, modes = timed(lambda: pl.vibration_modes(solid, case.modes))
    side_seconds, sides = timed(lambda: solid.curvatures(modes.vectors))
    solve_seconds, _ = timed(lambda: StaticResponse(solid).solve(-sides))
    basis = pl.modal_basis(solid, modes, case.size)
    U = np.ascontiguousarray(basis.vectors)
    polynomial_seconds, force = timed(lambda: cubic_force(solid, U, groups_of(solid)))
    system = pl.Clamped(pl.reduce(solid, basis), 1e-3, damping=(0.1, 1e-3), newton=1)
    rows = np.ascontiguousarray(np.resize(U, (3 * case.render_vertices, case.size)))
    drawn = plain_skin(np.zeros((case.render_vertices, 3)), np.empty((0, 3), np.int64), rows)
    pose = system.pose()
    times = best_times({"step": lambda: system.step(STEPS), "draw": lambda: drawn.vertices(pose)}, rounds=3)
    step = 1e6 * times["step"] / STEPS
    fig5 = {"model": name, "r": case.size, "voxels": solid.mesh.cell_count, "paper s": case.polynomials,
            "ours s": polynomial_seconds, "ratio": case.polynomials / polynomial_seconds,
            "table kB": force.coefficients.nbytes / 1e3}  # fmt: skip
    fig8 = {"model": name, "k": case.modes, "modes: paper s": case.linear_modes, "ours": mode_seconds,
            "right sides: paper s": case.right_sides, "ours ": side_seconds,
            "solves: paper s": case.solves, "ours  ": solve_seconds}  # fmt: skip
    fig11 = {"model": name, "r": case.size, "step: paper us": case.step, "ours us": step, "ratio": case.step / step,
             "u = U q: paper us": case.draw, "ours us ": 1e6 * times["draw"],
             "ratio ": case.draw / (1e6 * times["draw"])}  # fmt: skip
    return fig5, fig8, fig11


def main() -> None:
    tables = list(zip(*(study(name, case) for name, case in CASES.items())))
    headings = ("Fig. 5, precomputing polynomials", "Fig. 8, modes and derivatives", "Fig. 11, run time")
    for heading, rows in zip(headings, tables):
        print(f"\n{heading}")
        print(table(list(rows)))
