"""The bar of [BA13] Fig. 7 with nonlinear parts: error and time of a step over the number of coordinates and parts.

Beside it, linear warped seams and the single-domain derivative basis. The error is that of the mean tip height over 300
steps against the unreduced solid, relative, in L2 (maths sheet boundary-aware 9).
"""

import numpy as np

import pliant as pl
from bench.timing import best_times, table
from pliant.errors import Array, Ids
from pliant.systems.seams.nonlinear import couple_nonlinear
from pliant.systems.system import System

STEPS, DT, DAMPING, GRAVITY = 300, 0.01, (0.5, 0.08), (0.0, 0.0, -9.8)
SIZES = [(0, 6), (2, 6), (4, 6), (4, 10), (4, 14), (6, 14)]  # soft columns of an interface, derivatives of a part
PARTS = [1, 2, 3, 6, 12]


def bar() -> pl.Solid:
    """Of Fig. 7."""
    return pl.Solid(pl.shapes.bar((1, 0.1, 0.1), (24, 3, 3)), pl.StVK(1.2e6, 0.4, 1000), fixed="x < 1e-9")


def slices(solid: pl.Solid, count: int) -> Ids:
    """Equal parts along the bar."""
    return np.minimum((count * solid.mesh.centroids[:, 0]).astype(int), count - 1)


def heights(system: System, tip: Ids) -> Array:
    """Mean tip height of all samples, from the rest on."""
    start, z = system.vertices()[tip, 2].mean(), [0.0]
    for _ in range(STEPS):
        system.step()
        z.append(system.vertices()[tip, 2].mean() - start)
    return np.array(z)


def main() -> None:
    solid = bar()
    tip, thirds = solid.mesh.select("x > 0.999"), slices(solid, 3)
    settings = {"dt": DT, "damping": DAMPING, "gravity": GRAVITY}
    truth = heights(pl.Full(solid, **settings), tip)

    systems: list[tuple[str, int, System]] = []
    model = pl.reduce(solid, pl.modal_basis(solid, modes=10, size=55))
    systems.append(("one domain, derivatives", 55, pl.Clamped(model, **settings, newton=20)))
    linear = pl.couple(solid, thirds, 0, columns=[17, 22, 16], **settings, nonlinear=False)
    systems.append(("linear seams, 3 parts", len(linear.q), linear))
    for soft, derivatives in SIZES:
        system = couple_nonlinear(solid, thirds, soft, derivatives, **settings)
        systems.append((f"nonlinear, 3 parts, {soft} soft, {derivatives} derivatives", len(system.q), system))
    for count in PARTS:
        system = couple_nonlinear(solid, slices(solid, count), 4, 10, **settings)
        systems.append((f"nonlinear, {count} parts, default", len(system.q), system))
    once = couple_nonlinear(solid, thirds, 4, 10, **settings, newton=1)
    systems.append(("nonlinear, 3 parts, one iteration a step", len(once.q), once))

    rows: list[dict[str, object]] = []
    for name, size, system in systems:
        error = np.linalg.norm(heights(system, tip) - truth) / np.linalg.norm(truth)
        swing = system.state()
        step = best_times({name: lambda s=system, swing=swing: (s.restore(swing), s.step(20))})[name] / 20
        rows.append({"method": name, "coordinates": size, "error %": 100 * error, "step ms": 1e3 * step})
    print(table(rows))


if __name__ == "__main__":
    main()
