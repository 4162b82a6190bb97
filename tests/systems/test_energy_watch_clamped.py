"""Motion that gains energy, or turns cells inside out, is refused; what is sound goes on."""

import warnings

import numpy as np
import pytest

import pliant as pl
from bench.zoo import solid_of
from pliant.errors import Diverged, PliantWarning
from pliant.systems import State
from pliant.systems.clamped.guard import CHECKED, CLIMBS, gamma_of
from pliant.systems.energy_watch import LOWEST, WORK
from pliant.systems.inversion import cell_slopes, samples, turned

SOLID = pl.Solid(pl.shapes.bar((1, 0.2, 0.2), (8, 2, 2)), pl.StVK(1e5, 0.35, 1000), fixed="x < 1e-9")
TIP = SOLID.mesh.select("x > 0.999")
DAMPED = (0.1, 1e-3)


@pytest.fixture(scope="module")
def model():
    return pl.reduce(SOLID, pl.modal_basis(SOLID, 8, 20))


def determinants(u):
    e = SOLID.elements
    F = np.eye(3) + np.einsum("cai,caj->cij", u.reshape(-1, 3)[SOLID.mesh.cells], e.gradients[e.blocks, 0])
    return np.linalg.det(F)


def test_sampled_cells_are_inside_out_where_the_deformation_gradient_says(model):
    rng, sampled = np.random.default_rng(0), samples(model)
    everywhere = cell_slopes(SOLID, model.U, np.arange(SOLID.mesh.cell_count))
    for scale in (0.1, 3.0, 30.0):
        q = scale * rng.standard_normal(model.size)
        expected = determinants(model.U @ q)
        assert np.allclose(np.linalg.det(np.eye(3) + everywhere @ q), expected, rtol=1e-9, atol=1e-9)
        even, others = turned(sampled.slopes, sampled.spread, sampled.workspace, np.concatenate([[1.0], q]))
        share = (expected < 0).mean()
        assert abs(even / sampled.spread - share) < 0.35
        assert share > 0 or others == 0


@pytest.mark.parametrize("newton", [1, 30])
@pytest.mark.parametrize("force", [1.0, 10.0, 60.0, 1e3])
def test_a_bar_pulled_and_released_keeps_its_energy_or_diverges(model, newton, force):
    """Either the ledger holds at the end, within the bound of the watch, or `Diverged` is raised."""
    system = pl.Clamped(model, 0.01, DAMPED, gravity=None, newton=newton)
    work, push = 0.0, np.array([force, -force, force])
    load = model.U.reshape(-1, 3, model.size)[TIP].sum(axis=0).T @ push
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)
        try:
            system.push(TIP, push)
            for _ in range(60):
                before = system.q.copy()
                system.step()
                work += load @ (system.q - before)
            system.release()
            system.step(200)
        except Diverged as reason:
            assert reason.time == system.time
            assert np.isfinite(system.energy())
            assert force > 10
            return
    assert system.energy() < 1.5 * abs(work)


