"""Every public class says what it is in one short line, and every public signature can be read."""

import importlib
import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import pliant as pl
from pliant import control, export, skin
from pliant.basis import Basis, SizeReport
from pliant.export.camera import Camera
from pliant.mesh import domains_of, embed, sdf
from pliant.mesh.bones import Armature
from pliant.reduced import interface_map
from pliant.reduced.groups import groups_of
from pliant.scenes import Scene, Track
from pliant.scenes.controlling import Control
from pliant.scenes.kinds import SYSTEMS
from pliant.scenes.reading import parse_scene
from pliant.scenes.schedule import Schedule
from pliant.scenes.sounding import Listening

ROOMS = ("mesh", "fem", "basis", "reduced", "skin", "export", "control", "scenes", "systems")
LONGEST = 120
ABSTRACT = {"Material", "Force", "Objective", "System"}  # nothing is one of these alone
ANY_NAMES = {"State"}  # its keywords are the names of arrays


def instances():
    """At least one of every public class, where sizes and names are long."""
    mesh = pl.shapes.bar((1, 0.2, 0.2), (8, 2, 2))
    young = np.linspace(1.23456789e5, 9.87654321e9, mesh.cell_count)
    solids = [pl.Solid(mesh, kind(young, 0.3), fixed="x < 0.01") for kind in (pl.NeoHookean, pl.Corotational)]
    solids += [
        pl.Solid(mesh, kind(1.23456789e5, 1 / 3), fixed="x < 0.01") for kind in (pl.StVK, pl.Linear, pl.FirmStVK)
    ]
    solid = solids[2]
    solids.append(pl.Shell(pl.shapes.sheet(), pl.StVK(1.23456789e5, 1 / 3), 1.23456789e-3, fixed="x < 0.01"))
    modes = pl.vibration_modes(solid, 3)
    model = pl.reduce(solid, Basis(modes.vectors))
    linear = pl.reduce(solid, Basis(modes.vectors), force="linear")
    trained = pl.reduce(solid, Basis(modes.vectors), force="cubature", samples=10)
    surface = pl.Surface(mesh.vertices, mesh.surface)
    labels = (mesh.centroids[:, 0] > 0.5).astype(int)
    domains = domains_of(mesh, labels)
    body = skin.plain_skin(model.X, mesh.surface, model.U)
    loads = body.gather(body.rest, np.ones((mesh.vertex_count, 3)))
    system = pl.Clamped(model, 0.01, gravity=None)
    tracking = control.Tracking({2: np.ones(3)}, np.eye(3))
    optimum = control.optimise(system, np.eye(3), tracking, np.zeros((3, 3)), iterations=1)
    return [
        *(mesh, surface, embed(mesh, [[0.1, 0.1, 0.1], [9, 9, 9]]), domains, domains.parts[0]),
        sdf.box((1 / 3, 2 / 3, 1e-7)),
        solids[-1].mesh,
        *(each.material for each in solids),
        *solids,
        SizeReport(7, 1 / 3, np.array([5, 7]), np.full((2, 3), 2 / 3)),
        *(modes, Basis(modes.vectors), model, linear, trained, pl.Rigid(mesh, young)),
        *(model.force_law, linear.force_law, trained.force_law, groups_of(solids[0]), model.inertia),
        *(interface_map(model, mesh.surface[:2]), interface_map(pl.Rigid(mesh), mesh.surface[:2])),
        *(
            body,
            body.parts[0],
            body.rest,
            body.points([1, 2]),
            system.rates(),
            loads,
            loads[0],
            skin.wear(mesh, surface),
            skin.RotationStrainWarp(mesh),
        ),
        *(pl.Parting.of(mesh).renamed(0, "a long name " * 20), pl.congruent_pieces(surface)),
        *(body.points([1, 2]), system.rates()),
        *(Camera((1 / 3, 2 / 3, 1e5), (1e-9, 2 / 3, 0)), export.record(system, 0.1, name="a long name " * 20)),
        *(tracking, tracking.stage(1, *np.ones((3, 3))), optimum, optimum.trajectory),
        control.regulate(optimum.trajectory),
        control.Fit({"young": 1e6 / 3}, {"young": 1 / 3}, np.eye(1), 1e-9 / 3, system, 7),
        *steered(system),
        *sounds(solid),
        pl.Wind((1 / 3, 2e5 / 3, 1e-5), gust=1 / 3),
        *systems(system),
        *scenes(),
    ]


