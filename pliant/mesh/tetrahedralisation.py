"""Fill a triangle surface with tets: fTetWild where it is installed, else cubes cut into tets."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from pliant.errors import Array, Ids, MeshError, MissingPackage, check_choice, check_count, check_number
from pliant.mesh.grid import filled_mesh
from pliant.mesh.mesh import Mesh
from pliant.mesh.orders import of_order
from pliant.mesh.pieces import PIECES, kept_pieces
from pliant.mesh.stuffing import solid_of_tets, stuffed_mesh
from pliant.mesh.surface import Surface
from pliant.mesh.surface_input import SurfaceLike, as_surface
from pliant.mesh.thickening import thickened_mesh
from pliant.mesh.voxelisation import filled_grid
from pliant.mesh.winding import signed_distances

METHODS = ("auto", "tetwild", "lattice", "voxels")
TIME_LIMIT = 1800.0  # [s] for fTetWild
FLAT = 1e-6  # thickness over length, of what has no inside
DETAIL = 0.2  # of the edge of the tets: vertices of the surface that are closer are merged first


def tetrahedralise(
    surface: SurfaceLike,
    edge: float = 0.05,
    method: str = "auto",
    keep: str = "largest",
    order: int = 1,
    thickness: float | None = None,
) -> Mesh:
    """Tets that fill the surface.

    Args:
        surface: a Surface, a path, or (vertices, triangles); holes, overlaps and loose triangles are fine.
        edge: length of the tets' edges as a fraction of the diagonal of the surface's bounding box.
        method: "tetwild" keeps sharp edges and small parts (extra `tet`, seconds to minutes); "lattice" fits a regular
            lattice to the surface (a second, rounds edges off); "voxels" cuts cubes into tets and leaves steps;
            "auto" is tetwild where it is installed, else voxels.
        keep: "largest" leaves out all loose pieces but the largest, with a warning; "bodies" only dust, pieces below
            a hundredth of the largest; "all" keeps them.
        order: 2 makes the tets quadratic (tet10, straight edges): take an edge twice as long, it will still be nearer.
        thickness: as a fraction of the diagonal, at least the edge: sheets and limbs that are thinner than the cells
            become so thick. The rest is a lattice. For shells, which have no inside, and for what has fine limbs.

    Returns:
        Tet mesh.
    """
    edge = check_number("edge", edge, at_least=0.002, at_most=1)
    check_choice("method", method, METHODS)
    check_choice("keep", keep, PIECES)
    check_count("order", order, at_most=2)
    triangles = as_surface(surface)
    if thickness is not None:
        lengths = edge * _diagonal(triangles), check_number("thickness", thickness, at_least=edge, at_most=1)
        thick = thickened_mesh(triangles, lengths[0], lengths[1] * _diagonal(triangles))
        return of_order(kept_pieces(thick, keep), order)
    fill = {"tetwild": _with_tetwild, "lattice": _with_lattice, "voxels": _with_voxels}[method_here(method)]
    return of_order(kept_pieces(fill(triangles, edge), keep), order)


def method_here(method: str) -> str:
    """What a method of `tetrahedralise` means on this machine: "auto" is fTetWild where that is installed."""
    installed = importlib.util.find_spec("pytetwild") is not None
    if method == "tetwild" and not installed:
        raise MissingPackage("pytetwild", "tet", 'tetrahedralise(method="tetwild")')
    if method == "auto":
        return "tetwild" if installed else "voxels"
    return method


def _with_voxels(surface: Surface, edge: float) -> Mesh:
    return filled_mesh(*filled_grid(surface, edge * _diagonal(surface)), "tet")


def _with_lattice(surface: Surface, edge: float) -> Mesh:
    return stuffed_mesh(lambda p: signed_distances(surface, p), surface.bounds, edge * _diagonal(surface))


def _with_tetwild(surface: Surface, edge: float) -> Mesh:
    sides = np.ptp(surface.bounds, axis=0)
    if sides.min() <= FLAT * sides.max():
        lengths = " x ".join(f"{side:.4g}" for side in sides)
        raise MeshError(f"the surface is flat, {lengths} units, and has no inside to fill; give it a thickness")
    # Detail far below the size of the tets, and triangles in random order, each cost fTetWild minutes.
    vertices, tets = _run_worker(surface.clustered(DETAIL * edge * _diagonal(surface)), edge)
    if len(tets) == 0:
        raise MeshError("fTetWild found no inside; close the surface, lower edge, or use method='voxels'")
    return solid_of_tets(vertices, tets)


def _diagonal(surface: Surface) -> float:
    return float(np.linalg.norm(np.ptp(surface.bounds, axis=0)))


def _run_worker(surface: Surface, edge: float) -> tuple[Array, Ids]:
    worker = Path(__file__).with_name("tetwild_worker.py")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.savez(folder / "surface.npz", vertices=surface.vertices, triangles=surface.triangles)
        try:
            # -P keeps the modules beside the worker from hiding packages of the same name.
            command = [sys.executable, "-P", str(worker), name, repr(edge)]
            # fTetWild leaves a file in the folder it runs in.
            done = subprocess.run(command, cwd=name, capture_output=True, timeout=TIME_LIMIT, check=False)
        except subprocess.TimeoutExpired:
            raise MeshError(
                f"fTetWild was stopped after {TIME_LIMIT:g} s; raise edge, or use method='voxels'"
            ) from None
        if done.returncode != 0:
            reason = (done.stderr.decode(errors="replace").strip().splitlines() or ["no reason given"])[-1][:200]
            raise MeshError(f"fTetWild failed ({reason}); repair the surface, or use method='voxels'")
        with np.load(folder / "tets.npz", allow_pickle=False) as result:
            return result["vertices"].astype(np.float64), result["tets"].astype(np.int64)
