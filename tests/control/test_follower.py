"""Following a path with systems of every kind: the linear model of their steps, and what is left of a knock."""

import numpy as np
import pytest

import pliant as pl
from pliant.control import Muscle, Patch, in_stride, note_path, simulate, track
from pliant.control.actuators import Actuation
from pliant.control.force_slopes import force_slopes
from pliant.control.regulator import _step
from pliant.control.step_model import step_model
from pliant.errors import ArgumentError, Diverged
from pliant.systems.playing import EachStep
from pliant.systems.strain_points import rate_damping, rate_slope

DT, STEPS, MODES = 0.01, 60, 12
SPAN = 1.0  # [s] in which a knocked system comes back
FINE = 1e-5  # of the largest entry: differences of steps that are solved to 1e-9, over 1e-4 of the extent
SPINNING = (
    1e-4  # of L: where the ends of a muscle will be is told by their velocities alone, while the body turns by 0.02
)
KINDS = ("clamped", "tree", "seams", "seams-nonlinear")
FLYING = ("tree", "seams", "seams-nonlinear", "world")


@pytest.fixture(scope="module")
def bars(solid):
    """The bar, held and free, and the labels of its four parts."""
    mesh = solid.mesh
    free = pl.Solid(mesh, solid.material)
    return solid, free, np.minimum((mesh.centroids[:, 0] / 0.5).astype(int), 3)


def made(kind, bars, flies=False):
    """A system that falls to one side, or that flies and spins."""
    held, free, labels = bars
    solid, acting = (free, {"gravity": None}) if flies else (held, {"gravity": (0, -1, 0)})
    acting |= {"dt": DT, "damping": (0.05, 0.004)}
    if kind == "clamped":
        model = pl.reduce(solid, pl.modal_basis(solid, modes=3, size=6), force="cubic")
        return pl.Clamped(model, **acting, newton=30)
    if kind == "tree":
        system = pl.substructure(solid, labels, size=40, **acting)
    elif kind == "seams":
        system = pl.couple(solid, labels, 4, 2, nonlinear=False, **acting)
    elif kind == "seams-nonlinear":
        system = pl.couple_nonlinear(solid, labels, 2, 4, **acting)
    else:
        system = pl.World(DT, gravity=None)
        system.add(pl.reduce(solid, pl.modal_basis(solid, modes=4, size=8)), damping=(0.05, 0.004))
        system.bodies[0].velocity, system.bodies[0].spin = (0, 1, 0), (0.5, 1, 2)
    if flies and kind != "world":
        system.launch((0, 1, 0), (0.5, 1, 2))
    return system


def patches(mesh, flies):
    """At the tip; of what flies at both ends, and along both sides, so that it can be rolled about its axis, too."""
    ends = ("x > 1.999", "x < 0.001") if flies else ("x > 1.999",)
    found = [Patch(mesh.select(end), 20 * axis) for end in ends for axis in np.eye(3)]
    y = mesh.vertices[:, 1]
    sides = [np.flatnonzero(y == y.max()), np.flatnonzero(y == y.min())] if flies else []
    return [*found, *(Patch(side, (0, 0, 20)) for side in sides)]


def knock(system, mesh):
    ids = mesh.select("x > 1.5")
    system.correct(system.points(ids, "mesh"), np.tile([0.0, 0.02, 0.05], (len(ids), 1)))


@pytest.mark.parametrize("law", ["strain", "stiffness"])
def test_linear_model_is_that_of_the_analytic_tangent(models, solid, law):
    """Newmark's (q, v, a) with a that answers the load, in the coordinates that the sensors read."""
    part = models["cubic"]
    system = pl.Clamped(part, DT, damping=(0.05, 0.001), newton=30, damping_law=law)
    path = note_path(system, STEPS, knots=3)
    model = step_model(path, Actuation(system, patches(solid.mesh, False)), part.size)
    run, r = simulate(system, np.zeros((part.size, 1)), np.zeros((STEPS + 1, 1))), part.size
    for number, k in enumerate(path.knots):
        q, v = run.q[k], run.v[k]
        J, E = force_slopes(part, q, 0.001 * v if law == "stiffness" else 0 * v)
        D = part.stiffness(q) if law == "stiffness" else rate_damping(system.strain_rule, q)
        H = 0.0 if law == "stiffness" else rate_slope(system.strain_rule, q, 0.001 * v)
        slaved = -np.linalg.solve(part.mass, np.hstack([J + E + H, 0.05 * part.mass + 0.001 * D]))
        A = (_step(run, int(k) + 1)[0] @ np.vstack([np.eye(2 * r), slaved]))[: 2 * r]
        W = path.system.rows(path.sensors.points(path.system))
        now, then = (np.kron(np.eye(2), model.reader(int(k) + i) @ W) for i in (0, 1))
        wanted = then @ A @ np.linalg.inv(now)
        assert model.A[number] == pytest.approx(wanted, abs=FINE * np.abs(wanted).max())


