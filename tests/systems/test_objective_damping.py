"""Damping by rates of strain: never negative, blind to rotation, that of K at rest, and one law in all systems."""

import numpy as np
import pytest
import scipy.linalg as la
from hypothesis import given, settings
from hypothesis import strategies as st

import pliant as pl
from pliant.errors import ArgumentError
from pliant.fem.viscosity import viscosity
from pliant.numerics import lowest_eigenpairs
from pliant.reduced.force import pitch_of
from pliant.systems.seams.nonlinear import couple_nonlinear
from pliant.systems.strain_points import fill_damping, find_damping_force, rate_damping, rate_slope, strain_points
from pliant.systems.strain_rule import strain_rule

ROUNDING = 1e-11  # relative: sums of a few thousand terms
TRAINED = 0.05  # how far trained points are from all cells, in the damping of the six lowest modes
CLOSE = 0.1  # of a rate of decay: a swing of finite size, in a basis
BETA = 0.02
HANGING = {"dt": 0.01, "damping": (0.0, BETA), "gravity": (9.81, 0.0, 0.0), "newton": 20}


def hanging(cells=(12, 2, 2), poisson=0.3):
    """A soft bar that hangs from its top end, stretched by its weight by about a tenth."""
    mesh = pl.shapes.bar((1, 0.1, 0.1), cells)
    return pl.Solid(mesh, pl.StVK(5e4, poisson, 1000), fixed="x < 1e-9")


def cubic_model(solid):
    return pl.reduce(solid, pl.modal_basis(solid, modes=6, size=18), force="cubic")


@pytest.fixture(scope="module")
def model():
    return cubic_model(hanging())


def dissipated(solid, model, q, v):
    """v^T V v of all cells."""
    u = model.U @ v
    return u @ (solid.pattern.matrix(viscosity(solid, model.U @ q)) @ u)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.floats(0, 2))
def test_damping_is_never_negative_and_compiled_as_written(model, seed, size):
    random, rule = np.random.default_rng(seed), strain_rule(model)
    q, v = size * 0.1 * random.standard_normal(model.size), random.standard_normal(model.size)
    D = rate_damping(rule, q)
    assert v @ D @ v >= 0
    rows = np.zeros((model.size + 1) * pitch_of(model.size + 1))
    z = np.zeros(pitch_of(model.size + 1))
    z[0], z[1 : model.size + 1] = 1.0, q
    points, speeds, force = strain_points([rule]), np.zeros(len(z)), np.zeros(len(z))
    fill_damping(points, 0, model.size, z, rows)
    speeds[1 : model.size + 1] = v
    find_damping_force(points, 0, model.size, z, speeds, force)
    np.testing.assert_allclose(force[1 : model.size + 1], D @ v, atol=ROUNDING * np.abs(D).max() * np.abs(v).sum())
    L = rows.reshape(model.size + 1, -1)[1:, 1 : model.size + 1]
    np.testing.assert_allclose(L + L.T, D, atol=ROUNDING * np.abs(D).max())
    assert la.eigvalsh(D)[0] >= -ROUNDING * np.abs(D).max()


def test_the_slope_of_damping_equals_differences(model):
    """Sixth order; D is quadratic in q, so that only rounding is left."""
    random, rule = np.random.default_rng(3), strain_rule(model)
    q, v, along = random.standard_normal((3, model.size)) * np.array([[0.1], [1.0], [1.0]])
    weights, h = (45, -9, 1), 1e-3
    ends = [rate_damping(rule, q + k * h * along) @ v - rate_damping(rule, q - k * h * along) @ v for k in (1, 2, 3)]
    wanted = sum(w * end for w, end in zip(weights, ends)) / (60 * h)
    np.testing.assert_allclose(rate_slope(rule, q, v) @ along, wanted, atol=1e-9 * np.abs(wanted).max())


@pytest.mark.parametrize("poisson", [0.3, -0.5])  # below zero lam is as well
@pytest.mark.parametrize("bend", [0.0, 0.15, 0.4])
def test_trained_points_damp_modes_as_all_cells_do_at_rest_and_bent(model, bend, poisson):
    model = model if poisson > 0 else cubic_model(hanging(poisson=poisson))
    rule, solid = strain_rule(model), model.solid
    modes = la.eigh(model.stiffness(), model.mass)[1]
    q = bend * (
        modes[:, 0] / np.abs(model.U @ modes[:, 0]).max() + 0.3 * modes[:, 1] / np.abs(model.U @ modes[:, 1]).max()
    )
    for mode in modes.T[:6]:
        assert mode @ rate_damping(rule, q) @ mode == pytest.approx(dissipated(solid, model, q, mode), rel=TRAINED)
        if bend == 0:
            assert mode @ rate_damping(rule, q) @ mode == pytest.approx(mode @ model.stiffness() @ mode, rel=TRAINED)


def test_cubature_brakes_at_its_own_points_and_linear_models_have_none():
    solid = hanging()
    basis = pl.modal_basis(solid, modes=4, size=8)
    cubature = pl.reduce(solid, basis, force="cubature")
    assert len(strain_rule(cubature).lam) == len(cubature.force_law.weights)
    assert strain_rule(pl.reduce(solid, basis, force="linear")) is None


