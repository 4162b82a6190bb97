"""Sketched loads: the basis holds their static solutions, near doubles are dropped, workers do not matter."""

import numpy as np
import pytest

from pliant.basis import sketch_basis
from pliant.basis.sketch import thinned
from pliant.errors import ArgumentError, BasisError, Diverged, PliantWarning
from pliant.fem import solve_static

ORTHONORMAL = 1e-12


@pytest.fixture(scope="module")
def loads(clamped):
    """Four loads on the free end, and two that are nearly the first."""
    tip = np.flatnonzero(clamped.mesh.vertices[:, 0] > 1.99)
    directions = np.array([[0, 1, 0], [0, 0, 1], [0, -1, 1], [1, 0, 0], [0, 1.02, 0], [0, 1, 0.01]])
    forces = np.zeros((6, clamped.mesh.vertex_count, 3))
    forces[:, tip] = 20 * directions[:, None] / len(tip)
    return forces


def test_basis_holds_the_static_solutions(clamped, loads):
    basis = sketch_basis(clamped, loads)
    U, M = basis.vectors, clamped.mass
    assert basis.size == 4
    assert np.abs(U.T @ (M @ U) - np.eye(4)).max() < ORTHONORMAL
    for load in loads[:4]:
        u = solve_static(clamped, load)
        assert np.linalg.norm(u - U @ (U.T @ (M @ u))) < 1e-9 * np.linalg.norm(u)


def test_number_of_workers_does_not_matter(clamped, loads):
    calls = []
    one = sketch_basis(clamped, loads, 3, workers=1, progress=lambda *call: calls.append(call)).vectors
    three = sketch_basis(clamped, loads, 3, workers=3).vectors
    assert np.array_equal(one, three)
    assert calls == [("static solutions", (i + 1) / 4) for i in range(4)]


def test_thinning_keeps_the_first_of_each_heap(clamped):
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, clamped.dof_count))
    columns = np.stack([a, 1.01 * a, b, 0 * a, 2 * a, b + 0.001 * a], axis=1)
    assert thinned(clamped, columns, 0.05).tolist() == [0, 2, 4]
    assert thinned(clamped, columns, 0.0).tolist() == [0, 1, 2, 4, 5]


def test_loads_without_solution_are_left_out_with_a_warning(clamped, loads, monkeypatch):
    def stubborn(solid, load):
        if load.sum() < 0:
            raise Diverged("no equilibrium")
        return solve_static(solid, load)

    monkeypatch.setattr("pliant.basis.sketch.solve_static", stubborn)
    with pytest.warns(PliantWarning, match="1 of 2 loads"):
        assert sketch_basis(clamped, [loads[0], -loads[0]]).size == 1
    with pytest.warns(PliantWarning), pytest.raises(BasisError, match="too large"):
        sketch_basis(clamped, [-loads[0]])


def test_free_solid_and_bad_arguments_are_refused(free, clamped, loads):
    with pytest.raises(ArgumentError, match="free solid"):
        sketch_basis(free, loads)
    for bad in ({"spacing": -1}, {"workers": 0}, {"size": 0}):
        with pytest.raises(ArgumentError):
            sketch_basis(clamped, loads[:2], **bad)
    with pytest.raises(ArgumentError, match="loads"):
        sketch_basis(clamped, np.ones(7))
