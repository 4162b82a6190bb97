"""Twenty fish of four bones in a glass box ([MC15] Fig. 8): stages of a step, broad phase, and bones in a row.

The paper takes 122 s a frame for 80 bones, 300 point joints and 5,600 proxy vertices; it tells neither steps a frame
nor the machine. All times here are processor time of one core.
"""

import time
from collections import defaultdict
from typing import Any

import numpy as np
from numba import njit

import pliant as pl
from bench.timing import table
from pliant.collide import box
from pliant.collide.triangle import squared_distance
from pliant.numerics.opaque import enter, opaque
from pliant.systems.world.record import DONE
from pliant.systems.world.seeking import place
from pliant.systems.world.stepping import find_at, glide, land, press, rebound, seek, tie

FISH, BONES, PROXY, MODES = 20, 4, 280, 10
FRAME = 1 / 30
CHAINS = (5, 10, 20, 50, 100, 200)


def fish(cells: tuple[int, int, int] = (40, 10, 5)) -> pl.Character:
    """0.4 m long, thick in front, thin at the tail, with a fin there."""
    mesh = pl.shapes.bar((0.4, 0.12, 0.06), cells)
    x = mesh.vertices.copy()
    s = x[:, 0] / 0.4
    tall = np.where(s < 0.8, 0.25 + 0.75 * np.sin(np.pi * np.minimum(s / 0.8, 1)) ** 0.8, 0.25 + 3.0 * (s - 0.8))
    wide = np.maximum(0.15, np.sin(np.pi * np.minimum(s + 0.08, 1)) ** 0.7)
    x[:, 1], x[:, 2] = x[:, 1] * tall, x[:, 2] * wide
    solid = pl.Solid(pl.Mesh(x, mesh.cells), pl.Linear(young=2e5, poisson=0.4, density=1000))
    place = np.clip(s * BONES - 0.5, 0, BONES - 1)
    weights = np.clip(1.2 - 1.2 * np.abs(place[:, None] - np.arange(BONES)), 0, 1)
    return pl.bones(solid, weights / weights.sum(axis=1, keepdims=True), modes=MODES)


