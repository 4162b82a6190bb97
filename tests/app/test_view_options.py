"""`pliant view anything`: each option of the command line reaches what is shown; words are completed."""

import os
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

import pliant as pl
from pliant.app import cli

LONGEST = 400.0  # units of the file


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """With a post of 400 units, and a file with a body and dust."""
    made = tmp_path_factory.mktemp("meshes")
    pl.shapes.bar((100, LONGEST, 100), (1, 4, 1)).write(made / "post.vtu")
    post, dust = pl.shapes.bar((0.1, 0.4, 0.1), (1, 4, 1)), pl.shapes.bar((0.01, 0.01, 0.01), (1, 1, 1))
    X = np.concatenate([post.vertices, dust.vertices + np.array([0.5, 0, 0])])
    pl.Mesh(X, np.concatenate([post.cells, dust.cells + len(post.vertices)])).write(made / "dusty.vtu")
    return made


@pytest.fixture
def shown(folder, monkeypatch):
    """The scene that a command shows."""

    def scene(*words):
        seen = []
        monkeypatch.setattr(
            cli, "_show", lambda _name, source, *_: seen.append(source.open(lambda *_: None).mesh.scene)
        )
        result = CliRunner().invoke(cli.app, ["view", str(folder / words[0]), *words[1:], "--quiet"])
        assert result.exit_code == 0, result.output
        return seen[0]

    return scene


def size(scene):
    return float(np.ptp(scene.rest, axis=0).max())


@pytest.mark.parametrize(
    ("words", "metres"),
    [
        ((), 0.4),  # millimetres, by its extent
        (("--unit", "mm"), 0.4),
        (("--unit", "in"), 0.0254 * LONGEST),
        (("--scale", "0.01"), 4.0),
        (("--unit", "mm", "--scale", "3"), 1.2),
    ],
)
def test_unit_and_scale_set_the_size(shown, words, metres):
    assert size(shown("post.vtu", *words)) == pytest.approx(metres)


def test_up_and_fixed_say_how_it_stands(shown):
    lying = shown("post.vtu", "--up", "z")
    assert np.ptp(lying.rest[:, 1]) == pytest.approx(0.1)
    hanging = shown("post.vtu", "--fixed", "top")
    assert hanging.rest[hanging.solid.fixed, 1].min() == pytest.approx(hanging.rest[:, 1].max())
    chosen = shown("post.vtu", "--fixed", "y > 0.19")
    np.testing.assert_array_equal(chosen.solid.fixed, hanging.solid.fixed)
    assert not len(shown("post.vtu", "--fixed", "nothing").solid.fixed)


def test_constants_and_materials_are_those_that_are_asked_for(shown):
    own = shown("post.vtu", "--young", "2e6", "--poisson", "0.2", "--density", "500").file.part[0].material
    assert (own.young, own.poisson, own.density) == (2e6, 0.2, 500)
    rubber = shown("post.vtu", "--material", "rubber").file.part[0].material
    law = shown("post.vtu", "--material", "neo-hookean").file.part[0].material
    assert rubber.young == pl.scenes.presets.PRESETS["rubber"].young
    assert law.model == "neo-hookean"


def test_floor_is_where_it_is_asked_for(shown):
    assert shown("post.vtu", "--floor", "-0.7").file.floor == -0.7


def test_bodies_are_kept_as_asked_for(shown):
    counts = {keep: shown("dusty.vtu", "--keep", keep).mesh.components[0] for keep in ("all", "bodies", "largest")}
    assert counts == {"all": 2, "bodies": 1, "largest": 1}


def test_shell_completes_commands_and_scenes():
    def completed(words):
        asked = {"_PLIANT_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
        start = "import sys; sys.argv = ['pliant']; from pliant.app.cli import main; main()"
        done = subprocess.run([sys.executable, "-c", start], env=os.environ | asked, capture_output=True, text=True)
        return done.stdout.split()

    assert completed("pliant de") == ["demo"]
    assert completed("pliant demo sp") == ["spoon"]
    assert completed("pliant view cow.obj --material al") == ["aluminium"]
