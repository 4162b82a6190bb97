"""A kept factor of nonlinear seams that turns with its parts."""

import numpy as np
import pytest
import scipy.linalg as la
from scipy.spatial.transform import Rotation

import pliant as pl
from pliant.systems.seams.newton import factors_of, solve_correction
from pliant.systems.seams.point_forces import sum_point_forces
from pliant.systems.seams.point_stiffness import fill_stiffness
from pliant.systems.seams.turned_factor import begin_turning, solve_turned, turn_along

DT = 0.01
LONG = 0.1  # [s]: of steps in which stiffness outweighs mass


def flying(soft=4, derivatives=20):
    """A free bar in three parts."""
    mesh = pl.shapes.bar((1, 0.2, 0.2), (12, 2, 2))
    labels = np.minimum((3 * mesh.centroids[:, 0]).astype(int), 2)
    solid = pl.Solid(mesh, pl.StVK(1e6, 0.4, 1000))
    return pl.couple_nonlinear(solid, labels, soft, derivatives, dt=DT, gravity=None)


def turned(system, rotation, displacement=0.0):
    """q of the bar turned about its origin, after it was displaced."""
    X = system.mesh.vertices
    return system.coordinates_of((X + displacement) @ rotation.as_matrix().T - X)


def matrix(system, q):
    """A at q, of long steps."""
    forces, scale = system._forces, factors_of(LONG, 0.0, 0.0)[0]
    sum_point_forces(forces, q, np.zeros(system.size), 0.0, np.zeros(system.size))
    fill_stiffness(forces, 0.0, 0.0)
    A = np.zeros((system.size, system.size))
    for i, (model, places) in enumerate(zip(system.parts.models, system.parts.places)):
        n, first = forces.n[i], forces.rows_at[i]
        pitch = forces.vectors_at[i + 1] - forces.vectors_at[i]
        half = forces.jet[first : first + n * pitch].reshape(n, pitch)[1:, 1:n]
        A[np.ix_(places, places)] += half + half.T + scale * model.mass
    return A


def solved_by_kept_factor(system, q_0, q):
    """What a factor made at q_0 takes for A^-1 at q."""
    matrix(system, q_0)
    begin_turning(system._forces.turned, q_0)
    assert solve_correction(system._forces, 0.0, factors_of(LONG, 0.0, 0.0)[0], system._workspace)
    turn_along(system._forces.turned, q)
    columns = np.eye(system.size)
    for column in columns:
        solve_turned(system._forces.turned, system._workspace.fronts, factors_of(LONG, 0.0, 0.0)[0], column)
    return columns


def test_no_turn_changes_nothing():
    """sum_a T_aa = 1."""
    made = flying()._forces.turned
    upright = made.tables[0] + made.tables[4] + made.tables[8]
    for block, at in enumerate(made.rows_at[:-1]):
        own = made.own[made.own_at[block] : made.own_at[block + 1]]
        reads = made.reads[made.reads_at[block] : made.reads_at[block + 1]]
        wanted = (own[:, None] == reads).astype(float)
        np.testing.assert_allclose(upright[at : made.rows_at[block + 1]], wanted.ravel(), atol=1e-6)


def test_affine_interfaces_are_turned_exactly():
    """Psi T z = R Psi z where all columns are affine."""
    system = flying(soft=0)
    made, parts = system._forces.turned, system.parts
    R = Rotation.from_rotvec([0.7, -1.1, 0.4]).as_matrix()
    tables = np.tensordot(R.ravel(), made.tables, 1)
    for number, entity in enumerate(parts.entities):
        own = np.flatnonzero(parts.trace.entity == number)
        rows = (3 * entity.vertices[:, None] + np.arange(3)).ravel()
        columns = parts.trace.columns.toarray()[np.ix_(rows, own)].reshape(-1, 3, len(own))
        at = made.rows_at[len(parts.models) + number]
        T = tables[at : at + len(own) ** 2].reshape(len(own), len(own))
        np.testing.assert_allclose(columns @ T, R @ columns, atol=1e-6 * np.abs(columns).max())


def test_factor_is_nearly_as_good_after_a_turn():
    """Eigenvalues of A_0^-1 A are 1 where the factor is new; a turn parts them by far, unless it turns along."""
    system, turn = flying(), Rotation.from_rotvec([0.5, 0.8, -0.3])
    bend = np.zeros_like(system.mesh.vertices)
    bend[:, 1] = 0.1 * np.sin(3 * system.mesh.vertices[:, 0])
    q_0, q = (turned(system, each, bend) for each in (Rotation.identity(), turn))
    A_0, A = matrix(system, q_0), matrix(system, q)
    plain = la.eigh(A, A_0, eigvals_only=True)
    found = solved_by_kept_factor(system, q_0, q)
    np.testing.assert_allclose(found, found.T, atol=1e-10 * np.abs(found).max())
    good = la.eigh(A, np.linalg.inv(0.5 * (found + found.T)), eigvals_only=True)
    assert plain[-1] / plain[0] > 5000
    assert good[-1] / good[0] < 15  # what columns of this size do not hold turned


def test_shifts_are_answered_by_the_matrix_of_now():
    """A e_k = f M e_k, whatever has turned, and so for the inverse."""
    system, turn = flying(), Rotation.from_rotvec([0.5, 0.8, -0.3])
    found = solved_by_kept_factor(system, turned(system, Rotation.identity()), turned(system, turn))
    made = system._forces.turned
    wanted = made.shifts / factors_of(LONG, 0.0, 0.0)[0]
    np.testing.assert_allclose(made.N @ found, wanted, atol=1e-11 * np.abs(wanted).max())


def test_small_turns_leave_the_factor_alone():
    system = flying()
    rest, near, far = (turned(system, Rotation.from_rotvec([0, angle, 0])) for angle in (0.0, 0.005, 0.02))
    made = system._forces.turned
    begin_turning(made, rest)
    assert not turn_along(made, near)
    assert made.same[0] == 1
    assert turn_along(made, far)
    assert made.same[0] == 0
    assert turn_along(made, near)


@pytest.mark.parametrize("seed", [0, 1])
def test_turned_factor_leads_where_a_new_one_leads(seed):
    """Steps measure their residual with the forces of now: only their path depends on the factor."""
    push = np.random.default_rng(seed).standard_normal(3)
    ends = []
    for forgetful in (False, True):
        system = flying()
        system.push(0, 30.0 * push)
        for _ in range(40):
            if forgetful:
                system._forces.kept_for[0] = 0.0
            system.step()
        ends.append(system.vertices())
    moved = np.abs(ends[0] - system.mesh.vertices).max()
    assert moved > 0.05
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-7 * moved)


def test_falling_needs_no_stiffness():
    """q + h v + h^2 a / 2 is where a body falls to: the start of a step is its end."""
    system = flying().retuned(gravity=(0.0, -9.81, 0.0))
    system.step(2)
    made = system._workspace.factors[0]
    system.step(20)
    assert system._workspace.factors[0] == made
    assert system.momentum()[0][1] == pytest.approx(-9.81 * 40.0 * 22 * DT)
