"""Seams at the size of [BA13]'s sailboat: precomputation, a step, and a step with all vertices, against the core.

Our own boat: 251,000 tets, 24 parts, 7 loops, 840 coordinates. The paper's machine was of 2012; its times are those of
its table for a sailboat of 251,000 tets, 24 domains and 830 modes.
"""

import os
import time

import numpy as np

import pliant as pl
from bench.timing import best_times, table
from pliant.scenes import load_scene
from pliant.systems import Seams

SOFT, ORDER = 10, 1  # 30 interfaces of 6 + 10 columns, and 6 internal ones a part and interface: 840 coordinates
EDGE = 0.087  # [m]
STEPS, ROUNDS = 20, 40
PAPER = {"precomputation s": 50.0, "step ms": 0.6, "step + vertices ms": 30.0}
ASKED = {"precomputation s": 25.0, "step ms": 0.5, "step + vertices ms": 10.0}


def boat() -> pl.Solid:
    """The boat of the gallery, at its full size."""
    scene = load_scene("sailboat").changed(part=[{"shape": {"name": "sailboat", "edge": EDGE}}])
    return scene.solid


def coupled(solid: pl.Solid) -> tuple[Seams, float]:
    """The system, and the wall time of its precomputation [s]: from mesh and material to the first step."""
    start = time.perf_counter()
    system = pl.couple(solid, None, SOFT, ORDER, dt=0.01, damping=(0.3, 0.01), gravity=(0, -9.81, 0))
    return system, time.perf_counter() - start


def stream_rate() -> float:
    """Bytes a second that one thread reads, summing an array that no cache holds."""
    long = np.ones(2**24)
    return long.nbytes / best_times({"sum": long.sum}, 15)["sum"]


def bytes_read(system: Seams) -> tuple[int, int]:
    """By a step: rows of load points, the reduced matrices and the factor, twice; by drawing: rows of all vertices."""
    arrays = [system._masses.rows, *system._arrow[5:8]]
    step = sum(2 * array.nbytes for array in arrays) + 2 * system._factors.S.nbytes
    drawing = sum(group.U.nbytes + group.omega.nbytes for group in system.coupled.groups)
    return step, drawing


def rows(system: Seams, precomputation: float) -> list[dict[str, object]]:
    """What was measured beside what is asked, printed, and possible."""
    skin = system.body
    assert skin is not None
    times = best_times(
        {
            "step": lambda: system.step(STEPS),
            "vertices": lambda: skin.vertices(system.pose()),
            "both": lambda: (system.step(1), skin.vertices(system.pose())),
        },
        ROUNDS,
    )
    rate = stream_rate()
    step, drawing = bytes_read(system)
    found = {
        "precomputation s": precomputation,
        "step ms": 1e3 * times["step"] / STEPS,
        "step + vertices ms": 1e3 * times["both"],
    }
    least = {"step ms": 1e3 * step / rate, "step + vertices ms": 1e3 * (step + drawing) / rate}
    moved = {"step ms": step, "step + vertices ms": step + drawing}
    return [
        {
            "what": name,
            "ours": value,
            "asked": ASKED[name],
            "[BA13]": PAPER[name],
            "MB read": moved[name] / 1e6 if name in moved else "-",
            "one thread's memory": least.get(name, "-"),
        }
        for name, value in found.items()
    ]


def main() -> None:
    solid = boat()
    coupled(load_scene("ring").solid)  # compiles
    system, seconds = coupled(solid)
    system.step(50)
    print(f"{solid.mesh}, {system.coupled.domains.count} parts, {len(system.q)} coordinates, {os.cpu_count()} cores")
    print(table(rows(system, seconds)))
    print(f"steps and drawings are the best of {ROUNDS} rounds; the precomputation is one run")


if __name__ == "__main__":
    main()
