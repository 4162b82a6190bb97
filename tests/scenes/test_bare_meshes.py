"""Bare meshes as scenes: what is assumed is said, can be changed, is written down, and stands."""

import tomllib

import numpy as np
import pytest

import pliant as pl
from pliant.basis.response import StaticResponse
from pliant.errors import ArgumentError, FileError, PliantWarning, SceneError, SelectionError
from pliant.numerics import rotation_exponential
from pliant.scenes import gallery, load_scene, scene_of_mesh
from pliant.scenes.presets import PRESETS
from pliant.scenes.saving import to_toml
from pliant.scenes.standing import ENDS, FEWEST, TURNS, feet, guessed_up, held_end
from pliant.scenes.stiffness import CRUSHED, _strain_by_weight
from pliant.scenes.units import length_of_unit

POST = (0.1, 0.1, 0.4)
SMALL = {"basis": {"kind": "modal", "modes": 4, "size": 8}}


@pytest.fixture
def post(tmp_path):
    """A post along z, 400 units long."""
    bar = pl.shapes.bar(tuple(1000 * side for side in POST), (2, 2, 8))
    bar.write(tmp_path / "post.vtu")
    return tmp_path / "post.vtu"


@pytest.mark.parametrize(
    ("extent", "scale", "unit", "length", "said"),
    [
        (128, None, None, 1e-3, "128 units: read as millimetres, 12.8 cm long"),
        (0.0886, None, None, 1.0, "0.0886 units: read as metres, 8.86 cm long"),
        (1.7, None, None, 1.0, "1.7 units: read as metres, 1.7 m long"),
        (2, None, "in", 0.0254, "2 units: in inches, 5.08 cm long"),
        (128, 0.01, None, 0.01, "128 units: in metres times 0.01, 1.28 m long"),
        (5, 2.0, "cm", 0.02, "5 units: in centimetres times 2, 10 cm long"),
    ],
)
def test_unit_is_guessed_from_the_extent_or_as_given(extent, scale, unit, length, said):
    found, sentence = length_of_unit(extent, scale, unit)
    assert found == pytest.approx(length)
    assert sentence == said


def test_a_rod_stands_on_its_end_and_is_held_there(post):
    scene = scene_of_mesh(post)
    assert "400 units: read as millimetres, 40 cm long; z is up; 9 of 81 vertices are held" in scene.notes[0]
    height = scene.rest[:, 1]
    assert np.ptp(height) == pytest.approx(0.4)  # turned to stand along y
    assert set(np.round(height[scene.solid.fixed], 9)) == {np.round(height.min(), 9)}


@pytest.mark.filterwarnings("error")
def test_points_that_no_cell_uses_are_no_part_of_it(post, tmp_path):
    """As files of mesh generators have them, far away."""
    mesh, stray = pl.read_mesh(post), tmp_path / "stray.mesh"
    lines = ["MeshVersionFormatted 2", "Dimension 3", "Vertices", str(mesh.vertex_count + 1), "9e5 0 0 0"]
    lines += [f"{x} {y} {z} 0" for x, y, z in mesh.vertices] + ["Tetrahedra", str(mesh.cell_count)]
    stray.write_text("\n".join([*lines, *(" ".join(map(str, [*cell, 0])) for cell in mesh.cells + 2), "End"]))
    scene = scene_of_mesh(stray)
    assert scene.notes[0] == scene_of_mesh(post).notes[0]
    assert scene.solid.mesh.vertex_count == mesh.vertex_count
    scene.save(tmp_path / "stray.toml")
    assert pl.load_scene(tmp_path / "stray.toml").solid.mesh.vertex_count == mesh.vertex_count


def test_all_feet_are_held_though_one_is_shorter():
    left, right = (np.column_stack([x + np.tile([0, 0.1], 20), np.linspace(y, 1, 40), np.tile([0, 0, 0.1, 0.1], 10)])
                   for x, y in ((0, 0.0), (0.9, 0.06)))  # fmt: skip
    X = np.vstack([left, right])
    level = float(feet(X, "y").split("<")[1])
    assert (right[:, 1] < level).any()
    assert level <= 0.15
    assert guessed_up(X) == "y"


