"""Shells in scene files and of bare surfaces: what is built, and what is refused."""

import numpy as np
import pytest

import pliant as pl
from pliant.errors import MeshError, PliantWarning, SceneError
from pliant.mesh.mending import mended_sheet
from pliant.scenes.bare_mesh import scene_of_mesh
from tests.sheets import arch

SHEET = 'shape = { name = "sheet", size = [1.0, 0.5], cells = [8, 4] }'


def scene(tmp_path, part, top=""):
    path = tmp_path / "it.toml"
    path.write_text(f"{top}\n[[part]]\n{part}\n")
    return pl.load_scene(path)


@pytest.mark.parametrize("system", ["clamped", "full"])
def test_surface_with_a_thickness_is_a_shell(tmp_path, system):
    pl.Surface(*arch(5)).write(tmp_path / "arch.obj")
    keys = 'surface = "arch.obj"\nthickness = 0.01\nscale = 2.0\nfixed = "x < 0.3"\nbasis = { modes = 3, size = 4 }'
    made = scene(tmp_path, keys, f'system = "{system}"')
    solid = made.bodies[0].solid
    assert isinstance(solid, pl.Shell)
    assert solid.thickness[0] == 0.01
    assert np.ptp(solid.mesh.vertices, axis=0) == pytest.approx(2 * np.ptp(arch(5)[0], axis=0))
    built = made.build()
    built.step(2)
    assert np.isfinite(built.vertices()).all()


def test_hinged_vertices_may_turn(tmp_path):
    held = 'hinged = "x < 1e-9"\nfixed = "x > 0.999"'
    solid = scene(tmp_path, f"{SHEET}\nthickness = 0.01\n{held}").bodies[0].solid
    assert set(solid.fixed) == set(solid.hinged) | set(solid.clamped)
    assert (len(solid.hinged), len(solid.clamped)) == (5, 5)


@pytest.mark.parametrize(
    ("part", "top", "said"),
    [
        (SHEET, "", "a sheet needs a thickness"),
        (f"{SHEET}\nthickness = 0", "", "thickness"),
        (f"{SHEET}\nthickness = -1", "", "thickness"),
        (f"{SHEET}\nthickness = nan", "", "thickness"),
        (f'{SHEET}\nthickness = 0.01\nmaterial = {{ model = "neo-hookean" }}', "", "shells are made of stvk or linear"),
        (f"{SHEET}\nthickness = 0.01\ncut = 2", "", "cut does not go with shells"),
        (f"{SHEET}\nthickness = 0.01\norder = 2", "", "order does not go with shells"),
        (f'{SHEET}\nthickness = 0.01\nforce = "cubature"', "", "forces of shells"),
        (f"{SHEET}\nthickness = 0.01", 'system = "tree"', "shells are clamped, full or in a world"),
        (f"{SHEET}\nthickness = 0.01", 'system = "seams"', "shells are clamped, full or in a world"),
        ('shape = "spoon"\nthickness = 0.01', "", "thickness makes a shell of a surface or a sheet"),
        ('shape = "spoon"\nhinged = "x < 1"', "", "hinged is for shells"),
    ],
)
def test_what_shells_cannot_be_is_said(tmp_path, part, top, said):
    with pytest.raises(SceneError, match=said):
        scene(tmp_path, part, top)


def test_files_are_mended():
    vertices, triangles = arch(4)
    loose = pl.Surface(vertices[triangles].reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3))
    assert mended_sheet(loose).cell_adjacency.nnz == pl.Sheet(vertices, triangles).cell_adjacency.nnz
    twice = pl.Surface(vertices, np.vstack([triangles, triangles[:1], [[0, 0, 1]]]))
    with pytest.warns(PliantWarning, match="2 of 34 triangles"):
        assert mended_sheet(twice).cell_count == len(triangles)
    with pytest.raises(MeshError, match="has an area"):
        mended_sheet(pl.Surface(vertices, [[0, 0, 1]]))


def test_open_surface_is_a_shell_at_first_try(tmp_path):
    pl.Surface(*arch(10)).write(tmp_path / "arch.obj")
    made = scene_of_mesh(tmp_path / "arch.obj")
    assert isinstance(made.bodies[0].solid, pl.Shell)
    assert "the surface is open, so it is a shell" in "; ".join(made.notes)
    made.save(tmp_path / "arch.toml")
    assert isinstance(pl.load_scene(tmp_path / "arch.toml").bodies[0].solid, pl.Shell)


@pytest.mark.parametrize("options", [{"parts": 2}, {"fixed": "nothing"}])
def test_what_is_cut_or_flies_is_filled(tmp_path, options):
    pl.Surface(*arch(10)).write(tmp_path / "arch.obj")
    assert not isinstance(scene_of_mesh(tmp_path / "arch.obj", **options).bodies[0].solid, pl.Shell)


def test_shells_of_a_world_scene_fall_and_lie(tmp_path):
    """A soft one and a rigid one; probes speak of the sheet, and both of its faces answer."""
    text = """system = "world"
dt = 0.004
damping = [5, 0.01]
[[part]]
name = "cloth"
shape = { name = "sheet", size = [0.4, 0.3], cells = [4, 3] }
thickness = 0.004
material = { young = 1e7 }
basis = { kind = "modes", size = 6 }
[[part]]
name = "plate"
shape = { name = "sheet", size = [0.3, 0.3], cells = [3, 3] }
thickness = 0.01
rigid = true
[[body]]
part = "cloth"
at = [0, 0.1, 0]
turn = [-90, 0, 0]
padding = 0.008
[[body]]
part = "plate"
at = [1, 0.1, 0]
turn = [-90, 0, 0]
[[ground]]
[[probe]]
name = "corner"
where = "cloth: x > 0.39"
[[check]]
probe = "corner"
measure = "final"
value = -0.092
within = 0.02
"""
    (tmp_path / "two.toml").write_text(text)
    made = pl.load_scene(tmp_path / "two.toml")
    world = made.build()
    assert [len(body.vertices()) for body in world.bodies] == [2 * 20, 2 * 16]
    masses = [body.model.inertia.mass for body in world.bodies]
    np.testing.assert_allclose(masses, [1000 * 0.004 * 0.12, 1000 * 0.01 * 0.09], rtol=1e-9)
    assert all(verdict.holds for verdict in made.verify(made.watch(world, 1.2)))
    np.testing.assert_allclose(world.bodies[1].vertices()[:, 1].max(), 0.01, atol=1e-3)


def test_padding_is_for_shells(tmp_path):
    (tmp_path / "no.toml").write_text(
        'system = "world"\n[[part]]\nshape = "spoon"\n[[body]]\npart = "part"\npadding = 0.1\n'
    )
    with pytest.raises(SceneError, match="padding is for shells"):
        pl.load_scene(tmp_path / "no.toml")
