"""What a body of a scene is drawn by: surfaces that it wears, and colours."""

from pliant.errors import Array
from pliant.mesh import Mesh, Surface, read_surface
from pliant.mesh.files.surface_texture import Texture, read_texture
from pliant.scenes.assembly import Assembly
from pliant.scenes.bodies import Body
from pliant.scenes.painting import build_colours, cell_colours, paint_of_body
from pliant.scenes.part_building import build_skin
from pliant.scenes.schema import SceneFile
from pliant.skin import Worn, wear
from pliant.systems import System
from pliant.systems.joining import bare, joined_worn


def dress(scene: SceneFile, body: Body, system: System) -> None:
    """Let the system of a body wear the skin of its part, or of each of its pieces, in the colours of the scene.

    Without paint, the skin of a part has the colours of its file.
    """
    worn = _worn(scene, body)
    if worn is not None:
        system.wear(worn)
        system.texture = _texture(scene, body)
    paint = paint_of_body(scene.paint, body.name, alone=len(scene.body) < 2)
    if not paint:
        if system.worn is not None and body.assembly is None:
            system.paint(body.colours)
        return
    if system.worn is None:
        system.paint(build_colours(paint, body.shape, body.assembly))
    else:
        system.paint(_worn_colours(paint, body, system.worn))


def _worn(scene: SceneFile, body: Body) -> Surface | Worn | None:
    if scene.skin is not None:
        return read_surface(body.folder / scene.skin)
    if body.assembly is not None and scene.place:
        skins = {part.name: build_skin(part, body.folder) for part in scene.part}
        return _worn_by_pieces(body.assembly, skins) if any(skins.values()) else None
    return body.surface


def _texture(scene: SceneFile, body: Body) -> Texture | None:
    """That of the file that the body wears."""
    if scene.skin is None and (body.assembly is not None or body.part.skin is None or body.part.piece is not None):
        return None
    path = body.folder / str(scene.skin or body.part.skin)
    surface = read_surface(path)
    return read_texture(path, surface.vertices, surface.triangles)


def _worn_by_pieces(assembly: Assembly, skins: dict[str, Surface | None]) -> Worn:
    """Every piece wears its own, once hung on its cells, or is there with its own surface."""
    local = {name: _hung(piece.mesh, skins[name]) for name, piece in assembly.pieces.items()}
    meshes = [assembly.pieces[placed.piece].mesh for placed in assembly.placements]
    worn = []
    for number, placed in enumerate(assembly.placements):
        own = local[placed.piece]
        x = assembly.positions[number] + placed.scale * (own.surface.vertices - placed.origin) @ placed.rotation.T
        worn.append(Worn(Surface(x, own.surface.triangles), own.embedding))
    return joined_worn(meshes, worn)


def _hung(mesh: Mesh, surface: Surface | None) -> Worn:
    return bare(mesh, mesh.surface) if surface is None else wear(mesh, surface)


def _worn_colours(paint: dict[str, str], body: Body, worn: Worn) -> Array:
    """(t, 3): every triangle has the colour of the cell that carries its first corner."""
    of_cell = cell_colours(paint, body.shape, body.assembly)
    return of_cell[worn.embedding.cells[worn.surface.triangles[:, 0]]]