@pytest.mark.parametrize("kind", KINDS)
def test_knocked_system_of_any_kind_comes_back(bars, kind):
    check_return(made(kind, bars), bars[0].mesh, False)


@pytest.mark.parametrize("kind", FLYING)
def test_knocked_system_that_flies_comes_back(bars, kind):
    """Pushed at both ends, it can be put right as a whole, too, while it spins."""
    check_return(made(kind, bars, flies=True), bars[0].mesh, True)


def check_return(system, mesh, flies):
    """A second of control takes away what a knock did."""
    steps = round(SPAN / system.dt)
    path = note_path(system, steps, knots=6)
    follower = track(path, patches(mesh, flies), gentleness=0.02, modes=MODES)
    before = system.state()
    knock(system, mesh)
    away = follower.follow(system, steps)
    system.restore(before)
    knock(system, mesh)
    follower.on = False
    alone = follower.follow(system, steps)
    assert away.sum() < 0.45 * alone.sum()
    assert away[-1] < 0.25 * alone[-1]


def test_path_of_full_state_is_followed_as_well_as_by_the_analytic_regulator(models, solid):
    """Where the sensors see all coordinates, this is the regulator of the sheet, but for the accelerations."""
    system = pl.Clamped(models["cubic"], DT, damping=(0.05, 0.001), gravity=None, newton=30)
    follower = track(note_path(system, STEPS, knots=4), patches(solid.mesh, False), 1e-4, models["cubic"].size)
    before, away = system.state(), []
    for on in (True, False):
        system.restore(before)
        system.v[:] = [0.3, -0.2, 0.1, 0, 0, 0]
        follower.on = on
        away.append(follower.follow(system, STEPS).sum())
    assert away[0] / away[1] < 0.19  # of the sheet, section 10


def test_gentler_forces_are_smaller_and_bring_back_later(bars):
    system, mesh = made("clamped", bars), bars[0].mesh
    follower = track(note_path(system, STEPS, knots=4), patches(mesh, False), 0.01, 6)
    before, away, effort = system.state(), [], []
    for gentleness in (0.01, 0.3, 10.0):
        gentle = follower.gentler(gentleness)
        system.restore(before)
        knock(system, mesh)
        gentle.follow(system, 1)
        effort.append(np.abs(gentle.effort).max())
        away.append(gentle.follow(system, STEPS - 1).sum())
    assert away == sorted(away)
    assert effort == sorted(effort, reverse=True)


def test_muscles_do_nothing_to_momentum(bars):
    """A free body that only pulls at itself comes back to its shape; where it flies is not its own choice."""
    system, mesh = made("seams-nonlinear", bars, flies=True), bars[1].mesh
    upper, lower = "z > 0.049", "z < -0.049"
    muscles = [
        Muscle(mesh.select(f"x < 0.6 and {side}"), mesh.select(f"x > 1.4 and {side}"), 60.0) for side in (upper, lower)
    ]
    follower = track(note_path(system, STEPS, knots=6), muscles, 0.01, MODES)
    system.v = system.v + 0.3 * bend(system)
    P, L = system.momentum()
    follower.follow(system, STEPS)
    assert np.abs(follower.effort).max() > 0
    assert system.momentum()[0] == pytest.approx(P, abs=1e-9 * np.linalg.norm(P))
    assert system.momentum()[1] == pytest.approx(L, abs=SPINNING * np.linalg.norm(L))


def bend(system):
    """Velocities that bend the bar and have no momentum."""
    x = system.vertices("mesh")[:, 0]
    bent = np.zeros((len(x), 3))
    bent[:, 2] = (x - x.mean()) ** 2
    return system.coordinates_of(bent)


