"""A disk that is full: caches go without, files say so in a sentence, and what the killed leave is swept."""

import os
import resource
import time
from contextlib import contextmanager

import numpy as np
import pytest
from recordings import made_up

from pliant.errors import FileError
from pliant.export import write
from pliant.mesh.files import paths
from pliant.reduced import cached_arrays
from pliant.reduced.file import write_arrays

BIG = {"a": np.zeros(40_000)}


@contextmanager
def small_disk(bytes_in_a_file=8192):
    """No file may grow beyond this; Python ignores the signal, so that writing fails as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_in_a_file, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_full_disk_costs_the_cache_time_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("PLIANT_CACHE", str(tmp_path))
    with small_disk():
        np.testing.assert_array_equal(cached_arrays(["big"], lambda: BIG)["a"], BIG["a"])
    assert not list(tmp_path.iterdir())


def test_full_disk_is_said_of_models(tmp_path):
    with small_disk(), pytest.raises(FileError, match="big.pliant cannot be written"):
        write_arrays(tmp_path / "big.pliant", {}, BIG)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("ending", [".usdc", ".usda", ".glb", ".npz", ".html", ".vtu", ".pvd"])
def test_full_disk_is_said_of_recordings(tmp_path, ending):
    if ending.startswith(".usd"):
        pytest.importorskip("pxr.Usd")
    with small_disk(1024), pytest.raises(FileError, match="cannot be written"):
        write(made_up("full"), tmp_path / f"bar{ending}")
    assert not list(tmp_path.iterdir())


def test_old_leftovers_are_swept_and_young_ones_stay(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "_swept", set())
    old, young, foreign = (tmp_path / name for name in (".pliant-0123456789ab.glb", ".pliant-ba9876543210", ".notes"))
    for each in (old, young, foreign):
        each.write_text("x")
    for each in (old, foreign):
        os.utime(each, (time.time() - 7200,) * 2)
    write_arrays(tmp_path / "a.pliant", {}, {"a": np.zeros(2)})
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted([young.name, foreign.name, "a.pliant"])
