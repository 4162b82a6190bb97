"""Colours of a scene: patterns of names, painted on the triangles of cell groups or of instanced pieces."""

from collections.abc import Mapping
from fnmatch import fnmatchcase

import numpy as np

from pliant.errors import Array, SceneError
from pliant.mesh import Mesh
from pliant.scenes.assembly import Assembly

PLAIN = "#7fa8bd"  # where no pattern fits


def cook_colours(paint: Mapping[str, str], mesh: Mesh, assembly: Assembly | None) -> Array:
    """(t, 3) of every surface triangle; the last pattern that fits a name wins."""
    if assembly is not None:
        names = [placed.piece for placed in assembly.placements]
        counts = [len(assembly.pieces[name].mesh.surface) for name in names]
        colours = {name: _rgb(_chosen(paint, name)) for name in assembly.pieces}
        _check(paint, assembly.pieces)
        return np.repeat([colours[name] for name in names], counts, axis=0)
    _check(paint, mesh.cell_groups)
    of_cell = np.tile(_rgb(PLAIN), (mesh.cell_count, 1))
    for name, cells in mesh.cell_groups.items():
        of_cell[cells] = _rgb(_chosen(paint, name))
    return of_cell[mesh.surface_cells]


def _chosen(paint: Mapping[str, str], name: str) -> str:
    return next((colour for pattern, colour in reversed(list(paint.items())) if fnmatchcase(name, pattern)), PLAIN)


def _check(paint: Mapping[str, str], names: Mapping[str, object]) -> None:
    for pattern in paint:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise SceneError(
                f"paint names {pattern!r}, which fits none of {', '.join(list(names)[:12]) or 'no groups'}"
            )


def _rgb(text: str) -> Array:
    return np.array([int(text[at : at + 2], 16) / 255 for at in (1, 3, 5)])