def free_pair(force):
    solid = pl.Solid(pl.shapes.bar((1, 0.2, 0.2), (6, 2, 2)), pl.StVK(2e4, 0.3))
    labels = (solid.mesh.centroids[:, 0] > 0.5).astype(int)
    return couple_nonlinear(solid, labels, 1, 4, dt=0.01, gravity=None, damping=(0.0, BETA), modes=4, force=force)


@pytest.mark.parametrize("force", ["cubic", "cubature"])
def test_a_stretched_body_that_spins_is_not_braked(force):
    """D of a rigid velocity, however the body is strained: K of it is the stress turning with the body."""
    system = free_pair(force)
    X = system.mesh.vertices
    system.q = system.coordinates_of(X * [0.2, -0.05, -0.05])
    x = system.vertices()
    spin = system.coordinates_of(np.cross([0.3, 1.0, -0.4], x - np.array([0.1, 0.2, 0.3])))
    K, D, _ = system._matrices()
    for stiff, damps, places in zip(K, D, system.parts.places):
        scale = np.abs(damps).max() * np.abs(spin).max()
        assert np.abs(damps @ spin[places]).max() < 1e-9 * scale
        assert np.abs(stiff @ spin[places]).max() > 1e-4 * scale


@pytest.fixture(scope="module")
def swing():
    """Of the bar as it hangs: displacement, first sideways mode of unit mass, and how fast each law damps that."""
    solid = hanging()
    u = pl.solve_static(solid, solid.gravity_load(np.array(HANGING["gravity"])))
    K, V = (solid.free_matrix(A) for A in (solid.stiffness(u), solid.pattern.matrix(viscosity(solid, u))))
    modes = lowest_eigenpairs(K, solid.free_matrix(solid.mass), 2)[1]
    mode = modes[:, np.argmax(np.abs(modes[solid.free % 3 == 2]).max(axis=0))]
    psi = np.zeros(solid.dof_count)
    psi[solid.free] = mode
    return u, psi, {"strain": 0.5 * BETA * mode @ (V @ mode), "stiffness": 0.5 * BETA * mode @ (K @ mode)}


def displaced(swing):
    u, psi, _ = swing
    return u + 0.03 / np.abs(psi).max() * psi


def decay(system):
    """Of half the way from extreme to extreme of the tip, once what else was set going is gone [1/s]."""
    tip, z = system.mesh.select("x > 0.999"), []
    for _ in range(round(8.0 / system.dt)):
        system.step()
        z.append(system.vertices()[tip, 2].mean())
    rises = np.sign(np.diff(z))
    extremes = np.flatnonzero(rises[1:] != rises[:-1]) + 1
    extremes = extremes[extremes > 2.5 / system.dt]
    ways, middles = np.abs(np.diff(np.array(z)[extremes])), 0.5 * (extremes[1:] + extremes[:-1])
    return -np.polyfit(system.dt * middles, np.log(ways), 1)[0]


@pytest.mark.parametrize("law", ["strain", "stiffness"])
def test_a_full_pendulum_decays_as_its_first_mode_does(swing, law):
    """By beta psi D psi / 2: the stress of its weight is nine tenths of K of a swing, and rubs nothing."""
    system = pl.Full(hanging(), **HANGING, damping_law=law)
    system.u = displaced(swing)
    assert decay(system) == pytest.approx(swing[2][law], rel=CLOSE)
    assert swing[2]["stiffness"] > 8 * swing[2]["strain"]


@pytest.mark.parametrize("law", ["strain", "stiffness"])
@pytest.mark.parametrize("force", ["cubic", "cells", "cubature"])
def test_one_part_decays_as_the_full_pendulum_does(swing, force, law):
    solid, (u, psi, rates) = hanging(), swing
    shapes = pl.modal_basis(solid, modes=4, size=12).vectors
    basis = pl.Basis(np.column_stack([u / np.abs(u).max(), psi / np.abs(psi).max(), shapes]))
    system = pl.Clamped(pl.reduce(solid, basis, force=force), **HANGING, damping_law=law)
    U = system.model.U
    system.q = la.solve(system.model.mass, U.T @ (solid.mass @ displaced(swing)), assume_a="pos")
    assert decay(system) == pytest.approx(rates[law], rel=CLOSE)


@pytest.mark.parametrize("law", ["strain", "stiffness"])
@pytest.mark.parametrize("force", ["cubic", "cubature"])
def test_nonlinear_seams_decay_as_the_full_pendulum_does(swing, force, law):
    solid = hanging()
    labels = (solid.mesh.centroids[:, 0] > 0.5).astype(int)
    system = couple_nonlinear(solid, labels, 6, 14, **HANGING, force=force, damping_law=law)
    system.q = system.coordinates_of(displaced(swing).reshape(-1, 3))
    assert decay(system) == pytest.approx(swing[2][law], rel=CLOSE)


def test_laws_are_named():
    with pytest.raises(ArgumentError, match="damping_law must be one of strain, stiffness"):
        pl.Full(hanging(), 0.01, damping_law="mass")
