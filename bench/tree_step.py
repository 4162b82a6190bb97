"""Steps of trees: the oak of [LS11]'s size against its 29 ms and against the core, and cost over the number of parts.

Flops of a step as counted in the maths sheet, substructuring 11: 16 million for L1, 34 million for full inertia.
"""

import os
import tempfile
import time
from pathlib import Path

import numpy as np

from bench.clamped_step import multiply_add_rate
from bench.timing import best_times, table
from pliant.basis.part_basis import part_basis
from pliant.export import write_plot
from pliant.fem import Solid, StVK
from pliant.mesh import shapes
from pliant.reduced import ReducedModel, reduce
from pliant.scenes import load_scene
from pliant.systems import Limb, Tree

PAPER_MS = 29.0  # [LS11] table 1, L1 on one core of 2010
FLOPS = {"L1": 16e6, "L2": 25e6, "full": 34e6}
ASKED_MS = {"L1": 3.0, "full": 6.0}
COUNTS = (10, 30, 100, 300, 1000, 3000, 10_000)
PLOT = Path("docs/images/tree_scaling.png")


def oak_rows() -> list[dict[str, object]]:
    """A row a kind of inertia."""
    trees = {kind: load_scene("oak").changed(tree={"inertia": kind}).build() for kind in FLOPS}
    for tree in trees.values():
        tree.step(20)
    best = best_times({kind: lambda tree=tree: tree.step(10) for kind, tree in trees.items()}, 15)
    rate = 2e-9 * multiply_add_rate(np.float64)
    return [
        {
            "inertia": kind,
            "ms": 100 * seconds,
            "asked ms": ASKED_MS.get(kind, "-"),
            "[LS11] ms": PAPER_MS if kind == "L1" else "-",
            "Gflop/s": 10e-9 * FLOPS[kind] / seconds,
            "% of core": 1000e-9 * FLOPS[kind] / seconds / rate,
        }
        for kind, seconds in best.items()
    ]


def twig() -> ReducedModel:
    """A short bar, r = 8, held at its foot."""
    mesh = shapes.bar((0.1, 0.02, 0.02), (5, 1, 1))
    solid = Solid(mesh, StVK(1e7, 0.3, 600), fixed=mesh.select("x < 0.001"))
    return reduce(solid, part_basis(solid, 8))


def binary(model: ReducedModel, count: int) -> list[Limb]:
    """`count` instances, two on the end of each, turned apart."""
    end = model.mesh.surface[(model.X[model.mesh.surface][:, :, 0] > 0.0999).all(axis=1)]
    foot = model.X[model.fixed].mean(axis=0)
    random = np.random.default_rng(1)
    limbs = [Limb(model, origin=foot)]
    for number in range(1, count):
        Q, _ = np.linalg.qr(random.normal(size=(3, 3)))
        limbs.append(Limb(model, (number - 1) // 2, end, Q * np.sign(np.linalg.det(Q)), origin=foot))
    return limbs


def scaling() -> list[dict[str, object]]:
    """Time a step over the number of parts, and the chart of it."""
    model, rows = twig(), []
    for count in COUNTS:
        limbs = binary(model, count)
        kinds = {kind: Tree(limbs, 0.005, kind, (0.1, 0.01)) for kind in ("L1", "full")}
        steps = max(2, 10_000 // count)
        best = best_times({kind: lambda tree=tree, steps=steps: tree.step(steps) for kind, tree in kinds.items()}, 5)
        rows.append({"parts": count} | {f"{kind} us": 1e6 * s / steps for kind, s in best.items()})
    for row in rows:
        row["full us a part"] = row["full us"] / row["parts"]
    x = [row["parts"] for row in rows]
    curves = {kind: (x, [1e-3 * row[f"{kind} us"] for row in rows]) for kind in ("L1", "full")}
    curves["proportional"] = (x, [curves["full"][1][-1] * n / x[-1] for n in x])
    write_plot(PLOT, curves, "A step of a tree, r = 8 a part", "parts", "time a step [ms]", logarithmic=True)
    return rows


def precomputation() -> float:
    """Seconds from the scene file to the oak that can be stepped, nothing cached."""
    kept = os.environ.get("PLIANT_CACHE")
    with tempfile.TemporaryDirectory() as empty:
        os.environ["PLIANT_CACHE"] = empty
        start = time.perf_counter()
        load_scene("oak").build()
        seconds = time.perf_counter() - start
    os.environ.pop("PLIANT_CACHE")
    if kept is not None:
        os.environ["PLIANT_CACHE"] = kept
    return seconds


def main() -> None:
    print(table(oak_rows()))
    print(f"precomputation of the oak: {precomputation():.1f} s (asked 20, [LS11] 60)")
    print(table(scaling()))
    print(f"drawn into {PLOT}")


if __name__ == "__main__":
    main()
