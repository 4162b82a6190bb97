"""The player: forces are applied when they change, steps between run at once, looks come where they were asked for."""

import pytest

from pliant.systems.playing import EachStep, play, play_and_look

DT = 0.1


class Clock:
    """A system that notes what was done to it."""

    def __init__(self):
        self.time, self.dt, self.done = 0.0, DT, []

    def step(self, count):
        self.done.append(count)
        self.time += count * DT


class Changing:
    """Forces that change after every third step."""

    def __init__(self):
        self.applied = []

    def apply(self, system):
        self.applied.append(round(system.time / DT))

    def steady_steps(self, time, dt, most):
        return min(most, 3 - round(time / dt) % 3)


def test_steps_without_forces_are_taken_at_once():
    clock = Clock()
    play(clock, None, 7)
    assert clock.done == [7]


def test_forces_are_applied_again_only_when_they_change():
    clock, forces = Clock(), Changing()
    play(clock, forces, 8)
    assert clock.done == [3, 3, 2]
    assert forces.applied == [0, 3, 6]


def test_looks_come_at_their_steps_and_cut_the_steady_ones():
    clock, forces, seen = Clock(), Changing(), []
    play_and_look(clock, forces, [0, 2, 7], lambda system: seen.append(system.time))
    assert seen == pytest.approx([0.0, 0.2, 0.7])
    assert forces.applied == [0, 2, 3, 6]


def test_function_is_called_before_every_step():
    clock, times = Clock(), []
    play(clock, EachStep(lambda system: times.append(system.time)), 3)
    assert times == pytest.approx([0.0, 0.1, 0.2])
