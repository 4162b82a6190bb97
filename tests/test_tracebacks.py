"""What used to end in a traceback ends in a sentence."""

import io
import os
import subprocess
import sys

import numpy as np
import pytest
from rich.console import Console

import pliant as pl
from pliant.app.progress import progress_bar
from pliant.app.reports import Notice
from pliant.app.terminal import Terminal
from pliant.app.wording import plain
from pliant.errors import FileError, PliantError
from pliant.export import read_recording, record, write
from pliant.reduced.file import read_arrays, write_arrays
from pliant.scenes import load_scene, scene_of_mesh

MESH = pl.shapes.bar((1, 0.2, 0.2), (4, 1, 1))
BAR = """
dt = {dt}
title = "{title}"
[[part]]
shape = {{ name = "bar", size = [1, 0.2, 0.2], cells = [{cells}, 1, 1] }}
material = {{ young = {young}, density = {density} }}
fixed = "x < 0.01"
basis = {{ modes = 3, size = 5 }}
"""
USUAL = {"dt": "0.01", "title": "bar", "cells": "4", "young": "1e6", "density": "1e3"}


@pytest.fixture(scope="module")
def model():
    solid = pl.Solid(MESH, pl.StVK(1e6, 0.3), fixed="x < 0.01")
    return pl.reduce(solid, pl.modal_basis(solid, modes=3, size=5))


@pytest.mark.parametrize(
    "wrong",
    [
        {"dt": "1e-300"},
        {"dt": "1e300"},
        {"young": "1e300"},
        {"young": "1e-300"},
        {"density": "1e-300"},
        {"cells": 400 * "9"},
        {"cells": 5000 * "9"},
    ],
    ids=lambda wrong: str(wrong)[:40],
)
def test_extreme_scenes_are_refused(tmp_path, wrong):
    (tmp_path / "bar.toml").write_text(BAR.format(**USUAL | wrong))
    with pytest.raises(PliantError):
        load_scene(tmp_path / "bar.toml").build()


