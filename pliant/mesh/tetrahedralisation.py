"""Fill a triangle surface with tets: fTetWild where it is installed, else cubes cut into tets."""

import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from pliant.errors import Array, Ids, MeshError, MissingPackage, check_choice, check_number
from pliant.mesh.cell_kinds import TET, signed_volumes
from pliant.mesh.grid import PARTS, filled_mesh
from pliant.mesh.mesh import Mesh
from pliant.mesh.surface import Surface
from pliant.mesh.surface_input import SurfaceLike, as_surface
from pliant.mesh.voxelisation import filled_grid

METHODS = ("auto", "tetwild", "voxels")
TIME_LIMIT = 1800.0  # [s] for fTetWild


def tetrahedralise(surface: SurfaceLike, edge: float = 0.05, method: str = "auto", keep: str = "largest") -> Mesh:
    """Tets that fill the surface.

    Args:
        surface: a Surface, a path, or (vertices, triangles); holes, overlaps and loose triangles are fine.
        edge: length of the tets' edges as a fraction of the diagonal of the surface's bounding box.
        method: "tetwild" follows the surface closely (extra `tet`), "voxels" cuts cubes into tets and leaves
            steps, "auto" takes the first that is installed.
        keep: for voxels, "largest" leaves out all loose pieces but the largest, with a warning; "all" keeps them.

    Returns:
        Tet mesh.
    """
    check_number("edge", edge, at_least=0.002, at_most=1)
    check_choice("method", method, METHODS)
    check_choice("keep", keep, PARTS)
    triangles = as_surface(surface)
    installed = importlib.util.find_spec("pytetwild") is not None
    if method == "tetwild" and not installed:
        raise MissingPackage("pytetwild", "tet", 'tetrahedralise(method="tetwild")')
    if method == "tetwild" or (method == "auto" and installed):
        return _with_tetwild(triangles, float(edge))
    grid, filled = filled_grid(triangles, edge * float(np.linalg.norm(np.ptp(triangles.bounds, axis=0))))
    return filled_mesh(grid, filled, "tet", keep)


def _with_tetwild(surface: Surface, edge: float) -> Mesh:
    vertices, tets = _run_worker(surface, edge)
    if len(tets) == 0:
        raise MeshError("fTetWild found no inside; close the surface, lower edge, or use method='voxels'")
    flipped = signed_volumes(vertices[tets]) < 0
    tets[flipped] = tets[flipped][:, TET.mirrored]
    used = np.unique(tets)
    return Mesh(vertices[used], np.searchsorted(used, tets))


def _run_worker(surface: Surface, edge: float) -> tuple[Array, Ids]:
    worker = Path(__file__).with_name("tetwild_worker.py")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.savez(folder / "surface.npz", vertices=surface.vertices, triangles=surface.triangles)
        try:
            # -P keeps the modules beside the worker from hiding packages of the same name.
            command = [sys.executable, "-P", str(worker), name, repr(edge)]
            done = subprocess.run(command, capture_output=True, timeout=TIME_LIMIT, check=False)
        except subprocess.TimeoutExpired:
            raise MeshError(f"fTetWild was stopped after {TIME_LIMIT:g} s; raise edge, or use method='voxels'") from None
        if done.returncode != 0:
            reason = (done.stderr.decode(errors="replace").strip().splitlines() or ["no reason given"])[-1][:200]
            raise MeshError(f"fTetWild failed ({reason}); repair the surface, or use method='voxels'")
        with np.load(folder / "tets.npz", allow_pickle=False) as result:
            return result["vertices"].astype(np.float64), result["tets"].astype(np.int64)
