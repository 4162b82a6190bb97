"""Compiled functions that become part of the one that calls them.

numba optimises and emits every function by itself, and then once more, with all that it calls, in each function that
calls it: a long step that is called by a loop, which is called by another, is compiled three times.
"""

from collections.abc import Callable
from typing import Any

from numba import njit


def merged(function: Callable) -> Any:
    """`njit` for a long function that is called in one place, or two."""
    return njit(nogil=True, inline="always")(function)
