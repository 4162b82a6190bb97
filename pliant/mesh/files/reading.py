"""Read a volume mesh: the ending of the file chooses the reader."""

from os import PathLike

from pliant.errors import MeshError
from pliant.mesh.files.meshio_bridge import read_with_meshio
from pliant.mesh.files.paths import existing_file
from pliant.mesh.files.surface_files import SURFACE_ENDINGS
from pliant.mesh.files.tetgen import read_tetgen
from pliant.mesh.files.veg import read_veg
from pliant.mesh.mesh import Mesh

_READERS = {".veg": read_veg, ".node": read_tetgen, ".ele": read_tetgen}


def read_mesh(path: str | PathLike[str]) -> Mesh:
    """The tets or hexes of a file: .mesh .msh .vtk .vtu .veg .node/.ele and whatever else meshio reads.

    Triangles, edges and points in the file are left out; named sets become groups.

    Raises:
        FileError: the file is missing, damaged or of an unknown kind.
        MeshError: it holds no volume mesh that can be simulated.
    """
    file = existing_file(path)
    if file.suffix.lower() in SURFACE_ENDINGS:
        raise MeshError(f"{file} holds a surface; use read_surface, then voxelise or tetrahedralise to fill it")
    contents = _READERS.get(file.suffix.lower(), read_with_meshio)(file)
    try:
        return Mesh(contents.vertices, contents.cells, contents.vertex_groups, contents.cell_groups, contents.materials)
    except MeshError as error:
        raise MeshError(f"{file}: {error}") from None
