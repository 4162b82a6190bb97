"""All other formats of volume meshes, through the package meshio, which is kept quiet and on a short lead."""

import contextlib
import io
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from pliant.errors import FileError, Ids, MeshError, PliantWarning
from pliant.mesh.files.contents import MeshContents
from pliant.mesh.files.paths import check_counts
from pliant.mesh.packages import imported

CORNERS = {"tetra": 4, "tetra10": 4, "hexahedron": 8, "hexahedron20": 8, "hexahedron24": 8, "hexahedron27": 8}
OTHER_VOLUMES = ("wedge", "pyramid", "polyhedron", "VTK_LAGRANGE_TETRAHEDRON", "VTK_LAGRANGE_HEXAHEDRON")
KEEPS_GROUPS = (".inp",)
SURFACE_HINT = "fill a surface with voxelise or tetrahedralise"

# Formats of meshio whose readers end on any input; those of Tecplot and Kratos read a truncated file forever.
ENDINGS = (
    *(".mesh", ".meshb", ".msh", ".vtk", ".vtu", ".inp", ".bdf", ".nas", ".fem", ".vol", ".su2", ".avs", ".xml"),
    *(".xdmf", ".med", ".cgns", ".e", ".exo"),
)


def read_with_meshio(file: Path) -> MeshContents:
    """Vertices, tets or hexes, and named sets of any format in `ENDINGS`."""
    check_ending(file)
    meshio = imported("meshio", "reading mesh files")
    check_counts(file)
    with _quiet(), _as_file_error(f"{file} is damaged, truncated, or not what its ending says; get or write it again"):
        content = meshio.read(file)
    return _volume_contents(content, file)


def write_with_meshio(temporary: Path, contents: MeshContents) -> None:
    """Write in the format that the ending names."""
    meshio, ending = imported("meshio", "writing mesh files"), temporary.suffix.lower()
    sets: dict[str, Any] = {}
    if ending in KEEPS_GROUPS:
        cell_sets = {name: [ids] for name, ids in contents.cell_groups.items()}
        sets = {"point_sets": contents.vertex_groups, "cell_sets": cell_sets}
    block = ("tetra" if contents.cells.shape[1] == 4 else "hexahedron", contents.cells)
    with _quiet(), _as_file_error(f"meshio cannot write this mesh as {ending}; use .vtu"):
        meshio.Mesh(contents.vertices, [block], **sets).write(temporary, "gmsh" if ending == ".msh" else None)


def check_ending(file: Path) -> None:
    """Refuse an ending that is not in the table."""
    if file.suffix.lower() not in ENDINGS:
        known = " ".join((*ENDINGS, ".veg", ".node", ".ele"))
        raise FileError(f"{file} has the ending {file.suffix!r}, which is no volume mesh format; use one of {known}")


def _volume_contents(content: Any, file: Path) -> MeshContents:
    kinds = [block.type for block in content.cells]
    strange = sorted({kind for kind in kinds if kind.startswith(OTHER_VOLUMES)})
    if strange:
        raise MeshError(
            f"{file} has cells of kind {', '.join(strange)}; only tets and hexes can be simulated: remesh it"
        )
    blocks = [i for i, kind in enumerate(kinds) if kind in CORNERS]
    if not blocks:
        raise MeshError(
            f"{file} has no tets or hexes but {', '.join(sorted(set(kinds))) or 'no cells'}; {SURFACE_HINT}"
        )
    if len({CORNERS[kinds[i]] for i in blocks}) > 1:
        raise MeshError(f"{file} mixes tets and hexes; write it with one kind of cells")
    if any(kind not in ("tetra", "hexahedron") for kind in (kinds[i] for i in blocks)):
        warnings.warn(f"{file}: of second-order cells only the corners are used", PliantWarning, 2)
    cells = np.concatenate([content.cells[i].data[:, : CORNERS[kinds[i]]] for i in blocks])
    triangles = [block.data for block in content.cells if block.type == "triangle"]
    boundary = np.concatenate(triangles).astype(np.int64) if triangles else None
    return MeshContents(
        content.points, cells, _vertex_groups(content), _cell_groups(content, blocks), boundary=boundary
    )


def _vertex_groups(content: Any) -> dict[str, Ids]:
    return {name: np.asarray(ids, dtype=np.int64) for name, ids in content.point_sets.items()}


def _cell_groups(content: Any, blocks: list[int]) -> dict[str, Ids]:
    starts = np.cumsum([0] + [len(content.cells[i].data) for i in blocks])
    groups = {}
    for name, members in content.cell_sets.items():
        present = [(members[i], start) for i, start in zip(blocks, starts, strict=False) if members[i] is not None]
        ids = [np.asarray(local, dtype=np.int64) + start for local, start in present]
        if not name.startswith("gmsh:") and any(len(part) for part in ids):
            groups[name] = np.concatenate(ids)
    return groups


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    with (
        warnings.catch_warnings(),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        warnings.simplefilter("ignore")
        yield


@contextlib.contextmanager
def _as_file_error(sentence: str) -> Iterator[None]:
    # meshio raises almost anything on a damaged file, and ends the process on some.
    try:
        yield
    except ModuleNotFoundError as error:
        raise FileError(f"{sentence} (this format needs the package {error.name}: pip install {error.name})") from None
    except (Exception, SystemExit) as error:
        detail = " ".join(str(error).split())[:100]
        raise FileError(f"{sentence} ({detail or type(error).__name__})") from None
