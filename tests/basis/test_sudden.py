"""Vibrations that a basis misses when weight comes at once: against the sum over modes, and in what is chosen."""

import numpy as np
import pytest

from pliant.basis import vibration_modes
from pliant.basis.learning import Learning
from pliant.basis.sudden import LOOKS, Sudden

LEFT_OUT = 3
EXACT = 1e-9


@pytest.fixture(scope="module")
def sudden(clamped):
    weights = np.stack([clamped.gravity_load(axis) for axis in np.eye(3)], axis=1)
    return Sudden(clamped, vibration_modes(clamped, 12), weights)


def test_all_modes_miss_nothing(sudden):
    assert sudden.errors(sudden.modes.vectors).max() < EXACT
    assert not len(sudden.missed(sudden.modes.vectors, EXACT * 1e3))


def test_a_mode_left_out_is_missed_by_what_it_swings(sudden):
    values, Psi = sudden.modes.eigenvalues, sudden.modes.vectors
    p = Psi.T @ sudden.loads / values[:, None]
    heard = int(np.abs(p).max(axis=1).argsort()[-LEFT_OUT])
    kept = np.delete(Psi, heard, axis=1)
    times = np.linspace(0, 2 * np.pi / np.sqrt(values[0]), LOOKS)
    swing = 1 - np.cos(np.sqrt(values)[:, None] * times)
    for axis, error in enumerate(sudden.errors(kept)):
        u = (Psi @ (p[:, axis, None] * swing)).reshape(-1, 3, LOOKS)
        own = (np.outer(Psi[:, heard], p[heard, axis] * swing[heard])).reshape(-1, 3, LOOKS)
        expected = np.linalg.norm(own, axis=1).max() / np.linalg.norm(u, axis=1).max()
        assert error == pytest.approx(expected, rel=1e-6, abs=EXACT)
    assert heard in sudden.missed(kept, sudden.errors(kept).max() / 2)


def test_vibrations_are_learned_where_they_are_missed(clamped):
    learning = Learning(clamped)
    poor = learning.modes.vectors[:, :2]
    before = learning.candidates.states.shape[1]
    learning.learn_vibrations(poor, 1.0)
    assert learning.candidates.states.shape[1] == before
    learning.learn_vibrations(poor, 0.01)
    better = learning.candidates.basis(60, 3.0)
    assert learning.candidates.states.shape[1] > before
    assert learning.sudden.errors(better).max() < 0.01 < learning.sudden.errors(poor).max()


def test_free_solids_and_given_loads_have_no_sudden_weight(free, clamped):
    assert Learning(free).sudden is None
    assert Learning(clamped, clamped.gravity_load((0, -1, 0))).sudden is None
