"""The bodies of a scene: each a part that stands somewhere, with a mesh and a solid of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path

import numpy as np

from pliant.errors import Array, Ids, SceneError, SelectionError
from pliant.fem import Solid
from pliant.mesh import Mesh, Sheet, Surface, split
from pliant.mesh.files.surface_colours import read_colours
from pliant.mesh.sheet import mesh_of
from pliant.mesh.slab import slab_of
from pliant.numerics import rotation_exponential, rotation_logarithm
from pliant.numerics.progress import Progress
from pliant.scenes.assembly import Assembly
from pliant.scenes.assembly_building import build_assembly
from pliant.scenes.bone_building import build_character
from pliant.scenes.copies import copies_of
from pliant.scenes.part_building import build_mesh, build_skin, solid_of
from pliant.scenes.place_tables import BodyTable
from pliant.scenes.schema import Part, SceneFile
from pliant.scenes.tables import split_region
from pliant.systems.world.bones import Character

WORLD = "world"


@dataclass(frozen=True, eq=False)
class Stand:
    """Where a body stands: a point X of its part is at x = R X + t at rest."""

    R: Array
    t: Array

    def __repr__(self) -> str:
        axis_angle = np.degrees(rotation_logarithm(self.R))
        return f"Stand(turn={np.round(axis_angle, 4).tolist()}, at={np.round(self.t, 6).tolist()})"

    @property
    def still(self) -> bool:
        """Is the body where its part is?"""
        return not self.t.any() and np.array_equal(self.R, np.eye(3))

    def points(self, X: Array) -> Array:
        """(n, 3) [m] in the world."""
        return X if self.still else X @ self.R.T + self.t

    def vectors(self, f: Array) -> Array:
        """(..., 3) turned into the world."""
        return f if self.still else f @ self.R.T


@dataclass(frozen=True, eq=False)
class Body:
    """One body of a scene.

    Attributes:
        table: what its table says; one is made up where a scene has none.
        kind: of its system.
        part: what it is made of, the part[number] of the file.
        folder: where files are looked up.
        meshes, characters: of the parts by name, as far as they are made; all bodies of a scene share them.
        own_assembly: its instanced pieces, as they stand before it is moved; None: it is one solid.
    """

    table: BodyTable
    kind: str
    part: Part
    number: int
    folder: Path
    meshes: dict[str, Mesh] = field(repr=False)
    own_assembly: Assembly | None
    characters: dict[str, Character] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        return f"Body({self.name[:60]!r}, {self.kind}, {self.place})"

    @property
    def name(self) -> str:
        return self.table.label

    @property
    def place(self) -> str:
        """Where the file speaks of its part."""
        return f"part[{self.number}]"

    @cached_property
    def stand(self) -> Stand:
        start = self.table.path[0] if self.table.path else self.table
        return Stand(rotation_exponential(np.radians(start.turn)), np.array(start.at))

    @property
    def of_its_part(self) -> "Body":
        """The same, where its part is."""
        return self if self.stand.still else replace(self, table=BodyTable(part=self.part.name))

    @cached_property
    def assembly(self) -> Assembly | None:
        """Its instanced pieces where they stand; None: it is one solid."""
        given = self.own_assembly
        return given if given is None or self.stand.still else given.moved(self.stand.R, self.stand.t)

    @cached_property
    def shape(self) -> Mesh:
        """Its cells in the coordinates of its part, which all selections speak of."""
        if self.own_assembly is not None:
            return self.own_assembly.mesh
        faces = self._faces
        return self.of_part if faces is None else faces

    @property
    def of_part(self) -> Mesh:
        """The cells that its part has: of a shell its triangles, also where its faces touch others."""
        if self.part.name not in self.meshes:
            self.meshes[self.part.name] = build_mesh(self.part, self.folder)
        return self.meshes[self.part.name]

    @cached_property
    def _faces(self) -> Mesh | None:
        """The cells between both faces of a shell in a world; None of all else."""
        thickness, sheet = self.part.shell_thickness, None if self.part.shell_thickness is None else self.of_part
        if self.kind != WORLD or thickness is None or not isinstance(sheet, Sheet):
            return None
        return slab_of(sheet, np.full(sheet.cell_count, 2 * self.padding)).mesh

    @property
    def padding(self) -> float:
        """How far the faces of a shell in a world are from its middle [m]."""
        return self.table.padding or (self.part.shell_thickness or 0.0) / 2

    @cached_property
    def mesh(self) -> Mesh:
        """Its cells where they stand at rest."""
        X = self.shape
        if self.stand.still:
            return X
        return X.moved_to(self.stand.points(X.vertices))

    @cached_property
    def solid(self) -> Solid:
        """The unreduced solid."""
        if self.own_assembly is not None:
            raise SceneError(f"{self.name} is assembled from pieces that only stand on each other; it is no one solid")
        X = self.of_part
        return solid_of(self.part, X if self.stand.still else X.moved_to(self.stand.points(X.vertices)), X)

    def character(self, progress: Progress = None) -> Character | None:
        """Its bones, where its part is; None: it has none."""
        wanted, name = self.part.bones, self.part.name
        if wanted is not None and name not in self.characters:
            solid = self.of_its_part.solid
            self.characters[name] = build_character(wanted, solid, self.part.scale, self.folder, progress)
        return self.characters.get(name)

    @cached_property
    def bone_vertices(self) -> Array:
        """Where the vertices of its bones are at rest (h, 3) [m], which systems have before its own."""
        character = self.character()
        X = [] if character is None else [bone.model.X for bone in character.bones]
        return self.stand.points(np.concatenate([*X, np.zeros((0, 3))]))

    @property
    def labels(self) -> Ids | None:
        """(m,) the part number of every cell; None: its cell groups."""
        return None if self.part.cut is None else split(self.shape, self.part.cut)

    @property
    def has_parts(self) -> bool:
        """Can it be a tree, or have seams?"""
        return self.own_assembly is not None or bool(self.part.cut or self.shape.cell_groups)

    @property
    def surface(self) -> Surface | None:
        """The surface that it is drawn by, where it stands; None: that of its cells."""
        worn = build_skin(self.part, self.folder)
        return worn if worn is None or self.stand.still else Surface(self.stand.points(worn.vertices), worn.triangles)

    @property
    def colours(self) -> Array | None:
        """(t, 3) of the triangles of that surface, as its file has them; None where it has none, or the part is
        one piece of it."""
        worn = build_skin(self.part, self.folder)
        if worn is None or self.part.piece is not None:
            return None
        return read_colours(self.folder / str(self.part.skin), worn.vertices / self.part.scale, worn.triangles)


def bodies_of(scene: SceneFile, folder: Path, meshes: Mapping[str, Mesh]) -> tuple[Body, ...]:
    """The bodies of a scene file; a scene that names none has one. `meshes` of some parts may be at hand."""
    known = dict(meshes)
    numbers = {part.name: number for number, part in enumerate(scene.part)}
    alone = BodyTable(part=scene.part[0].name, name=scene.place[0].label if scene.place else None)
    characters, bodies, assemblies = dict[str, Character](), [], dict[int, Assembly | None]()
    for table in [copy for body in scene.body or [alone] for copy in copies_of(body)]:
        number = numbers[table.part]
        part = scene.part[number]
        if number not in assemblies:
            assemblies[number] = build_assembly(scene, part, folder)
        kind, assembly = table.system or scene.system, assemblies[number]
        bodies.append(Body(table, kind, part, number, folder, known, assembly, characters))
    return tuple(bodies)


def joined_mesh(bodies: Sequence[Body]) -> Mesh:
    """The cells of all bodies at rest, one body after the other."""
    if len(bodies) == 1:
        return bodies[0].mesh
    if len({body.mesh.kind for body in bodies}) > 1:
        raise SceneError("cells of different kinds cannot be joined in one mesh; take those of scene.bodies one by one")
    vertices = np.concatenate([body.mesh.vertices for body in bodies])
    firsts = np.cumsum([0, *(body.shape.vertex_count for body in bodies[:-1])])
    cells = [body.mesh.cells + first for body, first in zip(bodies, firsts)]
    return mesh_of(vertices, np.concatenate(cells))


def first_vertices(bodies: Sequence[Body]) -> list[int]:
    """The numbers that their first vertices have in a system of all bodies, where those of bones come before."""
    counts = [body.shape.vertex_count for body in bodies]
    ends = np.cumsum([len(body.bone_vertices) + count for body, count in zip(bodies, counts)])
    return (ends - counts).tolist()


def rest_places(bodies: Sequence[Body]) -> Array:
    """(n, 3) [m] of all vertices of a system of all bodies."""
    own = [(body.bone_vertices, body.stand.points(body.shape.vertices)) for body in bodies]
    return np.concatenate([each for pair in own for each in pair])


def own_vertex(bodies: Sequence[Body], vertex: int, speaker: str) -> tuple[int, int]:
    """Of a vertex of the meshes of all bodies in a row: the number of its body, and its own there."""
    ends = np.cumsum([body.shape.vertex_count for body in bodies])
    if vertex >= ends[-1]:
        raise SelectionError(f"{speaker} vertex {vertex} is not among {ends[-1]}")
    number = int(np.searchsorted(ends, vertex, side="right"))
    return number, vertex - int(ends[number] - bodies[number].shape.vertex_count)


def selected(bodies: Sequence[Body], region: str, speaker: str) -> Ids:
    """Vertices of a region, in the numbers of a system of all bodies; `speaker` says who asks, for messages."""
    chosen, where = bodies_in(bodies, region, speaker)
    found = [first + body.shape.select(where) for body, first in zip(bodies, first_vertices(bodies)) if body in chosen]
    ids = np.concatenate(found)
    if not len(ids):
        whose = chosen[0].shape if len(chosen) == 1 else ", ".join(body.name for body in chosen)
        raise SelectionError(f"{speaker} where = {region!r} selects no vertex of {whose}")
    return ids


def bodies_in(bodies: Sequence[Body], region: str, speaker: str) -> tuple[list[Body], str]:
    """The bodies that a region names, and the selection behind their name."""
    pattern, where = split_region(region)
    names = ", ".join(body.name for body in bodies)
    if pattern is None and len(bodies) > 1:
        raise SelectionError(
            f'{speaker} where = {region!r} must name a body of {names}, as in "{names.split(",")[0]}: ..."'
        )
    chosen = [body for body in bodies if pattern is None or fnmatchcase(body.name, pattern)]
    if not chosen:
        raise SelectionError(f"{speaker} where = {region!r} names {pattern!r}, which is none of {names}")
    return chosen, where
