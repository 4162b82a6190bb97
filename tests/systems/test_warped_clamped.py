"""Linear models that are drawn bent ([MR12] section 7), wherever they are drawn: arrays, films, pages, scenes."""

import copy

import numpy as np
import pytest

import pliant as pl
from pliant.app.packing import pack_geometry
from pliant.errors import ArgumentError
from pliant.export import record
from pliant.mesh import Surface
from pliant.mesh.cell_kinds import signed_volumes
from pliant.skin import RotationStrainWarp

EXACT = 1e-12  # of a size of 2: rounding
LENGTH, SWEEP = 2.0, 1.2  # the beam of sheet single-body 11, and how far its tip goes [m]
WAYS = ("modal", "rotation-strain")


@pytest.fixture(scope="module")
def solid():
    return pl.Solid(pl.shapes.bar((LENGTH, 0.2, 0.2), (20, 2, 2)), pl.StVK(1e6, 0.3, 1000), fixed="x < 1e-9")


@pytest.fixture(scope="module")
def model(solid):
    return pl.reduce(solid, pl.Basis(pl.vibration_modes(solid, 4).vectors), force="linear")


def bent(model, warp=None, **given):
    """With the first mode so large that its tip has gone by SWEEP; straight lines make it longer."""
    system = pl.Clamped(model, 0.01, gravity=None, warp=warp, **given)
    system.q[0] = SWEEP / np.abs(model.U[:, 0]).max()
    return system


def volume(system):
    x = system.vertices("mesh")
    return signed_volumes(x[system.mesh.cells]).sum()


def surface():
    box = pl.shapes.bar((0.5, 0.1, 0.1), (3, 1, 1))
    return Surface(box.vertices + np.array([1.0, 0.05, 0.05]), box.surface)


def test_volume_is_kept_where_cells_turn(model):
    whole = model.mesh.volumes.sum()
    straight, turned = (volume(bent(model, warp)) / whole for warp in (None, "rotation-strain"))
    assert straight > 1.3  # the sheet: 1.42 under a load at the tip
    assert abs(turned - 1) < 0.01  # the sheet: 0.998


def test_length_is_kept_where_cells_turn(model):
    axis = model.mesh.select("abs(y) < 1e-9 and abs(z) < 1e-9")
    axis = axis[np.argsort(model.X[axis, 0])]

    def length(warp):
        x = bent(model, warp).vertices()[axis]
        return np.linalg.norm(np.diff(x, axis=0), axis=1).sum()

    assert length(None) > 1.1 * LENGTH
    assert abs(length("rotation-strain") / LENGTH - 1) < 0.005
    assert abs(length("modal") / LENGTH - 1) < abs(length(None) / LENGTH - 1)


def test_vertices_are_those_of_the_warp(model):
    system = bent(model, "rotation-strain")
    u = RotationStrainWarp(model.mesh, model.fixed).warp(model.U @ system.q)
    assert np.abs(system.vertices() - model.X - u).max() < EXACT
    out = np.empty_like(model.X)
    assert system.vertices(out=out) is out
    assert np.array_equal(out, system.vertices())


def test_small_displacements_are_left_alone(model):
    straight, size = bent(model), 1e-5
    for warp in WAYS:
        system = bent(model, warp)
        straight.q[:], system.q[:] = (0, size, 0, 0), (0, size, 0, 0)
        moved = np.abs(straight.vertices() - model.X).max()
        assert np.abs(system.vertices() - straight.vertices()).max() < 10 * moved**2  # they differ in second order


@pytest.mark.parametrize("warp", WAYS)
def test_motion_is_that_of_the_straight_one(model, warp):
    pushed = [bent(model, way) for way in (None, warp)]
    for system in pushed:
        system.push([model.mesh.vertex_count - 1], (0, 3, 0))
        system.step(20)
    assert np.array_equal(pushed[0].q, pushed[1].q)


@pytest.mark.parametrize("warp", WAYS)
def test_it_is_kept_by_copies_files_and_other_settings(model, warp, tmp_path):
    system = bent(model, warp)
    system.wear(surface())
    system.save(tmp_path / "bent.state")
    for other in (copy.copy(system), pl.resume(tmp_path / "bent.state")):
        assert np.array_equal(other.vertices(), system.vertices())
    assert system.retuned(stiffness=2.0).warp == warp


