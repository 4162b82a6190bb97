"""Worlds from a scene: bodies of its parts in one space, the ground, obstacles and joints."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np

from pliant.errors import Ids, SelectionError
from pliant.fem import Solid
from pliant.numerics import rotation_exponential
from pliant.numerics.progress import COMPILING, Progress, report
from pliant.reduced import ReducedModel, Rigid
from pliant.scenes.bodies import Body
from pliant.scenes.field_building import is_field, obstacle_field
from pliant.scenes.flight_study import with_flaw
from pliant.scenes.kinds.kind import Guest, Kind
from pliant.scenes.model_building import build_model
from pliant.scenes.obstacle_building import build_obstacle, within
from pliant.scenes.part_building import build_material
from pliant.scenes.paths import path_of
from pliant.scenes.schema import SceneFile
from pliant.scenes.world_dressing import dress_world
from pliant.scenes.world_tables import ActuateTable, JointTable, ObstacleTable, WorldTable
from pliant.systems import System, World

STILL = ("static", "kinematic")  # kinds of bodies that do not deform


def build_world(scene: SceneFile, bodies: Sequence[Body], progress: Progress, guest: Guest | None = None) -> World:
    """All bodies of a scene, then its obstacles; vertices are in this order. `guest` makes those of other kinds."""
    wanted = scene.table(WorldTable)
    manner = wanted.rule, wanted.shock, wanted.sleeping, wanted.cone
    world = World(scene.dt, scene.gravity, wanted.substeps, wanted.sweeps, *manner)
    models: dict[tuple[str, bool], ReducedModel | Rigid] = {}
    for body in bodies:
        if body.kind != WORLD.name:
            assert guest is not None, "a body of another kind comes with what makes it"
            _add(world, scene, body, guest(_where_it_is(scene, body, world), body.of_its_part), (0.0, 0.0))
            continue
        still = body.part.rigid or body.table.kind in STILL or body.table.path is not None
        key = body.part.name, still
        if key not in models:
            models[key] = _rigid(body) if still else build_model(body.of_its_part, progress)
        _add(world, scene, body, models[key], scene.damping)
    for ground in scene.ground:
        world.ground(ground.height, **_manners(ground, wanted), normal=ground.normal)
    for number, obstacle in enumerate(scene.obstacle):
        _stand(world, obstacle, obstacle.name or f"obstacle {number}", _manners(obstacle, wanted), bodies[0].folder)
    for joint in scene.joint:
        _join(world, joint)
    for actuated in scene.actuate:
        _actuate(world, bodies, actuated)
    report(progress, COMPILING, 1.0)
    dress_world(scene, bodies, world)
    return world


def _rigid(body: Body) -> Rigid:
    return Rigid(body.shape, build_material(body.part.material, body.shape).density)


def _add(
    world: World,
    scene: SceneFile,
    body: Body,
    model: ReducedModel | Rigid | System,
    damping: tuple[float, float],
) -> None:
    table = body.table
    world.add(
        model,
        body.stand.t,
        body.stand.R,
        table.velocity,
        table.spin,
        kind=table.kind,
        path=None if table.path is None else path_of(table.path),
        **_manners(table, scene.table(WorldTable)),
        damping=damping,
        group=table.group,
        name=body.name,
    )


def _where_it_is(scene: SceneFile, body: Body, world: World) -> SceneFile:
    """The scene as a system sees it that is made where its part is: steps of the world, and its gravity there."""
    there = tuple((body.stand.R.T @ np.array(scene.gravity)).tolist())
    return scene.model_copy(update={"dt": world.small_step, "gravity": there})


def _manners(table: Any, usual: WorldTable) -> dict[str, float]:
    """Friction and restitution, those of the world where a table says nothing."""
    names = ("friction", "restitution")
    return {name: getattr(usual if getattr(table, name) is None else table, name) for name in names}


def _stand(world: World, obstacle: ObstacleTable, name: str, manners: dict[str, float], folder: Path) -> None:
    """A surface, or a field; what is drawn of a field lies inside it, so that nothing touches the drawing."""
    if is_field(obstacle):
        world.obstacle(obstacle_field(obstacle), **manners)
    if not obstacle.is_plane:
        surface = build_obstacle(obstacle, folder)
        drawn = within(surface) if obstacle.exact else surface
        world.obstacle(drawn, **manners, **_place_of(obstacle), name=name)


def _place_of(obstacle: ObstacleTable) -> dict[str, Any]:
    if obstacle.path is not None:
        return {"path": path_of(obstacle.path)}
    return {"position": obstacle.at, "rotation": rotation_exponential(np.radians(obstacle.turn))}


def _join(world: World, table: JointTable) -> None:
    named = {body.name: body for body in world.bodies}
    a, *others = (named[name] for name in table.bodies)
    b = others[0] if others else None
    place = a.rotation.T @ (np.array(table.at) - a.position)
    limits: dict[str, Any] = {} if table.limits is None else {"limits": tuple(np.radians(table.limits))}
    world.join(a, place, b, kind=table.kind, axis=table.axis, speed=table.speed, torque=table.torque, **limits)


def _actuate(world: World, bodies: Sequence[Body], table: ActuateTable) -> None:
    """Each body that the table names gets all of its muscles, balanced together."""
    for body, made in zip(bodies, world.bodies):
        if fnmatchcase(body.name, table.body):
            chosen = [body.shape.select(muscle.where) for muscle in table.muscles]
            for muscle, ids in zip(table.muscles, chosen):
                if not len(ids):
                    raise SelectionError(f"actuate where = {muscle.where!r} selects no vertex of {body.shape}")
            each = [
                np.tile(np.array(muscle.force) / len(ids), (len(ids), 1)) for muscle, ids in zip(table.muscles, chosen)
            ]
            made.actuate(np.concatenate(chosen), np.concatenate(each), table.strength)


def _warm(solid: Solid, _labels: Ids) -> None:
    world = World(0.01)
    world.ground()
    world.add(Rigid(solid.mesh, 1000.0), (0.0, 0.2, 0.0))
    world.step()


WORLD = Kind(
    "world",
    lambda scene, body, progress: build_world(scene, [body], progress),
    WorldTable,
    frozenset({"hold", "ground", "obstacle", "joint", "rigid", "actuate"}),
    warm=_warm,
    whole=build_world,
    comparisons={
        "world": lambda scene: scene.with_system("world"),
        "corrected": lambda scene: scene.with_system("world"),
        "uncorrected": with_flaw("uncorrected"),
        "frozen-P": with_flaw("frozen-P"),
    },
    compared=lambda _: ["world"],
)
