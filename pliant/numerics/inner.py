"""Compiled functions that only compiled functions call.

numba makes two more functions of each, by which Python and C call it: they take every array of every record apart, and
up to half of the time that compiling takes.
"""

from collections.abc import Callable
from typing import Any

from numba import njit
from numba.core.registry import CPUDispatcher


class _Inner(CPUDispatcher):
    """Python has no way into it."""

    def __call__(self, *_args: Any, **_named: Any) -> Any:
        raise TypeError(f"{self.py_func.__name__} has no entry for Python; call it in compiled code, or make it njit")


def inner(function: Callable | None = None, **options: Any) -> Any:
    """`njit` for what compiled code alone calls; options as of `njit`."""
    if function is None:
        return lambda given: inner(given, **options)
    made = njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)(function)
    if isinstance(made, CPUDispatcher):  # not where NUMBA_DISABLE_JIT leaves the function as it is
        made.__class__ = _Inner
    return made
