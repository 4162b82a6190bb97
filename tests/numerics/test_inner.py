"""What compiled code alone calls has no entry for Python, and says so."""

import numpy as np
import pytest
from numba import njit

from pliant.numerics.inner import inner


@inner
def _twice(x):
    return 2 * x


@inner(fastmath={"contract"})
def _sum(x):
    total = 0.0
    for value in x:
        total += _twice(value)
    return total


@njit
def _entry(x):
    return _sum(x)


def test_compiled_code_calls_it():
    assert _entry(np.arange(4.0)) == 12.0


def test_python_is_refused_and_not_crashed():
    _entry(np.arange(4.0))
    with pytest.raises(TypeError, match="_twice has no entry for Python; call it in compiled code"):
        _twice(1.0)
