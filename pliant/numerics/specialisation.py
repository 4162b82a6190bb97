"""Compile loops for the types they meet, and keep on disk only what is made of pliant's own types.

numba's index of a function names every type it was compiled for. A tuple from a user's script in there would make the
index unreadable for every script that cannot import it, and its code would outlive changes of that script.
"""

from collections.abc import Callable
from typing import Any

from numba import njit, types
from numba.core.caching import FunctionCache

PACKAGE = __name__.split(".")[0]


def specialised(function: Callable) -> Callable:
    """`njit` for a function of materials or forces that anybody may add; cached for pliant's own."""
    dispatcher = njit(cache=True, nogil=True)(function)
    if hasattr(dispatcher, "_cache"):  # not where NUMBA_DISABLE_JIT leaves the function as it is
        dispatcher._cache = _OwnTypesCache(function)
    return dispatcher


class _OwnTypesCache(FunctionCache):
    def load_overload(self, sig: Any, target_context: Any) -> Any:
        if _is_foreign(sig):
            return None
        try:
            return super().load_overload(sig, target_context)
        except (ImportError, AttributeError):  # an index that names a type which is gone
            self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        if not _is_foreign(sig):
            super().save_overload(sig, data)


def _is_foreign(sig: Any) -> bool:
    """Has a signature, or a tuple of argument types, a named tuple that is defined outside of pliant?"""
    return any(_defined_outside(kind) for kind in getattr(sig, "args", sig))


def _defined_outside(kind: Any) -> bool:
    named = getattr(kind, "instance_class", None)
    if named is not None and named.__module__.split(".")[0] != PACKAGE:
        return True
    if isinstance(kind, types.CPointer):
        return _defined_outside(kind.dtype)
    return any(_defined_outside(part) for part in getattr(kind, "types", ()))  # of a tuple
