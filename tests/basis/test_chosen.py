"""A basis chosen for a tolerance: errors against full equilibria, sizes over tolerances, what is tried and refused."""

import numpy as np
import pytest

from pliant.basis import chosen_basis, mass_pca, rigid_modes, vibration_modes
from pliant.basis.chosen import choose
from pliant.basis.energy_pca import energy_pca
from pliant.basis.galerkin import galerkin_static
from pliant.basis.indicator import mass_norm
from pliant.basis.response import StaticResponse
from pliant.basis.size_report import GRACE
from pliant.basis.size_search import SUDDEN, SizeSearch, motion_error
from pliant.basis.typical_loads import (
    FAR,
    FARTHEST,
    REACH,
    bounded,
    diagonal,
    extremities,
    far_loads,
    held_out_loads,
    pull,
    typical_loads,
)
from pliant.errors import ArgumentError, PliantWarning
from pliant.fem import solve_static

COARSE, FINE = 0.1, 0.02
HONEST = 1.3  # an estimate from one Newton correction, of a state that is a few per cent away
LOADS = [(0.3, -1.0, 0.5), (0.8, 0.1, -1.0)]  # directions that no training load has


@pytest.fixture(scope="module")
def coarse(clamped):
    return choose(clamped, COARSE)


@pytest.fixture(scope="module")
def fine(clamped):
    return choose(clamped, FINE)


@pytest.fixture(scope="module")
def unseen(clamped):
    """Loads of typical size (3n, s), and their full equilibria (3n, s)."""
    tip = int(extremities(clamped, 1)[0])
    raw = [pull(clamped, tip, np.array(d), 0.07) for d in LOADS] + [clamped.gravity_load(d) for d in LOADS]
    loads = bounded(clamped, np.stack(raw, axis=1), StaticResponse(clamped))
    return loads, np.stack([solve_static(clamped, load) for load in loads.T], axis=1)


@pytest.mark.parametrize(("choice", "tolerance"), [("coarse", COARSE), ("fine", FINE)])
def test_chosen_basis_meets_its_tolerance_on_full_equilibria(request, clamped, unseen, choice, tolerance):
    basis, _ = request.getfixturevalue(choice)
    for load, u in zip(unseen[0].T, unseen[1].T, strict=True):
        q = galerkin_static(clamped, basis.vectors, load)
        error = mass_norm(clamped, basis.vectors @ q - u) / mass_norm(clamped, u)
        assert np.pi * error < HONEST * tolerance