@pytest.fixture(scope="module", params=[10, 15])
def pressed(request):
    """An animal whose legs its own weight has pressed beyond what StVK bears, let go."""
    solid = solid_of("animal", 0.5)
    heads = solid.mesh.select("x > 0.7")
    weight = 9.81 * solid.mass.sum() / 3
    model = pl.reduce(solid, pl.modal_basis(solid, request.param, 3 * request.param))
    period = 2 * np.pi / pl.vibration_modes(solid, 1).frequencies[0]
    system = pl.Clamped(model, period / 50, gravity=None, newton=30)
    system.push(heads, (0, -weight / len(heads), 0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)
        system.step(50)
    system.release()
    return system


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
def test_what_small_gains_add_up_to_is_taken_out_again(pressed):
    """With gamma = 1/2 throughout it doubles its energy or diverges."""
    released, start = pressed.energy(), pressed.state()
    for _ in range(300):
        pressed.step()
        assert pressed.energy() < (1 + CLIMBS[1]) * released
    pressed.restore(start)


@pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
def test_energy_is_taken_out_alike_by_what_goes_on_and_what_begins_there(pressed):
    """What has climbed is known to the state, so that it goes on to the last bit."""
    start, other = pressed.state(), pressed.retuned()
    for _ in range(100):
        pressed.step()
        if gamma_of.py_func(pressed._guard) > 0.5:
            break
    other.restore(State.from_bytes(bytes(pressed.state())))
    assert gamma_of.py_func(pressed._guard) == gamma_of.py_func(other._guard) > 0.5
    pressed.step(40)
    other.step(40)
    one, two = pressed.state(), other.state()
    for name in ("q", "v", "a", "account"):
        np.testing.assert_array_equal(one[name], two[name], name)
    pressed.restore(start)


def test_an_account_of_another_stiffness_begins_anew(model):
    soft, hard = (pl.Clamped(each, 0.01, DAMPED, gravity=None) for each in (model, model.with_material(young=4e5)))
    soft.push(TIP, (0, 0, 1.0))
    soft.step(40)
    hard.restore(soft.state())
    assert hard._guard.ledger[LOWEST] == hard._guard.energy[0] > 1.5 * soft._guard.energy[0]
    assert gamma_of.py_func(hard._guard) == 0.5


@pytest.mark.parametrize("hand", [False, True])
def test_an_impulse_after_going_back_is_counted_from_there(model, hand):
    """The account of where it was before says nothing of it."""
    system = pl.Clamped(model, 0.01, DAMPED, gravity=None)
    system.push(TIP, (0, 0, 1.0))
    system.step(40)
    if hand:
        system.q[:] = 0.5 * system.q
    else:
        system.restore({name: array for name, array in system.state().items() if name != "account"})
    kick = 0.01 * np.ones(model.size)
    before = system.energy()
    system._correct(kick, np.zeros(6))
    assert system._guard.ledger[WORK] == pytest.approx(system.energy() - before, rel=1e-9)


def test_exponential_growth_is_refused_and_the_state_stays_readable(model):
    # Explicit steps above their limit grow by a constant factor. What they keep below it, they keep above it as well,
    # so that the watch alone would not see it; the distance does.
    highest = np.sqrt(np.linalg.eigvals(np.linalg.solve(model.mass, model.stiffness())).real.max())
    system = pl.Clamped(model, 2.02 / highest, gravity=None, integrator="explicit")
    system.v = 1e-3 * np.ones(model.size)
    with pytest.raises(Diverged) as caught:
        system.step(5000)
    assert caught.value.time == system.time
    assert np.isfinite(system.energy())


@pytest.mark.parametrize("newton", [1, 20])
def test_energy_from_nowhere_is_refused_and_the_last_sound_state_kept(model, newton):
    system = pl.Clamped(model, 0.01, DAMPED, gravity=None, newton=newton)
    system.push(TIP, (0, 0, 1.0))
    system.step(CHECKED + 3)
    sound = {name: system._guard.good[k, 1 : model.size + 1].copy() for k, name in enumerate("qva")}
    system._guard.ledger[:] = 0.0  # the watch is told of no work
    with pytest.raises(Diverged, match="gained energy that no load supplied") as caught:
        system.step(CHECKED)
    assert caught.value.time == system.time == pytest.approx(CHECKED * 0.01)
    for name, expected in sound.items():
        np.testing.assert_array_equal(getattr(system, name), expected)
    system.step(3)


def test_a_crushed_body_is_refused_and_a_bent_one_warns_once(model):
    system = pl.Clamped(model, 0.01, DAMPED, gravity=None)
    system.push(TIP, (-400.0, 0, 0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)
        with pytest.raises(Diverged, match="cells inside out; pull less hard, or use FirmStVK"):
            system.step(400)
    assert (determinants(model.U @ system.q) < 0).mean() < 0.2


def test_a_state_written_by_hand_is_not_energy_gained(model):
    system = pl.Clamped(model, 0.01, DAMPED, gravity=None)
    rng = np.random.default_rng(3)
    for scale in (1e-3, 1e-2, 0.1):
        system.v = scale * rng.standard_normal(model.size)
        for _ in range(40):
            system.step()
    state = system.state()
    system.restore(pl.Clamped(model, 0.01, DAMPED, gravity=None).state())
    system.step(40)
    system.restore(state)
    system.step(40)


@pytest.mark.parametrize("newton", [1, 20])
def test_hands_and_wind_do_their_work(model, newton):
    system = pl.Clamped(model, 0.005, DAMPED, newton=newton)
    system.wind = pl.Wind((0, 0, 3.0), gust=0.5, seed=1) if newton == 1 else None
    vertex, rest = int(TIP[0]), SOLID.mesh.vertices[TIP[0]]
    for k in range(200):
        angle = 2 * np.pi * k / 100
        system.hold(vertex, rest + 0.2 * np.array([np.cos(angle) - 1, np.sin(angle), 0]))
        system.step()
    system.hold(vertex, None)
    system.step(100)
    assert np.isfinite(system.energy())


def test_full_model_watches_its_energy_too():
    system = pl.Full(SOLID, 0.01, DAMPED, gravity=None)
    system.push(TIP, (0, 0, 5.0))
    system.step(40)
    system.release()
    # Energy from nowhere: the watch is told of no work.
    system._watch._ledger[:] = np.array([0, 0, 0, 0, 0, 0.0])
    with pytest.raises(Diverged, match="gained energy that no load supplied") as caught:
        system.step(40)
    assert caught.value.time == system.time
