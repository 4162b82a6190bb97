"""Read and write triangle surfaces, through the package trimesh."""

import contextlib
import io
import warnings
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np

from pliant.errors import Array, FileError, Ids
from pliant.mesh.files.paths import check_counts, ending_of, existing_file, replacing
from pliant.mesh.packages import imported

if TYPE_CHECKING:
    from pliant.mesh.surface import Surface

SURFACE_ENDINGS = (".obj", ".off", ".ply", ".stl")


def read_triangles(path: str | PathLike[str]) -> tuple[Array, Ids]:
    """Vertices (n, 3) and triangles (t, 3) of a surface file; polygons are cut into triangles."""
    trimesh, file = imported("trimesh", "reading surfaces"), existing_file(path)
    if file.suffix.lower() not in SURFACE_ENDINGS:
        raise FileError(f"{file} is not a surface file; its ending must be one of {', '.join(SURFACE_ENDINGS)}")
    check_counts(file)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            options = {"process": False, "maintain_order": True, "skip_materials": True}
            content = trimesh.load(file, force="mesh", **options)
            return np.asarray(content.vertices, dtype=np.float64), np.asarray(content.faces, dtype=np.int64)
    except (Exception, SystemExit) as error:
        detail = " ".join(str(error).split())[:100] or type(error).__name__
        raise FileError(f"{file} is damaged or not what its ending says; get or write it again ({detail})") from None


def write_surface(surface: "Surface", path: str | PathLike[str]) -> None:
    """Write `surface` to `path`, whole or not at all."""
    ending = ending_of(path)
    if ending not in SURFACE_ENDINGS:
        raise FileError(f"{path} cannot be written: a surface file must end in one of {', '.join(SURFACE_ENDINGS)}")
    content = imported("trimesh", "reading and writing surfaces").Trimesh(
        surface.vertices, surface.triangles, process=False
    )
    data = content.export(file_type=ending[1:], **({"digits": 17} if ending in (".obj", ".off") else {}))
    with replacing(path) as temporary:
        temporary.write_bytes(data.encode() if isinstance(data, str) else data)
