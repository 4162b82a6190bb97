"""What every system answers: rows, responses, impulses, hands, wind, throws, states and files, for every kind alike."""

import numpy as np
import pytest
import scipy.linalg as la
from kinds import ALL, AND_BODIES, FREE, HELD, LENGTH, bar, stirred, system, tip

import pliant as pl
from pliant.errors import ArgumentError, FileError, PliantError
from pliant.fem.viscosity import viscosity
from pliant.reduced.file import read_arrays, write_arrays
from pliant.systems.state import State
from pliant.systems.strain_points import rate_damping
from pliant.systems.strain_rule import strain_rule

EXACT = 1e-8  # of the largest entry: rows against differences, responses against dense solves
KEPT = 1e-12  # of the largest momentum
ROUNDING = 1e-10


def each(kinds=ALL):
    return pytest.mark.parametrize(("kind", "free"), kinds, ids=[f"{kind}{'-free' * free}" for kind, free in kinds])


def places(made, ids):
    return made.points(ids).place(made.pose())


@each(AND_BODIES)
def test_velocities_are_differences_of_positions(kind, free):
    made, h = stirred(kind, free, damping=(0.0, 0.0)), 2e-6
    before = made.vertices()
    v = made.velocities()
    made.dt = h
    made.step()
    # One step of h covers h v + O(h^2 a), and a is up to 1e3 m/s^2 in the stiffest modes.
    np.testing.assert_allclose((made.vertices() - before) / h, v, atol=5e-3 * np.abs(v).max())
    ids = [tip(bar(free)), 7]
    np.testing.assert_allclose(made.points(ids).velocity(made.pose(), made.rates()), made.velocities()[ids], atol=1e-13)


def moved(made, y, h):
    """Where the points of `made` are after its unknowns have gone on for h along y; the state is put back."""
    ids = [tip(made.solid) if made.kind != "tree" else made.mesh.vertex_count - 1, 7]
    start = made.state()
    made._correct(2 * h / made.dt * y, np.zeros(6))
    x = places(made, ids)
    made.restore(start)
    return x


@each()
def test_rows_are_differences_of_positions_along_the_unknowns(kind, free):
    made = stirred(kind, free)
    ids = [tip(made.solid) if kind != "tree" else made.mesh.vertex_count - 1, 7]
    W, h = made.rows(made.points(ids)), 1e-4
    assert W.shape == (6, len(made.unknowns))
    random = np.random.default_rng(3)
    for _ in range(4):
        y = random.normal(size=W.shape[1]) / np.sqrt(W.shape[1])
        if kind == "seams" and free:
            y[6:] = made._deforming(y[6:])
        if kind == "full":
            y.reshape(-1, 3)[made.solid.fixed] = 0.0
        far, near = (((moved(made, y, s * h) - moved(made, y, -s * h)) / (2 * s * h)).ravel() for s in (2, 1))
        slope = (4 * near - far) / 3  # Richardson: fourth order
        np.testing.assert_allclose(W @ y, slope, atol=EXACT * np.abs(W).max())


@each(AND_BODIES)
def test_rows_of_the_unknowns_are_the_velocities(kind, free):
    made = stirred(kind, free)
    points = made.points([5, made.mesh.vertex_count - 1])
    v = points.velocity(made.pose(), made.rates()).ravel()
    np.testing.assert_allclose(made.rows(points) @ made.unknowns, v, atol=ROUNDING * np.abs(v).max())


