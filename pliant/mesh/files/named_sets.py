"""Named sets of a file that meshio has read: sets of volume cells become cell groups, all others vertex groups.

Gmsh calls its sets physical groups. Version 4.1 lists those with names, version 2.2 gives every element a number.
"""

from typing import Any

import numpy as np

from pliant.errors import Ids

GMSH = "gmsh:"  # meshio's prefix for what is Gmsh's own
ENTITIES = ("point", "curve", "surface", "volume")


def vertex_groups(content: Any) -> dict[str, Ids]:
    """Point sets, and the vertices of the sets of points, lines and faces."""
    groups = {name: [np.asarray(ids, dtype=np.int64)] for name, ids in content.point_sets.items()}
    for name, block, members in _sets(content):
        if content.cells[block].dim < 3:
            groups.setdefault(name, []).append(np.asarray(content.cells[block].data)[members].ravel())
    return {name: np.unique(np.concatenate(parts)) for name, parts in groups.items()}


def cell_groups(content: Any, blocks: list[int]) -> dict[str, Ids]:
    """Sets of the cells of some blocks, numbered in the order of these blocks."""
    starts = dict(zip(blocks, np.cumsum([0] + [len(content.cells[i].data) for i in blocks])))
    groups: dict[str, list[Ids]] = {}
    for name, block, members in _sets(content):
        if block in starts:
            groups.setdefault(name, []).append(members + starts[block])
    return {name: np.unique(np.concatenate(parts)) for name, parts in groups.items()}


def _sets(content: Any) -> list[tuple[str, int, Ids]]:
    """Name, block and members of every set that has any."""
    found = []
    for name, blocks in content.cell_sets.items():
        if not name.startswith(GMSH):
            found += [(name, block, np.asarray(ids, np.int64)) for block, ids in enumerate(blocks) if ids is not None]
    return [entry for entry in found + _physical_sets(content) if len(entry[2])]


def _physical_sets(content: Any) -> list[tuple[str, int, Ids]]:
    """Sets by Gmsh's numbers; zero is none."""
    if f"{GMSH}physical" not in content.cell_data:
        return []
    names = {(int(tag), int(dim)): name for name, (tag, dim) in content.field_data.items()}
    found = []
    for block, tags in enumerate(content.cell_data[f"{GMSH}physical"]):
        dim = content.cells[block].dim
        for tag in np.unique(tags[tags != 0]):
            name = names.get((int(tag), dim), f"physical {ENTITIES[dim]} {tag}")
            found.append((name, block, np.flatnonzero(tags == tag)))
    return found
