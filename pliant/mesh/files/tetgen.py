"""TetGen's pair of files: .node with the vertices and .ele with the tets."""

from os import PathLike
from pathlib import Path

import numpy as np

from pliant.errors import Array, FileError, Ids
from pliant.mesh.cell_kinds import KINDS
from pliant.mesh.files.contents import MeshContents
from pliant.mesh.files.numbered_rows import content_lines, header_counts, numbered_rows, whole_numbers
from pliant.mesh.files.paths import existing_file, replacing


def read_tetgen(path: Path) -> MeshContents:
    """Vertices and tets; `path` is either file of the pair."""
    node_file, cell_file = (existing_file(path.with_suffix(ending)) for ending in (".node", ".ele"))
    base, vertices = _table(node_file, 3, 3, "vertices")
    _, corners = _table(cell_file, 4, 4, "tets")
    return MeshContents(vertices, whole_numbers(corners, "tets", cell_file) - base)


def write_tetgen(path: str | PathLike[str], vertices: Array, cells: Ids) -> None:
    """Both files of the pair, numbered from zero."""
    if cells.shape[1] != 4:
        kind = KINDS[cells.shape[1]]
        cure = "write .vtu, or mesh.linear()" if kind.order == 2 else "write .vtu or .veg"
        raise FileError(f"{path} cannot hold {kind.title}: TetGen files hold linear tets only; {cure}")
    numbers = np.arange(max(len(vertices), len(cells)))
    with replacing(Path(path).with_suffix(".node")) as temporary:
        rows = np.column_stack([numbers[: len(vertices)], vertices])
        np.savetxt(temporary, rows, fmt="%d %.17g %.17g %.17g", header=f"{len(vertices)} 3 0 0", comments="")
    with replacing(Path(path).with_suffix(".ele")) as temporary:
        rows = np.column_stack([numbers[: len(cells)], cells])
        np.savetxt(temporary, rows, fmt="%d", header=f"{len(cells)} 4 0", comments="")


def _table(file: Path, wanted: int, columns: int, what: str) -> tuple[int, Array]:
    lines = content_lines(file.read_text(encoding="utf-8", errors="replace"))
    count, width = header_counts(lines[0] if lines else "", 2, file)[:2]
    if width < wanted:
        raise FileError(f"{file} announces {width} numbers for each of its {what}; {wanted} are needed")
    return numbered_rows(lines[1:], count, columns, what, file)
