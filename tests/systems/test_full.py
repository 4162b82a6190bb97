"""The unreduced truth through time: order, conservation, stability, and steps that do not converge."""

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ArgumentError, Diverged
from pliant.systems.full import stable_step

KEPT = 1e-10  # of the angular momentum
ORDER = (1.95, 2.05)  # single-body sheet, section 12


def bar(fixed="x < 1e-9", material=None, cells=(6, 1, 1)):
    mesh = pl.shapes.bar((1.0, 0.2, 0.2), cells)
    return pl.Solid(mesh, material or pl.StVK(2e4, 0.3, 1000), fixed=fixed)


def swing(dt, seconds=0.4, **options):
    """A soft cantilever pushed at its tip, the force growing smoothly from zero."""
    system = pl.Full(bar(), dt, **{"damping": (0.1, 0.01), "gravity": None, **options})
    tip = system.solid.mesh.select("x > 0.999")
    for k in range(1, round(seconds / dt) + 1):
        system.release()
        system.push(tip, (0, -20 * np.sin(np.pi * k * dt / seconds) ** 2, 0))
        system.step()
    return system.u


@pytest.mark.parametrize("newton", [1, 30])
def test_newmark_is_of_second_order(newton):
    reference = swing(0.4 / 1024)
    errors = [np.linalg.norm(swing(dt, newton=newton) - reference) for dt in (0.01, 0.005)]
    assert ORDER[0] < np.log2(errors[0] / errors[1]) < ORDER[1]


@pytest.mark.parametrize(
    "material",
    [pl.StVK(2e4, 0.3), pl.NeoHookean(2e4, 0.3), pl.Corotational(2e4, 0.3), pl.Linear(2e4, 0.3)],
    ids=lambda m: type(m).__name__,
)
def test_undamped_motion_keeps_its_energy(material):
    system = pl.Full(bar(material=material), 0.002, gravity=None)
    system.v.reshape(-1, 3)[:, 1] = 0.5 * system.solid.mesh.vertices[:, 0]
    start = system.energy()
    energies = []
    for _ in range(50):
        system.step()
        energies.append(system.energy())
    # Average acceleration is exact for linear forces and errs by O(dt^2) otherwise.
    np.testing.assert_allclose(energies, start, rtol=1e-10 if isinstance(material, pl.Linear) else 2e-3)


def test_damping_only_ever_takes_energy():
    system = pl.Full(bar(), 0.005, damping=(0.5, 0.01), gravity=None)
    system.v.reshape(-1, 3)[:, 1] = 0.5 * system.solid.mesh.vertices[:, 0]
    energies = [system.energy()]
    for _ in range(40):
        system.step()
        energies.append(system.energy())
    assert np.all(np.diff(energies) < 0)


@pytest.mark.parametrize("beta", [0.0, 0.01])
def test_free_flight_keeps_both_momenta_whatever_the_step_and_the_damping(beta):
    def flight(dt):
        system = pl.Full(bar(fixed=None), dt, (0.0, beta), gravity=None)
        x = system.solid.mesh.vertices
        v = np.cross((0.3, 0.7, 2.0), x) + (1.0, 2.0, 3.0) + 0.2 * x[:, [1, 2, 0]]
        system.v = v.ravel()
        before = system.momentum()
        system.step(round(0.2 / dt))
        after = system.momentum()
        return np.linalg.norm(after[0] - before[0]), np.linalg.norm(after[1] - before[1]), np.linalg.norm(before[1])

    for dt in (0.01, 0.005):
        linear, angular, start = flight(dt)
        assert linear < 1e-9
        assert angular < KEPT * start


def test_loads_turn_a_free_body_as_their_torque_says():
    """A couple of forces that stay: dL/dt = sum x cross f, by the trapezoidal rule on the positions of the steps."""
    system = pl.Full(bar(fixed=None), 0.005, (0.3, 0.005), gravity=(0, -9.81, 0))
    ends = system.solid.mesh.select("x > 0.999 or x < 0.001")
    forces = np.where(system.solid.mesh.vertices[ends, :1] > 0.5, 1.0, -1.0) * (0.0, 0.0, 0.5)
    system.push(ends, forces)
    weight, h = system.solid.gravity_load((0, -9.81, 0)).reshape(-1, 3), 0.5 * 0.3 * 0.005
    system.step(2)  # both under the whole load: it is felt at once
    expected = system.momentum()[1]

    def torque():
        x = system.vertices()
        return np.cross(x, weight).sum(axis=0) + np.cross(x[ends], forces).sum(axis=0)

    for _ in range(20):
        before = torque()
        system.step()
        expected = ((1 - h) * expected + 0.5 * 0.005 * (before + torque())) / (1 + h)
    np.testing.assert_allclose(system.momentum()[1], expected, atol=KEPT * np.abs(expected).max())


def test_launched_it_spins_about_its_centre():
    """v + w x (x - c) at every vertex."""
    system = pl.Full(bar(fixed=None), 0.01, gravity=None)
    v, w = np.array([0.3, -0.1, 0.2]), np.array([0.5, 1.0, -2.0])
    x, masses = system.vertices(), system.solid.lumped_mass[::3]
    system.launch(v, w)
    np.testing.assert_allclose(system.velocities(), v + np.cross(w, x - masses @ x / masses.sum()), atol=1e-13)


def test_angular_momentum_is_that_of_a_rigid_body():
    system = pl.Full(bar(fixed=None), 0.01)
    x, w = system.solid.mesh.vertices, np.array([0.0, 0.0, 2.0])
    system.v = np.cross(w, x - x.mean(axis=0)).ravel()
    linear, angular = system.momentum()
    # Box 1 x 0.2 x 0.2 of 40 kg about its centre: m (a^2 + b^2) / 12.
    np.testing.assert_allclose(linear, 0, atol=1e-12)
    np.testing.assert_allclose(angular, 40 * (1.0 + 0.04) / 12 * w, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("factor", "stable"), [(0.95, True), (1.05, False)])