def steered(system):
    """Actuators, a path, what follows it, what a scene gives of both, a keyframe, and a motion to it."""
    tip = system.mesh.select("x > 0.99")
    muscle = control.Muscle(tip, system.mesh.select("x > 0.4 and x < 0.6"), 1e5 / 3)
    path, patch = control.note_path(system, 2), control.Patch(tip, (1e5 / 3, 1 / 3, 0))
    follower = control.track(path, [muscle, patch], 1 / 3)
    whole = Control(follower, follower, Schedule([], []))
    there = control.Keyframe(2e5 * system.dt / 1e5, np.zeros(system.size))
    return [
        muscle,
        patch,
        path,
        follower,
        follower.model,
        follower.model.motions,
        whole,
        there,
        pl.reach(system, [there]),
    ]


def systems(clamped):
    """Every kind of system, and what they are made of and give."""
    mesh = pl.shapes.bar((1, 0.2, 0.2), (4, 1, 1))
    solid, halves = pl.Solid(mesh, pl.StVK(1e5, 0.3), fixed="x < 0.01"), (mesh.centroids[:, 0] > 0.5).astype(int)
    tree = pl.substructure(solid, halves, size=6, modes=2, dt=0.01)
    made = [clamped, tree, pl.Full(solid, 0.01), pl.couple(solid, halves, 0, 1, dt=0.01, nonlinear=False)]
    made += [pl.couple_nonlinear(solid, halves, 0, 1, dt=0.01, modes=2), pl.Bodies([tree, made[2]], ["one", "two"])]
    world = pl.World(0.01)
    ball = world.add(pl.Rigid(mesh), name="a long name " * 5)
    made.append(world)
    things = [ball, world.join(ball, 0), pl.Haptics(world, ball), *characters(world)]
    return [*made, *(each.state() for each in made), *tree.limbs, *things]


def sounds(solid):
    """What is heard: a voice of each kind, a hammer, a sound track, and what a scene listens with."""
    sound = pl.Sound(solid, modes=4)
    world = pl.World(0.01)
    hearing = pl.Hearing(world, {world.add(pl.Rigid(solid.mesh), name="a long name " * 5): sound})
    track = export.Soundtrack(np.zeros((441, 2)), 44100)
    listening = Listening(44100, {"a long name " * 5: sound}, hearing, hearing.forces, {})
    return [sound, pl.NonlinearSound(solid, modes=3, size=4), hearing, pl.Hammer(1 / 3), track, listening]


def characters(world):
    """A skeleton, a character of two bones, and what it is in a world."""
    mesh = pl.shapes.bar((1, 0.2, 0.2), (6, 1, 1))
    spine = pl.Skeleton([[(0.1, 0, 0), (0.4, 0, 0)], [(0.6, 0, 0), (0.9, 0, 0)]], ["a long name " * 5, "tail"])
    made = pl.bones(pl.Solid(mesh, pl.Linear(1e5, 0.3)), pl.bone_weights(mesh, spine), modes=2, names=spine.names)
    placed = world.add(made, (0, 5, 0))
    surface, shares = pl.Surface(mesh.vertices, mesh.surface), np.ones((mesh.vertex_count, 1))
    rig = pl.Rig(
        surface, Armature(("a long name " * 5,), np.array([-1]), np.zeros((1, 3)), np.eye(3)[None]), shares, {}
    )
    dab = pl.Dab("a long name " * 5, [(1 / 3, 0, 0)], 1 / 3)
    return [rig.armature, *world.rigs, spine, made, *made.bones, placed, placed.skin, placed.skin.model, rig, dab]


