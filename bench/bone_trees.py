"""Joints of a tree of bones: what a step costs over 5 to 200 of them, four arms around a middle one.

All joints of a character are closed at once along their graph, so that a tree costs what its bones cost: the line in
docs/images/bone_trees.png has the slope one. Processor time, the least of several steps.
"""

import time
from pathlib import Path

import numpy as np

import pliant as pl
from bench.timing import table

ARMS, LONG, WIDE = 4, 0.4, 0.2  # bones of an arm [m], and how wide and thick it is
IN_ARM = (1, 2, 5, 12, 25, 50)
PICTURE = Path(__file__).parents[1] / "docs" / "images" / "bone_trees.png"


def cross(in_arm: int) -> tuple[pl.Mesh, np.ndarray]:
    """A cross of hexes, and weights of its bones: the middle one, then each arm from within."""
    reach = round((in_arm + 0.5) * LONG / (WIDE / 2))  # cells from the middle to the end of an arm
    size = WIDE / 2 * reach
    grid = pl.shapes.bar((2 * size, WIDE / 2, 2 * size), (2 * reach, 1, 2 * reach), "hex")
    middle = grid.vertices.mean(axis=0)
    at = np.abs(grid.centroids - middle)
    mesh, _ = grid.submesh(np.flatnonzero((at[:, 0] < WIDE / 2) | (at[:, 2] < WIDE / 2)))
    x, z = (mesh.vertices - middle)[:, [0, 2]].T
    far = np.maximum(np.abs(x), np.abs(z)) / LONG  # in bones; the middle one ends at one half
    arm = np.where(np.abs(x) >= np.abs(z), np.where(x > 0, 0, 1), np.where(z > 0, 2, 3))
    weights = np.zeros((mesh.vertex_count, 1 + ARMS * in_arm))
    for v in range(mesh.vertex_count):
        share = np.clip(1.2 - 1.2 * np.abs(min(far[v], in_arm) - np.arange(in_arm + 1)), 0, 1)
        weights[v, 0] = share[0]
        weights[v, 1 + arm[v] * in_arm : 1 + (arm[v] + 1) * in_arm] = share[1:]
    return mesh, weights / weights.sum(axis=1, keepdims=True)


def tree_time(in_arm: int) -> dict[str, float]:
    """Of a step of four small ones [ms], with nothing to touch."""
    mesh, weights = cross(in_arm)
    solid = pl.Solid(mesh, pl.Linear(young=1e7, poisson=0.3, density=1000))
    character = pl.bones(solid, weights, modes=8)
    world = pl.World(0.005, gravity=None, substeps=4)
    placed = world.add(character, spin=(0.1, 0.3, 0.2))
    world.step(2)
    least = np.inf
    for _ in range(10):
        start = time.process_time()
        world.step()
        least = min(least, time.process_time() - start)
    count = len(character.bones)
    return {
        "bones": count,
        "point joints": 3 * len(character.joints),
        "ms a step": 1e3 * least,
        "us a bone": 1e6 * least / count,
        "gap m": placed.gap(),
    }


def draw(rows: list[dict[str, float]]) -> None:
    """Both axes by powers of ten, and a line of slope one through the last point."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    bones, took = ([row[key] for row in rows] for key in ("bones", "ms a step"))
    figure, axes = plt.subplots(figsize=(5, 3.4), dpi=120)
    axes.loglog(bones, took, "o-", color="#2f6fd0", label="a step of four small ones")
    axes.loglog(bones, took[-1] * np.array(bones) / bones[-1], "--", color="#888888", label="linear")
    axes.loglog(bones, took[0] * (np.array(bones) / bones[0]) ** 3, ":", color="#b8502c", label="cubic")
    axes.set(xlabel="bones", ylabel="processor time [ms]", ylim=(0.5 * min(took), 4 * max(took)))
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(PICTURE)


def main() -> None:
    rows = [tree_time(count) for count in IN_ARM]
    print(table(rows))
    x, y = (np.log([float(row[key]) for row in rows]) for key in ("bones", "ms a step"))
    print(f"cost grows as bones^{np.polyfit(x[1:], y[1:], 1)[0]:.2f} from nine on")
    draw(rows)


if __name__ == "__main__":
    main()
