"""What a hand costs: a vertex of every gallery scene led around, against the same vertex pushed around."""

from functools import partial
from time import perf_counter

import numpy as np

import pliant as pl
from bench.timing import table
from pliant.errors import Diverged
from pliant.scenes.kinds import SYSTEMS

WAY = 0.05  # of the size of the body
ROUNDS, LEGS = 5, 40  # of each kind, alternating; places on the way around
SECONDS = 0.002  # that a leg takes, about
SHARES = 5  # of a force that are tried, each half of the one before


def main() -> None:
    rows = []
    for name in scenes_apart():
        system = pl.load_scene(name).build()
        vertex, target = hand_on(system)
        arm = 0.2 * (target - system.vertices()[vertex])
        system.hold(vertex, target)
        system.step(round(0.5 / system.dt))
        force, start, count = system.holds[0].force, system.state(), _count(system)
        held, pushed = np.inf, np.inf
        for _ in range(ROUNDS):
            held = min(held, _led(system, count, partial(_hold, system, vertex, target, arm)))
            system.hold(vertex, None)
            system.restore(start)
            pushed = min(pushed, _pushed(system, count, vertex, force, start))
            system.release()
            system.restore(start)
            system.hold(vertex, target)
        times = {"pushed us": 1e6 * pushed, "held us": 1e6 * held, "ratio": held / pushed, "asked": 1.3}
        rows.append({"scene": name, "kind": system.kind, "coordinates": system.size, **times})
    print(table(rows))


def scenes_apart() -> list[str]:
    """Gallery scenes whose bodies do not touch: where others may be in the way, no hand is sure to arrive."""
    return [name for name in pl.gallery() if SYSTEMS[pl.load_scene(name).file.system].whole is None]


def hand_on(system):
    """The vertex, of thirty, that gives way the most, and a place across from it, 5 % of the size away."""
    x = system.vertices()
    ids = np.unique(np.linspace(0, len(x) - 1, 30).astype(int))
    points = system.points(ids)
    give = np.diag(system.rows(points) @ system.response(points)).reshape(-1, 3).sum(axis=1)
    vertex = int(ids[give.argmax()])
    across = np.cross(x[vertex] - x.mean(axis=0), (0.3, 0.5, 0.8))
    return vertex, x[vertex] + WAY * np.ptp(x, axis=0).max() * across / np.linalg.norm(across)


def _hold(system, vertex: int, target, arm, turn) -> None:
    system.hold(vertex, target + turn @ arm)


def _push(system, vertex: int, force, turn) -> None:
    system.release()
    system.push([vertex], turn @ force)


def _pushed(system, count: int, vertex: int, force, start) -> float:
    """Seconds a step; with less of the force where the body does not bear it without the hand that gave it."""
    for share in 0.5 ** np.arange(SHARES):
        try:
            return _led(system, count, partial(_push, system, vertex, share * force))
        except Diverged:
            system.release()
            system.restore(start)
            system.hold(vertex, None)
    return np.inf


def _count(system) -> int:
    """Steps of a leg."""
    began = perf_counter()
    system.step(2)
    return max(1, min(round(0.02 / system.dt), int(SECONDS / (perf_counter() - began) * 2)))


def _led(system, count: int, lead) -> float:
    """Seconds a step, with what acts turned by small angles from leg to leg."""
    total = 0.0
    for leg in range(LEGS):
        c, s = np.cos(0.02 * leg), np.sin(0.02 * leg)
        lead(np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]))
        began = perf_counter()
        system.step(count)
        total += perf_counter() - began
    return total / (LEGS * count)


if __name__ == "__main__":
    main()
