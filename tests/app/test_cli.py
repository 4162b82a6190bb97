"""The command line: what it writes, what it says, and its exit codes."""

import json
import subprocess
import sys

import numpy as np
import pytest

import pliant as pl
from pliant.app import options
from pliant.app.cli import _scenes_like, _tell_assumed
from pliant.app.comparison_methods import methods
from pliant.app.opening import open_scene
from pliant.errors import ArgumentError
from pliant.fem import MATERIALS
from pliant.mesh.pieces import PIECES
from pliant.scenes import gallery, load_scene
from pliant.scenes.presets import PRESETS
from pliant.scenes.standing import ENDS
from pliant.scenes.units import UNITS

BAR = """
dt = 0.01
duration = 0.2
[[part]]
shape = { name = "bar", size = [1, 0.2, 0.2], cells = [6, 2, 2] }
fixed = "x < 0.01"
basis = { modes = 4, size = 6 }
[[probe]]
name = "tip"
where = "x > 0.99"
"""


SLENDER = """
dt = 0.01
duration = 1.5
gravity = [0, 0, 0]
[[part]]
shape = { name = "segments", size = [1, 0.08, 0.08], cells = [18, 2, 2] }
material = { young = 2e7 }
fixed = "x < 0.01"
[tree]
size = 60
attachment = true
[[push]]
where = "x > 0.99"
force = [0, 8, 4]
until = 0.1
[[probe]]
name = "tip"
where = "x > 0.99"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("cli")
    (made / "bar.toml").write_text(BAR)
    (made / "wrong.toml").write_text(BAR.replace("dt = 0.01", "dt = -1\ncolour = 3"))
    return made


LARGE = ("scipy", "numba", "starlette", "matplotlib", "trimesh", "pliant.scenes", "pliant.mesh", "pliant.systems")


@pytest.mark.parametrize("words", [["--version"], ["view", "--help"]])
def test_help_and_version_load_nothing_large(words):
    """So that they, and the completion of shells, are there within a tenth of a second of work."""
    code = f"""
import sys
sys.argv = ["pliant", *{words!r}]
from pliant.__main__ import main
try:
    main()
