"""Vectors that nobody counted are measured, and said to be poor where they are; those that somebody counted by what
they do in small motion.
"""

import warnings

import numpy as np
import pytest

import pliant as pl
from bench.zoo import solid_of
from pliant.basis.galerkin import galerkin_static
from pliant.basis.held_out import held_out_error
from pliant.basis.learning import Learning
from pliant.basis.part_basis import part_basis
from pliant.basis.size_report import GOOD
from pliant.basis.typical_loads import ENDS, PULLS, SWINGING, slanting_loads
from pliant.errors import CrudeBasis, PliantWarning
from pliant.fem import solve_static
from pliant.reduced import uncounted

ROUGH = 3.0  # times


@pytest.fixture(scope="module")
def comb():
    return solid_of("comb", 0.6)


@pytest.fixture(scope="module")
def basis(comb):
    return pl.modal_basis(comb)


@pytest.fixture
def kept(tmp_path, monkeypatch):
    monkeypatch.setenv("PLIANT_CACHE", str(tmp_path))


def test_poor_vectors_that_nobody_counted_are_told_of_once_they_are_measured(comb, basis, kept, monkeypatch):
    assert not basis.counted
    assert basis.size == 30
    with pytest.warns(PliantWarning, match="^30 vectors, which nobody counted, leave an estimated error of"):
        pl.reduce(comb, basis)
    monkeypatch.setattr(uncounted, "held_out_error", lambda *_: pytest.fail("measured again"))
    with pytest.warns(PliantWarning, match="leave the basis out"):
        pl.reduce(comb, basis)


def test_estimate_tells_poor_from_good_as_full_equilibria_do(comb, basis):
    """One Newton correction of a state that is far away is no more than a rough estimate."""
    learning, U, true = Learning(comb, modes=SWINGING), basis.vectors, list[float]()
    for load in np.hstack([learning.held_out(), learning.weights]).T:
        u = solve_static(comb, load)
        e = u - U @ galerkin_static(comb, U, load)
        true.append(max(np.pi * np.sqrt(e @ comb.mass @ e / (u @ comb.mass @ u)), abs(load @ e) / (load @ u)))
    assert max(true) > GOOD
    assert max(true) / ROUGH < held_out_error(comb, basis) < ROUGH * max(true)


@pytest.mark.parametrize("given", [{"size": 30}, {"size": 20}, {"modes": 4, "size": None}])
def test_vectors_that_somebody_counted_are_told_of_by_small_motion_alone(comb, given, monkeypatch):
    monkeypatch.setattr(uncounted, "held_out_error", lambda *_: pytest.fail("measured"))
    basis = pl.modal_basis(comb, **given)
    assert basis.counted
    with pytest.warns(CrudeBasis, match=f"^{basis.size} vectors leave an error of 0.* in small motion already"):
        pl.reduce(comb, basis)


def test_small_errors_are_those_of_the_linear_solid(comb):
    """The least compliance that a slanting pull finds, against a dense solve of all free coordinates."""
    basis, free = pl.modal_basis(comb, size=30), comb.free
    loads = slanting_loads(comb, pl.vibration_modes(comb, 10), count=ENDS, pulls=PULLS)
    K, M = comb.stiffness()[free][:, free].toarray(), comb.mass[free][:, free].toarray()
    U, f = basis.vectors[free], loads[free]
    true, found = np.linalg.solve(K, f), U @ np.linalg.solve(U.T @ K @ U, U.T @ f)
    give = 1 - np.einsum("ij,ij->j", f, found) / np.einsum("ij,ij->j", f, true)
    lengths = [np.sqrt(np.einsum("ij,ij->j", u, M @ u)) for u in (true - found, found)]
    wanted = np.minimum(1.0, np.maximum(give, np.pi * lengths[0] / lengths[1])).max()
    assert wanted > GOOD
    assert basis.small_error == pytest.approx(wanted, rel=1e-6)


def test_small_errors_are_for_what_is_held_and_somebody_counted(comb):
    assert pl.modal_basis(pl.Solid(comb.mesh, comb.material), size=12).small_error is None
    assert pl.modal_basis(comb).small_error is None
    assert part_basis(comb, 12).small_error is None  # of a part: what it is part of is measured
    assert pl.Basis(np.eye(comb.dof_count, 3)).small_error is None


def test_good_vectors_and_linear_forces_are_not_told_of(comb, basis, kept):
    bar = pl.Solid(pl.shapes.bar((2, 0.3, 0.2), (8, 2, 2)), pl.StVK(1e6, 0.3, 1000), fixed="x < 1e-9")
    spoon = pl.Solid(pl.shapes.spoon(), pl.StVK(2e8, 0.3, 1000), fixed="x < 1e-9")
    with warnings.catch_warnings():
        warnings.simplefilter("error", PliantWarning)
        pl.reduce(bar, pl.modal_basis(bar))
        pl.reduce(spoon, pl.modal_basis(spoon, size=30))
        pl.reduce(comb, basis, "linear")
    assert basis.truncate(10).counted
