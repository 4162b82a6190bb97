"""Compiled functions that count no references to the arrays they are given.

numba counts every array of a record, atomically, wherever the record is passed on: half the time of a small step. What
allocates nothing need not: its arrays are owned by the caller's caller. Functions first compiled for such a function
are of its kind, so those of them that allocate say that they are `counting`.
"""

from collections.abc import Callable
from typing import Any

from numba import njit


def borrowing(function: Callable) -> Any:
    """`njit` for what only reads and writes elements; numba refuses it where it allocates or returns an array."""
    return njit(cache=True, nogil=True, _nrt=False)(function)


def quick_borrowing(function: Callable) -> Any:
    """`borrowing` for long sums, whose terms may be added in any order.

    Sum in a variable, in a loop that writes no array: else the loop is compiled twice, for arrays that may overlap and
    for others, and where arrays happen to lie in memory decides the last bits.
    """
    return njit(cache=True, nogil=True, _nrt=False, fastmath={"contract", "reassoc"})(function)


def counting(function: Callable) -> Any:
    """`njit` for what allocates, also where it is called by `borrowing` functions; it returns no arrays to them."""
    return njit(cache=True, nogil=True, _nrt=True)(function)


def borrowing_inlined(function: Callable) -> Any:
    """`borrowing` for what is called often and passes records on: it becomes part of its callers."""
    return njit(cache=True, nogil=True, _nrt=False, forceinline=True)(function)


def quick_borrowing_inlined(function: Callable) -> Any:
    """`quick_borrowing` that becomes part of its callers."""
    return njit(cache=True, nogil=True, _nrt=False, forceinline=True, fastmath={"contract", "reassoc"})(function)
