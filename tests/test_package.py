"""The package as a stranger meets it: quick to import, light, every public name there, every room with its sentence."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import pliant as pl

PACKAGE = Path(pl.__file__).parent
# Half a second is what the design allows with a warm cache.
IMPORT_SECONDS = 0.5
SCENES = {"Scene", "gallery", "load_scene", "register"}  # scene files need pydantic
CORE = {"numpy", "scipy", "numba", "llvmlite", "pliant"}


def in_a_fresh_interpreter(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    return done.stdout.strip()


def test_import_is_quick():
    code = "import time; start = time.perf_counter(); import pliant; print(time.perf_counter() - start)"
    assert min(float(in_a_fresh_interpreter(code)) for _ in range(3)) < IMPORT_SECONDS


def test_every_public_name_loads_with_numpy_scipy_and_numba_alone():
    """The rest of the world is made unimportable, as on a machine that has only the core."""
    code = f"""
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        top = name.split(".")[0]
        if top in {{"meshio", "trimesh", "igl", "skimage", "pymetis", "pypardiso", "pytetwild", "safetensors",
                    "pydantic", "rich", "matplotlib", "dask", "jax"}}:
            raise ImportError(name)
sys.meta_path.insert(0, Refuse())
import pliant
names = [name for name in pliant.__all__ if name not in {SCENES!r}]
print(all(getattr(pliant, name) is not None for name in names), {CORE!r} <= set(sys.modules))
"""
    assert in_a_fresh_interpreter(code) == "True True"


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="dir"):
        pl.does_not_exist  # noqa: B018


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_every_module_says_its_one_job(path):
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


def test_no_module_unpickles():
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert "import pickle" not in text
        assert "allow_pickle=True" not in text
