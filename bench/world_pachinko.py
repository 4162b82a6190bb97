"""A toy of 21 bones among the pegs of [MC15] Fig. 2, alone and 31 of them: frames a second on one core.

The paper takes 0.15 s a frame for one of 21 bones, 87 point joints and 1,536 proxy vertices. Ours is the doll of the
gallery with as many bones and touching vertices; four small steps a frame of 1/60 s, so that 60 frames a second are as
fast as time itself.
"""

import time

import numpy as np

import pliant as pl
from bench.timing import table
from pliant.collide import box, capsule
from pliant.mesh.bones import Skeleton
from pliant.numerics import rotation_exponential
from pliant.scenes.models import doll

FRAME, TOUCHING, MODES, CROWD = 1 / 60, 1536, 10, 31
MIDDLE = {
    "belly": [(0, 0.38, 0), (0, 0.44, 0)],
    "waist": [(0, 0.5, 0), (0, 0.55, 0)],
    "chest": [(0, 0.6, 0), (0, 0.66, 0)],
    "neck": [(0, 0.7, 0), (0, 0.74, 0)],
    "head": [(0, 0.8, 0), (0, 0.93, 0)],
}
LIMBS = {
    "shoulder": [(0.13, 0.645, 0), (0.16, 0.64, 0)],
    "upper arm": [(0.2, 0.635, 0), (0.27, 0.624, 0)],
    "forearm": [(0.31, 0.617, 0), (0.38, 0.606, 0)],
    "hand": [(0.46, 0.59, 0), (0.48, 0.588, 0)],
    "hip": [(0.09, 0.36, 0), (0.095, 0.33, 0)],
    "thigh": [(0.1, 0.29, 0), (0.11, 0.23, 0)],
    "shin": [(0.115, 0.19, 0), (0.125, 0.12, 0)],
    "foot": [(0.135, 0.06, -0.02), (0.145, 0.06, 0.09)],
}


def skeleton() -> Skeleton:
    """Five bones in the middle, four in every limb."""
    ends = list(MIDDLE.values())
    names = list(MIDDLE)
    for side, sign in (("left", 1), ("right", -1)):
        ends += [[(sign * x, y, z) for x, y, z in each] for each in LIMBS.values()]
        names += [f"{side} {name}" for name in LIMBS]
    return Skeleton(np.array(ends, dtype=float), tuple(names))


def toy() -> pl.Character:
    mesh = doll(0.028)
    solid = pl.Solid(mesh, pl.Linear(young=1e5, poisson=0.4, density=300))
    bones = skeleton()
    weights = pl.bone_weights(mesh, bones, "heat")
    return pl.bones(solid, weights, modes=MODES, names=bones.names)


def board(character: pl.Character, count: int) -> pl.World:
    """Pegs in rows that are half a peg apart, between two panes; toys fall in above, two by two."""
    random, world = np.random.default_rng(5), pl.World(dt=FRAME, substeps=4)
    world.ground(friction=0.15)
    for side in (-1, 1):
        world.obstacle(box((4.0, 40.0, 0.2), (0, 20, 0.5 * side)), friction=0.0)
        world.obstacle(box((0.2, 40.0, 2.0), (1.85 * side, 20, 0)), friction=0.15)
    for row in range(6):
        for x in np.arange(-1.55, 1.6, 1.033) + (0.517 if row % 2 else 0.0):
            if abs(x) < 1.7:
                world.obstacle(
                    capsule(0.08, 0.9, (x, 1.5 + 0.917 * row, 0), rotation_exponential(np.array([np.pi / 2, 0, 0]))),
                    friction=0.15,
                )
    for k in range(count):
        at = (0.6 * (2 * (k % 2) - 1) + random.uniform(0, 0.1), 7.0 + 1.1 * (k // 2), 0)
        turn = rotation_exponential(np.array([0, 0, 0.3]))
        world.add(character, at, turn, damping=(1.0, 4e-3), proxy=TOUCHING, friction=0.15)
    return world


def frames(name: str, world: pl.World, first: float, last: float) -> dict:
    """Processor time of frames between two times [s], their contacts, and how the toys came through."""
    world.step(round(first / FRAME))
    taken, contacts, depths, gap = [], [], [np.zeros(0)], 0.0
    for _ in range(round((last - first) / FRAME)):
        start = time.process_time()
        world.step()
        taken.append(time.process_time() - start)
        own = world.contacts().depths
        contacts.append(len(own))
        depths.append(own)
        gap = max(gap, *(placed.gap() for placed in world.characters))
    shapes = [placed._shape for placed in world.characters]
    return {
        "scene": name,
        "bones": sum(len(placed.bones) for placed in world.characters),
        "point joints": 3 * len(world.joints),
        "touching": sum(len(shape.ids) for shape in shapes),
        "contacts": float(np.mean(contacts)),
        "ms a frame": 1e3 * float(np.mean(taken)),
        "slowest tenth": 1e3 * float(np.percentile(taken, 90)),
        "frames a second": 1 / float(np.mean(taken)),
        "gap m": gap,
        "99 % within m": float(np.percentile(np.concatenate(depths), 99)),
    }


def main() -> None:
    character = toy()
    print(character, character.skin_part(TOUCHING, None, 0.0).proxy)
    rows = [frames("one toy", board(character, 1), 0.5, 3.5)]
    rows.append(frames(f"{CROWD} toys", board(character, CROWD), 2.5, 4.0))
    print(table(rows))


if __name__ == "__main__":
    main()
