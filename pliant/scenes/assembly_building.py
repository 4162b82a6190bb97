"""Assemblies from a scene: ready-made ones, or parts that its places put on each other."""

from pathlib import Path

import numpy as np

from pliant.errors import SceneError
from pliant.numerics import rotation_exponential
from pliant.scenes.assembly import Assembly, Piece, Placement, seat
from pliant.scenes.makers import ASSEMBLIES
from pliant.scenes.part_building import build_mesh, build_solid, made
from pliant.scenes.place_tables import PlaceTable
from pliant.scenes.schema import Part, SceneFile


def build_assembly(scene: SceneFile, part: Part, folder: Path) -> Assembly | None:
    """The assembly that a part is, ready-made, or that the places of a scene make; None where it has one mesh."""
    if part.assembly is not None:
        return made(ASSEMBLIES, part.assembly)
    return _of_places(scene, folder) if scene.place else None


def _of_places(scene: SceneFile, folder: Path) -> Assembly:
    pieces = {part.name: _piece(part, folder) for part in scene.part}
    numbers: dict[str, int] = {}
    placements: list[Placement] = []
    for number, place in enumerate(scene.place):
        placements.append(_placement(place, numbers, placements, pieces))
        numbers[place.label] = number
    return Assembly(pieces, placements)


def _piece(part: Part, folder: Path) -> Piece:
    solid = build_solid(part, build_mesh(part, folder))
    if part.material.groups:
        raise SceneError(f"{part.name}: material.groups are for scenes of one mesh; make another part instead")
    return Piece(solid.mesh, solid.fixed, 0 if part.basis.size == "auto" else part.basis.size)


def _placement(
    place: PlaceTable, numbers: dict[str, int], placements: list[Placement], pieces: dict[str, Piece]
) -> Placement:
    rotation = rotation_exponential(np.radians(place.turn))
    if place.on is None:
        return Placement(place.part, -1, None, rotation, place.scale, np.array(place.foot), np.array(place.at))
    parent = numbers[place.on]
    mesh = pieces[placements[parent].piece].mesh
    triangles = seat(mesh, place.at, place.radius or 1e-9)
    return Placement(place.part, parent, triangles, rotation, place.scale, np.array(place.foot))
