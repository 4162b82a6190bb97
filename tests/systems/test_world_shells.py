"""Shells in worlds: their two faces touch others; momentum is kept, weight is borne, files hold them."""

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ArgumentError, MeshError
from pliant.mesh.slab import oriented, slab_of
from pliant.reduced.padding import padded
from tests.sheets import arch

ROUNDING = 1e-10
SINKS = 1e-3  # [m] that a contact gives way at rest, at most
THIN = 0.01
FLAT = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]], dtype=float)  # a sheet in z = 0 lies on the ground


def plate(young=2e9, thickness=THIN, cells=(8, 5), size=(1.0, 0.6), **held):
    shell = pl.Shell(pl.shapes.sheet(size, cells), pl.StVK(young, 0.3, 1000), thickness, **held)
    return pl.reduce(shell, pl.modal_basis(shell, modes=6, size=12))


@pytest.fixture(scope="module")
def model():
    return plate()


def test_faces_are_a_thickness_apart_and_follow_the_bent_sheet():
    """Against the faces of the sheet as it is bent, which the linear ones reach to second order."""
    vertices, triangles = arch(6)
    sheet = pl.Sheet(vertices, triangles)
    h = np.full(sheet.cell_count, THIN)
    slab = slab_of(sheet, h)
    n = len(vertices)
    np.testing.assert_allclose(np.linalg.norm(np.diff(slab.mesh.vertices.reshape(2, n, 3), axis=0)[0], axis=1), THIN)
    assert slab.mesh.volumes.sum() == pytest.approx(THIN * sheet.volumes.sum(), rel=THIN)
    u = np.random.default_rng(0).standard_normal(3 * n)
    errors = []
    for share in (1e-3, 1e-4):
        bent = slab_of(sheet.moved_to(vertices + share * u.reshape(-1, 3) / 10), h).mesh.vertices
        linear = slab.mesh.vertices + (slab.faces @ (share * u / 10)).reshape(-1, 3)
        errors.append(np.abs(bent - linear).max())
    assert np.log10(errors[0] / errors[1]) == pytest.approx(2, abs=0.2)


def test_triangles_that_wind_any_way_are_turned_alike_and_a_moebius_strip_is_refused():
    vertices, triangles = arch(5)
    mixed = np.array(triangles)
    mixed[::2] = mixed[::2][:, [0, 2, 1]]
    found = oriented(pl.Sheet(vertices, mixed))
    edges = np.concatenate([found[:, [0, 1]], found[:, [1, 2]], found[:, [2, 0]]])
    assert len(np.unique(edges, axis=0)) == len(edges), "every edge is passed once each way"
    k = np.arange(12)
    angle = 2 * np.pi * k / 12
    side = np.stack([np.cos(angle / 2) * np.cos(angle), np.cos(angle / 2) * np.sin(angle), np.sin(angle / 2)], axis=1)
    ring = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    X = np.concatenate([ring + 0.2 * side, ring - 0.2 * side])
    rows = []
    for i in range(12):
        j = (i + 1) % 12
        a, b, c, d = i, 12 + i, j, 12 + j
        c, d = (d, c) if j == 0 else (c, d)
        rows += [(a, b, c), (c, b, d)]
    with pytest.raises(MeshError, match="one side only"):
        oriented(pl.Sheet(X, rows))


def test_sheets_that_hit_each_other_keep_momentum_and_lose_no_energy_to_it(model):
    world = pl.World(0.002, gravity=None)
    one = world.add(model, velocity=(0, 0, 0.5), spin=(0.1, 0.2, 1), restitution=0.5, padding=0.02)
    other = world.add(model, position=(0.1, 0.05, 0.4), velocity=(0, 0, -0.5), padding=0.02)
    before, energy, met = np.array(world.momentum()), world.energy(), 0
    for _ in range(400):
        world.step()
        met = max(met, len(world.contacts()))
        assert world.energy() < energy * (1 + ROUNDING)
    assert met > 0
    np.testing.assert_allclose(np.array(world.momentum()), before, atol=ROUNDING)
    assert one.centre[2] < other.centre[2], "neither passed through the other"


@pytest.mark.parametrize("rigid", [False, True])
def test_a_sheet_lies_on_the_ground_a_thickness_high_and_the_ground_bears_it(model, rigid):
    world = pl.World(0.004)
    world.ground(0)
    thing = pl.Rigid(model.mesh, 1000, THIN) if rigid else model
    body = world.add(thing, position=(0, 0.1, 0), rotation=FLAT, **({} if rigid else {"damping": (5, 0.01)}))
    world.step(500)
    x = body.vertices()
    assert abs(x[:, 1].min()) < SINKS
    assert x[:, 1].max() == pytest.approx(THIN, abs=SINKS)
    assert thing.inertia.mass == pytest.approx(1000 * THIN * 0.6, rel=1e-9)


def test_a_cloth_that_falls_on_a_ball_stays_on_it():
    soft = plate(young=1e6, thickness=0.004, cells=(8, 8), size=(0.6, 0.6))
    ball = pl.Rigid(pl.shapes.sphere(0.15, 6), 2000)
    world = pl.World(0.004)
    world.ground(0)
    world.add(ball, position=(0, 0.15, 0), kind="static")
    cloth = world.add(soft, position=(0.02, 0.36, 0.01), rotation=FLAT, damping=(3, 0.002), padding=0.01)
    world.step(250)
    x = cloth.vertices()
    far = np.linalg.norm(x - (0, 0.15, 0), axis=1)
    assert far.min() > 0.15 - 0.005, "nothing of it got deep into the ball"
    assert x[:, 1].max() > 0.25, "it lies on top"


def test_worlds_with_shells_are_saved_and_go_on(model, tmp_path):
    world = pl.World(0.004)
    world.ground(0)
    world.add(model, position=(0, 0.05, 0), rotation=FLAT)
    world.step(50)
    world.save(tmp_path / "world.npz")
    again = pl.resume(tmp_path / "world.npz")
    for each in (world, again):
        each.step(30)
    np.testing.assert_array_equal(world.vertices(), again.vertices())


def test_what_is_no_shell_in_a_world_is_said(model):
    world = pl.World(0.004)
    solid = pl.Rigid(pl.shapes.bar((1, 1, 1), (1, 1, 1)), 1000)
    with pytest.raises(ArgumentError, match="padding is for shells"):
        world.add(solid, padding=0.1)
    with pytest.raises(ArgumentError, match="padding must be"):
        world.add(model, padding=0.0)
    held = plate(fixed="x < 1e-9")
    with pytest.raises(ArgumentError, match="where its model is a body itself"):
        world.add(pl.Clamped(held, 0.004))
    assert world.add(held).kind == "held"
    with pytest.raises(ArgumentError, match="save the model of the shell itself"):
        padded(model).save("x.pliant")
    with pytest.raises(ArgumentError, match="thickness is for a sheet"):
        pl.Rigid(pl.shapes.bar((1, 1, 1), (1, 1, 1)), 1000, 0.1)
