"""Models whose basis is chosen for a tolerance: kept in the cache with their report, and used by systems."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import pliant as pl
from pliant.basis.size_report import BEYOND, WITHIN
from pliant.errors import ArgumentError, BasisError, PliantWarning
from pliant.fem.inversion import resisting
from pliant.reduced import choosing

TOLERANCE = 0.05
PERIOD_STEPS = 50


@pytest.fixture(scope="module")
def solid():
    mesh = pl.shapes.bar((2, 0.3, 0.2), (8, 2, 2))
    return pl.Solid(mesh, pl.StVK(young=1e6, poisson=0.3, density=1000), fixed="x < 1e-9")


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLIANT_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def model(solid, kept):
    return pl.reduce(solid, tolerance=TOLERANCE)


def test_chosen_model_moves_as_the_full_one_within_its_tolerance(solid, model):
    period = 2 * np.pi / pl.vibration_modes(solid, 1).frequencies[0]
    tip, dt = int(solid.mesh.vertices[:, 0].argmax()), period / PERIOD_STEPS
    tracks = []
    for system in (
        pl.Full(solid, dt, gravity=(0, -0.5, 0.3)),
        pl.Clamped(model, dt, gravity=(0, -0.5, 0.3), newton=30),
    ):
        places = []
        for step in range(PERIOD_STEPS):
            if step == 0:
                system.push([tip], [[0, 0, 8.0]])
            if step == PERIOD_STEPS // 2:
                system.release()
            system.step()
            places.append(system.vertices()[tip] - solid.mesh.vertices[tip])
        tracks.append(np.array(places))
    size = np.linalg.norm(tracks[0], axis=1).max()
    assert size > 0.1 * np.ptp(solid.mesh.vertices, axis=0).max()
    assert np.linalg.norm(tracks[1] - tracks[0], axis=1).max() < TOLERANCE * size


def test_chosen_model_reports_error_over_size(model):
    assert model.report.size == model.size
    assert model.report.error <= TOLERANCE == model.report.tolerance
    assert model.truncate(5).report is None


def test_second_call_is_answered_from_the_cache(solid, model, monkeypatch):
    monkeypatch.setattr(choosing, "choose", lambda *_: pytest.fail("the basis was chosen again"))
    again = pl.reduce(solid, tolerance=TOLERANCE)
    np.testing.assert_array_equal(again.U, model.U)
    np.testing.assert_array_equal(again.report.errors, model.report.errors)


def test_chosen_model_is_what_its_basis_gives(solid, model):
    same = pl.reduce(solid, pl.Basis(model.U))
    q = np.random.default_rng(0).standard_normal(model.size) * 0.01
    np.testing.assert_allclose(model.force(q), same.force(q), rtol=1e-9)
    assert same.report is None


def squeezed(material):
    """A block, and a load (1, n, 3) that would press a linear one to seven eighths of its length."""
    mesh = pl.shapes.bar((1, 0.3, 0.3), (5, 2, 2))
    solid, tip = pl.Solid(mesh, material, fixed="x < 1e-9"), mesh.select("x > 0.999")
    load = np.zeros((1, mesh.vertex_count, 3))
    load[0, tip, 0] = -0.125 * material.young * 0.3**2 / len(tip)
    return solid, load


def test_loads_that_crush_the_training_states_are_told_of(kept, tmp_path):
    solid, load = squeezed(pl.StVK(1e5, 0.3, 1000))
    with pytest.warns(PliantWarning, match="of the volume inside out; pull less hard, or use FirmStVK") as told:
        model = pl.reduce(solid, tolerance=0.5, loads=load, most=30, force="cubic")
    assert len(told) == 1
    assert model.report.inverted > 0.1
    model.save(tmp_path / "block.pliant")
    assert pl.load(tmp_path / "block.pliant").report.inverted == model.report.inverted
    # The same load on a material that resists it: nothing is inverted, and nothing said.
    solid, load = squeezed(pl.FirmStVK(1e5, 0.3, 1000))
    assert choosing.choose(solid, 0.5, load, 30)[1].inverted == 0.0


def test_where_training_states_invert_stvk_a_firm_model_is_made(kept):
    """It bears the load that turns StVK inside out; who names a force of StVK keeps it."""
    solid, load = squeezed(pl.StVK(1e5, 0.3, 1000))
    with pytest.warns(
        PliantWarning, match=r"StVK does not resist: the model is of FirmStVK, .* force='cells' keeps StVK"
    ):
        model = pl.reduce(solid, tolerance=0.5, loads=load, most=30)
    assert model.material_law is pl.FirmStVK
    assert model.force_law.kind == "cubature"
    assert model.report.inverted == 0
    system = pl.Clamped(model, 1e-3, damping=(2.0, 0.0), gravity=None)
    system.push(np.arange(len(load[0])), load[0])
    system.step(300)
    assert pl.inverted_share(solid, (system.vertices() - solid.mesh.vertices).ravel()) == 0
    with pytest.warns(PliantWarning, match="inside out"):
        assert pl.reduce(solid, tolerance=0.5, loads=load, most=30, force="cells").material_law is pl.StVK


def test_firm_solids_are_those_of_stvk_to_the_last_bit_where_nothing_is_crushed(solid):
    u = 0.003 * np.random.default_rng(5).standard_normal(solid.dof_count)
    firm = resisting(solid)
    assert isinstance(firm.material, pl.FirmStVK)
    assert np.array_equal(firm.force(u), solid.force(u))
    assert firm.energy(u) == solid.energy(u)
    assert resisting(firm) is firm


def test_a_tolerance_that_cannot_be_had_is_refused_where_it_is_asked_for(solid, model, kept, monkeypatch):
    monkeypatch.setattr(choosing, "allowed", lambda _solid, _tolerance, most: 6 if most is None else most)
    with pytest.raises(BasisError, match=r"of 0.001 was asked for, and 6 vectors leave .* of [01][.0-9]*; ask"):
        pl.reduce(solid, tolerance=0.001)
    with monkeypatch.context() as patch:  # the refusal is kept
        patch.setattr(choosing, "choose", lambda *_: pytest.fail("the basis was chosen again"))
        with pytest.raises(BasisError):
            pl.Clamped(solid, dt=0.01, tolerance=0.001)
    with pytest.warns(PliantWarning, match="6 vectors leave an estimated error"):  # who limits the vectors knows
        assert pl.reduce(solid, tolerance=0.001, most=6).size == 6
    with pytest.warns(PliantWarning, match="6 vectors leave an estimated error"):  # nobody asked
        assert pl.reduce(solid).size == 6


def test_progress_names_the_stages(solid, kept):
    stages = set()
    pl.reduce(solid, tolerance=0.3, progress=lambda stage, _: stages.add(stage))
    assert {"static states", "basis size"} <= stages


def test_clamped_takes_a_solid(solid, model):
    assert pl.Clamped(solid, dt=0.01, tolerance=TOLERANCE).size == model.size
    with pytest.raises(ArgumentError, match="tolerance chooses the basis of a pl.Solid"):
        pl.Clamped(model, dt=0.01, tolerance=TOLERANCE)


def test_tolerance_beside_a_basis_is_that_of_cubature(solid, model):
    small = pl.Basis(model.U[:, :4])
    rough, fine = (
        pl.reduce(solid, small, "cubature", samples=20, **key)
        for key in ({"tolerance": 0.2}, {"force_tolerance": 0.01})
    )
    assert len(rough.force_law.weights) < len(fine.force_law.weights)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"loads": "both"}, "loads choose a basis, and one was given"),
        ({"tolerance": 0.01}, "belong to cubature forces"),
    ],
)
def test_reduce_refuses_what_does_not_go_together(solid, model, bad, message):
    if "loads" in bad:
        bad = {"loads": solid.gravity_load((0, -9.81, 0))}
    with pytest.raises(ArgumentError, match=message):
        pl.reduce(solid, pl.Basis(model.U), **bad)


def test_a_swing_beyond_what_was_measured_is_warned_of_though_it_comes_back(solid, model):
    """A swing out and back takes 25 steps, and checks are 64 apart: the farthest state lies between two of them."""
    omega, reach = pl.vibration_modes(solid, 1).frequencies[0], 0.25 * model.report.reach
    model = replace(model, report=replace(model.report, reach=reach, far=TOLERANCE))
    trusted = model.report.trusted
    assert trusted == BEYOND * reach
    for times, beyond in ((2, False), (10, True)):
        farthest, heard = 0.0, list[str]()
        for calls in (PERIOD_STEPS // 2, 1):
            system = pl.Clamped(model, 2 * np.pi / omega / PERIOD_STEPS, gravity=None)
            system.v[0] = times * reach * omega
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                for _ in range(calls):
                    system.step(PERIOD_STEPS // 2 // calls)
                    farthest = max(farthest, np.linalg.norm(system.q))
            heard += [str(warning.message) for warning in caught if "for which the basis" in str(warning.message)]
        assert (farthest > trusted) == beyond
        assert len(heard) == 2 * beyond
        assert np.linalg.norm(system.q) < trusted


def test_motion_is_trusted_as_far_as_errors_that_grow_with_it_are_small(model):
    """A basis that errs by `far` where it goes twice as far as it rests errs by as much times x / 2 at x."""
    report = replace(model.report, far=1.9 * TOLERANCE)
    assert report.trusted / report.reach == pytest.approx(2 * WITHIN / 1.9)
    assert replace(report, far=0.01 * TOLERANCE).trusted == BEYOND * report.reach
    assert replace(report, far=10 * TOLERANCE).trusted == report.reach


def test_fine_tolerances_are_trusted_less_far(model):
    """2 % are promised for 0.01, which is twice, and 5 % for 0.02."""
    fine = replace(model.report, tolerance=0.01, far=0.019)
    assert fine.trusted / fine.reach == pytest.approx(2 * 0.02 / 0.019)
    assert replace(fine, far=0.001).trusted == 3 * fine.reach