def dense_step_matrix(made):
    """A = M + dt/2 C + dt^2/4 K of the unknowns, each part of it by its definition, and the subspace they live in."""
    dt, (alpha, beta) = made.dt, made.damping
    stiff = 0.5 * dt * beta + 0.25 * dt * dt
    everything = made.points(np.arange(made.mesh.vertex_count), on="mesh")
    W = made.rows(everything)
    if made.kind == "full":
        M, K = made.solid.mass.toarray(), made.solid.stiffness(made.u).toarray()
        V = made.solid.pattern.matrix(viscosity(made.solid, made.u)).toarray()
    elif made.kind == "clamped":
        M, K = made.model.mass, made.model.stiffness(made.q)
        V = rate_damping(strain_rule(made.model), made.q)
    elif made.kind == "seams-nonlinear":
        U = made.parts.columns()
        M = U.T @ (made.solid.mass @ U)
        K = U.T @ (made.solid.stiffness(U @ made.q) @ U)
        models = zip(made.parts.models, made.parts.places)
        V = made.parts.sum_of([rate_damping(strain_rule(model), made.q[own]) for model, own in models]).toarray()
    elif made.kind == "seams":
        return _dense_seams(made, stiff)
    else:
        return _dense_tree(made, stiff)
    return (1 + 0.5 * dt * alpha) * M + 0.25 * dt * dt * K + 0.5 * dt * beta * V, _moving(made, len(M), W)


def _moving(made, size, _rows):
    """Columns that span what can move: all but fixed vertices of the unreduced solid."""
    if made.kind != "full":
        return np.eye(size)
    return np.eye(size)[:, made.solid.free]


def _dense_seams(made, stiff):
    """Of a free body: kinetic energy of the mass points for the frame, the linear matrices for the deformation.

    T = m V.V/2 + L.I^-1 L/2 + v.A v/2 with L = I o + G v, so that v has A + G^T I^-1 G.
    """
    M, K = made.coupled.assembled()
    A = (1 + 0.5 * made.dt * made.alpha) * M + stiff * K
    if not made.free:
        return A, np.eye(len(A))
    masses = np.repeat(made.mass_points.measure, 3)
    W = made.rows(made.mass_points)
    T = W.T @ (masses[:, None] * W)
    I, G = T[3:6, 3:6], T[3:6, 6:]
    T[6:, 6:] = A + G.T @ np.linalg.solve(I, G)
    rigid = la.null_space((M @ made.coupled.rigid_motions()).T)
    return T, la.block_diag(np.eye(6), rigid)


def _dense_tree(made, stiff):
    """The mass matrix by the velocities of all vertices of every limb, with its own consistent mass."""
    size = len(made.unknowns)
    M, K = np.zeros((size, size)), np.zeros((size, size))
    first = size - made.size
    for number, limb in enumerate(made.limbs):
        ids = made.body.parts[number].vertices
        rows = _limb_rows(made, number, ids)
        mass = la.block_diag(limb.model.solid.mass.toarray())
        M += rows.T @ mass @ rows
        own = slice(first + made.offsets[number], first + made.offsets[number + 1])
        K[own, own] += limb.model.stiffness(made.q[made.offsets[number] : made.offsets[number + 1]])
        M[own, own] += 0.5 * made.dt * made.alpha * limb.model.mass
    return M + stiff * K, np.eye(size)


def _limb_rows(made, number, ids):
    """Velocities (3n, s) of a limb's own vertices, in the world; the limb alone moves them, also on interfaces."""
    part = made.body.parts[number]
    n = len(ids)
    own = type(part)(np.arange(n), np.ones(n), part.X, part.U, None, (number,))
    alone = pl.Skin(n, np.empty((0, 3), int), [own], made.body.sizes)
    return made.rows(alone.points(np.arange(len(ids))))