class Swaying(EachStep):
    """A force that comes and goes once a second."""

    def __init__(self, ids):
        super().__init__(self._sway)
        self.ids = ids

    def _sway(self, system):
        system.release()
        system.push(self.ids, [0, 0, 0.2 * np.sin(2 * np.pi * (system.time + system.dt))], on="mesh")


def test_motion_that_repeats_is_followed_for_ever(bars):
    system, mesh = made("clamped", bars), bars[0].mesh
    swaying = Swaying(mesh.select("x > 1.999"))
    heavy = pl.Clamped(system.model, DT, damping=(3.0, 0.004), gravity=(0, -1, 0), newton=30)
    heavy.restore(in_stride(heavy, 100, swaying))
    follower = track(note_path(heavy, 100, swaying, repeats=True, knots=8), patches(mesh, False), 0.02, 6)
    calm = follower.follow(heavy, 350).max()
    assert calm < 0.02 * follower.path.extent * 0.1
    knock(heavy, mesh)
    away = follower.follow(heavy, 300)
    assert away[-1] < 0.05 * away.max()
    assert heavy.time == pytest.approx(6.5)


def test_actuators_never_do_more_than_their_most(bars):
    system, mesh = made("clamped", bars), bars[0].mesh
    weak = [Patch(mesh.select("x > 1.999"), (0, 0, 0.01))]
    follower = track(note_path(system, STEPS, knots=2), weak, 1e-6, 6)
    knock(system, mesh)
    follower.follow(system, 20)
    assert np.abs(follower.effort).max() == 1.0


def test_path_that_does_not_repeat_is_refused(bars):
    system = made("clamped", bars)
    with pytest.raises(ArgumentError, match="does not repeat after 30 steps"):
        note_path(system, 30, repeats=True)
    undamped = pl.Clamped(system.model, DT, damping=(0, 0), gravity=(0, -1, 0))
    with pytest.raises(Diverged, match="does not repeat itself yet"):
        in_stride(undamped, 7)


def test_bad_actuators_and_paths_are_refused_in_a_sentence(bars):
    system, mesh = made("clamped", bars), bars[0].mesh
    tip, root = mesh.select("x > 1.999"), mesh.select("x < 0.001")
    path = note_path(system, 10, knots=2)
    good = Patch(tip, (0, 0, 1))
    for wrong, words in (
        (lambda: track(path, [good, Patch(root, (0, 0, 5))]), "actuator 1, .* can move nothing"),
        (lambda: track(path, []), "actuators are missing"),
        (lambda: track(path, [tip]), "is a Patch or a Muscle"),
        (lambda: track(path, [good], gentleness=0), "gentleness must be finite and above 0"),
        (lambda: track(simulate(system, np.eye(6), np.zeros((3, 6))), [good]), "must be what note_path gives"),
        (lambda: Patch(tip, (0, 0, 0)), "force of a patch is zero"),
        (lambda: Patch([], (0, 0, 1)), "at least one vertex"),
        (lambda: Patch([10**6], (0, 0, 1)) and track(path, [Patch([10**6], (0, 0, 1))]), "vertices of an actuator"),
        (lambda: track(path, [Muscle(tip, tip, 5.0)]), "same middle"),
        (lambda: Muscle(tip, root, -1.0), "pull of a muscle must be finite and above 0"),
        (lambda: track(path, [good]).follow(made("tree", bars), 1), "the path is of a Clamped .* the system a Tree"),
        (lambda: note_path(system, 0), "steps must"),
        (lambda: track(note_path(pl.Bodies([system, system]), 5), [good]), "cannot be steered as one"),
    ):
        with pytest.raises(ArgumentError, match=words):
            wrong()


def test_free_tree_keeps_the_turn_that_an_impulse_gave(bars):
    """What `correct` turns the root by stays in the next step: half of the spin times dt."""
    tree = made("tree", bars, flies=True)
    rolling = pl.substructure(bars[1], bars[2], size=40, dt=DT, gravity=None)
    x = rolling.vertices("mesh")
    spin = np.array([0, 0, 1.0])
    change, momentum = np.r_[np.zeros(3), spin, np.zeros(rolling.size)], np.zeros(6)
    assert tree.free
    rolling._correct(change, momentum, 10.0)  # turned by a tenth, and left at rest
    rolling._correct(-change, momentum, 0.0)
    there = rolling.vertices("mesh")
    assert np.abs(there - x).max() > 0.05
    rolling.step()
    assert rolling.vertices("mesh") == pytest.approx(there, abs=1e-9)
