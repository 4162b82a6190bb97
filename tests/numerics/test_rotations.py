"""Rotations by group axioms: exp and log invert each other, quaternions multiply as their matrices do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import pliant.numerics as nm

ROUNDING = 1e-14  # a few roundings of numbers of order one
LOGARITHM = 1e-12  # the angle amplifies rounding a little near pi

vectors = arrays(np.float64, 3, elements=st.floats(-1.7, 1.7, allow_subnormal=False))
quaternions = vectors.map(nm.quaternion_exponential)
ANGLES = [0.0, 1e-12, 1e-5, 0.99e-4, 1.01e-4, 1.0, 3.0, np.pi - 1e-4, np.pi - 1e-8, np.pi]


def close(a, b, tolerance=ROUNDING):
    return np.abs(np.asarray(a) - np.asarray(b)).max() <= tolerance


@given(vectors)
def test_exponential_is_a_rotation(w):
    R = nm.rotation_exponential(w)
    assert close(R @ R.T, np.eye(3))
    assert close(np.linalg.det(R), 1.0)
    assert close(R @ w, w)


@given(vectors)
def test_exponential_is_the_matrix_exponential(w):
    from scipy.linalg import expm

    assert close(nm.rotation_exponential(w), expm(nm.cross_matrix(w)), 10 * ROUNDING)


@given(vectors, vectors)
def test_cross_matrix_is_the_cross_product(a, b):
    assert close(nm.cross_matrix(a) @ b, np.cross(a, b))


@pytest.mark.parametrize("angle", ANGLES)
def test_logarithm_inverts_exponential_up_to_pi(angle):
    axes = np.random.default_rng(0).standard_normal((50, 3))
    for axis in [*axes, *np.eye(3), *-np.eye(3), (1, 1, 0), (1e-9, 1, 1)]:
        w = angle * np.asarray(axis) / np.linalg.norm(axis)
        R = nm.rotation_exponential(w)
        back = nm.rotation_logarithm(R)
        assert close(nm.rotation_exponential(back), R, LOGARITHM)
        assert close(back, w, LOGARITHM) or angle > np.pi - 1e-6


@given(quaternions, quaternions, vectors)
def test_quaternions_act_like_their_matrices(a, b, v):
    A, B = nm.rotation_from_quaternion(a), nm.rotation_from_quaternion(b)
    assert close(nm.rotation_from_quaternion(nm.quaternion_multiply(a, b)), A @ B)
    assert close(nm.quaternion_rotate(a, v), A @ v)
    assert close(nm.quaternion_multiply(a, nm.quaternion_conjugate(a)), [1, 0, 0, 0])


@given(quaternions, quaternions, quaternions)
def test_quaternion_product_is_associative(a, b, c):
    left = nm.quaternion_multiply(nm.quaternion_multiply(a, b), c)
    assert close(left, nm.quaternion_multiply(a, nm.quaternion_multiply(b, c)))


@given(arrays(np.float64, 4, elements=st.floats(-1, 1, allow_subnormal=False)))
def test_quaternion_survives_the_way_through_the_matrix(p):
    p = nm.quaternion_normalise(p)
    back = nm.quaternion_from_rotation(nm.rotation_from_quaternion(p))
    assert close(back, p) or close(back, -p)
    assert back[0] >= 0


def test_zero_quaternion_becomes_the_identity():
    assert close(nm.quaternion_normalise(np.zeros(4)), [1, 0, 0, 0])


def test_results_may_overwrite_arguments():
    a, b, v = nm.quaternion_exponential(np.array([0.3, -1, 2])), nm.quaternion_exponential(np.ones(3)), np.ones(3)
    product, turned = nm.quaternion_multiply(a, b), nm.quaternion_rotate(a, v)
    nm.quaternion_rotate_into(v, a, v)
    nm.quaternion_multiply_into(a, a, b)
    assert close(a, product)
    assert close(v, turned)
