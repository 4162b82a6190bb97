"""What worlds say to input that makes no sense, and to bodies that find no solution: one sentence, nothing changed."""

import numpy as np
import pytest
from shapes import block

import pliant as pl
from pliant.collide import plane
from pliant.errors import ArgumentError, Diverged
from pliant.systems.world import World
from pliant.systems.world import world as world_room

BAD = (np.nan, np.inf, -np.inf)
HINGE = {"kind": "hinge", "axis": (0.0, 0.0, 1.0)}


def made():
    """A world with a soft and a rigid body that do not touch."""
    world = World(5e-3)
    soft = world.add(block(), name="soft")
    rigid = world.add(pl.Rigid(block().mesh, 1000.0), (5.0, 0.0, 0.0), name="rigid")
    return world, soft, rigid


def written(name, value):
    return lambda bad: setattr(made()[1], name, np.full(np.shape(value), bad))


def joined(**given):
    def join(bad):
        world, soft, _ = made()
        arguments = {
            "point_a": (0.0, 0.0, 0.0),
            **{key: bad if value is None else value for key, value in given.items()},
        }
        try:
            world.join(soft, **arguments)
        finally:
            assert world.joints == ()

    return join


def motor(name):
    def write(bad):
        world, soft, _ = made()
        setattr(world.join(soft, (0.0, 0.0, 0.0), **HINGE), name, bad)

    return write


def moved(bad):
    made()[1].hold(0, (0.0, 0.0, 0.0)).target = (bad, 0.0, 0.0)


def paired(**given):
    def pair(bad):
        world, soft, rigid = made()
        world.pair(soft, rigid, **dict.fromkeys(given, bad))

    return pair


def added(**given):
    """A body with these arguments; (None, ...) stands for the bad number."""

    def add(bad):
        world = World(5e-3)
        arguments = {name: np.array(value, dtype=float) for name, value in given.items()}
        for value in arguments.values():
            value[np.isnan(value)] = bad
        try:
            world.add(block(), **{name: value if value.ndim else float(value) for name, value in arguments.items()})
        finally:
            assert world.bodies == ()

    return add


def on_path(position, rotation):
    def add(bad):
        world = World(5e-3)
        place, R = (np.where(np.isnan(value), bad, value) for value in (position, rotation))
        try:
            world.add(block(), path=lambda time: (place, R), name="lift")
        finally:
            assert world.bodies == ()

    return add


