"""Packages beyond numpy, scipy and numba, imported when a function needs them."""

import importlib
from typing import Any

from pliant.errors import MissingPackage


def imported(module: str, purpose: str, package: str | None = None, extra: str | None = None) -> Any:
    """The module, or an error that says what it is needed for and how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingPackage(package or module, extra, purpose) from None
