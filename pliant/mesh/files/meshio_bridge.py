"""All other formats of volume meshes, through the package meshio, which is kept quiet and on a short lead."""

import contextlib
import io
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from pliant.errors import FileError, MeshError, PliantWarning
from pliant.mesh.cell_kinds import KINDS
from pliant.mesh.files.contents import MeshContents
from pliant.mesh.files.named_sets import cell_groups, vertex_groups
from pliant.mesh.files.paths import check_counts
from pliant.mesh.files.promises import check_end_of_bulk, check_includes, check_promises, warn_of_open_end
from pliant.mesh.files.short_lead import bounded, read_ansys
from pliant.mesh.packages import imported

# Nodes of a cell that are kept; those of second-order hexes on faces and inside are not.
NODES = {"tetra": 4, "tetra10": 10, "hexahedron": 8, "hexahedron20": 20, "hexahedron24": 20, "hexahedron27": 20}
OTHER_VOLUMES = ("wedge", "pyramid", "polyhedron", "VTK_LAGRANGE_TETRAHEDRON", "VTK_LAGRANGE_HEXAHEDRON")
KEEPS_GROUPS = (".inp",)
LINEAR = (".mesh", ".meshb", ".su2", ".avs")  # meshio writes the first three without quadratic cells, and says nothing
NASTRAN = (".bdf", ".nas", ".fem")
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
    sentence = f"{file} is damaged, truncated, or not what its ending says; get or write it again"
    if file.suffix.lower() == ".msh" and not (_begins(file, b"$") or _begins(file, b"(")):
        raise FileError(f"{sentence} (it is neither a Gmsh nor an Ansys mesh)")
    if file.suffix.lower() == ".inp":
        check_includes(file)
    if file.suffix.lower() in NASTRAN:
        check_end_of_bulk(file)
    if file.suffix.lower() == ".msh" and not _begins(file, b"$"):
        return _volume_contents(read_ansys(meshio, file), file)
    with _quiet(), bounded(meshio, file.stat().st_size), _as_file_error(sentence):
        content = meshio.read(file, "gmsh" if file.suffix.lower() == ".msh" else None)
    if np.ndim(content.points) != 2 or not all(isinstance(n, str) for n in (*content.point_sets, *content.cell_sets)):
        raise FileError(f"{sentence} (it lacks its vertices, or the name of a set)")
    check_promises(
        file, len(content.points), sum(len(block.data) for block in content.cells if _is_listed(block, file))
    )
    if file.suffix.lower() == ".inp":
        warn_of_open_end(file)
    return _volume_contents(content, file)


def _begins(file: Path, sign: bytes) -> bool:
    """Gmsh's sections begin with a dollar sign, Ansys' with a bracket."""
    with open(file, "rb") as stream:
        return stream.read(1024).lstrip().startswith(sign)


def _is_listed(block: Any, file: Path) -> bool:
    """Is it among the cells that a file counts? .su2 files count those of their surface apart."""
    return file.suffix.lower() != ".su2" or block.dim == 3


def write_with_meshio(temporary: Path, contents: MeshContents) -> None:
    """Write in the format that the ending names."""
    meshio, ending = imported("meshio", "writing mesh files"), temporary.suffix.lower()
    kind = KINDS[contents.cells.shape[1]]
    if ending in LINEAR and kind.order == 2:
        raise FileError(
            f"{ending} files cannot hold {kind.title}: they hold linear cells; write .vtu, or mesh.linear()"
        )
    sets: dict[str, Any] = {}
    if ending in KEEPS_GROUPS:
        check_group_names(contents, ending)
        cell_sets = {name: [ids] for name, ids in contents.cell_groups.items()}
        sets = {"point_sets": contents.vertex_groups, "cell_sets": cell_sets}
    block = (kind.meshio, contents.cells)
    with _quiet(), _as_file_error(f"meshio cannot write this mesh as {ending}; use .vtu"):
        meshio.Mesh(contents.vertices, [block], **sets).write(temporary, "gmsh" if ending == ".msh" else None)


def check_group_names(contents: MeshContents, ending: str) -> None:
    """Refuse names that the reader would take for something else."""
    for name in (*contents.vertex_groups, *contents.cell_groups):
        if not name or name != name.strip() or any(letter in ",=" or not letter.isprintable() for letter in name):
            raise FileError(f"{ending} files cannot hold a group of the name {name[:60]!r}; rename it, or write .veg")


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
    blocks = [i for i, kind in enumerate(kinds) if kind in NODES]
    if not blocks:
        raise MeshError(
            f"{file} has no tets or hexes but {', '.join(sorted(set(kinds))) or 'no cells'}; {SURFACE_HINT}"
        )
    if len({NODES[kinds[i]] for i in blocks}) > 1:
        mixed = ", ".join(sorted({kinds[i] for i in blocks}))
        raise MeshError(f"{file} mixes {mixed}; write it with one kind of cells")
    if any(content.cells[i].data.ndim != 2 for i in blocks):
        raise FileError(f"{file} has a block of cells that is empty or ragged; get or write it again")
    cells = np.concatenate([content.cells[i].data[:, : NODES[kinds[i]]] for i in blocks])
    triangles = [block.data[:, :3] for block in content.cells if block.type in ("triangle", "triangle6")]
    boundary = np.concatenate(triangles).astype(np.int64) if triangles else None
    contents = MeshContents(
        content.points, cells, vertex_groups(content), cell_groups(content, blocks), boundary=boundary
    )
    if not any(kinds[i] in ("hexahedron24", "hexahedron27") for i in blocks):
        return contents
    warnings.warn(f"{file}: of second-order hexes the nodes on corners and edges are used", PliantWarning, 2)
    return _without_unused(contents)


def _without_unused(contents: MeshContents) -> MeshContents:
    """The vertices that cells use, and everything renumbered to them."""
    used = np.unique(contents.cells)
    new_ids = np.full(len(contents.vertices), -1)
    new_ids[used] = np.arange(len(used))
    groups = {name: new_ids[ids][new_ids[ids] >= 0] for name, ids in contents.vertex_groups.items()}
    boundary = None if contents.boundary is None else new_ids[contents.boundary]
    if boundary is not None and (boundary < 0).any():
        boundary = None
    return replace(
        contents,
        vertices=contents.vertices[used],
        cells=new_ids[contents.cells],
        vertex_groups={name: ids for name, ids in groups.items() if len(ids)},
        boundary=boundary,
    )


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