@each()
def test_response_is_a_dense_solve_of_the_linearised_step(kind, free):
    made = stirred(kind, free)
    A, span = dense_step_matrix(made)
    points = made.points([made.mesh.vertex_count // 2, made.mesh.vertex_count - 1])
    W = made.rows(points)
    expected = span @ np.linalg.solve(span.T @ A @ span, span.T @ W.T)
    found = made.response(points)
    np.testing.assert_allclose(found, expected, atol=EXACT * np.abs(expected).max())
    T = W @ found
    np.testing.assert_allclose(T, T.T, atol=EXACT * np.abs(T).max())
    assert np.linalg.eigvalsh(T)[0] > 0


@each([("full", False), ("clamped", False), ("seams-nonlinear", False), ("seams", False)])
def test_a_push_in_one_step_is_answered_as_the_response_says(kind, free):
    """Newmark gives half of a force's impulse in the step in which it begins, all of it where it is felt at once."""
    made, ids = system(kind, free), [tip(bar(free))]
    if kind == "clamped":
        made = pl.Clamped(made.model, made.dt, made.damping, None, newton=30)
    f = np.array([[0.01, 0.02, -0.03]])  # small: what is compared is linear
    share = 1.0 if kind == "seams" else 0.5
    expected = share * made.dt * (made.response(made.points(ids)) @ f.ravel())
    made.push(ids, f)
    made.step()
    np.testing.assert_allclose(made.unknowns, expected, atol=1e-5 * np.abs(expected).max())


@each(AND_BODIES)
def test_impulses_change_velocities_by_w_response_and_momentum_exactly(kind, free):
    made = stirred(kind, free)
    points = made.points([5, tip(bar(free))])
    j = np.random.default_rng(1).normal(size=(2, 3)) * 1e-3
    T, v = made.rows(points) @ made.response(points), points.velocity(made.pose(), made.rates())
    x = points.place(made.pose())
    before = np.concatenate(made.momentum())
    made.correct(points, j)
    change = points.velocity(made.pose(), made.rates()) - v
    # The points have moved a little, by dt/2 times the change.
    np.testing.assert_allclose(change.ravel(), T @ j.ravel(), atol=2e-2 * np.abs(change).max())
    if free and kind != "full":
        expected = before + np.concatenate([j.sum(axis=0), np.cross(x, j).sum(axis=0)])
        np.testing.assert_allclose(np.concatenate(made.momentum()), expected, atol=KEPT * np.abs(expected).max())


@each(AND_BODIES)
def test_a_system_at_rest_stays_there_after_a_zero_impulse(kind, free):
    made = system(kind, free)
    made.predict()
    made.correct(made.points([3]), np.zeros((1, 3)))
    made.step(5)
    assert np.abs(made.velocities()).max() < 1e-12


@each(AND_BODIES)
def test_hold_brings_a_vertex_to_its_target_without_a_jump(kind, free):
    made = system(kind, free, dt=5e-3, damping=(0.5, 5e-3))
    vertex = tip(bar(free))
    target = made.vertices()[vertex] + 0.05 * LENGTH * np.array([-0.1, 0.8, 0.6])
    hold = made.hold(vertex, target)
    reach, fastest, last = np.linalg.norm(target - made.vertices()[vertex]), 0.0, np.zeros(3)
    for _ in range(600):
        made.step()
        v = made.velocities()[vertex]
        fastest = max(fastest, np.linalg.norm(v - last))
        last = v
    assert np.linalg.norm(made.vertices()[vertex] - target) < 0.02 * reach
    # The spring pulls by om^2 x at most: a step changes the velocity by no more than om^2 x dt.
    assert fastest < 1.05 * hold.rate**2 * reach * made.dt
    assert made.hold(vertex, target + 0.01) is hold
    assert made.hold(vertex, None) is None
    assert not hold.held
    speed = np.abs(made.velocities()).max()
    made.step()
    assert np.isfinite(made.energy())
    assert np.abs(made.velocities()).max() < speed + 1.0


@each([(kind, free) for kind, free in ALL if kind != "full"])
def test_hold_presses_a_bar_along_its_axis_without_a_jump(kind, free):
    """It buckles, so that one linear step of the rest tells the hand little of what it does."""
    made = system(kind, free, dt=5e-3, damping=(0.5, 5e-3))
    vertex = tip(bar(free))
    reach, fastest, last = 0.05 * LENGTH, 0.0, np.zeros(3)
    target = made.vertices()[vertex] - [reach, 0, 0]
    hold = made.hold(vertex, target)
    for _ in range(600):
        made.step()
        v = made.velocities()[vertex]
        fastest, last = max(fastest, np.linalg.norm(v - last)), v
    assert np.linalg.norm(made.vertices()[vertex] - target) < 0.02 * reach
    assert fastest < 1.05 * hold.rate**2 * reach * made.dt


def test_a_held_vertex_takes_another_rate_and_limit():
    made, vertex = system("clamped"), tip(bar())
    hold = made.hold(vertex, made.vertices()[vertex] + [0, 0.3, 0], limit=5.0)
    made.step(20)
    before = hold.force
    assert made.hold(vertex, hold.target, rate=10.0, limit=2.0) is hold
    assert (hold.rate, hold.limit) == (10.0, 2.0)
    np.testing.assert_array_equal(hold.force, before)
    made.step(5)
    assert np.linalg.norm(hold.force) <= 2.0 * (1 + 1e-9)
    assert made.hold(vertex, hold.target).limit == 2.0


@each([(kind, False) for kind in HELD])
def test_held_vertex_is_in_equilibrium_with_the_force_that_holds_it(kind, free):
    """The force of the hand, as a push, keeps the same shape: a hold is a force like any other."""
    made = system(kind, free, dt=5e-3, damping=(1.0, 2e-2))
    vertex = tip(bar(free))
    hold = made.hold(vertex, made.vertices()[vertex] + [0, 0.01, 0.005])
    made.step(1500)
    here, force = made.vertices()[vertex], hold.force
    made.hold(vertex, None)
    made.push([vertex], force)
    made.step(1500)
    np.testing.assert_allclose(made.vertices()[vertex], here, atol=2e-3 * 0.01)


def test_fixed_vertices_are_not_held_and_nothing_changes():
    for kind in (*HELD, "bodies", "world"):
        made = system(kind)
        for _ in range(2):  # also in the midst of a run
            with pytest.raises(ArgumentError, match="fixed"):
                made.hold(0, (1, 1, 1))
            assert made.holds == ()
            made.step(2)


@each([(kind, True) for kind in FREE if kind != "full"])
def test_a_free_bar_thrown_held_and_let_go_keeps_its_momentum(kind, free):
    made = system(kind, free, dt=5e-3, damping=(0.0, 5e-3))
    made.launch((0.4, 0.3, -0.2), (0.3, 0.5, -0.4))
    made.push([tip(bar(True))], (0.0, 2.0, 1.0))
    made.step(20)
    made.release()
    made.step(2)  # Newmark gives the second half of a push in the step after it

    def drift(count):
        before = np.concatenate(made.momentum())
        made.step(count)
        return np.abs(np.concatenate(made.momentum()) - before).max() / np.abs(before).max()

    assert drift(100) < KEPT
    vertex = tip(bar(True))
    made.hold(vertex, made.vertices()[vertex])
    thrown = np.concatenate(made.momentum())
    made.step(60)
    assert np.abs(np.concatenate(made.momentum()) - thrown).max() > 1e-3 * np.abs(thrown).max()
    made.hold(vertex, None)
    made.step(2)
    assert drift(100) < KEPT


@each()
def test_wind_blows_on_every_kind_as_its_pressure_says(kind, free):
    """A steady wind on all sides of the surface pushes with area times pressure: P grows by it, or the bar leans."""
    made = system(kind, free, damping=(0.0, 0.0) if free else (2.0, 2e-2))
    made.wind = wind = pl.Wind((0.0, 0.0, 6.0), gust=0.0)
    area = 2 * (0.12 * 0.1 + 0.12 * LENGTH + 0.1 * LENGTH)
    if free:
        made.step(50)
        P, force = made.momentum()[0], area * wind.pressure(np.zeros((1, 3)), 0.0)[0]
        # Newmark's accelerations begin at zero: half a step is missing where nothing makes up for it.
        np.testing.assert_allclose(P, force * made.time, rtol=0.02, atol=1e-9)
    else:
        made.step(500)
        assert made.vertices()[tip(bar()), 2] - 0.05 > 1e-3
    made.wind = None
    assert made.wind is None


@each(AND_BODIES)
def test_states_are_equal_for_equal_motion_and_go_through_bytes(kind, free):
    made, twin = stirred(kind, free), stirred(kind, free)
    state = made.state()
    assert state == twin.state()
    assert hash(state) == hash(twin.state())
    assert State.from_bytes(bytes(state)) == state
    assert all(array.dtype != object for array in state.values())
    made.step()
    assert made.state() != state
    later = made.state()
    made.restore(State.from_bytes(bytes(state)))
    made.step()
    assert made.state() == later
    with pytest.raises(ArgumentError, match="no state"):
        State.from_bytes(b"nonsense")


@each(AND_BODIES)
def test_a_saved_system_goes_on_to_the_last_bit(kind, free, tmp_path):
    made = stirred(kind, free, gravity=(0, -9.81, 0))
    made.wind = pl.Wind((0.0, 0.5, 2.0))
    made.push([4], (0.1, 0.2, 0.3))
    made.push_reduced(np.linspace(0, 1e-3, made.size))
    vertex = tip(bar(free))
    made.hold(vertex, made.vertices()[vertex] + [0, 0.4, 0], limit=0.05 * made.gentle_force(vertex))
    made.step(3)
    made.save(tmp_path / "run.state")
    back = pl.resume(tmp_path / "run.state")
    assert differing(back.state(), made.state()) == {}
    for one in (made, back):
        one.step(7)
    assert differing(back.state(), made.state()) == {}
    np.testing.assert_array_equal(back.vertices(), made.vertices())
    assert repr(back) == repr(made)


def differing(one, other):
    """The arrays of two states that are not equal to the last bit, both of each."""
    assert set(one) == set(other)
    pairs = {name: (one[name], other[name]) for name in one}
    return {name: (a.tolist(), b.tolist()) for name, (a, b) in pairs.items() if a.tobytes() != b.tobytes()}


def test_a_worn_and_painted_system_is_saved_with_its_looks(tmp_path):
    made = system("seams")
    mesh = made.mesh
    made.wear(pl.Surface(0.9 * mesh.vertices + [0.05, 0, 0], mesh.surface))
    made.paint(np.tile([0.2, 0.4, 0.6], (len(mesh.surface), 1)))
    made.hold(40, made.vertices()[40] + 0.01)
    made.turn(0, (0, 0, 0.1))
    made.step(5)
    made.save(tmp_path / "run.state")
    back = pl.resume(tmp_path / "run.state")
    np.testing.assert_array_equal(back.vertices(), made.vertices())
    np.testing.assert_array_equal(back.colours, made.colours)
    for one in (made, back):
        one.step(5)
    assert back.state() == made.state()


def test_other_files_are_no_saved_systems(tmp_path):
    system("clamped").model.save(tmp_path / "model.pliant")
    with pytest.raises(FileError, match="not a saved system"):
        pl.resume(tmp_path / "model.pliant")
    with pytest.raises(FileError, match="does not exist"):
        pl.resume(tmp_path / "nothing")


@each([(kind, False) for kind in (*HELD, "world")])
def test_a_saved_system_with_an_array_cut_short_is_refused_or_goes_on(kind, free, tmp_path):
    """Every array in turn, along every axis, under a right checksum: compiled loops read nothing beyond its end."""
    made, path = stirred(kind, free), tmp_path / "run.state"
    made.push([4], (0.1, 0.2, 0.3))
    made.push_reduced(np.linspace(0, 1e-3, made.size))
    made.save(path)
    header, whole = read_arrays(path)
    for name, array in whole.items():
        for axis in np.flatnonzero(array.shape):
            write_arrays(path, header, {**whole, name: np.delete(array, array.shape[axis] - 1, axis)})
            try:
                back = pl.resume(path)
                back.step()
            except PliantError:
                continue
            assert np.isfinite(back.vertices()).all()


CAPABILITIES = {
    "size": lambda made: made.size > 0,
    "free": lambda made: made.free in (True, False),
    "solid": lambda made: made.solid.mesh.vertex_count > 0,
    "mesh": lambda made: made.mesh.cell_count > 0,
    "damping": lambda made: made.damping == (made.alpha, made.beta),
    "gravity": lambda made: made.gravity.shape == (3,),
    "wind": lambda made: setattr(made, "wind", pl.Wind((1.0, 0.0, 0.0))) or made.wind is not None,
    "interfaces": lambda made: all(len(names) >= 2 for names in made.interfaces),
    "turnable": lambda made: made.turnable is not None,
    "settle": lambda made: made.settle() is None and not made.velocities().any(),
    "launch": lambda made: made.launch((1, 0, 0)) is None and np.isclose(made.velocities()[0, 0], 1.0),
    "hold": lambda made: made.hold(tip(bar(made.free)), made.vertices()[tip(bar(made.free))]).held,
    "turn": lambda made: made.turn(0, (0, 0, 0)).held,
    "push_reduced": lambda made: made.push_reduced(np.ones(made.size)) is None,
    "rates": lambda made: len(made.rates().flat) == len(made.pose().flat),
    "unknowns": lambda made: len(made.unknowns) - made.size in (0, 6, 12),
    "rows": lambda made: made.rows(made.points([3])).shape == (3, len(made.unknowns)),
    "response": lambda made: made.response(made.points([3])).shape == (len(made.unknowns), 3),
    "correct": lambda made: made.predict() or made.correct(made.points([3]), np.ones((1, 3))) is None,
}


@each(AND_BODIES)
def test_every_capability_works_or_is_refused_in_one_sentence(kind, free):
    made = system(kind, free)
    for capability, works in CAPABILITIES.items():
        try:
            assert works(made), capability
        except ArgumentError as reason:
            text = str(reason)
            assert "\n" not in text
            assert len(text) > 15
            assert (capability, kind) in REFUSED or (capability, free) in UNFIT, text
    made.step(3)
    assert np.isfinite(made.energy())


REFUSED = {("solid", "tree"), ("solid", "bodies"), ("solid", "world")}
REFUSED |= {("turn", kind) for kind in ("tree", "clamped", "full", "bodies", "world")}
REFUSED |= {("settle", kind) for kind in ("tree", "seams", "seams-nonlinear", "bodies", "world")}
UNFIT = {("launch", False), ("settle", True)}  # what is held cannot be thrown, what is free never stands still


def test_clamped_refuses_a_solid_that_nothing_holds_and_names_what_to_use():
    solid = bar(True)
    with pytest.raises(ArgumentError, match="pl.couple_nonlinear"):
        pl.Clamped(pl.reduce(solid, pl.modal_basis(solid, 4, 6)), 0.01)


@pytest.mark.parametrize("kind", FREE)
def test_free_body_falls_by_half_g_t_squared(kind):
    """Mean acceleration is exact for a constant weight, which acts from the start."""
    g = np.array([0.0, -9.81, 0.0])
    falling = system(kind, free=True, dt=0.01, damping=(0.0, 2e-3), gravity=g)
    masses = bar(True).lumped_mass.reshape(-1, 3)
    start = (masses * falling.vertices()).sum(axis=0)
    falling.step(50)
    fallen = ((masses * falling.vertices()).sum(axis=0) - start) / masses[:, 0].sum()
    np.testing.assert_allclose(fallen, 0.5 * g * falling.time**2, rtol=0, atol=1e-9)