def scenes():
    """What scenes give to look at: a tree of pieces, and a file with several bodies, a push and two hands."""
    oak, several = pl.load_scene("oak"), Scene("a long name " * 20, parse_scene(SEVERAL), Path())
    track = Track([0.0, 0.01], {"tip": [1 / 3, 2 / 3]}, [np.ones(6), np.ones(6)])
    shown = [each for scene in (oak, several) for each in (scene, scene.file, scene.schedule, *scene.bodies)]
    shown += [*several.schedule.hands, *(body.stand for body in several.bodies)]
    shown += [*list(oak.assembly.pieces.values()), *oak.assembly.placements[:2], *SYSTEMS.values()]
    return [*shown, track, Track(), *several.verify(track)]


SEVERAL = b"""
title = "A title that is rather long, since people like to explain what they have made in it"
system = "full"
dt = 0.01
[[part]]
shape = { name = "bar", size = [1, 0.2, 0.2], cells = [4, 1, 1] }
[[body]]
part = "part"
name = "first"
[[body]]
part = "part"
name = "second"
at = [0.333333333333, 1e3, 1e-7]
turn = [10, 20, 33.3333333333]
[[push]]
where = "first: x > 0.9"
force = [0, 1, 0]
[[hold]]
where = "first: x < 0.01"
[[hold]]
where = "second: x < 0.01"
until = 0.333333333333333
[[probe]]
name = "tip"
where = "first: x > 0.9"
[[check]]
probe = "tip"
measure = "max"
value = 0.333333333333333
within = 0.1
[[check]]
measure = "angular momentum drift"
within = 1e-12
"""


@pytest.fixture(scope="module")
def shown():
    return instances()


def public(room):
    home = importlib.import_module(f"pliant.{room}")
    return {name: getattr(home, name) for name in home.__all__}


def test_every_public_class_is_among_those_shown(shown):
    wanted = {name for room in ROOMS for name, thing in public(room).items() if inspect.isclass(thing)} - ABSTRACT
    stub = {name for name in pl.__all__ if inspect.isclass(getattr(pl, name))}
    own = {name for name in stub if not getattr(pl, name).__module__.startswith(("pliant.systems", "pliant.errors"))}
    assert wanted | own <= {type(thing).__name__ for thing in shown}


def test_public_objects_show_in_one_short_line(shown):
    for thing in shown:
        line = repr(thing)
        assert line.startswith(f"{type(thing).__name__}("), line
        assert len(line) < LONGEST, line
        assert "\n" not in line, line
        assert not re.search(r"0x[0-9a-f]{6}|array\(", line), line


def test_representation_names_sizes_and_kinds(shown):
    model = next(thing for thing in shown if isinstance(thing, pl.ReducedModel))
    assert repr(model) == "ReducedModel(r=3, 81 vertices, stvk, cubic)"
    assert repr(pl.StVK(2e8, 0.3)) == "StVK(young=2e+08, poisson=0.3, density=1000)"


@pytest.mark.parametrize("room", ROOMS)
def test_public_signatures_can_be_read(room):
    for name, thing in public(room).items():
        if callable(thing) and name not in ABSTRACT | ANY_NAMES:
            kinds = {parameter.kind for parameter in inspect.signature(thing).parameters.values()}
            assert not kinds or kinds - {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}, name
        for label, function in functions_of(name, thing):
            assert not re.search(r"_typing|<\w+ object| object at 0x", str(inspect.signature(function))), label


def functions_of(name, thing):
    """A public function or class, and the methods and properties of a class, each with its name."""
    found = [(name, thing)] if callable(thing) else []
    for key, value in inspect.getmembers(thing) if inspect.isclass(thing) else []:
        function = getattr(value, "fget", getattr(value, "func", value))
        if not key.startswith("_") and (inspect.isfunction(function) or inspect.ismethod(function)):
            found.append((f"{name}.{key}", function))
    return found


def test_signatures_say_arrays_in_a_word():
    assert "gravity: 'ArrayLike | None'" in str(inspect.signature(pl.Clamped))
