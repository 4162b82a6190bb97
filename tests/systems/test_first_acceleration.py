"""Loads and states that jump: accelerations follow at once, so that steps stay of second order."""

import numpy as np
import pytest

import pliant as pl

SOLID = pl.Solid(pl.shapes.bar((1, 0.1, 0.1), (8, 1, 1)), pl.StVK(1e6, 0.3, 1000), fixed="x < 1e-9")
TIP = SOLID.mesh.select("x > 0.999")
ORDER = (1.8, 2.2)  # of second order, on steps that still feel higher ones
DT, SECONDS = 0.005, 0.16
SAME = {"clamped": 1e-8, "full": 1e-5}  # converged steps; the forces of hands on Full are linear in each step


@pytest.fixture(scope="module")
def model():
    return pl.reduce(SOLID, pl.modal_basis(SOLID, 4, 6))


def made(model, kind, dt, newton):
    if kind == "full":
        return pl.Full(SOLID, dt, (0.2, 1e-3), newton=newton)
    return pl.Clamped(model, dt, (0.2, 1e-3), newton=newton)


def fallen(system):
    system.step(round(SECONDS / system.dt))


def written(system):
    x = SOLID.mesh.vertices
    speed = np.zeros_like(x)
    speed[:, 2] = x[:, 0] ** 2
    if isinstance(system, pl.Full):
        system.v = speed.ravel()
    else:
        U = system.model.U
        system.v = np.linalg.solve(system.model.mass, U.T @ (SOLID.mass @ speed.ravel()))
    fallen(system)


def varied(system):
    """A load given at the ends of steps."""
    for k in range(1, round(SECONDS / system.dt) + 1):
        system.release()
        system.push(TIP, (0, 0, 2 * np.sin(np.pi * k * system.dt / SECONDS)))
        system.step()


@pytest.mark.parametrize(("kind", "newton"), [("clamped", 1), ("clamped", 20), ("full", 20)])
@pytest.mark.parametrize("story", [fallen, written, varied])
def test_motion_is_of_second_order_whatever_jumps(model, kind, story, newton):
    def end(dt, newton):
        system = made(model, kind, dt, newton)
        story(system)
        return system.vertices("mesh")

    coarse = DT if kind == "full" else DT / 2
    truth = end(coarse / 16, 20)
    errors = [np.linalg.norm(end(dt, newton) - truth) for dt in (coarse, coarse / 2)]
    assert ORDER[0] < np.log2(errors[0] / errors[1]) < ORDER[1]


@pytest.mark.parametrize("kind", ["clamped", "full"])
def test_state_tells_the_acceleration_of_what_was_written_and_changes_nothing(model, kind):
    looked, blind = (made(model, kind, DT, 20) for _ in range(2))
    for system in (looked, blind):
        system.push(TIP, (0, 0, 1.0))
        system.step(3)
        system.release()
        coordinate = system.u if kind == "full" else system.q
        coordinate *= 0.5
        if system is looked:
            system.state()
        system.step(3)
    assert looked.state() == blind.state()


@pytest.mark.parametrize("kind", ["clamped", "full"])
def test_a_hand_that_lets_go_is_a_jump_of_the_load(model, kind):
    """It then goes on as one that is written into the same state, whose acceleration is that of what stays."""
    system, fresh = (made(model, kind, DT, 20) for _ in range(2))
    system.hold(int(TIP[0]), SOLID.mesh.vertices[TIP[0]] + (0, 0.05, 0))
    system.step(40)
    system.hold(int(TIP[0]), None)
    place = "u" if kind == "full" else "q"
    setattr(fresh, place, getattr(system, place))
    fresh.v = system.v
    for each in (system, fresh):
        each.step()
    gap = np.abs(system.vertices("mesh") - fresh.vertices("mesh")).max()
    assert gap < SAME[kind] * np.abs(system.vertices("mesh") - SOLID.mesh.vertices).max()
