"""u = U q for a large skin against the time to stream U through memory."""

import numpy as np

from bench.timing import best_times, table
from pliant.skin.displacement import displacements

VERTICES, SIZE = 50_000, 30


def main() -> None:
    U = np.random.default_rng(0).standard_normal((3 * VERTICES, SIZE))
    flat = U.ravel()
    q = np.random.default_rng(1).standard_normal(SIZE)
    times = best_times(
        {
            "stream": lambda: flat @ flat,  # BLAS reads every number once
            "u = U q": lambda: displacements(U, q),
            "numpy U @ q": lambda: U @ q,
        },
        rounds=15,
    )
    base = times["stream"]
    rows = [
        {"what": name, "ms": 1e3 * seconds, "GB/s": U.nbytes / seconds / 1e9, "over stream": seconds / base}
        for name, seconds in times.items()
    ]
    print(f"{VERTICES} vertices, r = {SIZE}, {U.nbytes / 1e6:.0f} MB (asked: u = U q within 1.5 of the stream)")
    print(table(rows))