def test_explicit_steps_are_stable_up_to_two_over_omega(factor, stable):
    solid = bar()
    system = pl.Full(solid, factor * stable_step(solid), gravity=None, integrator="explicit")
    system.u[solid.free] = 1e-6 * np.random.default_rng(0).standard_normal(len(solid.free))
    start = np.abs(system.u).max()
    if stable:
        system.step(2000)
        assert np.abs(system.u).max() < 10 * start
    else:
        with pytest.raises(Diverged, match="blew up; dt must stay below"):
            system.step(5000)
        assert np.isfinite(system.u).all()


def test_explicit_and_implicit_agree_on_the_motion():
    solid = bar(cells=(12, 2, 2))
    dt = 0.5 * stable_step(solid)
    explicit, implicit = (
        pl.Full(solid, dt, gravity=(0, -9.81, 0), damping=(0.2, 1e-4), integrator=kind)
        for kind in ("explicit", "implicit")
    )
    for system in (explicit, implicit):
        system.step(round(0.15 / dt))
    # Lumped and consistent mass differ by the mesh size, not by the step.
    np.testing.assert_allclose(explicit.u, implicit.u, atol=0.05 * np.abs(implicit.u).max())


def test_hard_step_is_the_same_as_smaller_steps_that_converge(monkeypatch):
    """Three iterations cannot do this step in one go; the parts it is cut into are steps of a system that could."""
    parts, newmark = [], pl.Full._newmark

    def recorded(self, u, v, a, h):
        result = newmark(self, u, v, a, h)
        if result[0] is not None:
            parts.append(h)
        return result

    def pushed(steps, newton):
        system = pl.Full(bar(), steps[0], gravity=None, newton=newton)
        system.push(system.solid.mesh.select("x > 0.999"), (0, -100.0, 0))
        for system.dt in steps:
            system.step()
        assert system.time == pytest.approx(0.05)
        return system.u

    monkeypatch.setattr(pl.Full, "_newmark", recorded)
    halved = pushed([0.05], newton=3)
    assert len(parts) > 1
    np.testing.assert_allclose(halved, pushed(list(parts), newton=30), atol=1e-8)


def test_step_that_cannot_converge_raises_and_keeps_the_last_good_state():
    system = pl.Full(bar(), 0.05, gravity=None, newton=2)
    system.step()
    before = system.state()
    system.push(system.solid.mesh.select("x > 0.999"), (0, 0, -1e9))
    with pytest.raises(Diverged, match=r"t = 0\.05 s") as caught:
        system.step(3)
    assert caught.value.time == pytest.approx(0.05)
    for name in ("u", "v", "a", "time"):
        np.testing.assert_array_equal(system.state()[name], before[name])
    system.release()
    system.step()
    assert np.isfinite(system.u).all()


def test_restored_state_continues_bit_for_bit():
    system = pl.Full(bar(), 0.01, gravity=(0, -9.81, 0))
    system.step(3)
    state = system.state()
    system.step(3)
    ahead = system.state()
    system.restore(state)
    system.step(3)
    for name in ("u", "v", "a", "time"):
        np.testing.assert_array_equal(system.state()[name], ahead[name])


def test_state_is_restored_whole_or_not_at_all():
    system = pl.Full(bar(), 0.01)
    system.step(2)
    before = system.state()
    for wrong in (None, {}, {**before, "v": np.zeros(3)}, {**before, "time": "now"}, {**before, "u": before["u"] * 1j}):
        with pytest.raises(ArgumentError):
            system.restore(wrong)
        np.testing.assert_array_equal(system.u, before["u"])


def test_what_a_system_is_made_with_cannot_be_changed_in_silence():
    system = pl.Full(bar(), 0.01)
    for name, value in (("gravity", np.zeros(3)), ("alpha", 1.0), ("newton", 1), ("integrator", "explicit")):
        with pytest.raises(ArgumentError, match=f"{name} of a Full is fixed"):
            setattr(system, name, value)
    for name, value in (("dt", -1.0), ("u", np.zeros(4)), ("v", np.ones(system.solid.dof_count))):
        with pytest.raises(ArgumentError):
            setattr(system, name, value)


def test_vertices_and_pose_show_the_displacement():
    system = pl.Full(bar(), 0.01, gravity=(0, -9.81, 0))
    system.step(3)
    np.testing.assert_array_equal(system.vertices().ravel(), system.solid.mesh.vertices.ravel() + system.u)
    np.testing.assert_array_equal(system.pose().coordinates[0], system.u)


@pytest.mark.parametrize(
    "arguments",
    [{"dt": 0.0}, {"dt": "fast"}, {"dt": np.nan}, {"damping": (-1, 0)}, {"damping": 3}, {"gravity": (1, 2)},
     {"newton": 0}, {"newton": 1.5}, {"integrator": "euler"}, {"solid": None}],
    ids=str,
)  # fmt: skip
def test_bad_arguments_are_refused(arguments):
    with pytest.raises(ArgumentError):
        pl.Full(**{"solid": bar(), "dt": 0.01, **arguments})


def test_pushes_out_of_range_are_refused():
    system = pl.Full(bar(), 0.01)
    for vertices, forces in (([999], (0, 0, 1)), ([0], (0, 1)), ([0, 1], np.zeros((3, 3))), ([0], (0, 0, np.inf))):
        with pytest.raises(ArgumentError):
            system.push(vertices, forces)
