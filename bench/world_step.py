"""Steps of worlds: a body at rest on a plane, sweeps over a thousand contacts against a bare pass over their rows,
heaps of more and more bodies, and 512 baskets."""

import time

import numpy as np
from numba import njit

import pliant as pl
from bench.timing import best_times, table
from pliant.numerics import rotation_exponential
from pliant.scenes import load_scene
from pliant.systems.world.rows import CONTACT, Ties, ties_of
from pliant.systems.world.sweeps import sweep
from pliant.systems.world.tables import BodyTable, body_table

CONTACTS, BODIES, SWEEPS = 1000, 80, 20


def box(modes: int) -> pl.ReducedModel:
    """A soft box of 0.4 m."""
    solid = pl.Solid(pl.shapes.bar((0.4, 0.4, 0.4), (2, 2, 2)), pl.Linear(1e6, 0.3, 1000.0))
    return pl.reduce(solid, pl.Basis(pl.vibration_modes(solid, modes).vectors), force="linear")


def resting() -> None:
    """One body, r = 10, on a plane."""
    world = pl.World(0.01)
    world.ground()
    world.add(box(10), (0.0, 0.2, 0.0), damping=(0.0, 2e-3))
    world.step(200)
    found = best_times({"step": world.step, "twenty": lambda: world.step(20)}, 20)
    print(
        f"body of 10 coordinates at rest on a plane: {1e6 * found['step']:.0f} us a call of one step of 4 small ones,"
    )
    print(f"{1e6 * found['twenty'] / 20:.0f} us a step in calls of twenty")


@njit(cache=True, fastmath={"contract", "reassoc"})
def bare_pass(W, V):
    """A pass over the rows: what any sweep must read."""
    total = 0.0
    for i in range(len(W)):
        total += W[i] * V[i]
    return total


def random_ties(r: int) -> tuple[BodyTable, Ties, np.ndarray]:
    """Contacts between random pairs of bodies, with rows of no meaning that K fits."""
    rng, width = np.random.default_rng(0), 6 + r
    sizes = np.full(BODIES, r)
    none = np.zeros(BODIES, np.int64)
    bodies, ties = body_table(none, none, sizes, np.zeros((BODIES, 2))), ties_of(CONTACTS, 2 * CONTACTS, width)
    W = 0.3 * rng.standard_normal((CONTACTS, 2, 3, width))
    ties.made[0], ties.kind[:], ties.friction[:] = CONTACTS, CONTACT, 0.5
    ties.start[:] = 2 * np.arange(CONTACTS + 1)
    ties.body[::2] = rng.integers(0, BODIES, CONTACTS)
    ties.body[1::2] = (ties.body[::2] + rng.integers(1, BODIES, CONTACTS)) % BODIES
    ties.at[:] = 3 * width * np.arange(2 * CONTACTS)
    ties.W[:] = ties.V[: W.size] = W.ravel()
    ties.K[:] = np.einsum("csik,csjk->cij", W, W)
    ties.inverse[:] = np.linalg.inv(ties.K)
    ties.slip[:] = np.linalg.eigvalsh(ties.K[:, 1:, 1:])[:, -1]
    return bodies, ties, 0.1 * rng.standard_normal(BODIES * width)


def solving() -> None:
    """Sweeps over contacts."""
    rows = []
    for r in (0, 6, 10, 20):
        bodies, ties, y = random_ties(r)
        found = best_times(
            {
                "sweeps": lambda bodies=bodies, ties=ties, y=y: sweep(bodies, ties, y.copy(), SWEEPS),  # type: ignore[misc]
                "bare": lambda ties=ties: bare_pass(ties.W, ties.V),  # type: ignore[misc]
            }
        )
        visit = found["sweeps"] / SWEEPS / CONTACTS
        row = {"r": r, "contacts": CONTACTS, "20 sweeps ms": 1e3 * found["sweeps"], "ns a visit": 1e9 * visit}
        rows.append(row | {"over a bare pass": found["sweeps"] / SWEEPS / found["bare"]})
    print(table(rows))


def heaps() -> None:
    """Boxes that fall into a heap."""
    rows, model = [], box(6)
    for count in (32, 128, 512):
        world = heap(model, count)
        worst, contacts = 0.0, 0
        for _ in range(60):
            start = time.process_time()
            world.step(2)
            worst = max(worst, (time.process_time() - start) / 2)
            contacts = max(contacts, len(world.contacts().points))
        rows.append(
            {"bodies": count, "most contacts": contacts, "worst ms": 1e3 * worst, "us a body": 1e6 * worst / count}
        )
    print(table(rows))


def heap(model: pl.ReducedModel, count: int) -> pl.World:
    """Turned at random, four layers over a square."""
    rng, world = np.random.default_rng(0), pl.World(1 / 60)
    world.ground()
    side = round((count / 4) ** 0.5) or 1
    for k in range(count):
        R = rotation_exponential(0.3 * rng.normal(size=3))
        at = np.array([0.75 * (k % side), 0.5 + 0.75 * (k // side**2), 0.75 * (k // side % side)])
        world.add(model, at - R @ model.inertia.centre, R, damping=(0.0, 2e-3))
    world.step()
    return world


def baskets(count: int = 512, steps: int = 100, mean: int = 10) -> None:
    """Baskets of the gallery that fall into a heap ([MR12] Fig. 6): the worst mean of ten steps, by stage."""
    scene = load_scene("baskets")
    body = scene.file.model_dump(by_alias=True, exclude_unset=True)["body"][0]
    world = scene.changed(body=[body | {"count": count, "at": [-2.45, 0.6, -2.45]}]).build()
    assert isinstance(world, pl.World)
    world.step(2)
    taken = []
    for _ in range(steps):
        start = time.process_time()
        world.step()
        taken.append(time.process_time() - start)
    means = np.convolve(taken, np.full(mean, 1 / mean), "valid")
    print(f"{count} baskets: {1e3 * means.max():.1f} ms a step on the worst mean of {mean}, from step {means.argmax()}")


def main() -> None:
    resting()
    solving()
    heaps()
    baskets()


if __name__ == "__main__":
    main()