def test_what_has_a_flat_foot_along_z_alone_stands_on_it():
    """A lathed bell, as files for printing have it."""
    around = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    heights = np.linspace(0, 1, 30)
    circles = [(r * np.cos(a), r * np.sin(a), z) for z, r in zip(heights, np.sqrt(1.05 - heights)) for a in around]
    bell = np.add(circles, (5.0, -7.0, 3.0))
    assert guessed_up(bell) == "z"
    assert guessed_up(bell[:, [1, 2, 0]]) == "y"
    assert guessed_up(bell * [1, 1, -1]) == "y", "its flat end is above"
    assert guessed_up(pl.shapes.sphere(cells=8).vertices) == "y"
    assert guessed_up(pl.shapes.bar((1, 1, 1), (2, 2, 2)).vertices) == "y", "it may stand on any side"


def test_no_foot_is_held_by_a_few_vertices_beside_one_of_many():
    """An arch that stands on one end, and on an edge of the other: the level rises until that is held as well."""
    bar = pl.shapes.bar((2.0, 0.3, 0.6), (16, 3, 6))
    x, y, z = bar.vertices.T
    lifted = 0.5 * np.sin(np.pi * np.clip((x - 0.3) / 1.6, 0, 1)) + 0.07 * (x > 1.2) * (1 + z - z.min())
    arch = pl.Mesh(np.column_stack([x, y + lifted, z]), bar.cells)
    plain, raised = (arch.select(held) for held in (feet(arch.vertices, "y"), held_end(arch, "feet", "y")))
    right = [np.sum(arch.vertices[ids, 0] > 1.2) for ids in (plain, raised)]
    assert 0 < right[0] < FEWEST <= right[1]
    assert set(plain) < set(raised)


@pytest.mark.parametrize(("end", "up"), [("feet", "y"), ("top", "y"), ("feet", "z"), ("top", "x"), ("left", "y")])
def test_what_leans_is_held_at_all_its_feet_and_nowhere_else(end, up):
    """Short legs under a long plate, which leans by 8 degrees: level ground would reach the plate before all legs."""
    bar = pl.shapes.bar((2.0, 0.5, 0.8), (20, 10, 8))
    x, y, z = (bar.centroids - bar.vertices.mean(axis=0)).T
    table = bar.submesh((y > -0.1) | ((np.abs(x) > 0.8) & (np.abs(z) > 0.2)))[0]
    towards = (rotation_exponential(np.radians(TURNS[up])).T @ np.array(ENDS[end], dtype=float)).round()
    upright = table.vertices @ _turn((0.0, -1.0, 0.0), towards).T
    soles = table.vertices[:, 1] < table.vertices[:, 1].min() + 1e-9
    leant = pl.Mesh(upright @ rotation_exponential(np.radians(8.0) * np.roll(np.abs(towards), 1)).T, table.cells)
    held = np.isin(np.arange(len(soles)), leant.select(held_end(leant, end, up)))
    assert held[soles].all()
    assert table.vertices[held, 1].max() < table.vertices[:, 1].min() + 0.11, "a cell of the legs at most"


def _turn(one, other):
    """(3, 3) that turns one axis to another."""
    axis = np.cross(one, other)
    if np.dot(one, other) < -0.5:
        return rotation_exponential(np.pi * np.array([0.0, 0.0, 1.0]))
    return rotation_exponential(0.5 * np.pi * axis)


def test_weight_strains_a_post_as_much_as_stands_on_its_foot():
    """Between rho g (L - h) / E and rho g L / E in the lowest cells, of height h, without Poisson's ratio."""
    bar = pl.shapes.bar((0.2, 1.0, 0.2), (1, 10, 1))
    solid = pl.Solid(bar, pl.StVK(1.0, 0.0, 1000.0), fixed=f"y < {bar.vertices[:, 1].min() + 1e-9}")
    assert 1000 * 9.81 * 0.9 < _strain_by_weight(solid, StaticResponse(solid), 1) < 1000 * 9.81


def test_what_stands_on_short_legs_does_not_crush_them(tmp_path):
    """Legs of 5 cm under a block of 1 m: at 2 Hz it would sink in by about g / (3 om^2), 2 cm."""
    bar = pl.shapes.bar((1.0, 1.0, 1.0), (6, 20, 6))
    x, y, z = (bar.centroids - bar.vertices.mean(axis=0)).T
    bar.submesh((y > -0.45) | ((np.abs(x) > 1 / 3) & (np.abs(z) > 1 / 3)))[0].write(tmp_path / "table.vtu")
    scene = scene_of_mesh(tmp_path / "table.vtu")
    strain = _strain_by_weight(scene.solid, StaticResponse(scene.solid), 1)
    assert strain == pytest.approx(CRUSHED, rel=0.01)
    assert pl.vibration_modes(scene.solid, 1).frequencies[0] > 2 * np.pi * 2.0, "more than a toy has"


