"""Colours of a scene: paint for patterns of names of cell groups or instanced pieces, and for selections of cells."""

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase

import numpy as np

from pliant.errors import Array, Ids, SceneError
from pliant.mesh import Mesh
from pliant.scenes.assembly import Assembly
from pliant.scenes.tables import SELECTING

PLAIN = "#7fa8bd"  # where no key fits
ALL = "*"


def build_colours(paint: Mapping[str, str], mesh: Mesh, assembly: Assembly | None) -> Array:
    """(t, 3) of every surface triangle; the last key that fits wins."""
    if assembly is not None:
        return _instance_colours(paint, assembly, [len(piece.mesh.surface) for piece in assembly.pieces.values()])
    return cell_colours(paint, mesh, None)[mesh.surface_cells]


def _instance_colours(paint: Mapping[str, str], assembly: Assembly, counts: Sequence[int]) -> Array:
    """One row for each of the triangles or cells, `counts` of them a piece, of all instances."""
    _check(paint, assembly.pieces)
    rows = {name: np.tile(rgb(_chosen(paint, name)), (count, 1)) for name, count in zip(assembly.pieces, counts)}
    return np.concatenate([rows[placed.piece] for placed in assembly.placements])


def cell_colours(paint: Mapping[str, str], mesh: Mesh, assembly: Assembly | None) -> Array:
    """(m, 3) of every cell; the last key that fits wins."""
    if assembly is not None:
        return _instance_colours(paint, assembly, [piece.mesh.cell_count for piece in assembly.pieces.values()])
    of_cell = np.tile(rgb(PLAIN), (mesh.cell_count, 1))
    for key, colour in paint.items():
        of_cell[_cells(mesh, key)] = rgb(colour)
    return of_cell


def paint_of_body(paint: Mapping[str, str], name: str, alone: bool) -> dict[str, str]:
    """What is said of one body: "ball" paints all of it, "ball: ..." some; alone, it need not be named."""
    own = {}
    for key, colour in paint.items():
        head, colon, tail = key.partition(":")
        if fnmatchcase(name, head.strip()) and (colon or not alone):
            own[tail.strip() or ALL] = colour
        elif alone:
            own[key] = colour
    return own


def check_painted(paint: Iterable[str], names: Sequence[str]) -> None:
    """Of several bodies, every key names one."""
    for key in paint:
        if not any(fnmatchcase(name, key.partition(":")[0].strip()) for name in names):
            raise SceneError(f"paint names {key!r}, which is none of the bodies {', '.join(names)}")


def _cells(mesh: Mesh, key: str) -> Ids:
    """The cells that a selection or a pattern of group names means."""
    if key == ALL:
        return np.arange(mesh.cell_count)
    if set(key) & set(SELECTING):
        return mesh.select_cells(key)
    _check([key], mesh.cell_groups)
    return np.concatenate([cells for name, cells in mesh.cell_groups.items() if fnmatchcase(name, key)])


def _chosen(paint: Mapping[str, str], name: str) -> str:
    return next((colour for pattern, colour in reversed(list(paint.items())) if fnmatchcase(name, pattern)), PLAIN)


def _check(paint: Iterable[str], names: Mapping[str, object]) -> None:
    for pattern in paint:
        if not any(fnmatchcase(name, pattern) for name in names):
            known = f"fits none of {', '.join(list(names)[:12])}" if names else "is a group, of which there are none"
            raise SceneError(f"paint names {pattern!r}, which {known}")


def rgb(text: str) -> Array:
    """(3,) from 0 to 1."""
    return np.array([int(text[at : at + 2], 16) / 255 for at in (1, 3, 5)])
