"""Linear seams that stand: pushed far from rest they are refused, where they are sound they go on as before."""

import numpy as np
import pytest

import pliant as pl
from pliant.errors import Diverged
from pliant.systems.energy_watch import BOUND

MESH = pl.shapes.bar((1, 0.2, 0.2), (6, 2, 2), kind="hex")
SOLID = pl.Solid(MESH, pl.StVK(1e5, 0.3, 1000), fixed="x < 1e-9")
LABELS = np.minimum((3 * MESH.centroids[:, 0]).astype(int), 2)
TIP = int(np.argmax(MESH.vertices[:, 0]))
OMEGA = float(pl.vibration_modes(SOLID, 1).frequencies[0])
# What would bend it by its own length, were it linear: k = 3 E I / L^3.
LENGTH_AWAY = 3 * 1e5 * 0.2**4 / 12


def bar(projection="R"):
    return pl.couple(SOLID, LABELS, 6, dt=2 * np.pi / OMEGA / 30, gravity=None, projection=projection, nonlinear=False)


def pushed(system, force, steps, calls):
    """The energy, and the work on the tip, after pushing it sideways."""
    tip = system.points([TIP], on="mesh")
    x = tip.place(system.pose())[0]
    system.push([TIP], force, on="mesh")
    for _ in range(calls):
        system.step(steps // calls)
    return system.energy(), float(np.dot(force, tip.place(system.pose())[0] - x))


@pytest.mark.parametrize("calls", [1, 160])
def test_seams_that_are_pushed_around_are_refused_at_a_sound_state(calls):
    system = bar()
    with pytest.raises(Diverged, match=r"energy that no load supplied; .* couple_nonlinear") as caught:
        pushed(system, np.array([0.7, -0.2, -0.7]) * 30 * LENGTH_AWAY, 160, calls)
    assert caught.value.time == system.time < 159.5 * system.dt
    assert np.isfinite(system.energy())
    system.release()
    system.step(16)


@pytest.mark.parametrize("calls", [1, 40])
def test_bent_seams_are_not_refused(calls):
    energy, work = pushed(bar(), np.array([0.0, 0.0, 0.2]) * LENGTH_AWAY, 160, calls)
    assert energy <= (1 + BOUND) * work


def test_loads_that_are_not_turned_back_are_let_be():
    pushed(bar("none"), np.array([0.7, -0.2, -0.7]) * 3 * LENGTH_AWAY, 160, 1)


def test_a_state_written_by_hand_is_not_energy_gained():
    system, random = bar(), np.random.default_rng(1)
    for scale in (1e-3, 1e-1):
        system.v = scale * random.standard_normal(system.size)
        system.step(64)


@pytest.mark.parametrize("reach", [0.05, 2.0])
def test_hands_turn_no_point_by_more_than_a_full_turn_in_silence(reach):
    """Beyond it warping means nothing: a hand that jerked an undamped bar wound it up by three turns."""
    system, tip, refused = bar(), SOLID.mesh.vertices[TIP], False
    for step in range(0, 320, 16):
        aim = reach * np.array([np.cos(step), np.sin(2 * step), np.sin(3 * step)])
        try:
            system.hold(TIP, tip + aim, on="mesh", rate=4 * OMEGA)
            system.step(16)
        except Diverged as error:
            refused = "by more than a full turn" in str(error)
            break
        system._measure()
        assert np.linalg.norm(system._shape.w, axis=1).max() <= 2 * np.pi
    assert refused == (reach > 0.1)