N = np.nan  # where the bad number goes
CASES = {
    "dt": lambda bad: World(bad),
    "gravity": lambda bad: World(5e-3, gravity=(0.0, bad, 0.0)),
    "spacing": lambda bad: World(5e-3, spacing=bad),
    "slop": lambda bad: setattr(made()[0], "slop", bad),
    "gravity must": lambda bad: setattr(made()[0], "gravity", (0.0, bad, 0.0)),
    "position": added(position=(N, 0.0, 0.0)),
    "rotation": added(rotation=np.full((3, 3), N)),
    "velocity": added(velocity=(0.0, N, 0.0)),
    "spin": added(spin=(0.0, 0.0, N)),
    "friction": added(friction=N),
    "restitution": added(restitution=N),
    "damping": added(damping=(0.0, N)),
    "position must": written("position", (0.0,) * 3),
    "rotation must": written("rotation", np.eye(3)),
    "velocity must": written("velocity", (0.0,) * 3),
    "spin must": written("spin", (0.0,) * 3),
    "q must": written("q", (0.0,) * 8),
    "v must": written("v", (0.0,) * 8),
    "friction must": written("friction", 0.0),
    "restitution must": written("restitution", 0.0),
    "friction must be finite": paired(friction=None),
    "restitution must be finite": paired(restitution=None),
    "height": lambda bad: made()[0].ground(bad),
    "normal": lambda bad: made()[0].ground(normal=(bad, 1.0, 0.0)),
    "forces": lambda bad: made()[1].push(0, (0.0, bad, 0.0)),
    "target": lambda bad: made()[1].hold(0, (bad, 0.0, 0.0)),
    "target must": moved,
    "rate": lambda bad: made()[1].hold(0, (0.0, 0.0, 0.0), rate=bad),
    "limit must": lambda bad: made()[1].hold(0, (0.0, 0.0, 0.0), limit=bad),
    "point_a": lambda bad: joined(point_a=(bad, 0.0, 0.0))(bad),
    "point_b": lambda bad: joined(point_b=(bad, 0.0, 0.0))(bad),
    "axis": lambda bad: joined(kind="hinge", axis=(bad, 0.0, 1.0))(bad),
    "speed": joined(**HINGE, speed=None),
    "torque": joined(**HINGE, torque=None),
    "speed must": motor("speed"),
    "torque must": motor("torque"),
    "position of lift on its path at t = 0 s must be finite": on_path((N, 0.0, 0.0), np.eye(3)),
    "rotation of lift on its path at t = 0 s must be finite": on_path((0.0, 0.0, 0.0), np.full((3, 3), N)),
}


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("words", CASES)
def test_numbers_that_are_none_are_refused_with_their_name(words, bad):
    with pytest.raises(pl.PliantError, match=f"^{words}.*") as caught:
        CASES[words](bad)
    assert str(caught.value).count("\n") == 0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda world, soft: world.add(block(), path=3), "path of body 2 must be a function of time; int was given"),
        (lambda world, soft: world.add(block(), path=lambda t: None), "path of body 2 must give a position"),
        (lambda world, soft: world.add(block(), path=lambda t: (0, 0, 0)), "path of body 2 must give a position"),
        (lambda world, soft: world.join(soft, 0, **HINGE, limits=(1.0,)), "limits must be two angles"),
        (lambda world, soft: world.join(soft, 0, **HINGE, limits=None), "limits must be two angles"),
        (lambda world, soft: world.join(soft, 0, **HINGE, limits=(np.nan, 1.0)), "limits must rise"),
        (
            lambda world, soft: world.join(soft, 0, **HINGE, limits=(0.5, 1.0)),
            r"an angle of 0.* \(0.5, 1.0\) was given",
        ),
        (lambda world, soft: world.join(soft, 0, **HINGE, torque=-1.0), "torque must be finite and at least 0"),
        (lambda world, soft: setattr(world, "substeps", 0), "substeps must be"),
        (lambda world, soft: setattr(world, "sweeps", 0), "sweeps must be"),
        (lambda world, soft: setattr(world, "slop", -1.0), "slop must be"),
        (lambda world, soft: setattr(soft, "damping", (-1.0, 0.0)), "damping must be finite and at least 0"),
        (lambda world, soft: setattr(soft, "group", -1), "group must be a whole number of at least 0"),
        (lambda world, soft: world.pair(soft, soft, friction=1.0), "soft was given twice"),
        (lambda world, soft: world.pair(soft, made()[1]), "soft is not in this world"),
        (lambda world, soft: world.force_between(soft, made()[2]), "rigid is not in this world"),
        (lambda world, soft: world.force_between("soft"), "a body of this world is needed.*'soft' was given"),
        (lambda world, soft: world.remove("soft"), "a body of this world is needed.*'soft' was given"),
        (lambda world, soft: world.join(None, 0), "a joint needs bodies of this world"),
        (lambda world, soft: world.add(block(), kind="flying"), "kind must be one of free, held, kinematic, static;"),
        (
            lambda world, soft: world.obstacle(plane((0, -9, 0), (0, 1, 0)), name="floor"),
            "a field is where it was made",
        ),
        (lambda world, soft: soft.push([99], (0.0, 1.0, 0.0)), r"vertices of soft .* between 0 and 62; \[99\] was"),
        (lambda world, soft: pl.Haptics(world, soft, follow=-1.0), "follow must be"),
        (lambda world, soft: pl.Haptics(world, soft, limit=np.nan), "limit must be"),
    ],
)
def test_other_mistakes_are_said_in_a_sentence_and_change_nothing(call, words):
    world, soft, rigid = made()
    with pytest.raises(ArgumentError, match=words):
        call(world, soft)
    assert world.bodies == (soft, rigid)
    assert world.joints == world.holds == ()
    assert world.dt == 5e-3


