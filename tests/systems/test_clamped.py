"""One reduced part through time: orders, dissipation, stability limits, and agreement of its integrators."""

import numpy as np
import pytest
import scipy.linalg as la

from pliant.basis import modal_basis
from pliant.errors import ArgumentError, Diverged
from pliant.fem import Solid, StVK, solve_static
from pliant.mesh import shapes
from pliant.reduced import reduce
from pliant.systems.clamped.clamped import Clamped
from pliant.systems.clamped.modal import transition
from pliant.systems.full import Full
from pliant.systems.strain_points import rate_damping

ORDER = (1.95, 2.05)  # maths sheet section 12
SOUND = 1e-12  # maths sheet section 12


@pytest.fixture(scope="module")
def solid():
    """A slender beam with a first mode of about 0.4 Hz, as in the maths sheet section 6."""
    mesh = shapes.bar((2, 0.2, 0.1), (10, 2, 1))
    return Solid(mesh, StVK(young=1.4e6, poisson=0.3, density=1000), fixed=np.flatnonzero(mesh.vertices[:, 0] < 1e-9))


@pytest.fixture(scope="module")
def tip(solid):
    return np.flatnonzero(solid.mesh.vertices[:, 0] > 2 - 1e-9)


@pytest.fixture(scope="module")
def model(solid):
    return reduce(solid, modal_basis(solid, modes=4, size=8))


@pytest.fixture(scope="module")
def linear(solid):
    return reduce(solid, modal_basis(solid, modes=4, size=8), force="linear")


def bent(model, dt, **options):
    """Released from the equilibrium under a load at the tip."""
    pressed = Clamped(model, dt, gravity=None, integrator="static")
    pressed.push(np.flatnonzero(model.X[:, 0] > 2 - 1e-9), (0, 0, 15.0))
    pressed.step()
    system = Clamped(model, dt, gravity=None, **options)
    system.q = pressed.q
    system.a = np.linalg.solve(model.mass, -model.force(pressed.q))
    return system


@pytest.mark.parametrize("newton", [1, 30])
def test_newmark_is_of_second_order(model, newton):
    reference = bent(model, 0.0001, damping=(0.1, 0.01), newton=30)
    reference.step(4000)
    errors = []
    for dt in (0.005, 0.0025):
        system = bent(model, dt, damping=(0.1, 0.01), newton=newton)
        system.step(round(0.4 / dt))
        errors.append(np.linalg.norm(system.q - reference.q))
    assert ORDER[0] < np.log2(errors[0] / errors[1]) < ORDER[1]


@pytest.mark.parametrize(("newton", "dt"), [(1, 0.04), (30, 0.04), (1, 0.002)])
def test_undamped_motion_keeps_its_energy(model, newton, dt):
    # A single iteration that took K at the old q lost more than half at the larger step.
    system = bent(model, dt, newton=newton)
    start = system.energy()
    system.step(round(40 / dt))
    assert system.energy() / start == pytest.approx(1, abs=0.04 if newton == 1 else 0.02)


@pytest.mark.parametrize("law", ["strain", "stiffness"])
def test_converged_step_satisfies_the_equation_of_motion(model, tip, law):
    system = bent(model, 0.02, damping=(0.3, 0.01), newton=30, damping_law=law)
    system.push(tip, (0, 0, 0.5))
    system.step(7)
    q, v, a = system.q, system.v, system.a
    D, M = model.stiffness(q) if law == "stiffness" else rate_damping(system.strain_rule, q), model.mass
    load = model.U.reshape(-1, 3, 8)[tip].sum(axis=0).T @ [0, 0, 0.5]
    left = M @ (a + 0.3 * v) + 0.01 * D @ v + model.force(q) - load
    assert np.linalg.norm(left) < 1e-8 * np.linalg.norm(model.force(q))


