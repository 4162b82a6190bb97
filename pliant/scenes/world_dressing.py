"""What a world is drawn by: surfaces that its bodies wear, and a colour for each of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from pliant.errors import Array, Ids
from pliant.mesh import Surface
from pliant.mesh.embedding import Embedding
from pliant.scenes.bodies import Body
from pliant.scenes.painting import ALL, build_colours, cell_colours, check_painted, paint_of_body, rgb
from pliant.scenes.part_building import build_skin
from pliant.scenes.schema import SceneFile
from pliant.skin import Worn, wear
from pliant.systems import World
from pliant.systems.joining import bare
from pliant.systems.world.obstacle import Obstacle

# Of bodies that nobody painted, one after the other.
PALETTE = ("#c8553d", "#e0a030", "#5b8e4b", "#3f88a5", "#7d66ab", "#c06c93", "#8f7a5c", "#4d6fae")
STONE = "#b9b4ab"  # of obstacles


def dress_world(scene: SceneFile, bodies: Sequence[Body], world: World) -> None:
    """Bodies wear the skins of their parts; each has the paint of the scene, or a colour of its own."""
    names = [body.name for body in world.bodies]
    check_painted(scene.paint, names)
    worn = _worn_parts(bodies)
    if worn:
        world.wear(_joined(world, bodies, worn))
    colours = []
    for k, body in enumerate(bodies):
        paint = {ALL: PALETTE[k % len(PALETTE)], **paint_of_body(scene.paint, body.name, alone=False)}
        colours.append(_colours(paint, body, worn.get(body.part.name)))
    for each in _obstacles(world):
        paint = {ALL: STONE, **paint_of_body(scene.paint, each.name, alone=False)}
        colours.append(np.tile(rgb(paint[ALL]), (len(drawn_triangles(each.model)), 1)))
    world.paint(np.concatenate(colours))


def _obstacles(world: World) -> list[Any]:
    """The bodies of a world that no body of its scene is, nor a bone of one."""
    return [body for body in world.bodies if isinstance(body.model, Obstacle)]


def drawn_triangles(model: Any) -> Ids:
    """(t, 3) of a model with cells, or of an obstacle."""
    return model.triangles if hasattr(model, "triangles") else model.mesh.surface


def _colours(paint: dict[str, str], body: Body, worn: Worn | None) -> Array:
    """(t, 3): every triangle of what is worn has the colour of the cell that carries its first corner."""
    if worn is None:
        return build_colours(paint, body.shape, body.own_assembly)
    return cell_colours(paint, body.shape, None)[worn.embedding.cells[worn.surface.triangles[:, 0]]]


def _worn_parts(bodies: Sequence[Body]) -> dict[str, Worn]:
    """By the name of their part; none where no part has a skin, and all where one has."""
    of_part = {body.part.name: body for body in bodies}
    skins = {name: build_skin(body.part, body.folder) for name, body in of_part.items()}
    if not any(skins.values()):
        return {}
    shapes = {name: body.shape for name, body in of_part.items()}
    return {
        name: bare(shapes[name], shapes[name].surface) if skin is None else wear(shapes[name], skin)
        for name, skin in skins.items()
    }


def _joined(world: World, bodies: Sequence[Body], worn: dict[str, Worn]) -> Worn:
    """On the vertices of all bodies in a row; obstacles, which have no cells, are there as they are."""
    each = [worn[body.part.name] for body in bodies]
    surfaces = [one.surface for one in each]
    surfaces += [Surface(body.model.X, drawn_triangles(body.model)) for body in _obstacles(world)]
    bones = [sp.csr_matrix((len(one.surface.vertices), len(body.bone_vertices))) for one, body in zip(each, bodies)]
    rows = [sp.hstack([hidden, one.embedding.rows]) for hidden, one in zip(bones, each)]
    rows += [sp.identity(len(surface.vertices), format="csr") for surface in surfaces[len(each) :]]
    firsts = np.cumsum([0, *(len(surface.vertices) for surface in surfaces)])
    vertices = np.concatenate([surface.vertices for surface in surfaces])
    triangles = np.concatenate([surface.triangles + first for surface, first in zip(surfaces, firsts)])
    nowhere = np.zeros(len(vertices), dtype=np.int64)
    embedding = Embedding(sp.block_diag(rows, format="csr"), nowhere, nowhere.astype(bool))
    return Worn(Surface(vertices, triangles), embedding)
