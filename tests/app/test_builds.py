"""The command line builds what it is asked for once."""

from dataclasses import replace

import pytest
from typer.testing import CliRunner

import pliant as pl
from pliant.app import cli
from pliant.scenes import bare_mesh, bodies
from pliant.scenes.kinds import SYSTEMS
from pliant.scenes.schema import Part

BAR = """
dt = 0.01
duration = 0.05
[[part]]
shape = { name = "bar", size = [1, 0.2, 0.2], cells = [4, 1, 1] }
fixed = "x < 0.01"
basis = { modes = 3, size = 4 }
"""


class Count:
    """Calls of a function, which are passed on."""

    def __init__(self, function):
        self.function, self.calls = function, 0

    def __call__(self, *arguments):
        self.calls += 1
        return self.function(*arguments)


@pytest.fixture
def counts(monkeypatch):
    """How many systems were built, and how many meshes made."""
    kind = SYSTEMS["clamped"]
    systems, meshes = Count(kind.build), Count(bodies.build_mesh)
    monkeypatch.setitem(SYSTEMS, "clamped", replace(kind, build=systems))
    monkeypatch.setattr(bodies, "build_mesh", meshes)
    monkeypatch.setattr(bare_mesh, "read_cells", lambda file, clip: meshes(_part_of(file), file.parent))
    return systems, meshes


def _part_of(file):
    return Part(mesh=file.name)


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bar.toml").write_text(BAR)
    pl.sdf.capsule((0, 0, 0), (0, 1, 0), 0.2).tets(0.2).write(tmp_path / "post.vtu")

    def shown(live, _host, _port, _ready):
        with live:
            live.wait(lambda session: session.stage is not None)
            if live.session.stage.source.first:
                live.wait(lambda session: session.stage.base.report is not None)

    monkeypatch.setattr("pliant.app.server.serve", shown)
    monkeypatch.setattr(
        "pliant.app.warming.start_warming", lambda: type("Nothing", (), {"terminate": lambda _: None})()
    )

    def call(*arguments):
        done = CliRunner().invoke(cli.app, arguments, catch_exceptions=False)
        assert done.exit_code == 0, done.output

    return call


@pytest.mark.parametrize("source", ["bar.toml", "post.vtu"])
@pytest.mark.parametrize("command", [("build",), ("run", "-o", "out.npz", "-s", "0.05"), ("view", "--no-browser")])
def test_a_command_builds_its_scene_once(counts, run, source, command):
    """A bare mesh that is looked at has a quick system first, and then the one that is meant."""
    run(command[0], source, *command[1:])
    twice = source == "post.vtu" and command[0] == "view"
    assert [count.calls for count in counts] == [1 + twice, 1]
