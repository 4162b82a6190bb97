"""A cantilever against beam theory: tip and frequencies to Timoshenko's values, large bending to the elastica."""

from functools import cache

import numpy as np
import pytest
from numpy.polynomial import Legendre, Polynomial
from scipy.linalg import eigh

import pliant as pl
from pliant.numerics import lowest_eigenpairs

LENGTH, HEIGHT, WIDTH = 1.0, 0.1, 0.14
YOUNG, DENSITY = 2e6, 1000.0
SHEAR = YOUNG / 2  # Poisson's ratio is 0: the clamped end then carries no stress that beams lack
SHEAR_FACTOR = 5 / 6  # rectangle, Poisson's ratio 0
# Beam theory itself differs from three-dimensional elasticity by about (height/length)^4 here.
BEAM_THEORY = 0.003
ORDER = 2.0  # of linear elements, in displacements and in eigenvalues
ORDER_MARGIN = 0.15


refinements = pytest.mark.parametrize(("kind", "sizes"), [("tet", (3, 6, 12)), ("hex", (2, 4, 8))])


def second_moment(height, width):
    return width * height**3 / 12


@cache
def cantilever(kind, n):
    mesh = pl.shapes.bar((LENGTH, HEIGHT, WIDTH), (10 * n, n, n), kind=kind)
    return pl.Solid(mesh, pl.StVK(YOUNG, 0.0, DENSITY), fixed="x < 1e-9")


def tip_deflection(kind, n, force=1e-4):
    s = cantilever(kind, n)
    X, tip = s.mesh.vertices, s.mesh.select(f"x > {LENGTH - 1e-9}")
    edge = (np.isclose(abs(X[tip, 1]), HEIGHT / 2)).astype(int) + np.isclose(abs(X[tip, 2]), WIDTH / 2)
    share = 0.5**edge
    load = np.zeros((s.mesh.vertex_count, 3))
    load[tip, 1] = force * share / share.sum()
    u = pl.solve_static(s, load).reshape(-1, 3)
    return (u[tip, 1] * share).sum() / share.sum() / force


def frequencies(kind, n):
    s = cantilever(kind, n)
    eigenvalues, _ = lowest_eigenpairs(s.free_matrix(s.stiffness()), s.free_matrix(s.mass), 3)
    return np.sqrt(eigenvalues)


def timoshenko_frequencies(height, width, degree=14):
    """Ritz with polynomials: strain energy EI t'^2 + kGA (w' - t)^2, kinetic energy rho A w^2 + rho I t^2."""
    area, I = height * width, second_moment(height, width)
    points, weights = np.polynomial.legendre.leggauss(2 * degree)
    points, weights = (points + 1) / 2 * LENGTH, weights / 2 * LENGTH
    clamped = Polynomial([0, 1])
    base = [clamped * Legendre.basis(k, domain=[0, LENGTH]).convert(kind=Polynomial) for k in range(degree)]
    w = np.array([b(points) for b in base])
    dw = np.array([b.deriv()(points) for b in base])
    zero = np.zeros_like(w)
    shear, bend = np.vstack([dw, -w]), np.vstack([zero, dw])
    deflection, turn = np.vstack([w, zero]), np.vstack([zero, w])
    K = SHEAR_FACTOR * SHEAR * area * (shear * weights) @ shear.T + YOUNG * I * (bend * weights) @ bend.T
    M = DENSITY * (area * (deflection * weights) @ deflection.T + I * (turn * weights) @ turn.T)
    return np.sqrt(eigh(K, M, eigvals_only=True)[:3])


def extrapolated(coarse, middle, fine):
    """Observed order, and the limit that the sequence runs to."""
    order = np.log2((coarse - middle) / (middle - fine))
    return order, fine + (fine - middle) / (2**order - 1)


@refinements
def test_tip_deflection_converges_to_timoshenko(kind, sizes):
    I = second_moment(HEIGHT, WIDTH)
    expected = LENGTH**3 / (3 * YOUNG * I) + LENGTH / (SHEAR_FACTOR * SHEAR * HEIGHT * WIDTH)
    # Linear elements are too stiff by 1 + c h^2, so 1/deflection shows the order long before the deflection does.
    order, limit = extrapolated(*(1 / tip_deflection(kind, n) for n in sizes))
    assert order == pytest.approx(ORDER, abs=ORDER_MARGIN)
    assert 1 / limit == pytest.approx(expected, rel=BEAM_THEORY)


@refinements
def test_first_three_frequencies_converge_to_timoshenko(kind, sizes):
    flat, upright = timoshenko_frequencies(HEIGHT, WIDTH), timoshenko_frequencies(WIDTH, HEIGHT)
    expected = np.sort(np.concatenate([flat, upright]))[:3]
    order, limit = extrapolated(*(frequencies(kind, n) ** 2 for n in sizes))
    np.testing.assert_allclose(order, ORDER, atol=ORDER_MARGIN)
    np.testing.assert_allclose(np.sqrt(limit), expected, rtol=BEAM_THEORY)


def test_slender_beams_have_the_frequencies_of_euler_and_bernoulli():
    """The Ritz reference itself: (1.8751 / L)^2 sqrt(EI / rho A) as the beam gets thin."""
    height = 0.01
    euler = 1.87510407**2 * np.sqrt(YOUNG * height**2 / 12 / DENSITY) / LENGTH**2
    assert timoshenko_frequencies(height, WIDTH)[0] == pytest.approx(euler, rel=1e-3)


def test_large_bending_follows_the_elastica():
    """Tip of an inextensible cantilever for P L^2 / EI = 1, 2, 5 (Bisshopp and Drucker 1945)."""
    height, loads, deflections = 0.02, (1.0, 2.0, 5.0), (0.3017, 0.4935, 0.7138)

    def tips(n):
        mesh = pl.shapes.bar((LENGTH, height, height), (40 * n, n, n), kind="hex")
        s = pl.Solid(mesh, pl.StVK(YOUNG, 0.0, DENSITY), fixed="x < 1e-9")
        end, u, found = mesh.select(f"x > {LENGTH - 1e-9}"), None, []
        for load in loads:
            f = np.zeros((mesh.vertex_count, 3))
            f[end, 1] = load * YOUNG * second_moment(height, height) / LENGTH**2 / len(end)
            u = pl.solve_static(s, f, start=u)
            found.append(u.reshape(-1, 3)[end, 1].mean())
        return np.array(found)

    coarse, fine = tips(2), tips(4)
    np.testing.assert_allclose(fine + (fine - coarse) / 3, deflections, rtol=0.01)
