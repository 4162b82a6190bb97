"""A device that feels a footbridge through a ball ([SI05] Fig. 1): how long a period takes, and how many come late."""

import numpy as np

import pliant as pl
from bench.timing import table
from bench.world_yardsticks import processor_times

RATE, SECONDS = 1000.0, 10.0
REACH, PERIOD = 0.25, 2.0  # of the device: up and down [m], [s]
LIMIT = 2000.0  # of its force [N]


def main() -> None:
    """The ball of the gallery scene in a hand that presses it down and lifts it."""
    world = pl.load_scene("footbridge").build()
    world.step(1500)
    alone = processor_times({"step": lambda _: world.step(), "ten": lambda _: world.step(10)}, 1, 200)
    ball = world.bodies[1]
    haptics = pl.Haptics(world, ball, rate=RATE, limit=LIMIT)
    start, forces = ball.centre, []

    def device(force: np.ndarray) -> np.ndarray:
        forces.append(np.linalg.norm(force))
        angle = 2 * np.pi * len(forces) / RATE / PERIOD
        return start + np.array([0.0, -REACH * np.sin(angle), 0.0])

    haptics.run(device, 0.5)
    timing = haptics.run(device, SECONDS)
    row = {
        "a step us": 1e6 * alone["step"],
        "in tens us": 1e5 * alone["ten"],
        "periods": len(timing.seconds),
        "in time %": 100 * timing.share,
        "median us": 1e6 * float(np.median(timing.seconds)),
        "99 % us": 1e6 * float(np.quantile(timing.seconds, 0.99)),
        "worst us": 1e6 * float(timing.seconds.max()),
        "largest force N": float(max(forces)),
    }
    print(table([row]))
    counts, edges = timing.histogram(8)
    print(table([{"from us": 1e6 * edge, "periods": int(count)} for edge, count in zip(edges, counts)]))


if __name__ == "__main__":
    main()
