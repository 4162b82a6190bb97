"""Random shapes, materials, loads and steps, of every kind of system: energy is explained, or `Diverged` is raised.

The ledger is kept from outside: energy by `system.energy()`, the work of pushes and hands by where their points go, and
that of the wind by where the surface goes. What is gained without work must stay below `energy_watch.BOUND` of all the
energy that was there, or `Diverged` comes at the next check. Trees with lumped masses, L1 and L2, do not come from an
energy, and have a bound of their own (`watching.LUMPED`). Worlds are drawn by themselves; contacts only take energy.
"""

import warnings

import numpy as np
import pytest
from random_runs import STEPS, made, run_of
from random_worlds import made_world, world_run_of

import pliant as pl
from pliant.errors import PliantWarning
from pliant.skin.points import vertex_areas
from pliant.systems.energy_watch import BOUND
from pliant.systems.tree.watching import LUMPED

LATE = 64  # steps between two checks, at most
MARGIN = 1.2  # works are summed here step by step, and inside by what acts
ROUNDING = 1e-13  # of the energy at a strain of one: what rounding makes of energies


class Ledger:
    """Energy that no work explains, over what may appear by errors of the rule in time."""

    def __init__(self, bound, floor, energy, mechanical):
        self.bound, self.floor = bound, floor
        self.work = self.exchanged = 0.0
        self.lowest, self.content = energy, mechanical

    def add(self, works):
        self.work += sum(works)
        self.exchanged += sum(map(abs, works))

    def exceeds(self, energy, mechanical):
        if not energy - self.work > self.lowest:
            self.lowest, self.content, self.exchanged = energy - self.work, mechanical, 0.0
        return (
            not energy - self.work - self.lowest <= MARGIN * self.bound * (self.content + self.exchanged) + self.floor
        )


class Acting:
    """What acts on the tip and the surface of a system, and the work of it."""

    def __init__(self, run, system, push, length, wind, mass):
        self.run, self.system, self.push, self.length = run, system, push, length
        mesh = system.mesh
        self.vertex = int(np.argmax(mesh.vertices[: len(mass), 0]))
        self.weights = np.tile(mass, (len(mesh.vertices) // len(mass), 1)) * system.gravity
        self.areas = vertex_areas(mesh.vertices, mesh.surface)[:, None]
        self.force, self.held = np.zeros(3), np.zeros(3)
        self.x = system.vertices("mesh")
        system.wind = wind

    def begin(self, step):
        """What comes and goes before a step."""
        hand = self.run["hand"]
        for when, aim in self.run["pushes"]:
            if when == step:
                self.system.release()
                self.force = self.push * np.array(aim)
                self.system.push([self.vertex], self.force, on="mesh")
        if hand is not None and step == hand.ends:
            self.system.hold(self.vertex, None, on="mesh")
            self.held = np.zeros(3)  # accelerations answer a hand that lets go
        target = None if hand is None else hand.target(step, self.x[self.vertex], self.length)
        if target is not None:
            self.system.hold(self.vertex, target, on="mesh")

    def works(self):
        """Of weight, push, hand and wind in the step that was taken [J]."""
        x, before = self.system.vertices("mesh"), self.held
        self.held = self.system.hold_forces[0] if self.system.holds else np.zeros(3)
        moved = (x - self.x)[self.vertex]
        done = [float(self.force @ moved), float(0.5 * (before + self.held) @ moved)]
        if self.system.wind is not None:
            pressure = self.system.wind.pressure(self.x, self.system.time)
            done.append(float(np.sum(pressure * self.areas * (x - self.x))))
        weight = float(np.sum(self.weights * (x - self.x)))
        self.x = x
        return weight, done

    @property
    def potential(self):
        """Of the weight, within the error of where parts meet."""
        return -float(np.sum(self.weights * self.x))


def unexplained(run):
    """The longest run of steps in which energy from nowhere is above the bound, and the steps until it diverges."""
    of = made_world(run) if run["kind"] == "world" else made(run)
    system = of.system
    acting = Acting(run, system, of.push, of.length, of.wind, of.mass)
    lumped = run["kind"] in ("tree", "bodies") and run["inertia"] != "full"
    floor = ROUNDING * run["young"] * np.prod(run["size"])
    ledger = Ledger(LUMPED if lumped else BOUND, floor, system.energy(), system.energy() - acting.potential)
    longest = now_long = 0
    for step in range(STEPS):
        acting.begin(step)
        try:
            system.step()
        except pl.Diverged:
            return longest, step
        energy = system.energy()
        assert np.isfinite(energy), run
        weight, done = acting.works()
        ledger.add(done)
        ledger.exchanged += abs(weight)
        now_long = now_long + 1 if ledger.exceeds(energy, energy - acting.potential) else 0
        longest = max(longest, now_long)
    return longest, STEPS


def holds(number, drawn=run_of):
    run = drawn(number)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)
        assert unexplained(run)[0] <= LATE, f"run {number}: {run}"


# Of every kind, held and free, made of types that other tests compile as well.
QUICK = (5, 7, 8, 11, 17, 18, 22, 23, 39, 48, 61, 78, 81, 85, 100, 195, 705, 1050)


@pytest.mark.parametrize("number", QUICK)
def test_energy_is_explained_or_it_diverges(number):
    holds(number)


# Of kind "clamped", where a stiffness is kept: long and short steps, pushes, hands, wind, halved steps.
KEPT = (2, 29, 65, 110, 164, 200)


@pytest.mark.parametrize("number", KEPT)
def test_energy_is_explained_where_forces_are_summed_over_all_cells(number):
    assert run_of(number)["kind"] == "clamped"
    holds(number, lambda number: {**run_of(number), "force": "cells"})


@pytest.mark.slow
@pytest.mark.parametrize("number", range(1000))
def test_energy_is_explained_or_it_diverges_in_a_thousand_runs(number):
    holds(number)


@pytest.mark.parametrize("number", range(6))
def test_energy_of_worlds_is_explained_or_they_diverge(number):
    holds(number, world_run_of)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(200))
def test_energy_of_worlds_is_explained_or_they_diverge_in_two_hundred_runs(number):
    holds(number, world_run_of)
