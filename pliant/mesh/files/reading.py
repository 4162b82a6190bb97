"""Read a volume mesh: the ending of the file chooses the reader."""

from os import PathLike

import numpy as np

from pliant.errors import Ids, MeshError
from pliant.mesh.files.meshio_bridge import ENDINGS, read_with_meshio
from pliant.mesh.files.paths import existing_file
from pliant.mesh.files.surface_files import SURFACE_ENDINGS
from pliant.mesh.files.tetgen import read_tetgen
from pliant.mesh.files.veg import read_veg
from pliant.mesh.mesh import Mesh
from pliant.mesh.surface import Surface
from pliant.mesh.winding import is_inside

_READERS = {".veg": read_veg, ".node": read_tetgen, ".ele": read_tetgen}
MESH_ENDINGS = (*_READERS, *ENDINGS)


def read_mesh(path: str | PathLike[str], clip: bool = False) -> Mesh:
    """The tets or hexes of a file: .mesh .msh .vtk .vtu .veg .node/.ele and whatever else meshio reads.

    Triangles, edges and points in the file are left out, but for their named sets, which become vertex groups; sets of
    cells become cell groups. Second-order cells keep their nodes on edges and become tet10 or hex20; `mesh.linear()`
    leaves the corners.

    Args:
        clip: where the file lists a closed surface besides its cells, keep only the cells inside. Some tet meshes fill
            the convex hull of their surface.

    Raises:
        FileError: the file is missing, damaged or of an unknown kind.
        MeshError: it holds no volume mesh that can be simulated.
    """
    file = existing_file(path)
    if file.suffix.lower() in SURFACE_ENDINGS:
        raise MeshError(f"{file} holds a surface; use read_surface, then voxelise or tetrahedralise to fill it")
    contents = _READERS.get(file.suffix.lower(), read_with_meshio)(file)
    try:
        mesh = Mesh(contents.vertices, contents.cells, contents.vertex_groups, contents.cell_groups, contents.materials)
    except MeshError as error:
        raise MeshError(f"{file}: {error}") from None
    return _clipped(mesh, contents.boundary) if clip and contents.boundary is not None else mesh


def _clipped(mesh: Mesh, boundary: Ids) -> Mesh:
    """The cells whose centre a closed surface of triangles (t, 3) encloses; all of them if it is not closed."""
    edges = np.sort(boundary[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    if (np.unique(edges, axis=0, return_counts=True)[1] % 2).any():
        return mesh
    inside = is_inside(Surface(mesh.vertices, boundary), mesh.centroids)
    return mesh if inside.all() or not inside.any() else mesh.submesh(np.flatnonzero(inside))[0]