def test_reduced_converged_motion_follows_the_full_model(solid, model, tip):
    full, reduced = Full(solid, 0.01, (0, 0.01), None), Clamped(model, 0.01, (0, 0.01), gravity=None, newton=30)
    for system in (full, reduced):
        system.push(tip, (0, 0, 4.0))
        system.step(60)
    moved = np.abs(full.vertices() - solid.mesh.vertices).max()
    assert moved > 0.05
    assert np.abs(full.vertices() - reduced.vertices()).max() < 0.02 * moved
    assert full.energy() == pytest.approx(reduced.energy(), rel=0.05)
    assert np.allclose(full.momentum()[0], reduced.momentum()[0], atol=0.05 * np.abs(full.momentum()[0]).max())
    assert np.allclose(full.momentum()[1], reduced.momentum()[1], atol=0.05 * np.abs(full.momentum()[1]).max())


@pytest.mark.parametrize(("factor", "stable"), [(1.9, True), (2.1, False)])
def test_explicit_steps_are_stable_below_two_over_omega(linear, factor, stable):
    highest = np.sqrt(la.eigvalsh(linear.stiffness(), linear.mass)[-1])
    system = Clamped(linear, factor / highest, gravity=None, integrator="explicit")
    system.v = 1e-3 * np.ones(8)
    if stable:
        system.step(5000)
        assert np.abs(system.q).max() < 1
    else:
        with pytest.raises(Diverged):
            system.step(5000)
        assert np.isfinite(system.q).all()


def test_explicit_agrees_with_implicit_at_small_steps(model):
    explicit, implicit = bent(model, 2e-4, integrator="explicit", damping=(0.5, 0)), bent(model, 2e-4, damping=(0.5, 0))
    for system in (explicit, implicit):
        system.step(2000)
    assert np.linalg.norm(explicit.q - implicit.q) < 1e-3 * np.linalg.norm(implicit.q)


def test_static_step_is_in_equilibrium_and_near_the_full_solution(solid, model, tip):
    system = Clamped(model, 0.01, gravity=None, integrator="static")
    system.push(tip, (0, 0, 8.4))
    system.step()
    load = np.zeros((solid.mesh.vertex_count, 3))
    load[tip, 2] = 8.4
    f = model.U.T @ load.ravel()
    assert np.linalg.norm(model.force(system.q) - f) < 1e-8 * np.linalg.norm(f)
    truth = solve_static(solid, load.ravel()).reshape(-1, 3)
    assert np.abs(truth).max() > 0.5
    assert np.abs(system.vertices() - solid.mesh.vertices - truth).max() < 0.02 * np.abs(truth).max()
    assert not system.v.any()


@pytest.mark.parametrize(
    ("value", "d"),
    [(40.0, 0.3), (40.0, 30.0), (25.0, 10.0), (25.0, 10.0 + 1e-9), (1e8, 2.0), (0.0, 0.5), (3.0, 0.0), (0.5, 0.1)],
)
def test_oscillator_equals_the_matrix_exponential(value, d):
    dt = 0.01
    A = np.zeros((3, 3))
    A[:2, :2], A[1, 2] = [[0, 1], [-value, -d]], 1
    exact = la.expm(A * dt)
    Phi = transition(value, d, dt)
    expected = [exact[0, 0], exact[0, 1], exact[1, 0], exact[1, 1], exact[0, 2], exact[1, 2]]
    assert np.abs(Phi - expected).max() <= SOUND * max(1, np.abs(expected).max())


def test_exact_oscillators_do_not_depend_on_the_step(linear, tip):
    results = []
    for dt, count in ((0.5, 1), (0.001, 500)):
        system = Clamped(linear, dt, damping=(0.1, 0.02), integrator="exact")
        system.push(tip, (0, 0.02, 0.01))
        system.v = np.linspace(-0.1, 0.1, 8)
        system.step(count)
        results.append(system.state())
    assert np.allclose(results[0]["q"], results[1]["q"], rtol=1e-10, atol=1e-12)
    assert np.allclose(results[0]["v"], results[1]["v"], rtol=1e-10, atol=1e-12)
    newmark = Clamped(linear, 1e-4, damping=(0.1, 0.02), newton=3)
    newmark.push(tip, (0, 0.02, 0.01))
    newmark.v = np.linspace(-0.1, 0.1, 8)
    newmark.a = (
        np.linalg.solve(linear.mass, newmark._load[1:9] - newmark.model.stiffness() @ (0.02 * newmark.v))
        - 0.1 * newmark.v
    )
    newmark.step(5000)
    assert np.allclose(newmark.q, results[0]["q"], rtol=1e-4, atol=1e-5)


