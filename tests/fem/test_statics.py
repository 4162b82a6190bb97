"""Equilibrium: the residual vanishes, loads superpose where they should, and what cannot stand is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pliant as pl
from pliant.errors import ArgumentError, Diverged
from pliant.fem import MATERIALS


def bar(name="stvk", kind="tet", **constants):
    mesh = pl.shapes.bar((1.0, 0.2, 0.2), (8, 2, 2), kind=kind)
    return pl.Solid(mesh, MATERIALS[name](**{"young": 1e5, "poisson": 0.3, **constants}), fixed="x < 1e-9")


@pytest.mark.parametrize("kind", ["tet", "hex"])
@pytest.mark.parametrize("name", MATERIALS)
@settings(max_examples=5)
@given(seed=st.integers(0, 10**6), size=st.floats(0.1, 30.0))
def test_solution_is_in_equilibrium(name, kind, seed, size):
    s = bar(name, kind)
    load = size * np.random.default_rng(seed).standard_normal(3) @ np.ones((3, 3)) * np.ones((s.mesh.vertex_count, 3))
    load *= s.mesh.vertices[:, :1] / s.mesh.vertex_count
    u = pl.solve_static(s, load)
    residual = (s.force(u) - load.ravel())[s.free]
    assert np.linalg.norm(residual) < 2e-9 * np.linalg.norm(load)
    assert np.abs(u.reshape(-1, 3)[s.fixed]).max() == 0.0


def test_small_loads_respond_linearly_in_every_material():
    load = np.zeros((bar().mesh.vertex_count, 3))
    load[bar().mesh.select("x > 0.999"), 1] = 1e-5
    answers = [pl.solve_static(bar(name), load) for name in MATERIALS]
    for u in answers:
        np.testing.assert_allclose(u, answers[-1], atol=1e-5 * np.abs(answers[-1]).max())


def test_gravity_load_weighs_what_the_solid_weighs():
    s = bar(density=700.0)
    assert s.gravity_load((0, -9.81, 0)).sum() == pytest.approx(-9.81 * 700 * 1.0 * 0.2 * 0.2)


def test_progress_reports_the_whole_load():
    s, seen = bar(), []
    pl.solve_static(s, s.gravity_load((0, -9.81, 0)), progress=lambda stage, fraction: seen.append((stage, fraction)))
    assert seen[-1] == ("static solve", 1.0)


def test_free_solid_is_refused():
    s = pl.Solid(bar().mesh, pl.StVK(1e5, 0.3))
    with pytest.raises(ArgumentError, match="no fixed vertices"):
        pl.solve_static(s, np.zeros(s.dof_count))


def test_equilibrium_that_was_not_found_is_reported():
    s = bar()
    load = np.zeros((s.mesh.vertex_count, 3))
    load[s.mesh.select("x > 0.999"), 1] = -1e5
    with pytest.raises(Diverged, match="of the load"):
        pl.solve_static(s, load, iterations=3)


@pytest.mark.parametrize(
    "arguments",
    [
        {"load": np.zeros(5)},
        {"load": np.full(135 * 3, np.nan)},
        {"tolerance": 0.0},
        {"iterations": 0},
        {"start": [1.0]},
    ],
)
def test_bad_arguments_are_refused(arguments):
    s = bar()
    with pytest.raises(ArgumentError):
        pl.solve_static(s, **{"load": np.zeros(s.dof_count), **arguments})
