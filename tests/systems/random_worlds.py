"""Worlds drawn at random: soft and rigid bars that fall, touch, slide, are joined, held and pushed."""

from functools import cache

import numpy as np
from random_runs import STEPS, Made, aim_of, hand_of

import pliant as pl
from pliant.numerics import rotation_exponential

SIZE = (0.6, 0.2, 0.16)
FORCES = ("rigid", "linear", "cubic")
DENSITY = 1000.0


def world_run_of(number):
    """As `random_runs.run_of`; lengths of steps are seconds."""
    random = np.random.default_rng([number, 13])
    count = int(random.integers(1, 5))
    return {
        "kind": "world",
        "size": SIZE,
        "young": 10 ** random.uniform(4.5, 8),
        "bodies": [_body(random, k) for k in range(count)],
        "joined": [bool(random.random() < 0.35) for _ in range(count - 1)],
        "rigid_joints": bool(random.random() < 0.3),
        "ground": float(random.uniform(0, 1)) if random.random() < 0.9 else None,
        "gravity": float(random.uniform(0, 15)),
        "dt": 10 ** random.uniform(-2.8, -1.8),
        "substeps": int(random.integers(1, 5)),
        "damping": (0.0, float(random.choice([0.0, 1e-4, 2e-3]))),
        "pull": 10 ** random.uniform(-2, 1),  # over the weight of a bar
        "pushes": [(int(random.integers(STEPS)), aim_of(random)) for _ in range(random.integers(4))],
        "hand": hand_of(random) if random.random() < 0.4 else None,
    }


def _body(random, number):
    place = np.array([0, 0.5 + 0.75 * number, 0]) + 0.05 * random.standard_normal(3)
    return {
        "force": str(random.choice(FORCES)),
        "position": tuple(place),
        "turn": tuple(random.standard_normal(3)),
        "velocity": tuple(2 * random.standard_normal(3) - (0, 3, 0)),
        "spin": tuple(4 * random.standard_normal(3)),
        "friction": float(random.uniform(0, 1)),
        "restitution": float(random.choice([0.0, 0.5, 1.0])),
    }


@cache
def _mesh():
    mesh = pl.shapes.bar(SIZE, (4, 2, 2))
    return pl.Mesh(mesh.vertices - np.array(SIZE) / 2, mesh.cells)


@cache
def _model(force, young):
    if force == "rigid":
        return pl.Rigid(_mesh(), DENSITY)
    law = pl.Linear if force == "linear" else pl.StVK
    solid = pl.Solid(_mesh(), law(young, 0.3, DENSITY))
    return pl.reduce(solid, pl.Basis(pl.vibration_modes(solid, 6).vectors), force=force)


def made_world(run):
    """The world of a run, as `random_runs.made`."""
    world = pl.World(run["dt"], (0, -run["gravity"], 0), substeps=run["substeps"])
    if run["ground"] is not None:
        world.ground(height=-0.1, friction=run["ground"])
    bodies = [_added(world, run, body) for body in run["bodies"]]
    for joined, a, b in zip(run["joined"], bodies[:-1], bodies[1:], strict=True):
        if joined:
            middle = 0.5 * (a.centre + b.centre)
            places = (each.rotation.T @ (middle - each.position) for each in (a, b))
            world.join(a, next(places), b, next(places), kind="rigid" if run["rigid_joints"] else "point")
    solid = pl.Solid(_mesh(), pl.Linear(run["young"], 0.3, DENSITY))
    mass = np.tile(solid.lumped_mass.reshape(-1, 3), (len(bodies), 1))
    return Made(world, run["pull"] * DENSITY * np.prod(SIZE) * 10, SIZE[0], None, mass)


def _added(world, run, body):
    moving = {name: body[name] for name in ("position", "velocity", "spin", "friction", "restitution")}
    soft = {} if body["force"] == "rigid" else {"damping": run["damping"]}
    rotation = rotation_exponential(np.array(body["turn"]))
    return world.add(_model(body["force"], run["young"]), rotation=rotation, **moving, **soft)
