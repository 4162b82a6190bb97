"""The compiled jet against the tensors it stands for ([SI05] Eq. 18-20), for both kinds of tables."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pliant.reduced import packing
from pliant.reduced.force import aligned, evaluate, padded, pitch_of
from pliant.reduced.jet import quartic
from pliant.reduced.packing import coefficient_count, repeats, truncated, variable_count

ROUNDING = 1e-12  # maths sheet section 12
ROUNDING_32 = 1e-5  # some 100 units in the last place, over sums of thousands of terms


def full_tensor(c, n):
    """S_ijkl of the homogeneous quartic, fully symmetric (n, n, n, n)."""
    S, at = np.zeros((n,) * 4), 0
    for k in range(n):
        for l in range(k, n):
            for j in range(k + 1):
                for i in range(j + 1):
                    for index in set(permutations((i, j, k, l))):
                        S[index] = c[at] * repeats(i, j, k, l)
                    at += 1
    return S


def jet_of(c, q, dtype=np.float64):
    n = len(q) + 1
    rows = aligned(n * pitch_of(n), dtype)
    evaluate(quartic(c, n, np.dtype(dtype)), padded(q, 1.0, dtype), rows)
    rows = rows.reshape(n, -1)
    assert not np.triu(rows, 1).any()
    L = rows[1:, 1:n].astype(float)
    return rows[0, 0], rows[1:, 0], L + L.T


def expected(c, q):
    z = np.concatenate([[1.0], q])
    h = 0.5 * np.einsum("ijkl,k,l->ij", full_tensor(c, len(z)), z, z)
    return z @ h @ z / 12, (h @ z / 3)[1:], h[1:, 1:]


@pytest.mark.parametrize("dense_bytes", [0, 1 << 40], ids=["symmetric", "dense"])
@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, ROUNDING), (np.float32, ROUNDING_32)])
@given(r=st.integers(1, 19), seed=st.integers(0, 2**32 - 1))
def test_jet_equals_its_tensors(dense_bytes, dtype, tolerance, r, seed):
    before, packing.DENSE_BYTES = packing.DENSE_BYTES, dense_bytes
    try:
        random = np.random.default_rng(seed)
        c, q = random.standard_normal(coefficient_count(r + 1)), random.uniform(-1, 1, r)
        for mine, theirs in zip(jet_of(c, q, dtype), expected(c, q)):
            assert np.abs(mine - theirs).max() <= tolerance * np.abs(c).sum() / len(c) * (r + 1) ** 2
    finally:
        packing.DENSE_BYTES = before


@pytest.mark.parametrize("r", [33, 40])
def test_jet_of_several_vectors_a_row_is_derivative_of_energy(r):
    random = np.random.default_rng(r)
    c, q, d = random.standard_normal(coefficient_count(r + 1)), *random.uniform(-0.5, 0.5, (2, r))
    _, f, K = jet_of(c, q)
    # Five-point stencils are exact for quartics, whatever the step.
    values = [jet_of(c, q + s * d) for s in (-2, -1, 1, 2)]
    slope = (values[0][0] - 8 * values[1][0] + 8 * values[2][0] - values[3][0]) / 12
    assert slope == pytest.approx(f @ d, rel=1e-10)
    change = (values[0][1] - 8 * values[1][1] + 8 * values[2][1] - values[3][1]) / 12
    assert np.allclose(change, K @ d, rtol=1e-10, atol=1e-10 * np.abs(K @ d).max())


def test_packing_truncates_by_leaving_out_the_last_variables():
    c = np.random.default_rng(0).standard_normal((2, coefficient_count(7)))
    fewer = truncated(c, 7, 4)
    assert fewer.shape == (2, coefficient_count(4))
    assert np.array_equal(full_tensor(fewer[1], 4), full_tensor(c[1], 7)[:4, :4, :4, :4])
    assert variable_count(coefficient_count(31)) == 31
