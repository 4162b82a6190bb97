"""Errors of systems of any kind, as the full model sees them where they rest."""

import numpy as np
import pytest

import pliant as pl
from pliant.basis.response import StaticResponse
from pliant.basis.rigid import rigid_modes
from pliant.basis.size_search import larger_error
from pliant.errors import ArgumentError, Diverged, PliantWarning

MESH = pl.shapes.bar((1, 0.1, 0.1), (12, 2, 2))
SOLID = pl.Solid(MESH, pl.StVK(1e6, 0.3, 1000), fixed="x < 1e-9")
FREE = pl.Solid(MESH, SOLID.material)
THIRDS = np.minimum((3 * MESH.centroids[:, 0]).astype(int), 2)


def bending(share):
    """(3n,) a weight that would bend the bar by so much of its length if it were linear."""
    load = SOLID.gravity_load((0, -1, 0))
    return load * share / np.abs(StaticResponse(SOLID).solve(load)).max()


def test_the_full_model_finds_no_error_in_itself():
    assert pl.estimate_errors(pl.Full(SOLID, dt=0.005)).max() < 0.03  # settled to half a per cent, times pi


@pytest.mark.parametrize("share", [0.05, 0.2])
def test_estimate_is_the_error_at_rest(share):
    """Of a poor basis: where it rests is known from statics, so the error is as well."""
    model = pl.reduce(SOLID, pl.modal_basis(SOLID, modes=2, size=3))
    system, load = pl.Clamped(model, dt=0.005), bending(share)
    truth = pl.solve_static(SOLID, load)
    still = pl.Clamped(model, dt=0.005, gravity=None)
    still.push(np.arange(MESH.vertex_count), load.reshape(-1, 3))
    still.settle()
    u = (still.vertices() - MESH.vertices).ravel()
    mass = SOLID.mass
    drift = np.pi * np.sqrt((truth - u) @ mass @ (truth - u) / (u @ mass @ u))
    give = abs(load @ (truth - u)) / abs(load @ truth)
    assert pl.estimate_errors(system, load)[0] == pytest.approx(min(1, max(drift, give)), rel=0.05)


def test_errors_of_linear_parts_grow_with_the_bend():
    """What they lack is of second order in a displacement of first order."""
    system = pl.couple(SOLID, THIRDS, 6, dt=0.005, nonlinear=False)
    small, large = pl.estimate_errors(system, np.stack([bending(0.04), bending(0.16)], axis=1))
    assert large > 0.05
    assert large / small == pytest.approx(4, rel=0.05)


def test_what_rests_by_shorter_steps_alone_is_measured_all_the_same(monkeypatch):
    """Steps are a tenth of a period first; a bar whose steps fail there is no poorer than it was."""
    model = pl.reduce(SOLID, pl.modal_basis(SOLID, modes=2, size=3))
    system, load, taken = pl.Clamped(model, dt=0.005), bending(0.1), pl.Clamped.step
    wanted, longest = pl.estimate_errors(system, load), 2 * np.pi / pl.vibration_modes(SOLID, 1).frequencies[0] / 10

    def failing(self, count=1):
        if self.dt > 0.9 * longest:
            raise Diverged("no solution", self.time)
        taken(self, count)

    monkeypatch.setattr(pl.Clamped, "step", failing)
    assert pl.estimate_errors(system, load) == pytest.approx(wanted, rel=0.05)


def test_a_system_is_left_as_it_was():
    system = pl.couple(SOLID, THIRDS, 6, dt=0.005, nonlinear=False)
    system.step(5)
    before = bytes(system.state())
    pl.estimate_errors(system, bending(0.1))
    assert bytes(system.state()) == before


def test_usual_sizes_are_warned_of_where_they_err():
    with pytest.warns(
        PliantWarning, match=r"\d+ coordinates, which nobody counted, leave an estimated error of 0\.\d+"
    ):
        pl.couple(SOLID, THIRDS, dt=0.005, nonlinear=False)
    short = pl.shapes.bar((1, 0.3, 0.3), (6, 2, 2))
    thirds, stout = (3 * short.centroids[:, 0]).astype(int), pl.Solid(short, SOLID.material, fixed="x < 1e-9")
    with pytest.warns(PliantWarning, match="ask for a tolerance=, or take pl.couple_nonlinear"):
        pl.substructure(stout, thirds, dt=0.005)
    chosen = pl.couple_nonlinear(SOLID, THIRDS, dt=0.005)  # warns of nothing: it was chosen for a tolerance
    assert chosen.report.error <= chosen.report.tolerance == 0.02


def test_the_full_model_finds_no_error_in_itself_where_nothing_holds_it():
    assert pl.estimate_errors(pl.Full(FREE, dt=0.005)).max() < 0.03


def test_estimate_of_what_flies_is_the_error_of_its_basis():
    """What bends a free solid is known from K(0) in and out of the basis, both with inertia relief."""
    system = pl.couple(FREE, THIRDS, 2, dt=0.005, gravity=None, nonlinear=False)
    load = np.zeros((MESH.vertex_count, 3))
    load[np.argmax(MESH.vertices.sum(axis=1))] = (1.0, 1.0, 0.5)
    U, K, R = system.coupled.basis(), FREE.stiffness(), rigid_modes(FREE)
    bends = load.ravel() - FREE.mass @ (R @ (R.T @ load.ravel()))
    u = U @ np.linalg.lstsq(U.T @ (K @ U), U.T @ bends, rcond=1e-10)[0]
    u -= R @ (R.T @ (FREE.mass @ u))
    error = larger_error(FREE, u, StaticResponse(FREE).solve(bends) - u, bends)
    assert error > 0.01
    found = pl.estimate_errors(system, np.stack([load.ravel(), FREE.gravity_load((0, -9.81, 0))], axis=1))
    assert found[0] == pytest.approx(error, rel=0.1)
    assert found[1] == 0  # weight alone does not bend it


def test_usual_sizes_of_what_flies_are_warned_of_where_they_err():
    with pytest.warns(PliantWarning, match="which nobody counted, .* by a thousandth of its size"):
        pl.couple(FREE, THIRDS, dt=0.005, nonlinear=False)


def test_systems_of_many_solids_are_refused():
    with pytest.raises(ArgumentError, match="one solid"):
        pl.estimate_errors(pl.Bodies([pl.couple(SOLID, THIRDS, 6, dt=0.005, nonlinear=False)] * 2))
