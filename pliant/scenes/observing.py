"""What is noted of a whole system while a scene runs, as its checks ask for it."""

from collections.abc import Callable
from typing import Any

import numpy as np

from pliant.scenes.field_building import fields_of_scene
from pliant.scenes.schema import SceneFile
from pliant.scenes.verdict import Track
from pliant.scenes.world_measures import (
    Depths,
    contact_forces,
    deepest_fold,
    edge_angles,
    rotations,
    tilts,
    volumes,
    widest_gap,
)
from pliant.systems import System

Observer = Callable[[Track], None]


def observers(scene: SceneFile, system: System) -> list[Observer]:
    """One for each thing that some check measures."""
    asked = {check.measure for check in scene.check}
    makers: dict[str, Callable[[SceneFile, Any], Observer]] = {}
    for measures, make in MAKERS:
        makers |= dict.fromkeys(measures, make)
    return [make(scene, system) for make in dict.fromkeys(makers[measure] for measure in asked if measure in makers)]


def _momenta(_: SceneFile, system: System) -> Observer:
    return lambda track: track.momenta.append(np.concatenate(system.momentum()))


def _energies(_: SceneFile, system: System) -> Observer:
    return lambda track: track.energies.append(system.energy())


def _depths(scene: SceneFile, world: Any) -> Observer:
    depths = Depths(world, fields_of_scene(scene))
    return lambda track: track.depths.append(depths.deepest())


def _gaps(_: SceneFile, world: Any) -> Observer:
    return lambda track: track.gaps.append(widest_gap(world))


def _swellings(_: SceneFile, world: Any) -> Observer:
    before = volumes(world)
    return lambda track: track.swellings.append(float(np.abs(volumes(world) / before - 1).max()))


def _folds(_: SceneFile, world: Any) -> Observer:
    return lambda track: track.folds.append(deepest_fold(world))


def _bends(_: SceneFile, world: Any) -> Observer:
    before = edge_angles(world)

    def note(track: Track) -> None:
        bent = [float(np.abs(now - rest).mean()) for now, rest in zip(edge_angles(world), before)]
        track.bends.append(max(bent, default=0.0))

    return note


def _tilts(_: SceneFile, world: Any) -> Observer:
    before = rotations(world)
    return lambda track: track.tilts.update(tilts(before, rotations(world)))


def _forces(_: SceneFile, world: Any) -> Observer:
    def note(track: Track) -> None:
        for name, force in contact_forces(world).items():
            track.forces.setdefault(name, []).append(force)

    return note


MAKERS: tuple[tuple[tuple[str, ...], Callable[[SceneFile, Any], Observer]], ...] = (
    (("momentum", "momentum drift", "angular momentum drift"), _momenta),
    (("energy drift", "energy gain"), _energies),
    (("penetration",), _depths),
    (("joint gap",), _gaps),
    (("volume",), _swellings),
    (("self penetration",), _folds),
    (("roughness",), _bends),
    (("tilt",), _tilts),
    (("contact force",), _forces),
)
