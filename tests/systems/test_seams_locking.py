"""Interfaces that do not lock, wherever `pl.split` cuts: frequencies of seams against those of the whole."""

import numpy as np
import pytest
import scipy.linalg as la

import pliant as pl
from pliant.basis.vibration import vibration_modes

LOCKED = 0.01  # of each of the first six frequencies
CELL = 0.05


def comb():
    """A spine of 1.2 m with four teeth."""
    kept = np.zeros((24, 14, 2), dtype=bool)
    kept[:, :3] = True
    for first in range(0, 24, 6):
        kept[first : first + 2] = True
    block = pl.shapes.bar(CELL * np.array(kept.shape), kept.shape)
    cell = ((block.centroids - block.vertices.min(axis=0)) / CELL).astype(int)
    used, cells = np.unique(block.cells[kept[tuple(cell.T)]], return_inverse=True)
    return pl.Mesh(block.vertices[used], cells.reshape(-1, 4))


SHAPES = {
    "comb": comb,
    "plate": lambda: pl.shapes.bar((1, 1, 0.06), (12, 12, 2)),
    "bar": lambda: pl.shapes.bar((1, 0.15, 0.15), (20, 3, 3)),
}


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("name", SHAPES)
def test_six_frequencies_are_those_of_the_whole(name, free):
    mesh = SHAPES[name]()
    left = np.flatnonzero(mesh.vertices[:, 0] < mesh.vertices[:, 0].min() + 1e-9)
    solid = pl.Solid(mesh, pl.StVK(1e6, 0.3), fixed=None if free else left)
    system = pl.couple(solid, pl.split(mesh, 4), 6, dt=0.01, nonlinear=False)
    M, K = system.coupled.assembled()
    squares = la.eigh(K, M, eigvals_only=True, subset_by_index=[6 * free, 6 * free + 5])
    exact = vibration_modes(solid, 6).frequencies
    # A Galerkin projection is never softer than the whole.
    ratio = np.sqrt(squares) / exact
    assert (ratio > 1 - 1e-9).all()
    assert (ratio < 1 + LOCKED).all()
    assert system._first_period() == pytest.approx(2 * np.pi / np.sqrt(squares[0]), rel=1e-6)


def test_modes_on_an_interface_leave_its_rigid_columns_alone():
    mesh = SHAPES["bar"]()
    solid, labels = pl.Solid(mesh, pl.StVK(1e6, 0.3)), pl.split(mesh, 3)
    made, paper = (
        pl.couple(solid, labels, 6, dt=0.01, shapes=shapes, nonlinear=False).coupled.trace
        for shapes in ("modes", "harmonics")
    )
    np.testing.assert_array_equal(made.columns[:, made.rigid].toarray(), paper.columns[:, paper.rigid].toarray())
    # What turns an interface must not be in its soft columns.
    Psi = made.columns.toarray()
    overlap = Psi[:, made.rigid].T @ Psi[:, ~made.rigid]
    same = made.entity[made.rigid][:, None] == made.entity[~made.rigid]
    assert np.abs(overlap[same]).max() < 1e-9
