"""What a hand costs: steps of every gallery scene with one vertex held, against free ones, interleaved in one run."""

from time import perf_counter

import numpy as np

import pliant as pl
from bench.timing import table

WAY = 0.05  # of the size of the body
ROUNDS, SECONDS = 20, 0.02  # of each kind of step, alternating; how long a round takes, about


def main() -> None:
    rows = []
    for name in pl.gallery():
        system = pl.load_scene(name).build()
        vertex, target = hand_on(system)
        count = _count(system)
        hold, free, held = None, np.inf, np.inf
        for _ in range(ROUNDS):
            free = min(free, _time(system, count))
            hold = system.hold(vertex, target)
            held = min(held, _time(system, count))
            hold.release()
        times = {"free us": 1e6 * free, "held us": 1e6 * held, "ratio": held / free, "asked": 1.3}
        rows.append({"scene": name, "kind": system.kind, "coordinates": system.size, **times})
    print(table(rows))


def hand_on(system):
    """The vertex, of thirty, that gives way the most, and a place across from it, 5 % of the size away."""
    x = system.vertices()
    ids = np.unique(np.linspace(0, len(x) - 1, 30).astype(int))
    points = system.points(ids)
    give = np.diag(system.rows(points) @ system.response(points)).reshape(-1, 3).sum(axis=1)
    vertex = int(ids[give.argmax()])
    across = np.cross(x[vertex] - x.mean(axis=0), (0.3, 0.5, 0.8))
    return vertex, x[vertex] + WAY * np.ptp(x, axis=0).max() * across / np.linalg.norm(across)


def _count(system) -> int:
    system.step(2)
    return max(2, int(SECONDS / _time(system, 2)))


def _time(system, count: int) -> float:
    began = perf_counter()
    system.step(count)
    return (perf_counter() - began) / count


if __name__ == "__main__":
    main()
