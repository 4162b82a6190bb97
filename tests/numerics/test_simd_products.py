"""Lines, the products in tiles, and eigenvectors, singular values and logarithms in lanes, against numpy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from pliant.numerics.gram import add_lower_product, pitch_for
from pliant.numerics.simd8 import load8, split8, store8, sums8
from pliant.numerics.simd8_eigen import signed_svd8
from pliant.numerics.simd8_log import log8
from pliant.reduced.force import aligned

ROUNDING = 1e-14


@njit
def summed(x, out):
    store8(
        out,
        0,
        sums8(
            load8(x, 0), load8(x, 8), load8(x, 16), load8(x, 24), load8(x, 32), load8(x, 40), load8(x, 48), load8(x, 56)
        ),
    )


@njit
def logarithms(x, out, mantissa, exponent):
    for at in range(0, len(x), 8):
        store8(out, at, log8(load8(x, at)))
        m, e = split8(load8(x, at))
        store8(mantissa, at, m)
        store8(exponent, at, e)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sums_of_eight_octets(dtype):
    x, out = np.random.default_rng(0).standard_normal(64).astype(dtype), np.empty(8)
    summed(x, out)
    np.testing.assert_allclose(out, x.reshape(8, 8).astype(float).sum(axis=1), atol=ROUNDING)


def test_logarithm_is_right_to_the_last_digit_or_two():
    random = np.random.default_rng(1)
    x = np.concatenate([10 ** random.uniform(-30, 30, 4000), 1 + 1e-3 * random.standard_normal(4000)])
    out, m, e = np.empty_like(x), np.empty_like(x), np.empty_like(x)
    logarithms(x, out, m, e)
    np.testing.assert_allclose(out, np.log(x), rtol=5e-16)
    assert np.array_equal(m * 2.0**e, x)
    assert (m >= 1).all()
    assert (m < 2).all()


@pytest.mark.parametrize(("dtype", "digits"), [(np.float64, 1e-13), (np.float32, 1e-5)])
@given(width=st.integers(1, 40), count=st.integers(0, 50))
def test_lower_product_in_tiles(dtype, digits, width, count):
    pitch = pitch_for(width, np.dtype(dtype).itemsize)
    A, B, K = (aligned(size, dtype) for size in (count * pitch + 1, count * pitch + 1, pitch * pitch))
    random = np.random.default_rng(width)
    for array in (A, B):
        array[: count * pitch].reshape(count, pitch)[:, :width] = random.standard_normal((count, width))
    add_lower_product(A, 0, B, 0, count, pitch, width, K)
    wanted = A[: count * pitch].reshape(count, pitch).T @ B[: count * pitch].reshape(count, pitch)
    gap = np.tril(K.reshape(pitch, pitch) - wanted)[:width, :width]
    assert np.abs(gap).max() <= digits * max(1, np.abs(wanted).max())


@given(
    seed=st.integers(0, 10**6),
    size=st.sampled_from([0.0, 1e-9, 0.1, 1.0]),
    flat=st.sampled_from([1.0, 1e-3, 1e-9, 0.0]),
)
def test_signed_svd_of_sixteen(seed, size, flat):
    random = np.random.default_rng(seed)
    F = (np.eye(3) + size * random.standard_normal((16, 3, 3))) * [1, 1, flat]
    F[3] = F[3] @ np.diag([1, flat, 1])
    F[9] *= flat > 0
    lanes = np.ascontiguousarray(F.reshape(2, 8, 9).transpose(0, 2, 1)).ravel()
    U, x, V = np.empty(144), np.empty(48), np.empty(144)
    signed_svd8(lanes, U, x, V)
    U, V = (A.reshape(2, 9, 8).transpose(0, 2, 1).reshape(16, 3, 3) for A in (U, V))
    x = x.reshape(2, 3, 8).transpose(0, 2, 1).reshape(16, 3)
    scale = np.abs(F).max()
    np.testing.assert_allclose(np.einsum("pia,pa,pja->pij", U, x, V), F, atol=1e-10 * scale)
    for A in (U, V):
        np.testing.assert_allclose(np.linalg.det(A), 1, atol=1e-13)
        np.testing.assert_allclose(A @ A.transpose(0, 2, 1), np.broadcast_to(np.eye(3), (16, 3, 3)), atol=1e-13)
    values = np.linalg.svd(F, compute_uv=False)
    np.testing.assert_allclose(np.sort(np.abs(x), axis=1)[:, ::-1], values, atol=1e-10 * scale)
    assert (np.abs(x[:, 2]) <= np.abs(x[:, 1]) + 1e-10 * scale).all()
    assert (x[:, :2] >= 0).all()
