"""pliant: deformable solids in a small subspace, simulated in real time.

The public names are listed once, in `__init__.pyi`. Each is loaded on first use, so `import pliant` is instant.
"""

import ast
import importlib
import os
from pathlib import Path

__version__ = "0.1.0"


def _public_names() -> dict[str, str]:
    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = (node for node in stub.body if isinstance(node, ast.ImportFrom))
    return {alias.name: str(node.module) for node in imports for alias in node.names}


_home = _public_names()
__all__ = sorted(_home)


def _make_room_for_kernels() -> None:
    """numba keeps compiled functions beside the code, or in the user's cache; where neither can be, in a folder that
    goes with the process."""
    if "NUMBA_CACHE_DIR" in os.environ or os.access(Path(__file__).parent, os.W_OK):
        return
    try:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "numba"
        folder.mkdir(parents=True, exist_ok=True)
        usable = os.access(folder, os.W_OK)
    except (OSError, RuntimeError):
        usable = False
    if not usable:
        import atexit
        import shutil
        import tempfile

        os.environ["NUMBA_CACHE_DIR"] = made = tempfile.mkdtemp(prefix="pliant-kernels-")
        atexit.register(shutil.rmtree, made, ignore_errors=True)


_make_room_for_kernels()


def __getattr__(name: str) -> object:
    if name not in _home:
        raise AttributeError(f"pliant has no public name {name!r}; dir(pliant) lists them")
    from pliant.mesh.packages import needed_for

    with needed_for(f"pliant.{name}"):
        home = importlib.import_module(_home[name])
    value = getattr(home, name) if hasattr(home, name) else importlib.import_module(f"{_home[name]}.{name}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
