"""Shells bent far: the elastica of a cantilever, and a strip that an end moment rolls into a circle."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.integrate import solve_bvp
from scipy.sparse.linalg import spsolve

import pliant as pl

LENGTH, WIDTH, THICK, YOUNG = 1.0, 0.1, 0.005, 2e9
EI = YOUNG * WIDTH * THICK**3 / 12  # Poisson's ratio is 0: the strip is a beam
BEAM = 0.01  # triangles of length / 40 that cannot curve


def strip(along=40):
    sheet = pl.shapes.sheet((LENGTH, WIDTH), (along, 2))
    return pl.Shell(sheet, pl.StVK(YOUNG, 0.0, 1000), THICK, fixed="x < 1e-9")


def elastica(load):
    """Tip (x, z) of a cantilever under a dead load across it: EI theta'' = -P cos(theta)."""
    s = np.linspace(0, LENGTH, 200)
    solved = solve_bvp(
        lambda _, y: np.array([y[1], -load / EI * np.cos(y[0]), np.cos(y[0]), np.sin(y[0])]),
        lambda a, b: np.array([a[0], b[1], a[2], a[3]]),
        s,
        np.array([0.5 * s, 0.5 * (1 - s), s, 0.3 * s]),
        tol=1e-8,
    )
    return solved.y[2:, -1]


@pytest.mark.parametrize("stiffness", [1.0, 5.0])
def test_cantilever_bends_as_the_elastica(stiffness):
    shell, load = strip(), stiffness * EI / LENGTH**2
    tip = shell.mesh.select("x > 0.999999")
    forces = np.zeros((shell.mesh.vertex_count, 3))
    forces[tip, 2] = load * np.array([1, 2, 1]) / 4
    found = (shell.mesh.vertices + pl.solve_static(shell, forces).reshape(-1, 3))[tip].mean(axis=0)
    assert found[[0, 2]] == pytest.approx(elastica(load), abs=BEAM * LENGTH)


def rolled(shell, moment, steps):
    """Equilibrium under an end moment: W - moment angle, the angle that of the line between the last two rows."""
    X, n = shell.mesh.vertices, shell.mesh.vertex_count
    last, before = (np.flatnonzero(np.isclose(X[:, 0], x)) for x in (LENGTH, LENGTH - LENGTH / 40))
    row = np.zeros(n)
    row[last], row[before] = 1 / len(last), -1 / len(before)
    L = sp.csr_matrix(np.kron(row, np.eye(3)))[[0, 2]]
    u, done, step = np.zeros(3 * n), 0.0, 1 / steps
    while done < 1:  # a plain Newton goes astray now and then, where rounding decides: shorter steps do not
        found = _at_rest(shell, L, min(1.0, done + step) * moment, u, 1e-9 * moment / LENGTH)
        if found is None:
            step /= 2
            assert step > 1e-3, f"no equilibrium beyond {done:.2f} of the moment"
        else:
            u, done, step = found, min(1.0, done + step), 1 / steps
    return X + u.reshape(-1, 3)


def _at_rest(shell, L, moment, start, allowed):
    X, u, free = shell.mesh.vertices, start.copy(), shell.free
    for _ in range(20):
        x, z = L @ (X.ravel() + u)
        square = x * x + z * z
        turn = np.array([-z, x]) / square
        bend = np.array([[2 * x * z, z * z - x * x], [z * z - x * x, -2 * x * z]]) / square**2
        f, K = shell.tangent(u)
        residual = moment * (L.T @ turn) - f
        K = K - moment * (L.T @ sp.csr_matrix(bend) @ L)
        u[free] += spsolve(K.tocsc()[free][:, free], residual[free])
        if np.linalg.norm(residual[free]) < allowed:
            return u
    return None


def test_end_moment_rolls_a_strip_into_a_circle():
    """M = EI / R with R = L / (2 pi): the end meets the beginning."""
    shell = strip()
    x = rolled(shell, 2 * np.pi * EI / LENGTH, steps=16)
    radius = LENGTH / (2 * np.pi)
    distance = np.hypot(x[:, 0], x[:, 2] - radius)
    assert distance == pytest.approx(radius, rel=0.02)
    gap = x[shell.mesh.select("x > 0.999999")].mean(axis=0) - x[shell.fixed].mean(axis=0)
    assert np.linalg.norm(gap) < 0.02 * LENGTH
    assert shell.energy(x - shell.mesh.vertices) == pytest.approx(EI * LENGTH / radius**2 / 2, rel=0.02)
