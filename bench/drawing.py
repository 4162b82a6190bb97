"""The vertices of a large skin against the time to stream U through memory."""

import numpy as np

from bench.timing import best_times, table
from pliant.skin import Pose, plain_skin

VERTICES, SIZE = 50_000, 30


def main() -> None:
    U = np.random.default_rng(0).standard_normal((3 * VERTICES, SIZE))
    flat = U.ravel()
    q = np.random.default_rng(1).standard_normal(SIZE)
    skin = plain_skin(np.zeros((VERTICES, 3)), np.empty((0, 3), dtype=np.int64), U)
    pose = Pose([(np.eye(3), np.zeros(3))], [q])
    times = best_times(
        {
            "stream": lambda: flat @ flat,  # BLAS reads every number once
            "x = R (X + U q) + t": lambda: skin.vertices(pose),
            "numpy U @ q": lambda: U @ q,
        },
        rounds=15,
    )
    base = times["stream"]
    rows = [
        {"what": name, "ms": 1e3 * seconds, "GB/s": U.nbytes / seconds / 1e9, "over stream": seconds / base}
        for name, seconds in times.items()
    ]
    print(f"{VERTICES} vertices, r = {SIZE}, {U.nbytes / 1e6:.0f} MB (asked: within 1.5 of the stream)")
    print(table(rows))