@pytest.mark.parametrize("throw", [{"velocity": (1.0, 0.0, 0.0)}, {"spin": (0.0, 0.0, 2.0)}])
@pytest.mark.parametrize("given", [{"kind": "static"}, {"path": lambda time: ((0.0, 9.0, 0.0), np.eye(3))}])
def test_a_velocity_that_nothing_would_take_is_refused(given, throw):
    world = World(5e-3)
    with pytest.raises(ArgumentError, match="body 0 is (static|kinematic), so nothing throws it"):
        world.add(block(), **given, **throw)
    assert world.bodies == ()


@pytest.mark.parametrize(
    "ask",
    [
        World.vertices,
        World.velocities,
        World.contacts,
        World.check_overlap,
        lambda world: world.hold(0, (0.0, 0.0, 0.0)),
        lambda world: world.push([0], (0.0, 1.0, 0.0)),
        lambda world: pl.record(world, 0.1),
    ],
)
def test_an_empty_world_says_so(ask):
    with pytest.raises(ArgumentError, match="this world is empty; add a body first"):
        ask(World(5e-3))


def test_a_path_that_ends_in_no_number_is_told_with_its_time_and_the_last_good_step_stays():
    world = World(5e-3, substeps=2)
    falling = world.add(pl.Rigid(block().mesh, 1000.0), name="falling")
    lift = pl.Rigid(pl.shapes.bar((1.0, 0.1, 1.0), (1, 1, 1)), 1.0)
    world.add(lift, path=lambda t: ((0.0, -3.0 if t < 0.1 else np.nan, 0.0), np.eye(3)), name="lift")
    with pytest.raises(ArgumentError, match="position of lift on its path at t = 0.1 s must be finite"):
        for _ in range(40):
            world.step()
    assert world.time == pytest.approx(0.095)
    assert falling.velocity[1] == pytest.approx(-9.81 * world.time)


def test_a_body_that_finds_no_solution_is_named_and_all_keep_the_last_good_step():
    model = block(force="cubic")
    world, straight = World(5e-3), World(5e-3)
    for each in (world, straight):
        each.add(pl.Rigid(model.mesh, 1000.0), (5.0, 0.0, 0.0), name="stone")
        each.add(model, name="jelly")
        each.step(4)
    world.bodies[1].push(0, (0.0, 0.0, 1e14))
    with pytest.raises(Diverged, match="jelly found no solution in the step from t = 0.02 s") as caught:
        world.step(50)
    assert caught.value.part == "jelly"
    assert caught.value.time == world.time == pytest.approx(0.02)
    np.testing.assert_array_equal(world.vertices(), straight.vertices())
    world.release()
    for each in (world, straight):
        each.step(10)
    np.testing.assert_allclose(world.vertices(), straight.vertices(), atol=1e-12)


def test_the_body_that_gained_energy_is_named_and_the_last_good_state_stays(monkeypatch):
    world = World(5e-3)
    for name, density in (("light", 10.0), ("heavy", 1000.0), ("middling", 100.0)):
        world.add(pl.Rigid(block().mesh, density), (0.0, 0.0, 2.0 * len(world.bodies)), name=name)
    world.step(4)
    before = world.state()
    monkeypatch.setattr(world_room, "balanced", lambda *_: False)
    with pytest.raises(Diverged, match="gained energy that no load supplied, most of it in heavy; use") as caught:
        world.step(10)
    assert caught.value.part == "heavy"
    assert world.time == before["time"]
    for name in ("t", "v", "Q", "L"):
        np.testing.assert_array_equal(world.state()[name], before[name])
