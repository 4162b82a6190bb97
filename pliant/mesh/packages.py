"""Packages beyond numpy, scipy and numba, imported when a function needs them."""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pliant.errors import MissingPackage

# Modules, the packages that bring them, and the extras of pliant that bring those.
PACKAGES = {
    "igl": ("libigl", "mesh"),
    "meshio": ("meshio", "mesh"),
    "trimesh": ("trimesh", "mesh"),
    "pydantic": ("pydantic", "scenes"),
    "safetensors": ("safetensors", "scenes"),
    "matplotlib": ("matplotlib", "charts"),
    "rich": ("rich", "app"),
    "segno": ("segno", "app"),
    "starlette": ("starlette", "app"),
    "typer": ("typer", "app"),
    "uvicorn": ("uvicorn", "app"),
    "websockets": ("websockets", "app"),
    "imageio_ffmpeg": ("imageio-ffmpeg", "video"),
    "PIL": ("pillow", "video"),
    "pxr": ("usd-core", "usd"),
}


def imported(module: str, purpose: str) -> Any:
    """The module, or an error that says what it is needed for and how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingPackage(*PACKAGES[module.split(".")[0]], purpose) from None


@contextmanager
def needed_for(purpose: str) -> Iterator[None]:
    """Within it, an import of a package that is missing says what it is needed for and how to install it."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = PACKAGES.get(str(error.name).split(".")[0])
        if package is None:
            raise
        raise MissingPackage(*package, purpose) from None