@pytest.mark.parametrize("warp", WAYS)
def test_worn_surfaces_go_along(model, warp):
    system = bent(model, warp)
    mesh = system.vertices("mesh")
    system.wear(surface())
    assert np.abs(system.vertices() - system.worn.embedding.carry(mesh)).max() < 0.01  # the modal one warps anew
    assert np.array_equal(system.vertices("mesh"), mesh)
    assert np.array_equal(system.drawn(system.pose()), system.vertices())


@pytest.mark.parametrize("warp", WAYS)
def test_recordings_show_it(model, warp, tmp_path):
    system = bent(model, warp)
    recording = record(system, 0.05, rate=50)
    assert np.abs(recording.vertices(len(recording.times) - 1) - system.vertices()).max() < EXACT
    pl.write(recording, tmp_path / "bent.glb")
    pl.write(recording, tmp_path / "bent.npz")
    assert min(path.stat().st_size for path in tmp_path.iterdir()) > 1000


def test_pages_get_vertices_where_cells_turn(model):
    assert pack_geometry(1, bent(model, "rotation-strain")).skin is None
    modal = bent(model, "modal")
    geometry = pack_geometry(1, modal)
    assert np.abs(geometry.skin.vertices(modal.pose()) - modal.vertices()).max() < EXACT


def test_bodies_side_by_side_are_drawn_each_in_its_way(model):
    ways = (None, *WAYS)
    alone = [bent(model, way) for way in ways]
    together = pl.Bodies([bent(model, way) for way in ways], names=["straight", *WAYS])
    assert np.array_equal(together.vertices(), np.concatenate([each.vertices() for each in alone]))
    assert np.array_equal(together.drawn(together.pose()), together.vertices())
    assert together.drawn_by is None
    assert pl.Bodies([bent(model), bent(model, "modal")], names=["a", "b"]).drawn_by is not None


SCENE = """
warp = "rotation-strain"
[[part]]
shape = { name = "bar", size = [2, 0.2, 0.2], cells = [10, 1, 1] }
fixed = "x < 1e-9"
force = "linear"
basis = { kind = "modes", size = 3 }
"""


def test_scenes_name_it(tmp_path):
    path = tmp_path / "bent.toml"
    path.write_text(SCENE)
    assert pl.load_scene(path).build().warp == "rotation-strain"
    path.write_text('system = "full"' + SCENE)
    with pytest.raises(pl.PliantError, match='warp .*system = "clamped"'):
        pl.load_scene(path)


def test_what_cannot_be_warped_is_refused(solid, model):
    cubic = pl.reduce(solid, pl.modal_basis(solid, modes=2, size=3))
    with pytest.raises(ArgumentError, match="this one bends by itself; leave warp out"):
        pl.Clamped(cubic, 0.01, warp="modal")
    with pytest.raises(ArgumentError, match="warp must be one of modal, rotation-strain"):
        pl.Clamped(model, 0.01, warp="banana")
    bricks = pl.Solid(pl.shapes.bar((1, 0.2, 0.2), (4, 1, 1), kind="hex"), solid.material, fixed="x < 1e-9")
    linear = pl.reduce(bricks, pl.Basis(pl.vibration_modes(bricks, 2).vectors), force="linear")
    with pytest.raises(ArgumentError, match="needs a mesh of linear tets or triangles"):
        pl.Clamped(linear, 0.01, warp="rotation-strain")


def test_linear_shells_are_warped_too():
    """A strip pulled far keeps its area, which straight lines make a tenth larger."""
    sheet = pl.shapes.sheet((2.0, 0.2), (30, 3))
    shell = pl.Shell(sheet, pl.Linear(1e7, 0.3, 1000), 0.01, fixed="x < 1e-9")
    straight = pl.reduce(shell, pl.Basis(pl.vibration_modes(shell, 6).vectors), force="linear")
    tip, area = sheet.select("x > 1.999"), {}
    for warp in (None, "rotation-strain"):
        system = pl.Clamped(straight, 0.01, gravity=None, warp=warp)
        system.push(tip, (0, 0, 0.15 / len(tip)))
        system.settle()
        area[warp] = sheet.moved_to(system.vertices()).volumes.sum() / sheet.volumes.sum()
    assert area[None] > 1.1
    assert area["rotation-strain"] == pytest.approx(1, abs=0.01)
