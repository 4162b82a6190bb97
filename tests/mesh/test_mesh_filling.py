"""Surfaces become volumes: voxels, tets by every method, soup, loose pieces, the real surfaces."""

import importlib.util

import numpy as np
import pytest

from pliant.errors import MeshError, MissingPackage, PliantWarning
from pliant.mesh import Surface, read_surface, shapes, tetrahedralise, voxelise
from pliant.mesh import tetrahedralisation as tetrahedralisation_module

pytest.importorskip("igl")

VOXEL_ERROR = 0.02  # of the volume, at 40 voxels across: the steps nearly cancel
METHODS = {"tetwild": 0.06, "lattice": 0.06, "voxels": 0.12}  # relative error of the volume at 20 edges across


def skin_of(mesh):
    return Surface(mesh.vertices[mesh.surface_vertices], np.searchsorted(mesh.surface_vertices, mesh.surface))


def need_tetwild():
    if importlib.util.find_spec("pytetwild") is None:
        pytest.skip("pytetwild is not installed")


BALL = skin_of(shapes.sphere(0.5, 12))


def as_soup(surface):
    """Every triangle with its own three vertices."""
    return Surface(surface.vertices[surface.triangles].reshape(-1, 3), np.arange(surface.triangles.size).reshape(-1, 3))


@pytest.mark.parametrize("change", ["as it is", "soup", "inside out", "with holes", "as arrays"])
def test_voxelise_fills_what_the_surface_encloses(change):
    surface = {
        "as it is": BALL,
        "soup": as_soup(BALL),
        "inside out": Surface(BALL.vertices, BALL.triangles[:, ::-1]),
        "with holes": Surface(BALL.vertices, np.delete(BALL.triangles, [3, 70, 71], axis=0)),
        "as arrays": (BALL.vertices, BALL.triangles),
    }[change]
    mesh = voxelise(surface, 40)
    assert mesh.kind == "hex"
    assert mesh.volumes.sum() == pytest.approx(BALL.volume, rel=VOXEL_ERROR)
    assert np.ptp(mesh.volumes) < 1e-12


def test_voxelise_of_a_box_is_exact():
    mesh = voxelise(skin_of(shapes.box((2, 1, 0.5), (1, 1, 1))), 8)
    assert mesh.cell_count == 8 * 4 * 2
    assert np.allclose(mesh.bounds, [[-1, -0.5, -0.25], [1, 0.5, 0.25]])


@pytest.mark.parametrize("fill", [voxelise, lambda s, **keep: tetrahedralise(s, method="voxels", **keep)])
def test_loose_pieces_are_left_out_with_a_warning_or_kept(fill):
    far = BALL.vertices * 0.5 + [2, 0, 0]
    both = Surface(np.concatenate([BALL.vertices, far]), np.concatenate([BALL.triangles, BALL.triangles + len(far)]))
    with pytest.warns(PliantWarning, match="loose pieces were left out.*keep"):
        assert fill(both).components[0] == 1
    assert fill(both, keep="all").components[0] == 2


@pytest.mark.parametrize("method", METHODS)
def test_tetrahedralise_fills_a_ball(method):
    if method == "tetwild":
        need_tetwild()
    mesh = tetrahedralise(as_soup(BALL), 0.08, method)
    assert mesh.kind == "tet"
    assert mesh.components[0] == 1
    assert mesh.volumes.sum() == pytest.approx(BALL.volume, rel=METHODS[method])
    assert len(mesh.surface_vertices) - len(mesh.surface) // 2 == 2


def test_tetrahedralise_prints_nothing(capfd):
    tetrahedralise(BALL, 0.3)
    assert capfd.readouterr() == ("", "")


def test_tetrahedralise_without_tetwild_cuts_voxels(monkeypatch):
    monkeypatch.setattr(tetrahedralisation_module.importlib.util, "find_spec", lambda _: None)
    auto, voxels = tetrahedralise(BALL, 0.1), tetrahedralise(BALL, 0.1, "voxels")
    assert np.array_equal(auto.cells, voxels.cells)
    with pytest.raises(MissingPackage, match=r"pytetwild.*pliant\[tet\]"):
        tetrahedralise(BALL, 0.1, "tetwild")


def test_a_failing_tetwild_becomes_one_sentence(monkeypatch):
    need_tetwild()
    monkeypatch.setattr(tetrahedralisation_module.sys, "executable", "/bin/false")
    with pytest.raises(MeshError, match="fTetWild failed.*method='voxels'"):
        tetrahedralise(BALL, 0.1, "tetwild")


@pytest.mark.parametrize(("name", "resolution"), [("spot.obj", 48), ("cheburashka.off", 64), ("armadillo.obj", 64)])
def test_real_surfaces_become_voxels(real_mesh, name, resolution):
    surface = read_surface(real_mesh(name))
    mesh = voxelise(surface, resolution, keep="all")
    assert mesh.volumes.sum() == pytest.approx(surface.volume, rel=VOXEL_ERROR)


@pytest.mark.parametrize("name", ["spot.obj", "cheburashka.off", "armadillo.obj"])
@pytest.mark.parametrize(
    ("method", "edge", "error"), [("lattice", 0.025, 0.05), ("voxels", 0.025, 0.03), ("tetwild", 0.1, 0.06)]
)
def test_real_surfaces_become_tets(real_mesh, name, method, edge, error):
    if method == "tetwild":
        need_tetwild()
    surface = read_surface(real_mesh(name))
    mesh = tetrahedralise(surface, edge, method, keep="all")
    assert mesh.volumes.sum() == pytest.approx(surface.volume, rel=error)


def test_thickness_fills_sheets_and_fine_limbs_and_leaves_the_rest():
    """A square plate of no thickness, and a needle of a quarter of the edge on a closed box."""
    plate = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.0]]), np.array([[0, 1, 2], [0, 2, 3]])
    edge = 0.05
    sheet = tetrahedralise(plate, edge, thickness=edge)
    assert np.ptp(sheet.vertices[:, 2]) == pytest.approx(edge * np.sqrt(2), rel=0.05)
    half = edge / np.sqrt(2)
    assert sheet.volumes.sum() == pytest.approx(2 * half + 4 * np.pi / 2 * half**2, rel=0.1)  # and a round rim
    box, needle = shapes.bar((1, 1, 1), (1, 1, 1)), shapes.bar((1, 0.02, 0.02), (1, 1, 1))
    tip = needle.vertices + np.array([box.bounds[1, 0] - 0.01, 0, 0])
    both = np.concatenate([box.vertices, tip]), np.concatenate([box.surface, needle.surface + box.vertex_count])
    plain = tetrahedralise(both, edge, "lattice")
    thick = tetrahedralise(both, edge, thickness=edge)
    length = edge * np.linalg.norm(np.ptp(both[0], axis=0))
    assert plain.bounds[1, 0] < box.bounds[1, 0] + length
    assert thick.bounds[1, 0] > tip[:, 0].max()
    limb = np.pi / 4 * (0.02 + length) ** 2  # a square of 0.02 with rounded corners around it
    assert thick.volumes.sum() - plain.volumes.sum() == pytest.approx(limb, rel=0.35)
    assert thick.components[0] == 1
