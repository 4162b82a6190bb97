"""The package as a stranger meets it: quick to import, light, every public name there, every room with its sentence."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import pliant as pl
from pliant.systems import System

PACKAGE = Path(pl.__file__).parent
# Half a second is what the design allows with a warm cache.
IMPORT_SECONDS = 0.5
ABOVE_SYSTEMS = ("app", "scenes", "export", "control", "sound", "batch", "page")
# Files above systems that may ask for a kind of system, each with its reason beside it: at most two.
MAY_ASK = {"control/trajectory.py", "scenes/hands.py"}
SCENES = {"Scene", "gallery", "load_scene", "register", "view"}  # scene files and the viewer need pydantic
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


def kinds_of_systems():
    """Names of all classes of systems."""
    kinds, found = [System], set()
    while kinds:
        kind = kinds.pop()
        found.add(kind.__name__)
        kinds += [each for each in kind.__subclasses__() if each.__module__.startswith("pliant")]
    return found


def asks_for_a_kind(node, kinds):
    """Is it isinstance or issubclass of a kind, a comparison or table of type(...), or a case of a kind?"""
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    names |= {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in ("isinstance", "issubclass") and bool(names & kinds)
    if isinstance(node, ast.Compare | ast.MatchClass):
        return bool(names & kinds) and ("type" in names or isinstance(node, ast.MatchClass))
    return isinstance(node, ast.Dict) and any(isinstance(key, ast.Name) and key.id in kinds for key in node.keys)


def questions(path, kinds):
    """Lines of a file that ask for a kind of system."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node.lineno for node in ast.walk(tree) if hasattr(node, "lineno") and asks_for_a_kind(node, kinds)]


def test_nothing_above_systems_asks_for_a_kind_of_system():
    """What a system can do, it says itself; two places may ask, and give their reason in a comment."""
    kinds = kinds_of_systems()
    assert {"Clamped", "Full", "Tree", "Seams", "NonlinearSeams"} <= kinds
    asked = {}
    for room in ABOVE_SYSTEMS:
        for path in (PACKAGE / room).rglob("*.py"):
            if lines := questions(path, kinds):
                asked[path.relative_to(PACKAGE).as_posix()] = lines
    assert set(asked) <= MAY_ASK
    assert sum(map(len, asked.values())) <= 2
    for name, lines in asked.items():
        text = (PACKAGE / name).read_text(encoding="utf-8").splitlines()
        assert all(text[line - 2].lstrip().startswith("#") for line in lines), f"{name} gives no reason"


@pytest.mark.parametrize(
    "code",
    [
        "isinstance(system, Clamped | Full)",
        "issubclass(kind, pl.Tree)",
        "assert type(system) is Seams",
        "TABLE = {Clamped: 1, Seams: 2}",
        "match system:\n    case Tree():\n        pass",
    ],
)
def test_every_way_to_ask_for_a_kind_is_seen(tmp_path, code):
    (tmp_path / "asking.py").write_text(code)
    assert questions(tmp_path / "asking.py", kinds_of_systems()) == [2 if "case" in code else 1]
    (tmp_path / "asking.py").write_text("isinstance(value, float)\ntype(command)\nSeams(coupled, 1)\nx: Tree = y")
    assert questions(tmp_path / "asking.py", kinds_of_systems()) == []