@pytest.mark.parametrize("dt", [1e-300, 1e300, 0.0, -1.0, np.nan])
def test_extreme_steps_are_refused(model, dt):
    solid = model.solid
    makers = (
        lambda: pl.Clamped(model, dt),
        lambda: pl.Full(solid, dt),
        lambda: pl.World(dt),
        lambda: pl.couple(solid, np.arange(MESH.cell_count) // 12, dt=dt),
        lambda: pl.substructure(solid, np.arange(MESH.cell_count) // 12, size=6, dt=dt),
    )
    for make in makers:
        with pytest.raises(PliantError, match="dt must be"):
            make()


def test_weight_without_end_is_no_rest(model):
    """The norm of its residual is not a number, and was taken for zero."""
    system = pl.Full(model.solid, 0.01, gravity=(0, 1e300, 0))
    with pytest.raises(PliantError, match="did not converge|no solution"):
        system.step(3)
    assert not system.u.any()


@pytest.mark.parametrize("force", [1e100, 1e200, 1e300])
def test_forces_without_end_are_no_motion(model, force):
    """Exact oscillators and the full model have a bound, as all others do: a thousand times their size."""
    linear = pl.reduce(model.solid, model.basis, force="linear")
    weak = pl.Solid(MESH, pl.Linear(1e6, 0.3), fixed="x < 0.01")
    systems = [pl.Clamped(linear, 0.01, integrator="exact"), pl.Full(weak, 0.01)]
    systems += [pl.Full(solid, 1e-4, integrator="explicit") for solid in (weak, model.solid)]
    for system in systems:
        system.push([MESH.vertex_count - 1], (0, force, 0))
        with pytest.raises(PliantError), np.errstate(all="ignore"):
            system.step(40)
        for name, array in system.state().items():
            assert np.isfinite(array).all(), name
        assert np.abs(system.vertices()).max() < 1e4


@pytest.mark.parametrize("endless", [10**4, 2**62])
def test_counts_that_seem_to_hang_are_refused(model, endless):
    """Of damaged files, say: a tree with 2^62 passes a step did not end, and no Ctrl-C was heard."""
    halves = (np.arange(MESH.cell_count) >= MESH.cell_count // 2).astype(int)
    for make in (
        lambda: pl.Clamped(model, 0.01, newton=endless),
        lambda: pl.Full(model.solid, 0.01, newton=endless),
        lambda: pl.couple_nonlinear(model.solid, halves, 2, 2, dt=0.01, newton=endless),
        lambda: pl.substructure(model.solid, halves, size=8, dt=0.01, passes=endless),
        lambda: pl.World(0.01, substeps=endless),
        lambda: pl.World(0.01, sweeps=endless),
    ):
        with pytest.raises(PliantError, match=f"at most .*; {endless} was given"):
            make()


@pytest.mark.parametrize("name", ["a b.vtu", f"{150 * 'x'}.vtu", "caf\u00e9 [red].vtu", "\x1b[31m.vtu"])
def test_meshes_of_any_name_become_scenes(tmp_path, name):
    MESH.write(tmp_path / name)
    made = scene_of_mesh(tmp_path / name)
    made.save(tmp_path / "scene.toml")
    assert load_scene(tmp_path / "scene.toml").mesh.cell_count == MESH.cell_count


def test_a_name_that_is_no_text_is_refused(tmp_path):
    MESH.write(tmp_path / "a.vtu")
    name = os.fsencode(tmp_path) + b"/\xff\xfe.vtu"
    os.replace(tmp_path / "a.vtu", name)
    with pytest.raises(FileError, match="not UTF-8"):
        scene_of_mesh(os.fsdecode(name))


@pytest.mark.parametrize("title", ["[/red] title", "\x1b]0;gotcha\x07", "[link=file:///]x[/link]", "\udcff"])
def test_words_of_files_are_printed_as_they_are(title):
    console = Console(record=True, width=200, file=io.StringIO(), force_terminal=True)
    Terminal(console).on_report(Notice(title, "error"), None)
    printed = console.export_text()
    assert plain(title) in printed
    assert "\x1b" not in plain(title)
    assert "\x07" not in plain(title)


def test_progress_shows_stages_as_they_are(monkeypatch):
    monkeypatch.setattr("pliant.app.progress.Console", lambda **_: Console(force_terminal=True, file=io.StringIO()))
    with progress_bar() as tell:
        tell("[/red] \x1b[2J", 0.5)


def test_command_line_prints_titles_of_files_as_they_are(tmp_path):
    (tmp_path / "bar.toml").write_text(BAR.format(**USUAL | {"title": "[/red] \\u001b[31m"}))
    command = [sys.executable, "-m", "pliant", "build", "bar.toml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    assert "[/red] \\x1b[31m: 5 coordinates" in done.stdout


@pytest.mark.parametrize("force", ["cubic", "linear", "cubature"])
def test_models_with_a_right_checksum_and_wrong_lengths_are_refused(tmp_path, model, force):
    """Every array cut short by one, along each axis, or with a number in it that points nowhere."""
    path = tmp_path / "bar.pliant"
    options = {"samples": 20} if force == "cubature" else {}
    made = model if force == "cubic" else pl.reduce(model.solid, model.basis, force=force, **options)
    made.save(path)
    header, whole = read_arrays(path)
    for name, array in whole.items():
        if name == "force.errors" or name.startswith("report"):
            continue
        spoilt = (
            []
            if name == "fixed"
            else [np.delete(array, 0, axis) for axis in range(array.ndim) if array.shape[axis] > 1]
        )
        spoilt += [np.full_like(array, 10**9 if array.dtype.kind == "i" else np.nan)] if array.size else []
        for other in spoilt:
            write_arrays(path, header, {**whole, name: other})
            with pytest.raises(PliantError):
                print(name, other.shape, pl.load(path))


def test_hostile_recordings_are_refused(tmp_path, model):
    path = tmp_path / "a.npz"
    write(record(pl.Clamped(model, 0.01), 0.05), path)
    with np.load(path) as archive:
        whole = dict(archive)
    for name, array in whole.items():
        for other in (array[..., None], np.array("words"), np.array(3.0), np.array([])):
            np.savez(path, **{**whole, name: other})
            try:
                read_recording(path).vertices(-1)
            except PliantError:
                continue
    for junk in (b"", b"PK\x03\x04junk", b"\x93NUMPY\x01\x00"):
        path.write_bytes(junk)
        with pytest.raises(FileError):
            read_recording(path)
    np.savez_compressed(path, **whole, more=np.zeros(2**26))
    with pytest.raises(FileError, match="would unpack"):
        read_recording(path)


@pytest.mark.parametrize("ending", [".obj", ".off", ".stl"])
def test_surfaces_with_latin_1_in_their_comments_are_read(tmp_path, ending):
    path = tmp_path / f"a{ending}"
    if ending == ".stl":
        corner = "vertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
        text = f"solid caf\u00e9\nfacet normal 0 0 1\nouter loop\n{corner}endloop\nendfacet\nendsolid\n"
    elif ending == ".off":
        text = "OFF\n# caf\u00e9\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"
    else:
        text = "# caf\u00e9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
    path.write_bytes(text.encode("latin-1"))
    assert len(pl.read_surface(path).triangles) == 1


def test_kernels_find_room_without_a_home():
    code = """
import os
os.access = lambda path, mode: False
import pliant
print(os.environ["NUMBA_CACHE_DIR"], os.path.isdir(os.environ["NUMBA_CACHE_DIR"]))
"""
    away = ("HOME", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR")
    environment = {key: value for key, value in os.environ.items() if key not in away} | {"HOME": "/proc/nowhere"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    folder, there = done.stdout.split()
    assert there == "True"
    assert not os.path.isdir(folder)
