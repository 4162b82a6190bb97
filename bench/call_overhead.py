"""What a call from Python costs at r = 10 on the spoon, beside the least that numpy and numba can do."""

from collections.abc import Callable
from functools import partial
from time import perf_counter

import numpy as np

import pliant as pl
from bench.timing import table

CALLS, ROUNDS, SIZE = 400, 60, 10


def best_of_many(run: Callable[[], object]) -> float:
    """Shortest mean time of a call [s], of rounds of many calls."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = perf_counter()
        for _ in range(CALLS):
            run()
        best = min(best, (perf_counter() - start) / CALLS)
    return best


def main() -> None:
    solid = pl.Solid(pl.shapes.spoon(), pl.StVK(young=2e8, poisson=0.3, density=1000), fixed="x < 1e-9")
    model = pl.reduce(solid, pl.modal_basis(solid, modes=5, size=SIZE))
    rows = []
    for name, settings in {"converged": {}, "newton=1": {"newton": 1}}.items():
        spoon = pl.Clamped(model, dt=0.001, damping=(0, 0.002), gravity=(0, 0, -9.81), **settings)
        spoon.settle()  # so that all steps are alike
        rows.append(_row(f"step(), {name}", spoon.step, "2 us"))
        inside = best_of_many(partial(spoon.step, 100)) / 100
        rows.append({"call": f"the step itself, {name}", "us": 1e6 * inside, "asked": ""})
    x, q, U = spoon.vertices(), spoon.q.copy(), np.array(model.U)
    tip, force = np.array([757]), np.array([[0.0, 0.0, 1.0]])

    def push_and_release() -> None:
        spoon.push(tip, force)
        spoon.release()

    rows.append(_row("U @ q", lambda: U @ q, ""))
    rows.append(_row("vertices()", spoon.vertices, "2 x U @ q"))
    rows.append(_row("vertices(out=)", lambda: spoon.vertices(out=x), "2 x U @ q"))
    rows.append(_row("push() and release()", push_and_release, "5 us"))
    print(table(rows))


def _row(name: str, run: Callable[[], object], asked: str) -> dict[str, object]:
    return {"call": name, "us": 1e6 * best_of_many(run), "asked": asked}


if __name__ == "__main__":
    main()
