"""Seams at the size of [BA13]'s sailboat: precomputation, a step, and a step with all vertices, against the memory.

Our own boat: 251,000 tets, 24 parts, 7 loops. The paper's 830 modes are counted in the domains, those of an interface
in both; the second case has as many shared coordinates, half as much again to draw. The paper used one core, 2.26 GHz.
"""

import os
import time

import numpy as np

import pliant as pl
from bench.timing import best_times, table
from pliant.scenes import load_scene
from pliant.systems import Seams

EDGE = 0.087  # [m]
CASES = {
    "modes in the parts": (2, 1),
    "shared coordinates": (10, 1),
}  # soft columns an interface, blocks of internal ones
STEPS, ROUNDS = 20, 40
PAPER = {"precomputation s": 49.7, "step ms": 0.6, "step + vertices ms": 30.0, "the same, single ms": 30.0}
GOAL = {"precomputation s": 25.0, "step ms": 0.5, "step + vertices ms": 10.0, "the same, single ms": 10.0}


def boat() -> pl.Solid:
    """The boat of the gallery, at its full size."""
    return load_scene("sailboat").changed(part=[{"shape": {"name": "sailboat", "edge": EDGE}}]).solid


def coupled(solid: pl.Solid, soft: int, order: int) -> tuple[Seams, float]:
    """The system, and the wall time of its precomputation [s]: from mesh and material to a system that can step."""
    os.environ["PLIANT_CACHE"] = os.devnull  # nothing is kept there, so everything is computed
    start = time.perf_counter()
    system = pl.couple(solid, None, soft, order, dt=0.01, damping=(0.3, 0.01), shapes="harmonics", nonlinear=False)
    return system, time.perf_counter() - start


def stream_rate() -> float:
    """Bytes a second that one thread reads from an array that no cache holds."""
    long = np.ones(2**24)
    return long.nbytes / best_times({"sum": long.sum}, 15)["sum"]


def bytes_read(system: Seams) -> dict[str, int]:
    """By a step: twice each the rows of load points, the reduced matrices and the factor; by drawing: all rows once."""
    arrow = system._arrow
    arrays = (
        system._masses.tables.U,
        system._masses.tables.omega,
        arrow.K_bb,
        arrow.M_bb,
        arrow.M_bi,
        system._factors.S,
    )
    step = sum(2 * array.nbytes for array in arrays)
    assert system.body is not None
    drawing = system.body.tables.U.nbytes + system.body.tables.omega.nbytes
    return {"step ms": step, "step + vertices ms": step + drawing, "the same, single ms": step + drawing // 2}


def rows(system: Seams, precomputation: float, rate: float) -> list[dict[str, object]]:
    """What was measured beside the goal, what the paper printed, and what is possible."""
    skin = system.body
    assert skin is not None

    def moved(single: bool) -> None:
        system.step()
        skin.vertices(system.pose(), single)

    best = best_times(
        {"step": lambda: system.step(STEPS), "both": lambda: moved(False), "single": lambda: moved(True)}, ROUNDS
    )
    read = bytes_read(system)
    found = {
        "precomputation s": precomputation,
        "step ms": 1e3 * best["step"] / STEPS,
        "step + vertices ms": 1e3 * best["both"],
        "the same, single ms": 1e3 * best["single"],
    }
    return [
        {
            "what": name,
            "ours": value,
            "goal": GOAL[name],
            "[BA13]": PAPER[name],
            "MB read": read[name] / 1e6 if name in read else "-",
            "stream of one thread ms": 1e3 * read[name] / rate if name in read else "-",
        }
        for name, value in found.items()
    ]


def main() -> None:
    solid, rate = boat(), stream_rate()
    coupled(load_scene("ring").solid, 2, 1)  # compiles
    for name, sizes in CASES.items():
        system, seconds = coupled(solid, *sizes)
        system.step(50)
        columns = sum(c.size for c in system.coupled.columns)
        print(f"\n{name}: {solid.mesh}, {columns} columns in the parts, {len(system.q)} coordinates")
        print(table(rows(system, seconds, rate)))
    print(f"\nsteps and drawings: best of {ROUNDS} rounds; precomputation: one run; {os.cpu_count()} cores")
    print("a step reads its matrices from the cache, so it may be quicker than the stream from memory")


if __name__ == "__main__":
    main()
