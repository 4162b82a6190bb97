"""A jet (energy, force, stiffness) of cubature forces against one matrix product of the same size, and against cubic.

The product is G^T G of all gradients (9 points, r) by BLAS, which no sum over points with a stiffness can do without
(half of it, since the stiffness is symmetric). Run it with OPENBLAS_NUM_THREADS=1.
"""

import numpy as np
from numba import njit

from bench.timing import best_times, table
from pliant.fem import MATERIALS
from pliant.reduced.cubature import CubatureForce
from pliant.reduced.force import aligned, evaluate, padded, pitch_of
from pliant.reduced.jet import quartic
from pliant.reduced.packing import coefficient_count

POINTS = 8  # a coordinate
ASKED = {15: 20.0, 30: 120.0}  # r, and the microseconds asked of a jet
SIZES = (15, 30, 60, 100)
STRAIN = 0.1


@njit
def repeated(force, z, jet, count):
    for _ in range(count):
        evaluate(force, z, jet)


def random_rule(name: str, r: int, seed: int = 0) -> CubatureForce:
    """A rule of random gradients, so that q = (s, s ..) strains its points by about s sqrt(r)."""
    random, points = np.random.default_rng(seed), POINTS * r
    kind = MATERIALS[name]
    constants = [v * np.ones(points) for v in (1e5, 0.3, 1000.0)]
    others = [getattr(kind, extra) * np.ones(points) for extra in kind.constant_names()[3:]]
    weights, gradients = random.uniform(0.5, 1, points) * 1e-3, random.standard_normal((points, 9, r))
    return CubatureForce(kind, np.stack(constants + others), np.arange(points), weights, gradients, np.zeros(2))


def _runner(force, r: int, dtype: type, count: int):
    q = STRAIN / np.sqrt(r) * np.random.default_rng(1).standard_normal(r)
    z, jet = padded(q, 1.0, dtype), aligned((r + 1) * pitch_of(r + 1), dtype)
    return lambda: repeated(force, z, jet, count)


def row(r: int) -> dict[str, object]:
    count, runners = max(1, 8_000 // r**2), {}
    for name in MATERIALS:
        runners[name] = _runner(random_rule(name, r).compiled(), r, np.float64, count)
    runners["float32"] = _runner(random_rule("stvk", r).compiled(np.float32), r, np.float32, count)
    tensor = np.random.default_rng(0).standard_normal(coefficient_count(r + 1)) / r**4
    runners["cubic"] = _runner(quartic(tensor, r + 1, np.dtype(np.float64)), r, np.float64, count)
    G = random_rule("stvk", r).gradients.reshape(-1, r)
    H = G.copy()
    runners["product"] = lambda: [G.T @ H for _ in range(count)]
    best = best_times(runners, rounds=80)
    times = {f"{name} us": 1e6 * best[name] / count for name in runners}
    return {"r": r, "points": POINTS * r, **times, "asked us": ASKED.get(r, "")}


def main() -> None:
    print(table([row(r) for r in SIZES]))


if __name__ == "__main__":
    main()
