"""Writing: endings, options, files that appear whole or not at all; and the .npz round trip."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recordings import KINDS, made_up

from pliant.errors import ArgumentError, FileError
from pliant.export import DRAWN, EXPORTERS, Recording, check_suffix, read_recording, write, write_plot
from pliant.export import pieces as pieces_module

SINGLE_FILES = [ending for ending in EXPORTERS if ending not in (".pvd", *DRAWN)]


def small(ending):
    """Options for files that are quickly drawn; skips where the package that writes them is missing."""
    if ending in (".mp4", ".webm"):
        pytest.importorskip("imageio_ffmpeg", reason="films need the package imageio-ffmpeg")
    return {"size": (16, 16)} if ending in DRAWN else {}


def test_unknown_ending_lists_the_known_ones(tmp_path):
    with pytest.raises(ArgumentError, match=r"unknown ending; known are \.glb.*\.html"):
        write(made_up("full"), tmp_path / "a.xyz")


def test_ending_may_be_in_capitals():
    assert check_suffix("A.GLB") == ".glb"


def test_unknown_option_lists_the_known_ones(tmp_path):
    with pytest.raises(ArgumentError, match="no option tme; known are time"):
        write(made_up("full"), tmp_path / "a.vtu", tme=1.0)


@pytest.mark.parametrize("ending", EXPORTERS)
def test_missing_folder_is_a_file_error(tmp_path, ending):
    with pytest.raises(FileError, match="does not exist"):
        write(made_up("full"), tmp_path / "nowhere" / f"a{ending}")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("ending", EXPORTERS)
def test_a_folder_in_the_way_is_a_file_error(tmp_path, ending):
    (tmp_path / f"a{ending}").mkdir()
    with pytest.raises(FileError, match="it is a folder"):
        write(made_up("full"), tmp_path / f"a{ending}")


@pytest.mark.parametrize("ending", EXPORTERS)
def test_failure_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, ending):
    path = tmp_path / f"a{ending}"
    path.write_text("old")
    monkeypatch.setattr("os.replace", _refuse)
    with pytest.raises(FileError, match="no space"):
        write(made_up("full", frames=1), path, **small(ending))
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def _refuse(*_paths):
    raise OSError(28, "no space left")


@pytest.mark.parametrize("ending", SINGLE_FILES)
def test_writing_leaves_one_file(tmp_path, ending):
    write(made_up("tree"), tmp_path / f"a{ending}")
    assert [p.name for p in tmp_path.iterdir()] == [f"a{ending}"]


@pytest.mark.parametrize("ending", [".glb", ".html", ".png", ".gif", ".mp4", ".usdc"])
def test_nothing_to_draw_is_refused(tmp_path, ending):
    bare = Recording(np.empty((0, 3), int), np.zeros(1), positions=np.zeros((1, 4, 3)))
    with pytest.raises(ArgumentError, match="no triangles to draw"):
        write(bare, tmp_path / f"a{ending}")
    assert not list(tmp_path.iterdir())


def test_what_is_no_recording_is_refused(tmp_path):
    with pytest.raises(ArgumentError, match="must come from record"):
        write("spoon", tmp_path / "a.glb")


@settings(max_examples=15)
@given(kind=st.sampled_from(KINDS), seed=st.integers(0, 10**6))
def test_npz_round_trip_is_exact(tmp_path_factory, kind, seed):
    recording, path = made_up(kind, seed, frames=3), tmp_path_factory.mktemp("npz") / "a.npz"
    write(recording, path)
    again = read_recording(path)
    np.testing.assert_array_equal(again.full_vertices, recording.full_vertices)
    np.testing.assert_array_equal(again.triangles, recording.triangles)
    assert (again.name, again.claim) == (recording.name, recording.claim)
    np.testing.assert_array_equal(again.sound.samples, recording.sound.samples)
    assert type(again.material) is type(recording.material)


def test_npz_needs_no_pickle(tmp_path):
    write(made_up("seams"), tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz", allow_pickle=False) as archive:
        assert archive["part0_coordinates"].shape == (5, 3)
        assert all(archive[name].dtype != object for name in archive)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 broken", b"no archive at all"])
def test_damaged_npz_is_a_file_error(tmp_path, content):
    (tmp_path / "a.npz").write_bytes(content)
    with pytest.raises(FileError, match="not a recording"):
        read_recording(tmp_path / "a.npz")


def test_foreign_npz_is_a_file_error(tmp_path):
    np.savez(tmp_path / "a.npz", x=np.zeros(3))
    with pytest.raises(FileError, match="not a recording"):
        read_recording(tmp_path / "a.npz")


def test_principal_shapes_are_as_few_as_the_rank():
    """Three shapes that move a mesh are found again as three columns."""
    recording = made_up("one part", frames=9)
    positions = recording.full_vertices
    full = type(recording)(recording.triangles, recording.times, positions=positions)
    (piece,) = pieces_module.pieces(full, pieces_module.creased(full))
    assert piece.columns.shape[0] == recording.skin.parts[0].U.shape[1]


def test_plot_writes_a_chart(tmp_path):
    t = np.linspace(0, 1, 50)
    for ending in (".png", ".svg", ".pdf"):
        write_plot(
            tmp_path / f"a{ending}", {"tip": (t, np.sin(t)), "root": (t, 0 * t)}, title="Probes", y_label="y [m]"
        )
        assert (tmp_path / f"a{ending}").stat().st_size > 1000
    with pytest.raises(ArgumentError, match="unknown ending"):
        write_plot(tmp_path / "a.gif", {})
