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
        (f"{SHEET}\nthickness = 0.01", 'system = "tree"', "shells are clamped or full"),
        (f"{SHEET}\nthickness = 0.01", 'system = "world"', "shells are clamped or full"),
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