def test_exact_oscillators_need_a_linear_model(model):
    with pytest.raises(ArgumentError, match="linear"):
        Clamped(model, 0.01, integrator="exact")


@pytest.mark.parametrize("newton", [1, 20])
def test_float32_follows_float64(model, tip, newton):
    results = []
    for dtype in (np.float64, np.float32):
        system = Clamped(model, 0.005, damping=(0.1, 0.002), newton=newton, dtype=dtype)
        system.push(tip, (0, 0, 0.05))
        system.step(200)
        assert system.q.dtype == dtype
        results.append(system.vertices())
    assert np.abs(results[0] - results[1]).max() < 1e-3


def test_all_steps_of_a_call_equal_single_calls_and_a_restored_state(model, tip):
    one, many = (Clamped(model, 0.005, damping=(0, 0.002)) for _ in range(2))
    many.push(tip, (0, 0, 0.1))
    one.push(tip, (0, 0, 0.1))
    many.step(10)
    saved = many.state()
    many.step(30)
    for _ in range(40):
        one.step()
    assert np.array_equal(one.q, many.q)
    assert one.time == pytest.approx(0.2)
    many.restore(saved)
    assert many.time == pytest.approx(0.05)
    many.step(30)
    assert np.array_equal(one.q, many.q)
    one.release()
    one.step()
    assert not np.array_equal(one.q, many.q)


@pytest.mark.parametrize("newton", [1, 6])
def test_divergence_is_raised_and_keeps_the_last_good_state(model, tip, newton):
    system = Clamped(model, 0.01, newton=newton)
    system.step(5)
    system.push(tip, (0, 0, 1e12))
    with pytest.raises(Diverged) as caught:
        system.step(1000)
    assert caught.value.time == pytest.approx(system.time)
    assert system.time >= 0.05 - 1e-12
    assert np.isfinite(system.q).all()
    assert np.isfinite(system.v).all()
    assert np.isfinite(system.energy())
    system.q = np.zeros(8)
    before = system.state()
    system.v[0] = np.nan
    with pytest.raises(Diverged):
        system.step()
    assert np.array_equal(system.q, before["q"])


def test_convergent_step_survives_a_violent_start(model):
    # Plain Newton ended two of thirty such steps with a residual of one (maths sheet section 6).
    system = Clamped(model, 0.01, gravity=None, newton=20, damping=(0.0, 0.001))
    system.q = 0.2 * np.ones(8) * np.sqrt(model.inertia.mass)
    start = system.energy()
    system.step(30)
    assert system.energy() <= start * (1 + 1e-6)


def test_gravity_bends_downwards_and_costs_energy(model):
    system = Clamped(model, 0.005, damping=(0.5, 0.01))
    rest = system.energy()
    system.step(2000)
    height = system.vertices()[:, 1].mean() - model.X[:, 1].mean()
    assert height < -1e-3
    assert system.energy() < rest
    assert system.pose().coordinates[0].shape == (8,)


def test_changed_step_acts_at_once(model):
    changed, fresh = Clamped(model, 0.01, newton=10), Clamped(model, 0.004, newton=10)
    changed.dt = 0.004
    for system in (changed, fresh):
        system.step(5)
    np.testing.assert_array_equal(changed.q, fresh.q)
    with pytest.raises(ArgumentError):
        changed.dt = -1.0


def test_bad_arguments_are_refused(model, tip):
    with pytest.raises(ArgumentError, match="dt"):
        Clamped(model, 0)
    with pytest.raises(ArgumentError, match="integrator"):
        Clamped(model, 0.01, integrator="rk4")
    with pytest.raises(ArgumentError, match="dtype"):
        Clamped(model, 0.01, dtype=np.int32)
    with pytest.raises(ArgumentError, match="damping"):
        Clamped(model, 0.01, damping=(-1, 0))
    system = Clamped(model, 0.01)
    with pytest.raises(ArgumentError, match="q must have shape"):
        system.q = np.zeros(3)
    with pytest.raises(ArgumentError, match="vertices"):
        system.push([10**6], (0, 0, 1))
