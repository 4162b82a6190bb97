"""Colours of a scene: paint for patterns of names of cell groups or instanced pieces, and for selections of cells."""

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

import numpy as np

from pliant.errors import Array, Ids, SceneError
from pliant.mesh import Mesh
from pliant.scenes.assembly import Assembly

PLAIN = "#7fa8bd"  # where no key fits
SELECTING = "<>=("  # in no name of a group, but in every selection


def build_colours(paint: Mapping[str, str], mesh: Mesh, assembly: Assembly | None) -> Array:
    """(t, 3) of every surface triangle; the last key that fits wins."""
    if assembly is not None:
        names = [placed.piece for placed in assembly.placements]
        counts = [len(assembly.pieces[name].mesh.surface) for name in names]
        colours = {name: _rgb(_chosen(paint, name)) for name in assembly.pieces}
        _check(paint, assembly.pieces)
        return np.repeat([colours[name] for name in names], counts, axis=0)
    of_cell = np.tile(_rgb(PLAIN), (mesh.cell_count, 1))
    for key, colour in paint.items():
        of_cell[_cells(mesh, key)] = _rgb(colour)
    return of_cell[mesh.surface_cells]


def _cells(mesh: Mesh, key: str) -> Ids:
    """The cells that a selection or a pattern of group names means."""
    if any(sign in key for sign in SELECTING):
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


def _rgb(text: str) -> Array:
    return np.array([int(text[at : at + 2], 16) / 255 for at in (1, 3, 5)])