def test_motion_error_agrees_with_full_equilibria(clamped, coarse, unseen):
    basis = coarse[0].truncate(coarse[0].size // 2)
    for load, u in zip(unseen[0].T, unseen[1].T, strict=True):
        q = galerkin_static(clamped, basis.vectors, load)
        e = u - basis.vectors @ q
        true = max(np.pi * mass_norm(clamped, e) / mass_norm(clamped, u), abs(load @ e) / (load @ u))
        if true < 0.3:
            assert motion_error(clamped, basis, q, load) == pytest.approx(true, rel=0.3)


def test_size_grows_as_the_tolerance_falls(coarse, fine):
    assert coarse[0].size < fine[0].size
    for basis, report in (coarse, fine):
        assert report.size == basis.size
        assert report.error == report.worst[list(report.sizes).index(basis.size)] <= report.tolerance
        assert str(basis.size) in str(report)


def test_given_loads_are_held_by_fewer_vectors(clamped, fine):
    load = bounded(clamped, clamped.gravity_load((0, -1, 0))[:, None], StaticResponse(clamped))
    basis, report = choose(clamped, FINE, load)
    assert report.error <= FINE
    assert basis.size < fine[0].size
    u = solve_static(clamped, load[:, 0])
    q = galerkin_static(clamped, basis.vectors, load[:, 0])
    assert mass_norm(clamped, basis.vectors @ q - u) < FINE * mass_norm(clamped, u)


def test_too_few_vectors_are_warned_of_with_their_error(clamped):
    with pytest.warns(PliantWarning, match=r"^6 vectors leave an estimated error of .* above the tolerance of 0.001"):
        basis = chosen_basis(clamped, 0.001, most=6)
    assert basis.size == 6


def test_free_solids_get_a_basis_without_rigid_part(free):
    basis, report = choose(free, COARSE)
    assert report.error <= COARSE
    assert np.abs(rigid_modes(free).T @ (free.mass @ basis.vectors)).max() < 1e-9


@pytest.mark.parametrize("bad", [{"tolerance": 0}, {"tolerance": 2}, {"most": 0}, {"loads": np.zeros(5)}])
def test_choose_refuses_nonsense(clamped, bad):
    with pytest.raises(ArgumentError, match=next(iter(bad))):
        choose(clamped, **bad)


def test_energy_pca_is_the_best_of_its_size_in_energy(clamped):
    data = np.random.default_rng(0).standard_normal((clamped.dof_count, 9)) * np.arange(1, 10)
    data[np.setdiff1d(np.arange(clamped.dof_count), clamped.free)] = 0
    K, M = clamped.stiffness(), clamped.mass

    def lost(U):
        C = np.linalg.solve(U.T @ (K @ U), U.T @ (K @ data))
        return np.einsum("ij,ij->", data - U @ C, K @ (data - U @ C))

    U, s = energy_pca(clamped, data)
    np.testing.assert_allclose(U.T @ (M @ U), np.eye(9), atol=1e-9)
    assert lost(U[:, :4]) == pytest.approx((s[4:] ** 2).sum(), rel=1e-9)
    assert lost(U[:, :4]) < lost(mass_pca(clamped, data, 4)[0])


def test_typical_loads_bend_far_but_do_not_crush(clamped):
    u = StaticResponse(clamped).solve(typical_loads(clamped, StaticResponse(clamped)))
    reach = np.linalg.norm(u.reshape(-1, 3, u.shape[1]), axis=1).max(axis=0)
    assert reach.max() == pytest.approx(REACH * diagonal(clamped), rel=1e-9)
    assert (reach < (1 + 1e-9) * REACH * diagonal(clamped)).all()


def test_far_loads_bend_farther_and_are_others_each_time(clamped):
    response, modes = StaticResponse(clamped), vibration_modes(clamped, 6)
    loads = far_loads(clamped, modes, response)
    u = response.solve(loads)
    reach = np.linalg.norm(u.reshape(-1, 3, u.shape[1]), axis=1).max(axis=0) / (REACH * diagonal(clamped))
    assert loads.shape == (clamped.dof_count, FAR)
    assert (reach < FARTHEST * (1 + 1e-9)).all()
    assert reach.max() > 0.75 * FARTHEST
    assert np.abs(loads - far_loads(clamped, modes, response, seed=1)).max() > 0.1 * np.abs(loads).max()
    np.testing.assert_array_equal(loads, far_loads(clamped, modes, response))


def test_held_out_pulls_take_every_end_in_several_directions(clamped):
    response, modes, ends = StaticResponse(clamped), vibration_modes(clamped, 6), extremities(clamped, 4)
    loads = held_out_loads(clamped, modes, response, count=4, pulls=8)
    assert loads.shape[1] == 8 + 1 + 4  # a slanting weight, and four mixtures of modes
    pulls = loads[:, :8].reshape(-1, 3, 8)
    directions = pulls.sum(axis=0) / np.linalg.norm(pulls.sum(axis=0), axis=0)
    for number, end in enumerate(np.resize(ends, 8)):
        assert pulls[end, :, number].any()
    assert np.abs(np.einsum("ij,ij->j", directions[:, :4], directions[:, 4:])).max() < 0.99


def test_extremities_begin_at_the_far_end_and_keep_apart(clamped):
    X = clamped.mesh.vertices[extremities(clamped, 4)]
    assert X[0, 0] == clamped.mesh.vertices[:, 0].max()
    assert min(np.linalg.norm(a - b) for i, a in enumerate(X) for b in X[:i]) > 0.15


def test_loads_without_equilibrium_are_halved(clamped, coarse):
    load = 64 * typical_loads(clamped, StaticResponse(clamped))[:, :1]
    search = SizeSearch(clamped, coarse[0], load, StaticResponse(clamped))
    assert search.loads.shape[1] <= 1
    assert search.smallest(COARSE).sizes[-1] == coarse[0].size


def test_spare_sizes_are_the_next_larger_ones_and_are_measured_too(clamped, fine):
    loads = bounded(
        clamped,
        np.stack([pull(clamped, extremities(clamped, 1)[0], np.array(LOADS[0]))], axis=1),
        StaticResponse(clamped),
    )
    search = SizeSearch(clamped, fine[0], loads, StaticResponse(clamped))
    plain = search.smallest(COARSE)
    sparing = search.smallest(COARSE, spare=1)
    larger = sparing.sizes[sparing.sizes > plain.size]
    assert sparing.size == larger[0] <= max(plain.size + 1, round(1.21 * plain.size))
    assert sparing.error <= COARSE
    assert search.smallest(COARSE, spare=99).size == fine[0].size


def test_loads_that_come_at_once_are_measured_twice_as_far(clamped, fine):
    basis, report = fine
    loads = bounded(clamped, clamped.gravity_load((0.2, -1, 0.3))[:, None], StaticResponse(clamped))
    search = SizeSearch(clamped, basis, loads, StaticResponse(clamped), at_once=1)
    np.testing.assert_allclose(search.loads, loads * [1, SUDDEN], rtol=1e-12)
    measured = search.smallest(1e-9)  # nothing meets that, so all of the basis is measured
    for factor, error in ((1, measured.errors[-1, 0]), (SUDDEN, measured.sudden)):
        q = galerkin_static(clamped, basis.vectors, factor * loads[:, 0])
        assert error == pytest.approx(motion_error(clamped, basis, q, factor * loads[:, 0]), rel=1e-4)
    assert measured.reach == pytest.approx(np.linalg.norm(galerkin_static(clamped, basis.vectors, loads[:, 0])))
    assert report.sudden <= GRACE * FINE
