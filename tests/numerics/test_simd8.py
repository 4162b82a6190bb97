"""Octets and their vectors and matrices against numpy, lane by lane."""

import numpy as np
import pytest
from numba import njit

from pliant.numerics import simd8_matrices as om
from pliant.numerics.simd8 import (
    larger8,
    least8,
    load8,
    lowest_bit,
    smallest8,
    spread8,
    sqrt8,
    store8,
    total8,
    up_to8,
    where_positive8,
)

ROUNDING = 1e-14  # relative to the terms: products and sums may fuse
LANES = 8


@pytest.fixture(params=range(3))
def numbers(request):
    return np.random.default_rng(request.param).standard_normal(64 * LANES)


@njit
def arithmetic(x, out):
    a, b, c = load8(x, 0), load8(x, 8), load8(x, 16)
    results = (a + b, a - b, a * b, a / b, -a, a * b + c, 2.0 * a, a * 2.0, a + 1, 1.0 / b, a - 3.0)
    for k in range(11):
        store8(out, 8 * k, results[k])


def test_arithmetic_is_lane_by_lane(numbers):
    out = np.empty(11 * LANES)
    arithmetic(numbers, out)
    a, b, c = numbers[:24].reshape(3, LANES)
    wanted = [a + b, a - b, a * b, a / b, -a, a * b + c, 2 * a, 2 * a, a + 1, 1 / b, a - 3]
    np.testing.assert_allclose(out.reshape(11, LANES), wanted, rtol=ROUNDING, atol=ROUNDING)


@njit
def accumulated(x, out):
    total = spread8(0.0)
    product = spread8(1.0)
    for k in range(5):
        total += load8(x, 8 * k)
        total -= 0.5 * load8(x, 8 * k + 40)
        product *= load8(x, 8 * k)
    store8(out, 0, total)
    store8(out, 8, product)


def test_running_sums_and_products(numbers):
    out = np.empty(2 * LANES)
    accumulated(numbers, out)
    x = numbers.reshape(-1, LANES)
    np.testing.assert_allclose(out[:8], x[:5].sum(axis=0) - 0.5 * x[5:10].sum(axis=0), rtol=ROUNDING, atol=ROUNDING)
    np.testing.assert_allclose(out[8:], x[:5].prod(axis=0), rtol=ROUNDING)


@njit
def unaligned(x, start, out):
    store8(out, start, load8(x, start))


@pytest.mark.parametrize("start", range(8))
def test_any_start_may_be_loaded_and_stored_and_nothing_else_is(numbers, start):
    out = np.full(24, np.nan)
    unaligned(numbers, start, out)
    np.testing.assert_array_equal(out[start : start + 8], numbers[start : start + 8])
    assert np.isnan(out[:start]).all()
    assert np.isnan(out[start + 8 :]).all()


@njit
def reductions(x):
    a = load8(x, 0)
    return total8(a), least8(a)


@njit
def chosen(x, out):
    a = load8(x, 0)
    store8(out, 0, where_positive8(a, load8(x, 8), spread8(-7.0)))
    store8(out, 8, sqrt8(a * a))


def test_sums_least_and_choices(numbers):
    x, out = numbers[:16].copy(), np.empty(16)
    x[3], x[4] = 0.0, -0.0
    total, least = reductions(x)
    assert total == pytest.approx(x[:8].sum(), rel=1e-13)
    assert least == x[:8].min()
    chosen(x, out)
    np.testing.assert_array_equal(out[:8], np.where(x[:8] > 0, x[8:], -7.0))
    np.testing.assert_allclose(out[8:], np.abs(x[:8]), rtol=ROUNDING)


def test_lanes_that_are_no_number_are_never_positive_and_never_least():
    x, out = np.arange(1.0, 17.0), np.empty(16)
    x[5] = np.nan
    chosen(x, out)
    assert out[5] == -7.0
    total, least = reductions(x)
    assert np.isnan(total)
    assert least == 1.0


# --- vectors and matrices ---


