"""From a scene file to a system: shapes, files, groups, pushes; and what cannot be built says why."""

import numpy as np
import pytest

import pliant as pl
from pliant.errors import PliantError, PliantWarning
from pliant.scenes import load_scene, scene_of_mesh
from pliant.scenes.schedule import Schedule, crossing_frequency
from pliant.scenes.schema import Push
from pliant.systems.playing import play

BAR = '[[part]]\nshape = { name = "bar", size = [1, 0.2, 0.2], cells = [6, 2, 2] }\nfixed = "x < 0.01"\n'
SMALL = "basis = { modes = 4, size = 6 }\n"


def scene(tmp_path, text, name="test.toml"):
    path = tmp_path / name
    path.write_text(text)
    return load_scene(path)


def test_clamped_and_full_agree_on_small_motion(tmp_path):
    made = scene(
        tmp_path,
        'dt = 0.01\nduration = 0.5\nnewton = 20\ngravity = [0, -0.01, 0]\n' + BAR + "basis = { modes = 8, size = 20 }\n"
        '[[probe]]\nname = "tip"\nwhere = "x > 0.99"\n',
    )  # fmt: skip
    tracks = [np.array(each.watch(each.build()).values["tip"]) for each in (made, made.with_system("full"))]
    assert np.abs(tracks[0] - tracks[1]).max() < 0.02 * np.abs(tracks[1]).max()


def test_material_groups_reach_their_cells(tmp_path):
    made = scene(
        tmp_path,
        BAR + 'material = { young = 1e5, groups = [{ where = "x > 0.5", young = 2e5, density = 500 }] }\n' + SMALL,
    )
    right = made.mesh.centroids[:, 0] > 0.5
    np.testing.assert_array_equal(made.solid.material.young, np.where(right, 2e5, 1e5))
    np.testing.assert_array_equal(made.solid.material.density, np.where(right, 500.0, 1000.0))


def test_sketched_loads_and_poses_make_bases(tmp_path):
    loads = ", ".join(f'{{ where = "x > 0.99", force = {force} }}' for force in ([0, -200, 0], [0, 0, 200]))
    made = scene(tmp_path, BAR + f'basis = {{ kind = "sketch", loads = [{loads}] }}\n')
    assert made.build().model.size == 2
    bent = made.mesh.vertices + np.outer(made.mesh.vertices[:, 0] ** 2, [0, 0.2, 0])
    pl.Mesh(bent, made.mesh.cells).write(tmp_path / "bent.vtu")
    posed = scene(tmp_path, BAR + 'basis = { kind = "poses", poses = ["bent.vtu"] }\n')
    assert posed.build().model.size == 1
    soft = 'basis = { kind = "poses", poses = ["bent.vtu"], modes = 3, stiffness = 0.25 }\n'
    stiff = soft.replace("0.25", "1")
    energies = [scene(tmp_path, BAR + text).build().model.energy([0, 0, 0, 0.01]) for text in (soft, stiff)]
    assert energies[0] == pytest.approx(energies[1] / 4, rel=1e-3)  # cubic terms are small at a hundredth of the pose


def test_integrator_and_precision_reach_the_system(tmp_path):
    text = 'integrator = "static"\nprecision = "single"\n' + BAR + SMALL
    system = scene(tmp_path, text).build()
    system.step(2)
    assert system.q.dtype == np.float32
    assert np.abs(system.v).max() == 0


def test_push_button_basis_works_for_linear_materials(tmp_path):
    made = scene(tmp_path, BAR + 'material = { model = "linear" }\nbasis = { modes = 4, size = 9 }\n')
    assert made.build().model.size == 9


def test_iterations_are_those_of_the_scene(tmp_path):
    once = "newton = 1\n"
    for system, given, expected in (("full", "", 30), ("full", once, 1), ("clamped", "", 30), ("clamped", once, 1)):
        made = scene(tmp_path, f'system = "{system}"\n{given}' + BAR + SMALL)
        assert made.build().newton == expected


def test_scale_multiplies_all_lengths(tmp_path):
    made = scene(tmp_path, BAR + "scale = 2.5\n")
    np.testing.assert_allclose(np.ptp(made.mesh.vertices, axis=0), [2.5, 0.5, 0.5])


def test_meshes_and_surfaces_are_found_beside_the_scene(tmp_path):
    ball = pl.sdf.sphere(0.5)
    ball.tets(0.2).write(tmp_path / "ball.vtu")
    ball.surface(0.2).write(tmp_path / "ball.obj")
    tets = scene(tmp_path, '[[part]]\nmesh = "ball.vtu"\nfixed = "y < -0.3"\n')
    voxels = scene(tmp_path, '[[part]]\nsurface = "ball.obj"\nvoxels = 8\nfixed = "y < -0.3"\n')
    assert (tets.mesh.kind, voxels.mesh.kind) == ("tet", "hex")
    assert voxels.mesh.volumes.sum() == pytest.approx(4 / 3 * np.pi * 0.125, rel=0.15)


