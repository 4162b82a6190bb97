"""Systems in a surface of their own: drawn and pushed by it, simulated as without."""

import numpy as np
import pytest

import pliant as pl
from pliant.app.holding import Grip
from pliant.app.sources import SceneSource
from pliant.app.stage import Stage
from pliant.errors import ArgumentError
from pliant.export import record
from pliant.mesh import Surface, embed
from pliant.scenes.reading import check_scene
from pliant.scenes.scene import Scene
from pliant.systems import Clamped, Full

ROUNDING = 1e-12
MESH = pl.shapes.bar((1.0, 0.1, 0.1), (8, 1, 1))
SOLID = pl.Solid(MESH, pl.StVK(2e5, 0.3, 1000), fixed=MESH.select("x < 1e-9"))
CLOTHES = pl.shapes.bar((1.04, 0.12, 0.12), (11, 3, 3))
SURFACE = Surface(CLOTHES.vertices - [0.02, 0, 0], CLOTHES.surface)


@pytest.fixture(scope="module")
def model():
    return pl.reduce(SOLID, pl.modal_basis(SOLID, modes=4, size=8))


@pytest.fixture(params=["clamped", "full", "tree"])
def systems(request, model):
    """One without clothes and one in them."""
    labels = (MESH.vertices[MESH.cells].mean(axis=1)[:, 0] > 0.5).astype(int)
    make = {
        "clamped": lambda: Clamped(model, 0.005),
        "full": lambda: Full(SOLID, 0.005),
        "tree": lambda: pl.substructure(SOLID, labels, dt=0.005, damping=(0.1, 0.001), size=10),
    }[request.param]
    bare, dressed = make(), make()
    dressed.wear(SURFACE)
    return bare, dressed


def test_a_worn_surface_is_what_is_drawn(systems):
    bare, dressed = systems
    for system in systems:
        system.step(20)
    hung = embed(MESH, SURFACE.vertices)
    np.testing.assert_allclose(dressed.vertices(), hung.carry(bare.vertices()), atol=ROUNDING)
    np.testing.assert_array_equal(dressed.vertices("mesh"), bare.vertices())
    np.testing.assert_array_equal(dressed.triangles, SURFACE.triangles)
    assert dressed.momentum()[1] == pytest.approx(bare.momentum()[1])
    dressed.wear(None)
    np.testing.assert_array_equal(dressed.vertices(), bare.vertices())
    np.testing.assert_array_equal(dressed.triangles, bare.triangles)


def test_a_surface_on_warped_parts_follows_their_cells_closely():
    """Means of warped corners and the warp of mean rows differ by the rotation within a cell, squared."""
    labels = (MESH.vertices[MESH.cells].mean(axis=1)[:, 0] > 0.5).astype(int)
    system = pl.couple(SOLID, labels, soft=2, order=1, dt=0.005, damping=(0.1, 0.01), nonlinear=False)
    system.wear(SURFACE)
    system.step(40)
    carried = embed(MESH, SURFACE.vertices).carry(system.vertices("mesh"))
    moved = np.abs(carried - SURFACE.vertices).max()
    assert moved > 0.2
    assert np.abs(system.vertices() - carried).max() < 0.03 * moved


def test_pushes_on_a_worn_surface_do_the_work_of_the_cells(systems):
    """The same forces, brought to the corners by hand, make the same motion."""
    bare, dressed = systems
    ids, forces = np.array([5, 40, 7]), np.array([[0, 3, 1.0], [0, -1, 2], [1, 0, 0]])
    spread = np.zeros((len(SURFACE.vertices), 3))
    spread[ids] = forces
    dressed.push(ids, forces)
    bare.push(np.arange(MESH.vertex_count), embed(MESH, SURFACE.vertices).gather(spread))
    for system in systems:
        system.step(10)
    np.testing.assert_allclose(dressed.vertices("mesh"), bare.vertices(), atol=1e-9)


def test_pushes_on_the_mesh_do_not_ask_what_is_worn(systems):
    for system in systems:
        system.push(MESH.select("x > 0.99"), [0, 0.2, 0.1], on="mesh")
        system.step(10)
    np.testing.assert_array_equal(systems[1].vertices("mesh"), systems[0].vertices())
    with pytest.raises(ArgumentError, match="on must be one of skin, mesh"):
        systems[1].push([0], [0, 1, 0], on="cells")
    with pytest.raises(ArgumentError, match=f"between 0 and {MESH.vertex_count - 1}"):
        systems[1].push([MESH.vertex_count], [0, 1, 0], on="mesh")


def test_what_one_system_wears_another_of_the_same_mesh_can(systems, model):
    other = Clamped(model.truncate(3), 0.005)
    other.wear(systems[1].worn)
    assert other.worn is systems[1].worn
    assert other.skin.vertex_count == len(SURFACE.vertices)


def test_a_scene_is_pushed_and_probed_by_its_mesh_whatever_it_wears(tmp_path):
    SURFACE.write(tmp_path / "clothes.obj")
    part = {
        "shape": {"name": "bar", "size": [1, 0.1, 0.1], "cells": [8, 1, 1]},
        "material": {"young": 2e5},
        "fixed": "x < 1e-9",
        "basis": {"modes": 4, "size": 8},
    }
    document = {
        "dt": 0.005,
        "part": [part],
        "push": [{"where": "x > 0.99", "force": [0, 1, 0]}],
        "probe": [{"name": "tip", "vertex": MESH.vertex_count - 1}],
    }
    bare = Scene("bare", check_scene(document), tmp_path)
    dressed = bare.changed(part=[{"skin": "clothes.obj", "scale": 1.0}])
    system = dressed.build()
    assert len(system.vertices()) == len(SURFACE.vertices)
    tracks = [scene.watch(scene.build(), 0.1) for scene in (bare, dressed)]
    assert tracks[0].values == tracks[1].values
    assert record(system, 0.01).mesh is None


def test_the_viewer_tunes_pulls_and_sketches_what_is_worn(model):
    base = Clamped(model, 0.005, damping=(1.0, 1e-3), gravity=None)
    base.wear(SURFACE)
    stage = Stage("bar", SceneSource(lambda _: base), base, 1)
    stage.tune(2, {"stiffness": 2.0, "vectors": 5})
    assert stage.system.worn is base.worn
    assert stage.geometry.number == 1, "a truncated basis is drawn by the same geometry"
    tip = int(np.argmax(SURFACE.vertices[:, 0]))
    grip = Grip(stage.system, tip, stage.system.vertices()[tip] + [0, 0.2, 0])
    before = stage.system.vertices()[tip, 1]
    stage.advance(40, [grip])
    assert stage.system.vertices()[tip, 1] > before + 0.05
    force = grip.force
    load = np.zeros((1, len(SURFACE.vertices), 3))
    load[0, tip] = force
    on_mesh = stage.on_mesh(load)
    assert on_mesh.shape == (1, MESH.vertex_count, 3)
    np.testing.assert_allclose(on_mesh.sum(axis=(0, 1)), force, atol=1e-9)
