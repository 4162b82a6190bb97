"""Tables 1 and 2 of [MC15] beside ours: what characters take to make, and a frame of 1/30 s of their scenes.

The paper used one core of an Intel Xeon X5680, and tells neither steps a frame nor its load. Our meshes are our own and
coarser; all times are processor time, and joints are point joints, three of which hold two bones.
"""

import time
from collections.abc import Callable

import numpy as np

import pliant as pl
from bench.timing import table
from bench.world_bones import aquarium
from bench.world_bones import fish as slender
from pliant.mesh.bones import Skeleton
from pliant.scenes import load_scene
from pliant.scenes.models import fish, hare, octopus, shell
from pliant.scenes.models.octopus import octopus_bones
from pliant.systems.world.bones.culling import tree_of_skin
from pliant.systems.world.bones.cutting import cut, share_of

FRAME = 1 / 30
POINTS = 3  # a joint
FISH = [
    [(-0.29, 0, 0), (-0.2, 0, 0)],
    [(-0.1, 0, 0), (0.02, 0, 0)],
    [(0.11, 0, 0), (0.2, 0, 0)],
    [(0.29, 0, 0), (0.36, 0, 0)],
]
SOFT = pl.Linear(young=1e5, poisson=0.4, density=1000)


def ends_of(scene: str) -> Skeleton:
    """The bones of the first part of a gallery scene that has some."""
    wanted = next(part.bones for part in load_scene(scene).file.part if part.bones is not None)
    ends = [each if isinstance(each[0], tuple) else (each, each) for each in wanted.ends]
    return Skeleton(np.array(ends, dtype=float), wanted.names)


def made(name: str, mesh: pl.Mesh, skeleton: Skeleton, kind: str = "heat") -> tuple[pl.Character, dict]:
    """A character, and what its stages took [s], as columns of Table 1."""
    start = time.process_time()
    weights = pl.bone_weights(mesh, skeleton, kind)
    solid = pl.Solid(mesh, SOFT)
    weighed = time.process_time()
    cuts = cut(mesh, weights, 0.05, skeleton.names)
    solids = [share_of(solid, cuts, k)[0] for k in range(len(skeleton.names))]
    for own in solids:
        own.stiffness()
    assembled = time.process_time()
    character = pl.bones(solid, weights, modes=10, names=skeleton.names)
    reduced = time.process_time()
    tree_of_skin(character, pl.collide.collision_shape(mesh.vertices, mesh.surface))
    spheres = time.process_time()
    row = {
        "character": name,
        "weights s": weighed - start,
        "cut, linear FEM s": assembled - weighed,
        "bases, joints s": reduced - assembled,
        "BD-tree s": spheres - reduced,
        "bones": len(character.bones),
        "vertices": mesh.vertex_count,
    }
    return character, row


def frame_of(
    name: str, world: pl.World, settle: float, seen: int, advance: Callable[[int], None] | None = None
) -> dict:
    """Processor time of a frame on the mean, once it has settled for some seconds, with what is in it."""
    step = advance or world.step
    step(max(1, round(settle / world.dt)))
    count = max(1, round(seen * FRAME / world.dt))
    start = time.process_time()
    step(count)
    took = (time.process_time() - start) / (count * world.dt)
    skins = [placed.skin for placed in world.characters]
    shapes = [placed._shape for placed in world.characters]
    return {
        "scene": name,
        "ms a frame": 1e3 * took * FRAME,
        "small steps a frame": round(FRAME / world.small_step, 1),
        "bones": sum(len(skin.bones) for skin in skins),
        "point joints": POINTS * len(world.joints),
        "vertices": sum(len(skin.model.X) for skin in skins),
        "surface": sum(len(np.unique(skin.model.triangles)) for skin in skins),
        "touching": sum(len(shape.ids) for shape in shapes),
        "self": "on" if any(skin.model.touching is not None for skin in skins) else "off",
        "contacts": len(world.contacts().depths),
    }


def heap(fishes: pl.Character, with_octopus: pl.Character | None) -> pl.World:
    """Twenty-four fish and twelve rigid shells on a slippery floor; an octopus falls on them ([MC15] Fig. 9)."""
    random, world = np.random.default_rng(2), pl.World(dt=FRAME / 4, substeps=4)
    world.ground(friction=0.2)
    stone = pl.Rigid(shell(), 2000.0)
    for k in range(24):
        at = np.array([0.9 * (k % 3 - 1), 0.45 + 0.5 * (k // 12), 0.5 * ((k // 3) % 4 - 1.5)])
        placed = world.add(fishes, at, damping=(0.5, 2e-3), proxy=280, friction=0.2)
        X = fishes.solid.mesh.vertices
        patches = [np.flatnonzero((np.abs(X[:, 0] - x) < 0.05) & (X[:, 2] > 0.02)) for x in (-0.25, 0.0, 0.25)]
        start = random.uniform(0, 6)
        placed.actuate(patches, [lambda t, a=start + i: 15 * np.sin(18 * t + a) for i in range(3)])
    for k in range(12):
        world.add(stone, 0.5 * np.array([k % 4 - 1.5, 0, k // 4 - 1]) + [0.25, 0.08, 0.25], friction=0.2)
    if with_octopus is not None:
        world.add(with_octopus, (0, 1.5, 0), damping=(1.0, 4e-3), self_collision=True, friction=0.3)
    return world


def main() -> None:
    kinds = (
        ("hare", hare(0.035), ends_of("hare-bones")),
        ("doll", load_scene("stairs").bodies[0].shape, ends_of("stairs")),
        ("fish", fish(0.026), Skeleton(np.array(FISH))),
        ("octopus", octopus(0.04), Skeleton(octopus_bones()[1], octopus_bones()[0])),
    )
    characters, rows = {}, []
    for name, mesh, skeleton in kinds:
        characters[name], row = made(name, mesh, skeleton)
        rows.append(row)
    print(table(rows))
    rows = []
    for name, settle in (("hare-bones", 1.6), ("stairs", 0.8), ("target", 0.1), ("pachinko", 0.6)):
        rows.append(frame_of(name, load_scene(name).build(), settle, 10))
    rows.append(frame_of("20 fish in a box", aquarium(slender()), 1.0, 6))
    rows.append(frame_of("24 fish, 12 shells", heap(characters["fish"], None), 0.8, 6))
    rows.append(frame_of("with an octopus", heap(characters["fish"], characters["octopus"]), 0.8, 6))
    print(table(rows))


if __name__ == "__main__":
    main()
