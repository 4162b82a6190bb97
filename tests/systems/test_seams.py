"""Seams as a system: poses, pushes, wind, states, and what is refused."""

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ArgumentError, Diverged, MeshError
from pliant.numerics.progress import COMPILING
from pliant.skin.points import vertex_areas
from pliant.systems.wind import Wind


def bar(labels=3, fixed="x < 1e-9", kind="tet", **options):
    solid = pl.Solid(pl.shapes.bar((1, 0.2, 0.2), (9, 2, 2), kind), pl.StVK(1e6, 0.3), fixed=fixed)
    if np.ndim(labels) == 0:
        labels = np.minimum((labels * solid.mesh.centroids[:, 0]).astype(int), labels - 1)
    settings = {"dt": 0.01, "damping": (0.5, 0.01), "gravity": None, **options}
    return pl.couple(solid, labels, settings.pop("soft", 2), **settings, nonlinear=False)


def test_pose_and_body_draw_the_vertices():
    system = bar(gravity=(0, -9.81, 0))
    system.step(10)
    pose = system.pose()
    assert pose.part_count == 3
    np.testing.assert_array_equal(system.vertices(), system.body.vertices(pose))
    assert [part.reads for part in system.body.parts] == [None, None, None, (0, 1), (1, 2)]
    for columns, z in zip(system.coupled.columns, pose.coordinates):
        assert len(z) == columns.size
    np.testing.assert_array_equal(system.triangles, system.mesh.surface)


@pytest.mark.parametrize("kind", ["tet", "hex"])
def test_small_motion_is_that_of_the_full_linear_solid(kind):
    """All columns, tiny load: warping does not matter, and the step is the same."""
    system = bar(soft=1000, columns=10_000, kind=kind, internal="normal")
    mesh = system.mesh
    full = pl.Full(pl.Solid(mesh, pl.Linear(1e6, 0.3), fixed="x < 1e-9"), 0.01, (0.5, 0.01), gravity=None)
    tip = mesh.select("x > 0.99")
    for s in (system, full):
        s.push(tip, (0, -1e-6, 5e-7))
    full.a = full.acceleration()
    for s in (system, full):
        s.step(30)
    u, truth = (s.vertices() - mesh.vertices for s in (system, full))
    np.testing.assert_allclose(u, truth, atol=1e-5 * np.abs(truth).max())


def test_pushes_add_up_and_are_released():
    system, other = bar(), bar()
    tip = system.mesh.select("x > 0.99")
    system.push(tip, (0, 1, 0))
    system.push(tip[:2], (0, 1, 0))
    forces = np.tile([0.0, 1.0, 0.0], (len(tip), 1))
    forces[:2] *= 2
    other.push(tip, forces)
    for s in (system, other):
        s.step(20)
    np.testing.assert_allclose(system.q, other.q, atol=1e-15)
    system.release()
    system.step(2000)
    assert np.abs(system.vertices() - system.mesh.vertices).max() < 1e-6


def test_static_load_bends_as_statics_say():
    system = bar(soft=1000, columns=10_000, internal="normal", damping=(5, 0.05))
    tip = system.mesh.select("x > 0.99")
    system.push(tip, (0, -0.05, 0))
    system.step(4000)
    load = np.zeros((system.mesh.vertex_count, 3))
    load[tip, 1] = -0.05
    linear = pl.Solid(system.mesh, pl.Linear(1e6, 0.3), fixed="x < 1e-9")
    u = pl.solve_static(linear, load.ravel()).reshape(-1, 3)
    np.testing.assert_allclose((system.vertices() - system.mesh.vertices)[:, 1], u[:, 1], atol=0.01 * np.abs(u).max())


def test_energy_falls_by_damping_alone():
    system = bar(gravity=(0, -9.81, 0), projection="J")
    energies = [system.energy()]
    for _ in range(200):
        system.step()
        energies.append(system.energy())
    assert (np.diff(energies) < 1e-3 * np.ptp(energies)).all()
    assert energies[-1] < energies[0]


def test_momentum_changes_by_the_impulse_of_all_forces():
    system = bar(fixed="x < 1e-9", gravity=(0, -9.81, 0))
    system.step(5)
    x0 = system.vertices()
    P, L = system.momentum()
    state, m = system.state(), system.coupled.masses[:, None]
    h = 1e-6
    system.dt = h
    system.step()
    velocity = (system.vertices() - x0) / h
    np.testing.assert_allclose((m * velocity).sum(axis=0), P, atol=1e-4 * np.linalg.norm(P))
    np.testing.assert_allclose(np.cross(x0, m * velocity).sum(axis=0), L, atol=1e-4 * np.linalg.norm(L))
    system.restore(state)


def test_wind_blows_as_hard_as_its_pressure():
    """A gentle steady wind: the same as pushing each surface vertex with its area times the pressure."""
    blown, pushed = bar(), bar()
    wind = Wind((0.0, 3.0, 0.0), gust=0.0)
    blown.wind = wind
    X, triangles = pushed.mesh.vertices, pushed.triangles
    a, b, c = (X[triangles[:, k]] for k in range(3))
    areas = np.zeros(len(X))
    np.add.at(areas, triangles, np.linalg.norm(np.cross(b - a, c - a), axis=1)[:, None] / 6)
    pushed.push(np.arange(len(X)), areas[:, None] * wind.pressure(X, 0.0))
    for s in (blown, pushed):
        s.step(50)
    np.testing.assert_allclose(blown.q, pushed.q, atol=1e-12)
    blown.wind = None
    blown.step(3000)
    assert np.abs(blown.vertices() - X).max() < 1e-8