except SystemExit:
    print("LOADED", *[name for name in {LARGE!r} if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1].split() == ["LOADED"]


def test_names_in_the_help_are_those_of_the_tables():
    assert tuple(UNITS) == options.UNIT_NAMES
    assert tuple(ENDS) == options.END_NAMES
    assert tuple(PRESETS) == options.PRESET_NAMES
    assert tuple(MATERIALS) == options.LAW_NAMES
    assert sorted(PIECES) == sorted(options.KEEP_NAMES)
    assert tuple(methods()) == options.METHOD_NAMES
    assert _scenes_like("") == gallery()


def pliant(folder, *arguments, code=0):
    command = [sys.executable, "-m", "pliant", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=240)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done


@pytest.mark.parametrize("ending", ["glb", "npz", "vtu", "html"])
def test_run_writes_a_file_and_says_so(folder, ending):
    done = pliant(folder, "run", "bar.toml", "-o", f"bar.{ending}", "--seconds", "0.1", "--json")
    said = json.loads(done.stdout)
    assert said["frames"] == 7
    assert (folder / said["output"]).stat().st_size > 1000


def test_run_writes_a_moving_picture_of_the_size_that_is_asked_for(folder):
    done = pliant(folder, "run", "bar.toml", "-o", "bar.gif", "--seconds", "0.1", "--size", "64x48", "--json")
    assert json.loads(done.stdout)["frames"] == 7
    assert (folder / "bar.gif").read_bytes()[:10] == b"GIF89a" + bytes([64, 0, 48, 0])
    refused = pliant(folder, "run", "bar.toml", "-o", "bar.glb", "--size", "64x48", code=1)
    assert "--size is for .png" in refused.stderr


def test_what_is_assumed_of_a_mesh_is_said_and_saved(folder, capsys):
    pl.shapes.bar((100, 400, 100), (2, 8, 2)).write(folder / "post.vtu")
    scene = open_scene(str(folder / "post.vtu"), unit="cm", material="jelly")
    _tell_assumed(scene, False, folder / "post.toml")
    said = capsys.readouterr().out
    assert (
        "post: 400 units: in centimetres, 4 m long; y is up; 9 of 81 vertices are held, y < -1.88" in said
    )  # 3 % of 4 m above -2 m
    assert "post: jelly, E = 10 kPa, nu = 0.45, 1030 kg/m^3; it swings at" in said
    assert load_scene(folder / "post.toml").file.part == scene.file.part


@pytest.mark.parametrize("option", [("--up", "z"), ("--young", "1e5"), ("--fixed", "y < 1"), ("--material", "rubber")])
def test_what_is_said_of_meshes_is_refused_for_scenes(option):
    with pytest.raises(ArgumentError, match=f"{option[0]} is for mesh and surface files; in the scene spoon write"):
        open_scene("spoon", **{option[0][2:]: float(option[1]) if option[0] == "--young" else option[1]})


def test_dressed_scene_is_run_in_its_skin(folder):
    """One mesh with `skin = `: what is written is the surface that it wears."""
    ball = pl.sdf.sphere(0.08).surface(0.05)
    pl.Surface(ball.vertices + np.array([0.5, 0, 0]), ball.triangles).write(folder / "ball.obj")
    (folder / "dressed.toml").write_text(BAR.replace("basis =", 'skin = "ball.obj"\nbasis ='))
    pliant(folder, "run", "dressed.toml", "-o", "dressed.npz", "--seconds", "0.1", "-q")
    with np.load(folder / "dressed.npz") as content:
        assert content["triangles"].shape == ball.triangles.shape


def test_bodies_are_run_and_not_compared(folder):
    bodies = '[[body]]\npart = "part"\n[[body]]\npart = "part"\nname = "other"\nat = [0, 1, 0]\n'
    (folder / "two.toml").write_text(BAR.replace('"x > 0.99"', '"part: x > 0.99"') + bodies)
    pliant(folder, "run", "two.toml", "-o", "two.glb", "--seconds", "0.05", "-q")
    assert "has several bodies" in pliant(folder, "compare", "two.toml", code=1).stderr


def test_help_of_compare_lists_every_method(folder):
    text = "".join(pliant(folder, "compare", "--help").stdout.split())
    assert all(method in text.replace("│", "") for method in methods())


def test_quiet_run_says_nothing(folder):
    done = pliant(folder, "run", "bar.toml", "--seconds", "0.05", "-o", "quiet.npz", "--quiet")
    assert done.stdout == done.stderr == ""


def test_compare_draws_and_tabulates(folder):
    done = pliant(folder, "compare", "bar.toml", "--with", "full,cubic", "-o", "curves.png", "--json")
    rows = json.loads(done.stdout)
    assert [row["model"] for row in rows] == ["full", "cubic"]
    assert rows[0]["L2 error %"] == 0
    assert rows[1]["L2 error %"] < 30
    assert (folder / "curves.png").stat().st_size > 5000


def test_compare_draws_trees_from_above_and_orders_their_frequencies(folder):
    """[LS11] Fig. 7: the less of its subtree's inertia a part feels, the higher the frequency."""
    (folder / "parts.toml").write_text(SLENDER)
    methods = "full,tree-full,tree-L2,tree-L1"
    done = pliant(folder, "compare", "parts.toml", "--with", methods, "-o", "paths.png", "--json")
    ratios = [row["tip Hz / full"] for row in json.loads(done.stdout)]
    assert ratios[0] == 1
    assert ratios[1] == pytest.approx(1, rel=0.02)  # with attachment modes: 0.988 in the maths sheet substructuring 10
    assert ratios[1] < ratios[2] < ratios[3]
    assert (folder / "paths.png").stat().st_size > 5000


def test_compare_explains_a_model_that_diverges(folder):
    """A push that no step of this size survives: the row says so instead of a traceback, and the JSON has no nan."""
    wild = BAR.replace("dt = 0.01", "dt = 0.01\nnewton = 2") + '[[push]]\nwhere = "x > 0.99"\nforce = [0, 1e12, 0]\n'
    (folder / "wild.toml").write_text(wild)
    done = pliant(folder, "compare", "wild.toml", "--with", "cubic,linear", "-o", "wild.png", "--json")
    rows = json.loads(done.stdout, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert "found no solution" in rows[0]["note"]
    assert rows[1]["L2 error %"] is None


def test_export_writes_the_model_and_the_mesh(folder):
    pliant(folder, "export", "bar.toml", "bar.pliant")
    pliant(folder, "export", "bar.toml", "bar.mesh", "--quiet")
    assert pl.load(folder / "bar.pliant").size == 6
    assert pl.read_mesh(folder / "bar.mesh").cell_count == 144


def test_scenes_lists_the_gallery_and_prints_the_schema(folder):
    assert {row["name"] for row in json.loads(pliant(folder, "scenes", "--json").stdout)} == set(pl.gallery())
    assert "properties" in json.loads(pliant(folder, "scenes", "--schema").stdout)


def test_build_draws_the_error_over_the_size_of_a_chosen_basis(folder):
    (folder / "chosen.toml").write_text(BAR.replace("modes = 4, size = 6", "tolerance = 0.3"))
    said = pliant(folder, "build", "chosen.toml", "--report", "sizes.svg").stdout
    assert "estimated error" in said
    assert "tolerance 0.3" in (folder / "sizes.svg").read_text()
    assert "no basis that was chosen" in pliant(folder, "build", "bar.toml", "--report", "sizes.svg", code=1).stderr


def test_build_counts_coordinates(folder):
    assert json.loads(pliant(folder, "build", "bar.toml", "--json").stdout)["coordinates"] == 6


def test_coordinates_that_parts_share_are_counted_once(folder):
    """In the words of build and in the rows of compare."""
    text = SLENDER.replace("duration = 1.5", "duration = 0.02") + '\n[seams]\nforce = "linear"\nsoft = 6\n'
    (folder / "shared.toml").write_text('system = "seams"\n' + text)
    system = pl.load_scene(folder / "shared.toml").build()
    assert system.size < len(system.pose().flat)
    assert json.loads(pliant(folder, "build", "shared.toml", "--json").stdout)["coordinates"] == system.size
    done = pliant(folder, "compare", "shared.toml", "--with", "seams-soft", "-o", "shared.png", "--json")
    assert json.loads(done.stdout)[0]["coordinates"] == system.size


def test_export_of_a_model_is_refused_where_there_is_none(folder):
    (folder / "parts.toml").write_text('system = "tree"\n' + SLENDER)
    done = pliant(folder, "export", "parts.toml", "parts.pliant", code=1)
    assert "parts has no reduced model: its system is tree" in done.stderr


def test_bare_mesh_can_be_run(folder):
    pl.sdf.capsule((0, 0, 0), (0, 1, 0), 0.2).tets(0.2).write(folder / "post.vtu")
    pliant(folder, "run", "post.vtu", "-o", "post.npz", "--seconds", "0.1", "-q")
    with np.load(folder / "post.npz") as content:
        assert len(content["times"]) > 3


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["run", "wrong.toml", "-o", "a.glb"], "dt: should be greater than 0; -1 was given"),
        (["run", "nowhere.toml", "-o", "a.glb"], "does not exist"),
        (["run", "dragon", "-o", "a.glb"], "no scene is called 'dragon'"),
        (["run", "bar.toml", "-o", "a.mp3"], "ending"),
        (["run", "bar.toml", "-o", "no/where/a.glb", "-s", "0.02"], "folder"),
        (["view", "nowhere.mesh"], "nowhere.mesh"),
        (["compare", "bar.toml", "--with", "magic"], "magic"),
        (["compare", "bar.toml", "--with", "full,tree-L1"], "has no parts to make a tree of"),
        (["compare", "bar.toml", "-o", "curves.mp3"], "ending"),
        (["compare", "bar.toml", "-o", "no/where.png"], "folder"),
    ],
)
def test_errors_are_a_sentence_and_exit_code_one(folder, arguments, sentence):
    done = pliant(folder, *arguments, code=1)
    assert sentence in done.stderr
    assert done.stderr.startswith("pliant:")


def test_wrong_usage_is_exit_code_two(folder):
    pliant(folder, "run", code=2)
    pliant(folder, "dance", code=2)
    refused = pliant(folder, "view", "post.vtu", "--unit", "km", "--no-browser", code=2)
    assert "must be one of mm, cm, m, in; 'km' was given" in refused.stderr


def test_it_says_its_version_and_runs_as_a_module():
    said = subprocess.run([sys.executable, "-m", "pliant", "--version"], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == f"pliant {pl.__version__}"