@njit
def vectors(x, out):
    a, b, A, s = om.load3(x, 0), om.load3(x, 24), om.load9(x, 48), load8(x, 120)
    results = (
        om.add(a, b),
        om.scaled(s, a),
        om.cross(a, b),
        om.apply(A, a),
        om.apply_transposed(A, a),
        om.twice_skew(A),
    )
    for k in range(6):
        om.store3(out, 24 * k, results[k])
    store8(out, 144, om.dot(a, b))


def test_vectors_are_those_of_numpy(numbers):
    out = np.empty(19 * LANES)
    vectors(numbers, out)
    a, b, A, s = _read(numbers, 0, 3), _read(numbers, 3, 3), _matrices(numbers, 6), numbers[120:128]
    wanted = [
        a + b,
        s[:, None] * a,
        np.cross(a, b),
        np.einsum("eij,ej->ei", A, a),
        np.einsum("eji,ej->ei", A, a),
        np.stack([A[:, 2, 1] - A[:, 1, 2], A[:, 0, 2] - A[:, 2, 0], A[:, 1, 0] - A[:, 0, 1]], axis=1),
    ]
    for k, value in enumerate(wanted):
        np.testing.assert_allclose(_read(out, 3 * k, 3), value, rtol=0, atol=ROUNDING)
    np.testing.assert_allclose(out[144:], np.einsum("ei,ei->e", a, b), rtol=0, atol=ROUNDING)


@njit
def matrices(x, out):
    A, B, a, s = om.load9(x, 0), om.load9(x, 72), om.load3(x, 144), load8(x, 168)
    results = (
        om.transposed(A),
        om.times(A, B),
        om.turned(A, B),
        om.add_matrices(A, B),
        om.scaled_matrix(s, A),
        om.cofactors(A),
        om.cross_columns(a, A),
        om.cross_rows(A, a),
        om.rows((A[0], A[1], A[2]), (B[0], B[1], B[2]), a),
    )
    for k in range(9):
        om.store9(out, 72 * k, results[k])


def test_matrices_are_those_of_numpy(numbers):
    out = np.empty(81 * LANES)
    matrices(numbers, out)
    A, B, a, s = _matrices(numbers, 0), _matrices(numbers, 9), _read(numbers, 18, 3), numbers[168:176]
    tilde = np.stack([np.cross(a, axis) for axis in np.eye(3)], axis=2)
    wanted = [
        A.transpose(0, 2, 1),
        A @ B,
        A @ B @ A.transpose(0, 2, 1),
        A + B,
        s[:, None, None] * A,
        np.linalg.det(A)[:, None, None] * np.linalg.inv(A).transpose(0, 2, 1),
        tilde @ A,
        A @ tilde,
        np.stack([A[:, 0], B[:, 0], a], axis=1),
    ]
    for k, value in enumerate(wanted):
        atol = 1e-12 if k == 5 else 1e-13 if k == 2 else ROUNDING  # an inverse, a product of three
        np.testing.assert_allclose(_matrices(out, 9 * k), value, rtol=0, atol=atol)


def _read(x, at, count):
    """(8, count) from octets."""
    return x[8 * at : 8 * (at + count)].reshape(count, LANES).T


def _matrices(x, at):
    return _read(x, at, 9).reshape(LANES, 3, 3)


@njit
def compared(x, out):
    a, b = load8(x, 0), load8(x, 8)
    store8(out, 0, larger8(a, b))
    return smallest8(a), up_to8(a, b)


def test_comparisons_are_lane_by_lane(numbers):
    out = np.empty(LANES)
    least, bits = compared(numbers, out)
    a, b = numbers[:16].reshape(2, LANES)
    np.testing.assert_array_equal(out, np.maximum(a, b))
    assert least == a.min()
    assert bits == sum(1 << k for k in range(LANES) if a[k] <= b[k])


def test_what_is_no_number_is_up_to_nothing(numbers):
    numbers = numbers.copy()
    numbers[3] = np.nan
    assert not compared(numbers, np.empty(LANES))[1] & 8


@njit
def lowest(mask):
    return lowest_bit(mask)


def test_the_lowest_bit_is_found():
    assert [lowest(mask) for mask in (1, 2, 12, 128, 1 << 40)] == [0, 1, 2, 7, 40]
