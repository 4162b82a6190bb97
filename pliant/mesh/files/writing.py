"""Write a volume mesh: the ending of the file chooses the writer."""

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from pliant.mesh.files.contents import MeshContents
from pliant.mesh.files.meshio_bridge import check_ending, write_with_meshio
from pliant.mesh.files.paths import ending_of, replacing
from pliant.mesh.files.tetgen import write_tetgen
from pliant.mesh.files.veg import write_veg

if TYPE_CHECKING:
    from pliant.mesh.mesh import Mesh


def write_mesh(mesh: "Mesh", path: str | PathLike[str]) -> None:
    """Write `mesh` to `path`, whole or not at all."""
    ending = ending_of(path)
    mesh = mesh.linear() if mesh.kind == "hex11" else mesh
    groups = dict(mesh.vertex_groups), dict(mesh.cell_groups)
    contents = MeshContents(mesh.vertices, mesh.cells, *groups, {k: dict(v) for k, v in mesh.materials.items()})
    if ending == ".veg":
        write_veg(path, contents)
    elif ending in (".node", ".ele"):
        write_tetgen(path, mesh.vertices, mesh.cells)
    else:
        check_ending(Path(path))
        with replacing(path) as temporary:
            write_with_meshio(temporary, contents)