def aquarium(character: pl.Character, count: int = FISH, apart: float = 0.0, itself: bool = True) -> pl.World:
    """Fish that flop in a box of glass, or `apart` [m] from each other, high above."""
    random, world = np.random.default_rng(3), pl.World(dt=FRAME / 2, substeps=4)
    world.ground(friction=0.3)
    for axis in (0, 2):
        for side in (-1, 1):
            size, middle = np.array([1.2, 1.0, 1.2]), np.zeros(3)
            size[axis], middle[axis], middle[1] = 0.1, 0.6 * side, 0.5
            world.obstacle(box(size, middle), friction=0.1)
    for k in range(count):
        where = np.array([(k % 2 - 0.75) * 0.45, 0.15 + 0.16 * (k // 4), ((k // 2) % 2 - 0.5) * 0.4])
        if apart:
            where = apart * np.array([k % 5, 2 + (k // 5) % 2, k // 10])
        placed = world.add(character, where, damping=(0.5, 2e-3), proxy=PROXY, self_collision=itself, friction=0.3)
        x, surface = character.solid.mesh.vertices, character.solid.mesh.surface_vertices
        patches = [surface[np.abs(x[surface, 0] - at) < 0.02] for at in (0.05, 0.2, 0.35)]
        sides = [patch[x[patch, 2] * (1 if i % 2 else -1) > 0] for i, patch in enumerate(patches)]
        speed, start = random.uniform(3, 8), random.uniform(0, 6)
        placed.actuate(sides, [lambda t, s=speed, a=start, i=i: 6 * np.sin(s * t + a + i) for i in range(3)])
    return world


class Watch:
    """Stages of small steps, one by one."""

    def __init__(self, world: pl.World):
        self.world, self.times, self.entries = world, defaultdict(float), {}
        self.steps = 0

    def step(self) -> None:
        """One step of the world, as `World.step`, without its checks."""
        world = self.world
        world._follow_paths(world.time, world.substeps)
        world._follow_strengths(world.substeps)
        for small in range(world.substeps):
            while True:
                made = world._record
                numbers, counts = made.settings
                numbers[:] = world.small_step, *world._depths(), world.time
                counts[:6] = 0, world.sweeps, 0, world.substeps, 0, 0
                counts[DONE] = small
                if self._enter(seek, small) == 0:
                    break
                world._make_room(int(counts[-1]))
            for stage in (rebound, glide, tie, press, land):
                if self._enter(stage, small):
                    raise RuntimeError(stage)
        world.time += world.dt
        self.steps += 1

    def _enter(self, stage: Any, small: int) -> int:
        made = self.world._record
        if self.entries.get("of") is not made:
            self.entries = {"of": made}
        if stage not in self.entries:
            self.entries[stage] = opaque(stage, made, 0)
        packed = self.entries[stage]
        start = time.process_time()
        out = enter(packed.entry, packed.record.ctypes.data, small)
        self.times[stage.__name__] += time.process_time() - start
        return out


@njit(cache=True)
def brute_force(x, first, triangles, count):
    """Squared distance of the nearest triangle to each of `count` vertices of every other body; their sum."""
    total = 0.0
    for a in range(len(first) - 1):
        for v in range(first[a], first[a] + count):
            for b in range(len(first) - 1):
                if b != a:
                    own, best = x[first[b] : first[b + 1]], 1e300
                    for t in range(len(triangles)):
                        i, j, k = triangles[t]
                        best = min(best, squared_distance(own, i, j, k, x[v, 0], x[v, 1], x[v, 2]))
                    total += best
    return total


def stage_time(world: pl.World, stage: Any, rounds: int) -> float:
    """Least processor time of a compiled stage [ms]."""
    packed, best = opaque(stage, world._record, 0), np.inf
    for _ in range(rounds):
        start = time.process_time()
        enter(packed.entry, packed.record.ctypes.data, 0)
        best = min(best, time.process_time() - start)
    return 1e3 * best


def brute_time(world: pl.World) -> float:
    """Of all vertices of proxies against all triangles of others, from a few of them [ms]."""
    made, few = world._record, 4
    skins = [body.number for body in world.bodies if body.kind == "skin"]
    first = np.array([made.surfaces.first_vertex[s] for s in skins] + [made.surfaces.first_vertex[skins[-1] + 1]])
    sizes = first[1] - first[0]
    x = np.concatenate([made.x[made.surfaces.first_vertex[s] : made.surfaces.first_vertex[s] + sizes] for s in skins])
    starts = np.arange(len(skins) + 1) * sizes
    s = made.surfaces.shape[skins[0]]
    triangles = made.surfaces.triangles[made.surfaces.shape_triangle[s] : made.surfaces.shape_triangle[s + 1]]
    brute_force(x, starts, triangles[:1].astype(np.int64), 1)
    start = time.process_time()
    brute_force(x, starts, triangles.astype(np.int64), few)
    return 1e3 * (time.process_time() - start) * sizes / few


def profile(world: pl.World, settle: int, seen: int) -> dict[str, float]:
    """Processor time of stages, a step [ms]."""
    world.step(settle)
    watch = Watch(world)
    watch.step()
    watch.times.clear()
    watch.steps = 0
    for _ in range(seen):
        watch.step()
    return {name: 1e3 * took / watch.steps for name, took in watch.times.items()}


def report(name: str, world: pl.World, settle: int, seen: int) -> None:
    stages = profile(world, settle, seen)
    total = sum(stages.values())
    skins = [k for k, body in enumerate(world.bodies) if body.kind == "skin"]
    clear = int(world._record.kept.clear[skins].sum())  # the next line places all
    find, placing = stage_time(world, find_at, 10), stage_time(world, _place_alone, 10)
    brute = brute_time(world)
    made = world._record
    row = {
        "scene": name,
        "contacts": int(made.found[0]),
        "clear": clear,
        "ms a frame": total * FRAME / world.dt,
        **{f"{stage} %": 100 * took / total for stage, took in stages.items()},
        "find ms": find,
        "place ms": placing,
        "brute ms": brute,
        "brute / find": brute / find,
    }
    print(table([row]))


@njit(cache=True, nogil=True, _nrt=False)
def _place_alone(world, _count):
    place(world)
    return 0


def chain_time(count: int) -> tuple[float, float]:
    """A row of bones, its joints alone: processor time of a step [ms], and the largest gap [m]."""
    mesh = pl.shapes.bar((count * 0.5, 0.2, 0.2), (4 * count, 1, 1))
    solid = pl.Solid(mesh, pl.Linear(young=1e7, poisson=0.3, density=1000))
    place = np.clip(mesh.vertices[:, 0] / 0.5 - 0.5, 0, count - 1)
    weights = np.clip(1.2 - 1.2 * np.abs(place[:, None] - np.arange(count)), 0, 1)
    world = pl.World(0.005, gravity=None)
    placed = world.add(pl.bones(solid, weights / weights.sum(axis=1, keepdims=True), modes=6), spin=(0, 0, 0.3))
    world.step(2)
    times = []
    for _ in range(8):
        start = time.process_time()
        world.step()
        times.append(time.process_time() - start)
    return 1e3 * min(times), placed.gap()


def main() -> None:
    character = fish()
    print(character, character.skin_part(PROXY, None, 0.0).proxy)
    report("flopping in a box", aquarium(character), 60, 20)
    report("the same, none with itself", aquarium(character, itself=False), 60, 20)
    report("apart", aquarium(character, apart=1.5, itself=False), 4, 20)
    rows = []
    for count in CHAINS:
        took, gap = chain_time(count)
        rows.append({"bones": count, "ms a step": took, "us a bone": 1e3 * took / count, "gap m": gap})
    print(table(rows))
    x, y = (np.log([float(row[key]) for row in rows]) for key in ("bones", "ms a step"))
    print(f"cost grows as bones^{np.polyfit(x[1:], y[1:], 1)[0]:.2f} from ten on")


if __name__ == "__main__":
    main()
