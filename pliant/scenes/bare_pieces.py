"""A scene for a surface of many loose pieces: copies become instances of a tree, which stand where they lie.

Every shape is made solid and reduced once. It stands on the place that, of all its copies, is nearest to larger pieces;
that copies agree on it tells the stalk of a leaf from a lobe that happens to touch a twig.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from pliant.errors import Array, FileError, Ids, MeshError, check_choice
from pliant.mesh import Mesh, Surface, read_surface
from pliant.mesh.congruence import CongruentPieces, PieceCopy, congruent_pieces, shape_colour
from pliant.mesh.files.paths import existing_file
from pliant.mesh.files.surface_files import SURFACE_ENDINGS
from pliant.mesh.pieces import chosen_pieces
from pliant.mesh.winding import nearest_triangles
from pliant.numerics import rotation_exponential, rotation_logarithm
from pliant.numerics.progress import Progress, report
from pliant.reduced.interface import patch_centroid
from pliant.scenes.assembly import seat
from pliant.scenes.filling import Filling, falls_apart, filling_of
from pliant.scenes.reading import check_scene
from pliant.scenes.scene import AXES, Scene
from pliant.scenes.schema import MOST_PLACES
from pliant.scenes.standing import ENDS, TURNS, checked_held, guessed_up, held_end
from pliant.scenes.stiffness import stiffness_of
from pliant.scenes.units import length_of_unit

CELLS = 500  # of a shape that carries others; of one that carries none, a third
MOST_SHAPES = 100
BASE = 0.15  # of the radius of a piece: vertices not farther than the nearest by this are what it stands on
FEWEST = 6  # vertices of its cells that are held there, at least
APART = 0.5  # of its radius: a piece so far from all others hangs in the air
CARRIER_SIZE, LEAF_SIZE = 12, 6  # basis vectors
STIFFER = 16.0  # than if a piece swung at 2 Hz by itself, since it stands on others that bend
DAMPING = (0.2, 0.004)
DT = 0.01
DIGITS = 9
SAID = 12  # shapes
COUNTS = (1, 1 / 3, 3, 1 / 9)  # times the cells that are wanted
KEEP = "largest"  # of the cells of a piece


@dataclass(frozen=True, eq=False)
class Family:
    """Copies of a shape that no mirror parts, as a piece of a tree.

    Attributes:
        name: for people.
        members: numbers of the loose pieces; the first one lies as the part.
        copies: how they lie, against the first one.
        surface: the first one [units of the file].
        paint: its colour, "#rrggbb".
    """

    name: str
    members: tuple[int, ...]
    copies: tuple[PieceCopy, ...]
    surface: Surface
    paint: str

    @property
    def radius(self) -> float:
        """Root mean square distance of its vertices from their mean, of the mean copy [units]."""
        X = self.surface.vertices
        mean = float(np.mean([copy.scale for copy in self.copies]))
        return mean * float(np.sqrt(((X - X.mean(axis=0)) ** 2).sum(axis=1).mean()))


@dataclass(frozen=True, eq=False)
class Standing:
    """Where the pieces of a surface stand.

    Attributes:
        order: numbers of the pieces, parents before what stands on them.
        parents: by number of the piece; -1 for the root.
        bases: of every family, ids of the vertices of its surface that it stands on; none of the root's.
        loose: pieces that hang in the air.
    """

    order: tuple[int, ...]
    parents: dict[int, int]
    bases: dict[int, Ids]
    loose: int


def scene_of_pieces(
    path: str | PathLike[str],
    *,
    scale: float | None = None,
    unit: str | None = None,
    up: str | None = None,
    fixed: str | None = None,
    material: str | None = None,
    young: float | None = None,
    poisson: float | None = None,
    density: float | None = None,
    progress: Progress = None,
) -> Scene:
    """A scene for a surface file of many loose pieces, which is a tree of instances; `notes` say what was assumed.

    Args:
        scale, unit, up, material, young, poisson, density: as for `scene_of_mesh`.
        fixed: what is held of the largest piece: an end of it, or a selection; None: its feet.
        progress: called with a stage and the fraction of it that is done.
    """
    file = existing_file(Path(path))
    if file.suffix.lower() not in SURFACE_ENDINGS:
        raise FileError(f"{file} has no loose triangles; pieces are found in {' '.join(SURFACE_ENDINGS)}")
    report(progress, "cells", 0.0)
    pieces = congruent_pieces(read_surface(file))
    families = _families(pieces)
    _check(pieces, families, file)
    standing = _standing(pieces, families)
    axis = guessed_up(pieces.surface.bounds) if up is None else check_choice("up", up, tuple(AXES))
    length, size = length_of_unit(float(np.ptp(pieces.surface.bounds, axis=0).max()), scale, unit)
    made = _Making(file, length, axis, fixed, material, {"young": young, "poisson": poisson, "density": density})
    carriers, parts, meshes = set(standing.parents.values()), list[dict[str, Any]](), dict[str, Mesh]()
    for number, family in enumerate(families):
        report(progress, "cells", (number + 1) / (len(families) + 1))
        carries = not carriers.isdisjoint(family.members)
        part, meshes[family.name] = made.part(family, standing.bases.get(number), carries)
        parts.append(part)
    said = [f"{f.name}: {len(f.members)}, E = {part['material']['young']:.3g} Pa" for f, part in zip(families, parts)]
    table = {
        "system": "tree",
        "dt": DT,
        "damping": list(DAMPING),
        "gravity": [0.0, 0.0, 0.0],
        "part": parts,
        "place": _places(families, standing, meshes, length, axis),
        "paint": {family.name: family.paint for family in families},
    }
    if (fixed or "feet") == "feet":
        table["floor"] = float(f"{length * pieces.surface.bounds[0, AXES[axis]]:.6g}")
    notes = (
        f"{len(pieces.copies)} loose pieces of {len(families)} shapes stand on each other; {size}; {axis} is up",
        *(said if len(said) <= SAID else [*said[:SAID], f"and {len(said) - SAID} more"]),
        *([f"{standing.loose} pieces touch no other, and hang on the nearest"] if standing.loose else []),
        "it is drawn as it stands under its weight, so none acts on it",
    )
    return Scene(file.stem, check_scene(table, str(file)), file.parent, meshes, notes)


def _check(pieces: CongruentPieces, families: Sequence[Family], file: Path) -> None:
    if len(pieces.copies) < 2:
        raise MeshError(f"{file} is in one piece; open it without --pieces")
    if len(pieces.copies) > MOST_PLACES:
        raise MeshError(f"{file} is in {len(pieces.copies)} loose pieces; a tree may have {MOST_PLACES}")
    if len(families) > MOST_SHAPES:
        raise MeshError(
            f"{file} has loose pieces of {len(families)} shapes, each of which would be made solid by itself; "
            f"{MOST_SHAPES} may be: open it without --pieces"
        )


def _families(pieces: CongruentPieces) -> tuple[Family, ...]:
    """Mirrored copies are a family of their own, which has a model of its own."""
    members: dict[tuple[int, bool], list[int]] = {}
    for number, copy in enumerate(pieces.copies):
        members.setdefault((copy.shape, copy.mirrored), []).append(number)
    return tuple(
        Family(
            f"shape {shape}{', mirrored' if mirrored else ''}",
            tuple(numbers),
            tuple(_against(pieces.copies[numbers[0]], pieces.copies[number]) for number in numbers),
            pieces.piece(numbers[0]),
            _hex(shape_colour(shape, int(pieces.counts[shape]), mirrored)),
        )
        for (shape, mirrored), numbers in members.items()
    )


def _against(first: PieceCopy, other: PieceCopy) -> PieceCopy:
    """How a copy lies against another one of the same hand."""
    R, scale = other.rotation @ first.rotation.T, other.scale / first.scale
    return PieceCopy(other.shape, R, scale, other.shift - scale * R @ first.shift)


def _hex(rgb: Iterable[float]) -> str:
    return "#" + "".join(f"{round(255 * value):02x}" for value in rgb)


def _standing(pieces: CongruentPieces, families: Sequence[Family]) -> Standing:
    """From the largest piece on: each on the nearest one of a larger shape, or else on one that stands already."""
    ranked = sorted(range(len(families)), key=lambda k: -families[k].radius)
    size_of = {m: f.radius for f in families for m in f.members}
    root = max(families[ranked[0]].members, key=lambda member: size_of[member])
    order, parents, bases, loose = [root], {root: -1}, {}, 0
    for rank in ranked:
        family = families[rank]
        left = [k for k, member in enumerate(family.members) if member != root]
        while left:
            soup, owners = _joined(pieces, order)
            x = np.stack([family.copies[k].placed(family.surface.vertices) for k in left])
            gaps, triangles = nearest_triangles(soup, x.reshape(-1, 3))
            reach = family.radius
            gaps, owner = gaps.reshape(len(left), -1) / reach, owners[triangles].reshape(len(left), -1)
            if rank not in bases:
                bases[rank] = _base(gaps)
            near = gaps[:, bases[rank]].mean(axis=1)
            touching = near <= APART
            if not touching.any():
                touching = near == near.min()
                loose += int(touching.sum())
            for row in np.flatnonzero(touching):
                member = family.members[left[row]]
                parents[member] = int(_commonest(owner[row, bases[rank]]))
                order.append(member)
            left = [k for k, done in zip(left, touching) if not done]
    return Standing(tuple(order), parents, bases, loose)


def _base(gaps: Array) -> Ids:
    """Vertices that are nearest to larger pieces, in the middle one of all copies (c, n)."""
    middle = np.median(gaps[gaps.min(axis=1) <= np.median(gaps.min(axis=1))], axis=0)
    return np.flatnonzero(middle <= middle.min() + BASE)


def _commonest(numbers: Ids) -> int:
    values, counts = np.unique(numbers, return_counts=True)
    return int(values[counts.argmax()])


def _joined(pieces: CongruentPieces, members: Sequence[int]) -> tuple[Surface, Ids]:
    """The triangles of some pieces, and the piece of each."""
    chosen = np.isin(pieces.piece_of_triangle, members)
    return Surface(pieces.surface.vertices, pieces.surface.triangles[chosen]), pieces.piece_of_triangle[chosen]


@dataclass(frozen=True, eq=False)
class _Making:
    """How parts are made: their file, its unit [m], the axis of it that is up, and what is said of all of them."""

    file: Path
    length: float
    axis: str
    fixed: str | None
    material: str | None
    constants: dict[str, float | None]

    def part(self, family: Family, base: Ids | None, carries: bool) -> tuple[dict[str, Any], Mesh]:
        """The table of a part, and its cells [m]; without a base it is the root, and `fixed` holds it."""
        filling = _in_one_piece(family.surface, CELLS if carries or base is None else CELLS // 3)
        kept = chosen_pieces(filling.mesh, KEEP)[0]
        mesh = kept.moved_to(self.length * kept.vertices)
        held = self._held(mesh) if base is None else _around(self.length * family.surface.vertices[base], mesh)
        part: dict[str, Any] = {"name": family.name, "surface": self.file.name, "piece": family.members[0]}
        part |= {**filling.table, "keep": KEEP, "skin": self.file.name, "fixed": held}
        part["basis"] = {"size": CARRIER_SIZE if carries else LEAF_SIZE}
        part["material"] = self._material(mesh, held, alone=base is None)
        return part | ({"scale": self.length} if self.length != 1.0 else {}), mesh

    def _held(self, mesh: Mesh) -> str:
        end = self.fixed or "feet"
        return held_end(mesh, end, self.axis) if end in ENDS else checked_held(mesh, end)

    def _material(self, mesh: Mesh, held: str, alone: bool) -> dict[str, Any]:
        table = stiffness_of(mesh, held, self.material, self.constants, self.axis).table
        if self.material is None and self.constants["young"] is None and not alone:
            table["young"] = float(f"{STIFFER * table['young']:.3g}")
        return table


def _in_one_piece(surface: Surface, count: int) -> Filling:
    """Filled with about so many cells, or fewer or more where thin limbs would come off."""
    for times in COUNTS:
        filling = filling_of(surface, count=round(times * count), in_one_piece=True)
        if not falls_apart(filling.mesh):
            break
    return filling


def _around(X: Array, mesh: Mesh) -> str:
    """A selection of the vertices of a mesh in a ball around some points, enough to stand on."""
    centre = X.mean(axis=0)
    far = np.sort(np.linalg.norm(mesh.vertices - centre, axis=1))
    radius = max(float(np.linalg.norm(X - centre, axis=1).max()), float(far[min(FEWEST, len(far)) - 1]) * 1.001)
    terms = " + ".join(f"({axis} - {c:.6g})**2" for axis, c in zip("xyz", centre)).replace("- -", "+ ")
    return f"{terms} < {radius**2:.6g}"


def _places(
    families: Sequence[Family], standing: Standing, meshes: dict[str, Mesh], length: float, axis: str
) -> list[dict[str, Any]]:
    """Every piece where it lies, turned so that y goes up: its foot is the point that the seat of its parent is at."""
    upright = rotation_exponential(np.radians(TURNS[axis]))
    lies = {m: (number, copy) for number, f in enumerate(families) for m, copy in zip(f.members, f.copies)}
    lies = {m: (number, replace(copy, shift=length * copy.shift)) for m, (number, copy) in lies.items()}
    seats: dict[tuple[int, tuple[float, ...]], Array] = {}
    places = []
    for member in standing.order:
        number, copy = lies[member]
        family, parent = families[number], standing.parents[member]
        place: dict[str, Any] = {"part": family.name, "name": f"piece {member}"}
        if parent < 0:
            origin = copy.placed(np.zeros(3))
            place["at"] = _rounded(upright @ origin)
        else:
            on, carrier = lies[parent]
            base = copy.placed(length * family.surface.vertices[standing.bases[number]])
            at = tuple(_rounded((base.mean(axis=0) - carrier.shift) @ carrier.rotation / carrier.scale))
            if (on, at) not in seats:
                mesh = meshes[families[on].name]
                seats[on, at] = patch_centroid(mesh.vertices, seat(mesh, np.array(at), 1e-9))
            foot = (carrier.placed(seats[on, at]) - copy.shift) @ copy.rotation / copy.scale
            place |= {"on": f"piece {parent}", "at": list(at), "foot": _rounded(foot)}
        turn = np.degrees(rotation_logarithm(upright @ copy.rotation))
        if np.abs(turn).max() > 1e-9:
            place["turn"] = _rounded(turn)
        if abs(copy.scale - 1) > 1e-12:
            place["scale"] = float(f"{copy.scale:.{DIGITS}g}")
        places.append(place)
    return places


def _rounded(x: Array) -> list[float]:
    return [float(f"{value:.{DIGITS}g}") for value in x]