def test_a_force_field_is_a_push_before_every_step():
    """A field f(x, t) written in Python, far from rest, against the same field compiled in: wind with gusts."""
    blown, pushed = bar(), bar()
    blown.wind = wind = Wind((2.0, 40.0, 5.0), gust=0.5, length=1.0)
    areas = vertex_areas(pushed.mesh.vertices, pushed.triangles)
    for _ in range(50):
        blown.step()
        pushed.release()
        pushed.push(np.arange(len(areas)), areas[:, None] * wind.pressure(pushed.vertices(), pushed.time + pushed.dt))
        pushed.step()
    assert np.abs(blown.vertices() - blown.mesh.vertices).max() > 0.05
    np.testing.assert_allclose(pushed.q, blown.q, atol=1e-10 * np.abs(blown.q).max())


def test_gusts_go_on_with_time():
    system = bar()
    system.wind = Wind((0.0, 3.0, 0.0), gust=0.5, length=1.0)
    first = system.vertices()
    system.step(10)
    half = system.vertices()
    start = system.state()
    system.step(30)
    later = system.vertices()
    system.restore(start)
    for _ in range(30):
        system.step()
    np.testing.assert_allclose(system.vertices(), later, atol=1e-13)
    assert np.abs(half - first).max() > 0


def test_steps_together_are_steps_one_by_one():
    one, many = bar(gravity=(0, -9.81, 0)), bar(gravity=(0, -9.81, 0))
    many.step(25)
    for _ in range(25):
        one.step()
    np.testing.assert_array_equal(one.q, many.q)
    assert one.time == pytest.approx(many.time)


def test_states_come_back_whole():
    system = bar(gravity=(0, -9.81, 0))
    system.step(10)
    state = system.state()
    system.step(10)
    later = system.q.copy()
    system.restore(state)
    assert system.time == pytest.approx(0.1)
    system.step(10)
    np.testing.assert_array_equal(system.q, later)
    for bad in ({}, {**state, "q": np.zeros(3)}, {**state, "time": "now"}, None):
        with pytest.raises(ArgumentError):
            system.restore(bad)
    np.testing.assert_array_equal(system.q, later)


def test_a_state_of_a_twin_is_welcome():
    system, twin = bar(gravity=(0, -9.81, 0)), bar(gravity=(0, -9.81, 0), dt=0.005)
    system.step(10)
    twin.restore(system.state())
    np.testing.assert_allclose(twin.vertices(), system.vertices(), atol=1e-12)


def test_damping_and_step_are_refactored():
    system, other = bar(gravity=(0, -9.81, 0)), bar(gravity=(0, -9.81, 0), dt=0.02, damping=(1, 0.02))
    system.dt, system.damping = 0.02, (1, 0.02)
    for s in (system, other):
        s.step(20)
    np.testing.assert_allclose(system.q, other.q, atol=1e-15)


def test_a_worn_surface_follows_the_parts():
    system = bar(gravity=(0, -9.81, 0))
    surface = pl.Surface(system.mesh.vertices, system.mesh.surface)
    used = np.unique(system.mesh.surface)
    system.wear(pl.Surface(surface.vertices[used], np.searchsorted(used, surface.triangles)))
    system.step(20)
    np.testing.assert_allclose(system.vertices(), system.vertices("mesh")[used], atol=1e-9)
    system.hold(int(used[-1]), system.mesh.vertices[used[-1]], on="mesh")
    system.step(5)
    np.testing.assert_allclose(system.vertices(), system.vertices("mesh")[used], atol=1e-9)


def test_diverged_steps_keep_the_last_good_state():
    system = bar()
    system.v = np.full(len(system.v), 1e200)
    with pytest.raises(Diverged):
        system.step(100)
    assert np.isfinite(system.q).all()


def test_progress_is_told(own_cache):
    said: dict[str, list[float]] = {}
    bar(progress=lambda stage, fraction: said.setdefault(stage, []).append(fraction))
    assert said == {"columns of the parts": [1 / 3, 2 / 3, 1.0], COMPILING: [1.0]}


def test_made_settings_are_fixed():
    system = bar()
    with pytest.raises(ArgumentError, match="projection"):
        system.projection = "J"


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"labels": [0, 1]}, ArgumentError, "labels"),
        ({"soft": -1}, ArgumentError, "soft"),
        ({"order": -1}, ArgumentError, "order"),
        ({"internal": "free"}, ArgumentError, "internal"),
        ({"trace": "none"}, ArgumentError, "trace"),
        ({"projection": "K"}, ArgumentError, "projection"),
        ({"columns": 3}, ArgumentError, "boundary alone has"),
        ({"columns": [30, 30]}, ArgumentError, "columns"),
        ({"dt": 0}, ArgumentError, "dt"),
        ({"damping": (-1, 0)}, ArgumentError, "damping"),
    ],
)
def test_bad_arguments_are_refused(options, error, says):
    with pytest.raises(error, match=says):
        bar(**options)


def test_parts_in_pieces_are_refused():
    mesh = pl.shapes.bar((1, 0.2, 0.2), (9, 2, 2))
    with pytest.raises(MeshError, match="in one piece"):
        pl.couple(
            pl.Solid(mesh, pl.StVK(1e6, 0.3)),
            (abs(mesh.centroids[:, 0] - 0.5) < 0.2).astype(int),
            dt=0.01,
            nonlinear=False,
        )


def test_one_part_has_no_interface_to_turn():
    system = bar(labels=1)
    for act in (lambda: system.turn(0, (0, 0, 1)), lambda: system.rotation_of(0)):
        with pytest.raises(ArgumentError, match="there are no interfaces"):
            act()


def test_a_part_shares_no_interface_with_itself():
    with pytest.raises(ArgumentError, match="part 0 and part 0 share no interface"):
        bar().interface(0, 0)


def test_wind_must_be_wind():
    with pytest.raises(ArgumentError, match="Wind"):
        bar().wind = 3.0