def test_first_frequency_is_that_of_a_toy(post):
    """Of 0.4 m: sqrt(12 g / L) = 2 pi 2.73 Hz, so that it stands; of 4 m: 2 Hz."""
    for scale, hertz in ((1e-3, np.sqrt(12 * 9.81 / 0.4) / (2 * np.pi)), (1e-2, 2.0)):
        solid = scene_of_mesh(post, scale=scale).solid
        found = pl.vibration_modes(solid, 1).frequencies[0] / (2 * np.pi)
        assert found == pytest.approx(hertz, rel=2e-3)  # three digits of E


def test_it_begins_and_stays_in_equilibrium(post):
    scene = scene_of_mesh(post, fixed="z < 1e-9", up="x").changed(part=[SMALL])  # lies, and sags
    system = scene.build()
    start = system.vertices()
    sag = np.abs(start - scene.rest).max()
    assert sag > 0.03 * POST[2]
    system.step(300)
    assert np.abs(system.vertices() - start).max() < 1e-6 * sag


def test_full_model_settles_too(post):
    scene = scene_of_mesh(post, fixed="z < 1e-9", up="x").with_system("full")
    system = scene.build()
    start = system.vertices()
    system.step(5)
    np.testing.assert_allclose(system.vertices(), start, atol=1e-8)
    np.testing.assert_allclose(
        system.u, pl.solve_static(scene.solid, scene.solid.gravity_load((0, -9.81, 0))), atol=1e-8
    )


def test_other_kinds_say_that_they_cannot_settle(post):
    with pytest.raises(SceneError, match='start is for system = "clamped" or system = "full"'):
        scene_of_mesh(post).with_system("seams")
    with pytest.raises(ArgumentError, match="cannot settle"):
        scene_of_mesh(post, 2, young=1e6).build().settle()


def test_what_cannot_stand_is_said_and_starts_from_rest(post):
    scene = scene_of_mesh(post, young=1.0)
    assert "its weight may bend it to the ground" in scene.notes[1]


def test_no_equilibrium_starts_from_rest(post, monkeypatch):
    def never(_system):
        raise pl.Diverged("nowhere")

    monkeypatch.setattr(pl.Clamped, "settle", never)
    scene = scene_of_mesh(post).changed(part=[SMALL])
    with pytest.warns(PliantWarning, match="starts from rest"):
        system = scene.build()
    assert not system.q.any()


@pytest.mark.parametrize("name", PRESETS)
def test_presets_set_all_constants(post, name):
    made, preset = scene_of_mesh(post, material=name).file.part[0].material, PRESETS[name]
    assert (made.young, made.poisson, made.density) == (preset.young, preset.poisson, preset.density)


def test_constants_win_over_presets_and_laws_keep_the_frequency(post):
    made = scene_of_mesh(post, material="rubber", young=3e5, density=1200).file.part[0].material
    assert (made.young, made.poisson, made.density) == (3e5, 0.45, 1200)
    law = scene_of_mesh(post, material="neo-hookean")
    assert law.file.part[0].material.model == "neo-hookean"
    assert "chosen so that it swings" in law.notes[1]


@pytest.mark.parametrize(
    ("keys", "error", "message"),
    [
        ({"material": "ruber"}, ArgumentError, "did you mean rubber"),
        ({"up": "w"}, ArgumentError, "up must be one of x, y, z"),
        ({"unit": "ft"}, ArgumentError, "unit must be one of mm, cm, m, in"),
        ({"scale": 0.0}, ArgumentError, "scale"),
        ({"fixed": "z < -9"}, SelectionError, "selects no vertex; the mesh spans"),
        ({"poisson": 0.5}, SceneError, "less than 0.5"),
    ],
)
def test_what_cannot_be_is_refused(post, keys, error, message):
    with pytest.raises(error, match=message):
        scene_of_mesh(post, **keys)


def test_flat_surfaces_become_plates_that_are_drawn_flat(tmp_path):
    sheet = np.array([[0, 0, 0], [1000, 0, 0], [1000, 176, 0], [0, 176, 0]])
    pl.Surface(sheet, np.array([[0, 1, 2], [0, 2, 3]])).write(tmp_path / "sheet.obj")
    scene = scene_of_mesh(tmp_path / "sheet.obj")
    assert "the surface encloses nothing, so its sheets are made 2.29 cm thick" in scene.notes  # 0.0226 of 1.0154 m
    assert np.ptp(scene.rest[:, 2]) == pytest.approx(np.sqrt(18 * 0.176 / 6000), rel=0.05)  # that edge of a lattice
    np.testing.assert_array_equal(scene.bodies[0].surface.vertices[:, 2], 0)


