"""What can be changed about a system of any kind: asked of itself, and made again with other settings."""

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ArgumentError
from pliant.mesh import Surface

SAME = 1e-12  # two systems that are made alike and step alike
MESH = pl.shapes.bar((1.0, 0.12, 0.12), (6, 1, 1))
SOLID = pl.Solid(MESH, pl.StVK(young=2e5, poisson=0.3, density=1000), fixed=MESH.select("x < 1e-9"))
LABELS = (MESH.centroids[:, 0] > 0.5).astype(int)
GIVEN = {"dt": 0.01, "damping": (0.5, 0.01), "gravity": (0.0, -2.0, 0.0)}
CHANGED = {
    "damping": (0.25, 0.02),
    "gravity": (1.0, 2.0, 3.0),
    "newton": 3,
    "size": 4,
    "dt": 0.002,
    "wind": pl.Wind((1.0, 0.0, 2.0)),
}


def clamped():
    return pl.Clamped(pl.reduce(SOLID, pl.modal_basis(SOLID, modes=4, size=8)), newton=10, **GIVEN)


MAKERS = {
    "clamped": clamped,
    "full": lambda: pl.Full(SOLID, **GIVEN),
    "tree": lambda: pl.substructure(SOLID, LABELS, size=12, **GIVEN),
    "seams": lambda: pl.couple(SOLID, LABELS, 1, 1, **GIVEN, nonlinear=False),
    "seams-nonlinear": lambda: pl.couple_nonlinear(SOLID, LABELS, 0, 2, modes=2, **GIVEN),
}


@pytest.fixture(params=MAKERS)
def system(request):
    return MAKERS[request.param]()


def bent(system):
    """A state away from rest, without motion."""
    draw = np.random.default_rng(3)
    state = dict(system.state())
    name = "u" if "u" in state else "q"
    shape = 1e-3 * draw.standard_normal(state[name].shape)
    if name == "u":
        shape.reshape(-1, 3)[SOLID.fixed] = 0.0
    return {**state, name: shape}


def test_every_setting_is_read_back_from_what_is_made_with_it(system):
    system.wear(Surface(MESH.vertices, MESH.surface))
    system.step(3)
    for name in system.settings:
        if name in CHANGED:
            made = system.retuned(**{name: CHANGED[name]})
            assert type(made) is type(system)
            np.testing.assert_array_equal(made.settings[name], CHANGED[name])
            same = {key for key in system.settings if key not in (name, "model")}
            assert all(np.all(made.settings[key] == system.settings[key]) for key in same)
            assert (made.time, made.worn) == (0.0, system.worn)
            np.testing.assert_allclose(made.vertices(), MESH.vertices, atol=SAME)


@pytest.mark.parametrize("kind", ["clamped", "full", "tree"])
def test_stiffness_multiplies_the_elastic_energy(kind):
    system = MAKERS[kind]()
    soft, stiff = system.retuned(gravity=None), system.retuned(gravity=None, stiffness=9.0)
    for each in (soft, stiff):
        each.restore(bent(each))
    assert stiff.energy() == pytest.approx(9 * soft.energy(), rel=1e-9)


def test_a_system_made_again_goes_on_with_the_same_motion(system):
    system.restore(bent(system))
    system.step(5)
    again = system.retuned()
    again.restore(system.state())
    for each in (system, again):
        each.step(20)
    np.testing.assert_allclose(again.vertices(), system.vertices(), atol=SAME)


def test_what_is_writable_changes_a_running_system_as_making_it_again_does(system):
    system.restore(bent(system))
    changes = {name: CHANGED[name] for name in system.writable}
    again = system.retuned(**changes)
    again.restore(system.state())
    for name, value in changes.items():
        setattr(system, name, value)
    for each in (system, again):
        each.step(20)
    np.testing.assert_allclose(again.vertices(), system.vertices(), atol=SAME)


def test_settings_that_a_kind_does_not_have_are_refused_in_a_sentence(system):
    with pytest.raises(ArgumentError, match=r"cannot change colour; it can change .*gravity"):
        system.retuned(colour=3)


def test_seams_with_the_columns_of_a_held_vertex_are_made_again_without_them_and_take_their_state():
    system = MAKERS["seams"]()
    small, tip = system.size, int(np.argmax(MESH.vertices[:, 0]))
    hold = system.hold(tip, MESH.vertices[tip] + [0, 0.1, 0])
    system.step(20)
    again = system.retuned(gravity=(0, 0, 0))
    assert again.size == small < system.size
    again.restore(system.state())
    assert again.size == system.size
    np.testing.assert_allclose(again.vertices(), system.vertices(), atol=SAME)
    hold.release()


def test_interfaces_of_seams_can_be_turned_and_no_others(system):
    if system.kind not in ("seams", "seams-nonlinear"):
        assert system.turnable == {}
        with pytest.raises(ArgumentError, match="turned"):
            system.rotation_of(0)
        return
    assert list(system.turnable) == [0]
    np.testing.assert_allclose(MESH.vertices[system.turnable[0], 0], 0.5)


@pytest.mark.parametrize("inertia", ["L1", "L2"])
def test_lumped_trees_ask_for_damping_and_full_ones_do_not(inertia):
    tree = pl.substructure(SOLID, LABELS, size=12, inertia=inertia, dt=0.01)
    assert 0 < tree.steady_damping[1] < tree.damping[1]
    assert MAKERS["tree"]().steady_damping == (0.0, 0.0)
