"""Worlds from a scene: bodies of its parts in one space, the ground, obstacles and joints."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.errors import ArgumentError, Ids
from pliant.fem import Solid
from pliant.numerics import rotation_exponential
from pliant.numerics.progress import COMPILING, Progress, report
from pliant.reduced import ReducedModel, Rigid
from pliant.scenes.bodies import Body
from pliant.scenes.driving import actuate, lead
from pliant.scenes.field_building import is_field, obstacle_field
from pliant.scenes.flight_study import with_flaw
from pliant.scenes.kinds.kind import Guest, Kind
from pliant.scenes.model_building import build_model
from pliant.scenes.obstacle_building import build_obstacle, within
from pliant.scenes.part_building import build_material
from pliant.scenes.paths import path_of
from pliant.scenes.schema import SceneFile
from pliant.scenes.world_dressing import dress_world
from pliant.scenes.world_tables import JointTable, ObstacleTable, WorldTable
from pliant.systems import System, World
from pliant.systems.world.bones import Character

if TYPE_CHECKING:
    from pliant.scenes.scene import Scene

STILL = ("static", "kinematic")  # kinds of bodies that do not deform


def build_world(scene: SceneFile, bodies: Sequence[Body], progress: Progress, guest: Guest | None = None) -> World:
    """All bodies of a scene, then its obstacles; vertices are in this order. `guest` makes those of other kinds."""
    wanted = scene.table(WorldTable)
    manner = wanted.rule, wanted.shock, wanted.sleeping, wanted.cone, wanted.spacing
    world = World(scene.dt, scene.gravity, wanted.substeps, wanted.sweeps, *manner)
    models: dict[tuple[str, bool], ReducedModel | Rigid] = {}
    for body in bodies:
        if body.kind != WORLD.name:
            assert guest is not None, "a body of another kind comes with what makes it"
            _add(world, scene, body, guest(_where_it_is(scene, body, world), body.of_its_part), (0.0, 0.0))
            continue
        character = body.character(progress)
        if character is not None:
            _add(world, scene, body, character, scene.damping)
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
        actuate(world, bodies, actuated)
    for drive in scene.drive:
        lead(world, bodies, drive)
    report(progress, COMPILING, 1.0)
    dress_world(scene, bodies, world)
    return world


def _rigid(body: Body) -> Rigid:
    density = build_material(body.part.material, body.shape).density
    if body.part.shell_thickness is not None:  # it weighs what the shell does, however wide its faces are apart
        density = density * (body.part.shell_thickness / (2 * body.padding))
    return Rigid(body.shape, density)


def _add(
    world: World,
    scene: SceneFile,
    body: Body,
    model: ReducedModel | Rigid | System | Character,
    damping: tuple[float, float],
) -> None:
    table = body.table
    touching: dict[str, Any] = {}
    if isinstance(model, Character):
        touching = {"proxy": body.part.proxy, "self_collision": table.self_collision}
    elif isinstance(model, ReducedModel) and model.thickness is not None:
        touching = {"padding": body.padding}
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
        **touching,
    )


def _where_it_is(scene: SceneFile, body: Body, world: World) -> SceneFile:
    """The scene as a system sees it that is made where its part is: steps of the world, and its gravity there."""
    there = tuple((body.stand.R.T @ np.array(scene.gravity)).tolist())
    return scene.model_copy(update={"dt": world.small_step, "gravity": there})


def _manners(table: Any, usual: WorldTable) -> dict[str, Any]:
    """Friction and restitution, those of the world where a table says nothing."""
    names = ("friction", "restitution")
    return {name: getattr(usual if getattr(table, name) is None else table, name) for name in names}


def _stand(world: World, obstacle: ObstacleTable, name: str, manners: dict[str, Any], folder: Path) -> None:
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


def _one_body(scene: Scene) -> Scene:
    """Without bones, in as many modes as they have together."""
    wanted = scene.bodies[0].part.bones
    if wanted is None:
        raise ArgumentError(f"{scene.name} has no bones; one-body is for scenes whose part has some")
    character = scene.bodies[0].character()
    size = sum(bone.model.size for bone in character.bones) if character else wanted.modes
    basis = {"kind": "modes", "size": size}
    keys = scene.without_bones()
    keys["part"][scene.bodies[0].number] = {**keys["part"][0], "basis": basis, "force": "linear"}
    return scene.changed(system="world", **keys)


def _warm(solid: Solid, _labels: Ids) -> None:
    world = World(0.01)
    world.ground()
    world.add(Rigid(solid.mesh, 1000.0), (0.0, 0.2, 0.0))
    world.step()


WORLD = Kind(
    "world",
    lambda scene, body, progress: build_world(scene, [body], progress),
    WorldTable,
    frozenset({"hold", "ground", "obstacle", "joint", "rigid", "bones", "actuate", "drive"}),
    warm=_warm,
    whole=build_world,
    comparisons={
        "world": lambda scene: scene.with_system("world"),
        "bones": lambda scene: scene.with_system("world"),
        "one-body": _one_body,
        "corrected": lambda scene: scene.with_system("world"),
        "uncorrected": with_flaw("uncorrected"),
        "frozen-P": with_flaw("frozen-P"),
    },
    compared=lambda scene: ["bones", "one-body"] if scene.bodies[0].part.bones else ["world"],
)