def test_bodies_that_do_not_touch_are_all_held_and_dust_is_left_out(tmp_path):
    parts = [pl.shapes.bar((1, 1, 1), (2, 2, 2)), pl.shapes.bar((0.6, 0.6, 0.6), (2, 2, 2))]
    at = [np.zeros(3), np.array([2, 1.5, 0])]
    surfaces = [(mesh.vertices + x, mesh.surface) for mesh, x in zip(parts, at)]
    dust = (
        np.array([[4, 0, 0], [4.1, 0, 0], [4, 0.1, 0], [4, 0, 0.1]]),
        np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]),
    )
    vertices, triangles = [], []
    for x, t in [*surfaces, dust]:
        triangles.append(t + sum(map(len, vertices)))
        vertices.append(x)
    pl.Surface(np.concatenate(vertices), np.concatenate(triangles)).write(tmp_path / "two.stl")
    scene = scene_of_mesh(tmp_path / "two.stl")
    assert any("in 2 bodies that do not touch" in note for note in scene.notes)
    assert any("1 loose pieces were left out" in note for note in scene.notes)
    low = scene.rest[scene.solid.fixed, 1]
    edge = scene.file.part[0].edge * np.linalg.norm([4.6, 2.3, 1])  # of the lattice, which rounds edges off
    assert low.min() == pytest.approx(-0.5, abs=edge)
    assert low.max() == pytest.approx(1.2, abs=edge)  # the second stands in the air, and is held there
    assert len(scene_of_mesh(tmp_path / "two.stl", keep="largest").solid.fixed) < len(scene.solid.fixed)
    with pytest.raises(SelectionError, match="1 of 2 bodies are not held"):
        scene_of_mesh(tmp_path / "two.stl", fixed="y < 0.1")


@pytest.mark.parametrize(("end", "axis", "sign"), [("top", 1, 1), ("left", 0, -1), ("right", 0, 1), ("feet", 1, -1)])
@pytest.mark.parametrize("up", "xyz")
def test_ends_are_those_of_the_world(post, end, axis, sign, up):
    scene = scene_of_mesh(post, up=up, fixed=end)
    x = sign * scene.rest[:, axis]
    assert x[scene.solid.fixed].min() > x.max() - 0.2 * np.ptp(x)


def test_nothing_held_floats(post):
    scene = scene_of_mesh(post, fixed="nothing")
    assert "nothing is held" in scene.notes[0]
    assert not len(scene.solid.fixed)
    assert scene.file.gravity == (0, 0, 0)
    assert scene.file.floor is None


def test_saved_scene_reproduces_it_from_another_folder(post, tmp_path):
    (tmp_path / "kept").mkdir()
    scene = scene_of_mesh(post, up="z", material="rubber")
    scene.save(tmp_path / "kept" / "tuned.toml")
    again = load_scene(tmp_path / "kept" / "tuned.toml")
    assert again.file.part[0].mesh == "../post.vtu"
    np.testing.assert_array_equal(again.rest, scene.rest)
    np.testing.assert_array_equal(again.solid.fixed, scene.solid.fixed)
    assert again.file.part[0].material == scene.file.part[0].material
    assert (tmp_path / "kept" / "tuned.toml").read_text().startswith("# 400 units")
    assert [path.name for path in (tmp_path / "kept").iterdir()] == ["tuned.toml"]


def test_scene_files_end_in_toml(post):
    with pytest.raises(FileError, match=r"must end in \.toml"):
        scene_of_mesh(post).save("scene.json")


@pytest.mark.parametrize("name", gallery())
def test_every_gallery_scene_survives_being_saved(name, tmp_path):
    scene = load_scene(name)
    scene.save(tmp_path / "again.toml")
    again = load_scene(tmp_path / "again.toml").file
    written, given = again.model_dump(exclude={"part"}), scene.file.model_dump(exclude={"part"})
    assert written == given
    assert [part.material for part in again.part] == [part.material for part in scene.file.part]


def test_toml_of_odd_words_is_read_back():
    odd = {
        "title": 'say "hi" \\ \n\t\x7f €',
        "paint": {"petal *": "#fff", "b": {"deep": [1, 2.5, 1e-30, True]}},
        "rows": [{"a": [{"b": []}, {"c": {}}]}, {"x y": -3}],
    }
    assert tomllib.loads(to_toml(odd)) == odd