def test_filled_surface_is_kept_in_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PLIANT_CACHE", str(tmp_path / "cache"))
    pl.sdf.sphere(0.5).surface(0.2).write(tmp_path / "ball.obj")
    text = '[[part]]\nsurface = "ball.obj"\nvoxels = 8\nfixed = "y < -0.3"\n'
    first = scene(tmp_path, text).mesh
    assert len(list((tmp_path / "cache").iterdir())) == 1
    again = scene(tmp_path, text).mesh
    np.testing.assert_array_equal(first.vertices, again.vertices)
    np.testing.assert_array_equal(first.cells, again.cells)


def test_bare_mesh_becomes_a_scene_that_stands(tmp_path):
    pl.sdf.capsule((0, 0, 0), (0, 1, 0), 0.2).tets(0.2).write(tmp_path / "post.vtu")
    system = scene_of_mesh(tmp_path / "post.vtu").build()
    system.step(50)
    assert np.isfinite(system.vertices()).all()
    assert len(system.model.fixed)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[part]]\nshape = "dragon"\n', "a ready-made shape is one of bar"),
        ('[[part]]\nshape = { name = "bar", length = 3 }\n', "bar takes name, size, cells, kind"),
        ('[[part]]\nmesh = "nowhere.mesh"\n', "nowhere.mesh"),
        (BAR.replace("x < 0.01", "x < -9"), "selects no vertex"),
        (BAR.replace("fixed", "# fixed"), "fixed is missing"),
        (BAR.replace("x < 0.01", "import os"), "import os"),
        (BAR + 'material = { groups = [{ where = "x > 9", young = 1.0 }] }\n', "selects no cell"),
        (BAR + SMALL + '[[push]]\nwhere = "x > 9"\nforce = [0, 1, 0]\n', "selects no vertex"),
        (BAR + SMALL + '[[probe]]\nname = "tip"\nvertex = 999\n', "vertex 999"),
        (BAR + "basis = { modes = 3, size = 400 }\n", "400"),
    ],
)
def test_scene_that_cannot_be_built_says_why(tmp_path, text, message):
    with pytest.raises(PliantError, match=message):
        made = scene(tmp_path, text)
        made.watch(made.build(), seconds=0.01)


class Still:
    """A system that only counts."""

    def __init__(self, dt):
        self.dt, self.time, self.log = dt, 0.0, []
        self.total = np.zeros(3)

    def release(self):
        self.total = np.zeros(3)

    def push(self, ids, forces, on):
        self.total = self.total + np.asarray(forces) * len(ids)

    def step(self, count):
        self.log += [self.total] * count
        self.time += count * self.dt


@pytest.mark.parametrize("dt", [0.01, 0.003, 0.05])
@pytest.mark.parametrize("profile", ["constant", "sine"])
def test_pushes_give_their_impulse(dt, profile):
    """Between from and until: F (until - from), or 2/pi of it for half a sine, up to the step."""
    mesh = pl.shapes.bar((1, 0.2, 0.2), (4, 1, 1))
    push = Push(**{"where": "x > 0.9", "force": (0, 6.0, 0), "from": 0.1, "until": 0.4, "profile": profile})
    system = Still(dt)
    play(system, Schedule([push], [mesh.select("x > 0.9")]), round(0.6 / dt))
    impulse = np.sum(system.log, axis=0)[1] * dt
    assert impulse == pytest.approx(6.0 * 0.3 * (1 if profile == "constant" else 2 / np.pi), abs=6.0 * dt)
    assert system.time == pytest.approx(0.6, abs=dt)


def test_crossing_frequency_of_a_sine_is_its_frequency():
    t = np.linspace(0, 4, 2001)
    assert crossing_frequency(t, np.sin(2 * np.pi * 1.7 * t + 0.3)) == pytest.approx(1.7, rel=1e-5)
    assert np.isnan(crossing_frequency(t, 1 + 0 * t))


def test_tolerance_alone_chooses_the_basis(tmp_path):
    made = scene(tmp_path, BAR + "basis = { tolerance = 0.2 }\n")
    model = made.build().model
    assert made.bodies[0].part.basis.kind == "chosen"
    assert model.report.tolerance == 0.2
    assert model.report.error <= 0.2


def test_loads_that_crush_stvk_take_a_firm_material_unless_its_force_is_named(tmp_path):
    loads = 'loads = [{ where = "x > 0.999", force = [-1125, 0, 0] }]'
    block = '[[part]]\nshape = { name = "bar", size = [1, 0.3, 0.3], cells = [5, 2, 2] }\nfixed = "x < 1e-9"\n'
    block += 'material = { model = "stvk", young = 1e5, poisson = 0.3, density = 1000 }\n'
    block += f'basis = {{ kind = "chosen", tolerance = 0.5, most = 30, {loads} }}\n'
    for named, law in (("", pl.FirmStVK), ('force = "cubic"\n', pl.StVK)):
        with pytest.warns(PliantWarning, match="of the volume inside out"):
            assert scene(tmp_path, "dt = 0.001\n" + block + named).build().model.material_law is law


def test_chosen_basis_takes_loads_and_a_limit(tmp_path):
    loads = 'loads = [{ where = "x > 0.99", force = [0, 20, 0] }]'
    made = scene(tmp_path, BAR + f'basis = {{ kind = "chosen", tolerance = 0.1, most = 30, {loads} }}\n')
    assert 1 <= made.build().model.size <= 30
