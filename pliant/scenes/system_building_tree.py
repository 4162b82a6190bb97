"""Trees from a scene: a mesh cut into parts, or an assembly of instanced pieces."""

from pathlib import Path

import numpy as np

from pliant.basis.part_basis import part_basis
from pliant.errors import SceneError
from pliant.fem import MATERIALS, Solid
from pliant.numerics import rotation_exponential
from pliant.numerics.progress import COMPILING, Progress
from pliant.reduced import ReducedModel, cached, reduce
from pliant.reduced.rigid import Rigid
from pliant.scenes.assembly import Assembly, Piece, Placement, seat
from pliant.scenes.coupling_tables import PlaceTable
from pliant.scenes.makers import ASSEMBLIES
from pliant.scenes.part_building import build_mesh, build_solid, made
from pliant.scenes.schema import MaterialTable, Part, SceneFile
from pliant.scenes.system_building_seams import build_labels
from pliant.scenes.system_building_wind import wind_of
from pliant.systems import Limb, Tree, substructure


def build_tree(scene: SceneFile, solid: Solid, _folder: Path, progress: Progress) -> Tree:
    """The solid of a scene, cut into limbs, its root thrown as the scene says."""
    wanted = scene.tree
    tree = substructure(
        solid,
        build_labels(scene.part[0], solid),
        wanted.root,
        wanted.inertia,
        wanted.size,
        dt=scene.dt,
        sizes=wanted.sizes or None,
        rule=wanted.rule,
        modes=wanted.modes,
        attachment=wanted.attachment,
        rigid=wanted.rigid,
        instances=wanted.instances,
        damping=scene.damping,
        gravity=scene.gravity,
        passes=wanted.passes,
        progress=progress,
    )
    return _thrown(scene, tree)


def build_assembly_system(scene: SceneFile, assembly: Assembly, progress: Progress) -> Tree:
    """The tree of instanced pieces of a scene, each piece reduced once."""
    wanted, material = scene.tree, scene.part[0].material
    if unknown := [name for name in wanted.rigid if name not in assembly.pieces]:
        raise SceneError(f"tree.rigid names {unknown[0]!r}; the pieces are {', '.join(assembly.pieces)}")
    models: dict[str, ReducedModel | Rigid] = {}
    for number, (name, piece) in enumerate(assembly.pieces.items()):
        if progress:
            progress(name, number / len(assembly.pieces))
        models[name] = _model(piece, _material_of(scene, name, material), name in wanted.rigid)
    stiffenings = [place.stiffening for place in scene.place] or [1.0] * len(assembly.placements)
    limbs = [
        Limb(
            models[placed.piece],
            placed.parent,
            placed.triangles,
            placed.rotation,
            placed.scale,
            placed.origin,
            placed.position,
            stiffening,
            placed.piece,
        )
        for placed, stiffening in zip(assembly.placements, stiffenings)
    ]
    if progress:
        progress(COMPILING, 1.0)
    tree = Tree(limbs, scene.dt, wanted.inertia, scene.damping, scene.gravity, wanted.passes)
    return _thrown(scene, tree)


def _thrown(scene: SceneFile, tree: Tree) -> Tree:
    tree.wind = wind_of(scene)
    if any(scene.tree.velocity) or any(scene.tree.spin):
        tree.velocity, tree.spin = scene.tree.velocity, scene.tree.spin
    return tree


def _material_of(scene: SceneFile, name: str, default: MaterialTable) -> MaterialTable:
    return next((part.material for part in scene.part if scene.place and part.name == name), default)


def _model(piece: Piece, material: MaterialTable, rigid: bool) -> ReducedModel | Rigid:
    young, density = piece.young or material.young, piece.density or material.density
    if rigid or piece.size == 0:
        return Rigid(piece.mesh, density)
    solid = Solid(piece.mesh, MATERIALS[material.model](young, material.poisson, density), piece.fixed)
    return cached(["piece", solid, piece.size], lambda: reduce(solid, part_basis(solid, piece.size)))


def build_assembly(scene: SceneFile, folder: Path) -> Assembly | None:
    """The assembly of a scene, ready-made or of its places; None where it has one mesh."""
    if scene.part[0].assembly is not None:
        return made(ASSEMBLIES, scene.part[0].assembly)
    return _of_places(scene, folder) if scene.place else None


def _of_places(scene: SceneFile, folder: Path) -> Assembly:
    pieces = {part.name: _piece(scene, part, folder) for part in scene.part}
    numbers: dict[str, int] = {}
    placements: list[Placement] = []
    for number, place in enumerate(scene.place):
        placements.append(_placement(place, numbers, placements, pieces))
        numbers[place.label] = number
    return Assembly(pieces, placements)


def _piece(scene: SceneFile, part: Part, folder: Path) -> Piece:
    solid = build_solid(part, build_mesh(part, folder))
    if part.name in scene.tree.rigid:
        return Piece(solid.mesh, solid.fixed, 0)
    if part.basis.size == "auto":
        raise SceneError(f"{part.name}: basis.size must be a number where parts have places")
    if part.material.groups:
        raise SceneError(f"{part.name}: material.groups are for scenes of one mesh; make another part instead")
    return Piece(solid.mesh, solid.fixed, part.basis.size)


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
