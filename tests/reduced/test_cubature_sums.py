"""Sums over cubature points in lanes against a plain loop over the scalar kernels, for every material."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numba import njit

from pliant.errors import Array
from pliant.fem import MATERIALS, Material, material
from pliant.fem.material import clamped_stress_derivative, energy, implements, stress
from pliant.reduced.cubature import CubatureForce
from pliant.reduced.force import aligned, evaluate, padded, pitch_of

ROUNDING = 2e-13  # relative to the largest entry: sums of some hundred terms, in other axes and another order
SINGLE = 2e-6  # the same in float32, where sums of products are rounded to 6e-8


class PillarParameters(NamedTuple):
    stiffness: Array


class Pillar(Material):
    """psi = E/2 (F_22 - 1)^2: not isotropic, and nothing but scalar kernels."""

    def parameters(self, cell_count):
        return PillarParameters(self.per_cell("young", cell_count))


@implements(material.energy, PillarParameters)
def _energy(pillar, cell, F):
    return 0.5 * pillar.stiffness[cell] * (F[2, 2] - 1.0) ** 2


@implements(material.stress, PillarParameters)
def _stress(pillar, cell, F, P):
    P[:] = 0.0
    P[2, 2] = pillar.stiffness[cell] * (F[2, 2] - 1.0)


@implements(material.clamped_stress_derivative, PillarParameters)
@implements(material.stress_derivative, PillarParameters)
def _stress_derivative(pillar, cell, F, D):
    D[:] = 0.0
    D[8, 8] = pillar.stiffness[cell]


KINDS = {**MATERIALS, "pillar": Pillar}
each_kind = pytest.mark.parametrize("name", KINDS)


@njit
def plain_sums(parameters, weights, gradients, q, f, K):
    """W, and f (r,), K (r, r) added up point by point."""
    F, P, D, total = np.empty((3, 3)), np.empty((3, 3)), np.empty((9, 9)), 0.0
    for e in range(len(weights)):
        F[:] = np.eye(3) + (gradients[e] @ q).reshape(3, 3)
        stress(parameters, e, F, P)
        clamped_stress_derivative(parameters, e, F, D)
        total += weights[e] * energy(parameters, e, F)
        f += weights[e] * (gradients[e].T @ P.copy().reshape(9))
        K += weights[e] * (gradients[e].T @ (D @ gradients[e]))
    return total


def rule(name, r, points, seed):
    """Random points of random constants."""
    random, kind = np.random.default_rng(seed), KINDS[name]
    young, poisson = random.uniform(0.5, 2, points), random.uniform(0.1, 0.45, points)
    others = [getattr(kind, extra) * np.ones(points) for extra in kind.constant_names()[3:]]
    weights, gradients = random.uniform(0.1, 1, points), random.standard_normal((points, 9, r))
    constants = np.stack([young, poisson, np.ones(points), *others])
    return CubatureForce(kind, constants, np.arange(points), weights, gradients, np.zeros(2))


def plain(law, q):
    kind, r = law.material_law, law.size
    parameters = kind(**dict(zip(kind.constant_names(), law.constants))).parameters(len(law.weights))
    f, K = np.zeros(r), np.zeros((r, r))
    return plain_sums(parameters, law.weights, law.gradients, q, f, K), f, K


def jet(law, q, dtype=np.float64):
    n = law.size + 1
    rows = aligned(n * pitch_of(n), dtype)
    evaluate(law.compiled(dtype), padded(q, 1.0, dtype), rows)
    L = rows.reshape(n, -1)[1:, 1:n]
    assert not np.triu(rows.reshape(n, -1)[:, :n], 1).any()
    return rows[0], rows.reshape(n, -1)[1:, 0], L + L.T


def assert_equal(law, found, wanted, tolerance):
    """Relative to the largest entry; energies, whose terms cancel near rest, to these terms (moduli are near 1)."""
    assert abs(found[0] - wanted[0]) <= tolerance * max(abs(wanted[0]), law.weights.sum())
    for ours, theirs in zip(found[1:], wanted[1:]):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance * np.abs(theirs).max())


@each_kind
@settings(max_examples=25)
@given(
    r=st.integers(1, 35), points=st.integers(1, 40), size=st.sampled_from([0.05, 0.3, 1.0]), seed=st.integers(0, 999)
)
@example(r=15, points=16, size=0.3, seed=0)
@example(r=16, points=17, size=0.3, seed=0)
@example(r=1, points=1, size=1.0, seed=0)
def test_sums_in_lanes_are_those_of_a_plain_loop(name, r, points, size, seed):
    law = rule(name, r, points, seed)
    q = size / np.sqrt(r) * np.random.default_rng(seed).standard_normal(r)
    found, wanted = jet(law, q), plain(law, q)
    # Where two signed stretches nearly cancel, the corotational derivative is as large as their sum is small.
    scale = 1e4 if name == "corotational" and size == 1.0 else 1.0
    assert_equal(law, found, wanted, scale * ROUNDING)
    assert np.linalg.eigvalsh(found[2])[0] >= -scale * ROUNDING * np.abs(found[2]).max()


@each_kind
def test_sums_in_single_precision_are_right_to_its_digits(name):
    law, q = rule(name, 15, 40, 3), 0.02 * np.random.default_rng(3).standard_normal(15)
    assert_equal(law, jet(law, q, np.float32), plain(law, q), SINGLE)


CRUSHED = [np.diag(x) for x in ([1, 1, 0], [1, 0, 0], [0, 0, 0], [1, 1, -1], [2, 1e-7, 1e-7])]


def defined(name, F):
    """The corotational stress jumps where two signed stretches cancel."""
    return name != "corotational" or F[1, 1] + F[2, 2] != 0


@pytest.mark.parametrize(("name", "F"), [(name, F) for name in KINDS for F in CRUSHED if defined(name, F)])
def test_flat_and_inverted_points_among_others(name, F):
    """One coordinate carries the first point to F, the others stay near rest."""
    law = rule(name, 6, 11, 0)
    law.gradients[:, :, 0] = 0.0
    law.gradients[0] = 0.0
    law.gradients[0, :, 0] = (F - np.eye(3)).ravel()
    law.gradients[0, :, 1] = np.arange(9)
    q = np.array([1.0, 0.0, 0.1, -0.2, 0.05, 0.0])
    assert_equal(law, jet(law, q), plain(law, q), ROUNDING)


@each_kind
def test_rest_is_at_rest_in_every_precision(name):
    law = rule(name, 9, 21, 5)
    for dtype in (np.float64, np.float32):
        W, f, _ = jet(law, np.zeros(9), dtype)
        assert abs(W) < 1e-14
        assert np.abs(f).max() < 1e-14
