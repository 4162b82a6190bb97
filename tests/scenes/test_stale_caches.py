"""What comes from the cache is what would be built now: keys hold all that a builder reads."""

import importlib.util
import os
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

import pliant as pl
from pliant.mesh import Mesh, shapes
from pliant.reduced import cached_arrays
from pliant.reduced.cache import content_key
from pliant.scenes import load_scene

WOOD = {"young": 1e6, "poisson": 0.3, "density": 500.0}
GROUPS = {"vertex_groups": {"tip": [3]}, "cell_groups": {"core": [0]}, "materials": {"core": WOOD}}
SKETCH = """
[[part]]
mesh = "bar.inp"
fixed = "x < 0.01"
basis = { kind = "sketch", loads = [{ where = 'group("tip")', force = [0, 20, 0] }] }
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PLIANT_CACHE", str(tmp_path / "cache"))


def test_keys_see_every_field_of_a_mesh():
    """Change one field at a time: 1 + 5 keys, all different."""
    mesh = shapes.bar((1, 0.2, 0.2), (4, 1, 1))
    given = {field.name: getattr(mesh, field.name) for field in fields(Mesh)} | {
        "cell_groups": {"core": [0, 1]},
        "materials": {"core": WOOD | {"young": 2e6}},
    }
    changed = {**GROUPS, "vertices": 2 * mesh.vertices, "cells": mesh.cells[::-1]}
    assert set(changed) == {field.name for field in fields(Mesh)}
    meshes = [Mesh(**given), *(Mesh(**given | {name: value}) for name, value in changed.items())]
    assert len({content_key([each]) for each in meshes}) == 6


def test_keys_see_every_field_of_a_solid():
    mesh = shapes.bar((1, 0.2, 0.2), (4, 1, 1))
    solid = pl.Solid(mesh, pl.StVK(1e6, 0.3, 1000.0), fixed=[0, 1, 2, 3])
    materials = [replace(solid.material, **{name: 0.4}) for name in solid.material.constant_names()]
    others = [pl.Solid(mesh, material, solid.fixed) for material in (*materials, pl.NeoHookean(1e6, 0.3, 1000.0))]
    others += [
        pl.Solid(mesh, solid.material, [0, 1, 2]),
        pl.Solid(Mesh(mesh.vertices, mesh.cells, {"a": [0]}), solid.material, [0, 1, 2, 3]),
    ]
    assert len({content_key([each]) for each in (solid, *others)}) == 1 + len(others)


def test_moved_group_makes_another_sketch(tmp_path):
    """The loads act on a group of the file: with the group elsewhere, the basis is another one."""
    mesh = shapes.bar((1, 0.2, 0.2), (6, 1, 1))
    found = []
    for where in ("x > 0.99", "abs(x - 0.5) < 0.01", "x > 0.99"):
        Mesh(mesh.vertices, mesh.cells, {"tip": mesh.select(where)}).write(tmp_path / "bar.inp")
        (tmp_path / "bar.toml").write_text(SKETCH)
        U = load_scene(tmp_path / "bar.toml").build().model.U[:, 0]
        found.append(U / np.abs(U).max())
    assert np.abs(found[0] - found[1]).max() > 0.1
    np.testing.assert_array_equal(found[0], found[2])


def test_tets_without_tetwild_are_made_again_with_it(tmp_path, monkeypatch):
    """Voxels have edges along the axes alone; fTetWild, once it is installed, fills a ball with others."""
    if importlib.util.find_spec("pytetwild") is None:
        pytest.skip("pytetwild is not installed")
    pl.sdf.sphere(0.5).surface(0.25).write(tmp_path / "ball.obj")
    (tmp_path / "ball.toml").write_text('[[part]]\nsurface = "ball.obj"\nedge = 0.3\nfixed = "y < -0.3"\n')
    known = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pytetwild" else known(name))
    voxels = load_scene(tmp_path / "ball.toml").mesh
    monkeypatch.setattr(importlib.util, "find_spec", known)
    tets = load_scene(tmp_path / "ball.toml").mesh
    assert tets.vertices.shape != voxels.vertices.shape


@pytest.mark.parametrize("trouble", ["homeless", "a name that is too long", "damaged in a folder of others"])
def test_cache_that_cannot_work_costs_time_alone(tmp_path, monkeypatch, trouble):
    if trouble == "homeless":
        monkeypatch.delenv("PLIANT_CACHE")
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        monkeypatch.delenv("HOME", raising=False)
        monkeypatch.setattr("pwd.getpwuid", lambda number: {}[number])
    elif trouble == "a name that is too long":
        monkeypatch.setenv("PLIANT_CACHE", str(tmp_path / ("long" * 100)))
    else:
        (tmp_path / "cache").mkdir()
        (tmp_path / "cache" / f"{content_key(['x'])}.pliant").write_bytes(b"junk")
        for name in ("unlink", "replace"):
            monkeypatch.setattr(os, name, _refused)
        monkeypatch.setattr(Path, "unlink", _refused)
    for _ in range(2):
        np.testing.assert_array_equal(cached_arrays(["x"], lambda: {"a": np.arange(3.0)})["a"], [0, 1, 2])


def _refused(*_, **__):
    raise PermissionError(13, "Permission denied")
