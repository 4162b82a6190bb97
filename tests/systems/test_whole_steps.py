"""Converged steps of thin bars that are bent far are whole: halves of a step ring otherwise than the whole."""

import numpy as np
import pytest

import pliant as pl
from pliant.systems.overshoot import LEAST, share_of

PER_PERIOD = 50
THIN = [((24, 1, 1), (1, 0.02, 0.02), 0.2), ((20, 1, 1), (1, 0.03, 0.03), 0.7)]  # cells, size [m], pull [N]
SAME = 1e-6  # of the way: both go to convergence, by a residual of 1e-9
ROUNDING = 1e-9


def thin_bar(cells, size):
    return pl.Solid(pl.shapes.bar(size, cells), pl.StVK(1e6, 0.4, 1000), fixed="x < 1e-9")


def settings(solid):
    return {"dt": 2 * np.pi / pl.vibration_modes(solid, 1).frequencies[0] / PER_PERIOD, "gravity": None}


def swing(system, pull, count):
    """Pull the tip aside at once, let go after a period; after every step."""
    tip = system.mesh.select("x > 0.999")
    system.push(tip, np.tile(np.array([0, 0.6, 0.8]) * pull / len(tip), (len(tip), 1)))
    for number in range(count):
        if number == PER_PERIOD:
            system.release()
        system.step()
        yield system.vertices()[tip].mean(axis=0)


@pytest.mark.parametrize(("cells", "size", "pull"), THIN)
def test_with_all_columns_a_part_moves_as_the_full_solid(cells, size, pull):
    solid = thin_bar(cells, size)
    free = np.setdiff1d(np.arange(solid.dof_count), 3 * solid.fixed[:, None] + np.arange(3))
    columns = np.zeros((solid.dof_count, len(free)))
    columns[free, np.arange(len(free))] = 1
    part = pl.reduce(solid, pl.Basis(columns), force="cells")
    systems = (pl.Full(solid, **settings(solid)), pl.Clamped(part, **settings(solid)))
    full, reduced = (np.array(list(swing(system, pull, 2 * PER_PERIOD))) for system in systems)
    way = np.linalg.norm(full - full[0], axis=1).max()
    assert way > 0.5 * size[0]
    assert np.abs(full - reduced).max() < SAME * way


@pytest.mark.parametrize("force", ["cubic", "cubature"])
def test_steps_of_nonlinear_seams_obey_the_trapezoidal_rule(force):
    """q+ - q = dt (v + v+) / 2, v+ - v = dt (a + a+) / 2 [SI05] App. C; halves of a step obey it one by one alone."""
    cells, size, pull = THIN[0]
    solid = thin_bar(cells, size)
    labels = (solid.mesh.centroids[:, 0] > 0.5).astype(int)
    system = pl.couple_nonlinear(solid, labels, 8, 24, force=force, **settings(solid))
    before = None
    for number, _ in enumerate(swing(system, pull, 2 * PER_PERIOD)):
        now = system.q.copy(), system.v.copy(), system.a.copy()
        if before is not None and number != PER_PERIOD:
            for k in (0, 1):
                mean = 0.5 * system.dt * (before[k + 1] + now[k + 1])
                assert np.abs(now[k] - before[k] - mean).max() <= ROUNDING * np.abs(mean).max()
        before = now


def test_a_correction_goes_back_to_where_the_secant_says():
    """W = k s^2 / 2 along d is least at s = 1 / k: slopes 1 and 1 - k at s = 0 and 1."""
    for k in (2.1, 3.0, 8.0):
        assert share_of.py_func(1.0, 1.0 - k) == pytest.approx(1 / k)
    assert share_of.py_func(1.0, -1e6) == LEAST
    for before, after in ((1.0, 0.5), (1.0, -0.9), (0.0, -1.0), (-1.0, -2.0)):
        assert share_of.py_func(before, after) == 1.0
