"""numpy, scipy and numba alone: the core steps without any other package, and what needs one says which to install."""

import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

import pytest

from pliant.mesh.packages import PACKAGES

EXTRAS = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PYTHON = Path(__file__).parents[1] / "docs" / "python.md"
CORE = {"numpy", "scipy", "numba", "llvmlite", "pliant"}
OTHERS = sorted((set(packages_distributions()) | set(PACKAGES)) - CORE)  # all else that is installed
ALONE = f"""
import json, sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if path is None and name in {OTHERS!r}:
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Refuse())
import numpy as np
import pliant as pl
bar = pl.shapes.bar((1.0, 0.1, 0.1), (8, 1, 1))
solid = pl.Solid(bar, pl.StVK(1e6, 0.3, 1000), fixed="x < 1e-9")
"""
STEPS = """
basis = pl.modal_basis(solid, modes=3, size=5)
kept = pl.Clamped(pl.reduce(solid, basis), dt=1e-3)
halves = np.where(bar.vertices[bar.cells].mean(axis=1)[:, 0] < 0.5, 0, 1)
tree = pl.substructure(solid, halves, size=4, dt=1e-3)
seams = pl.couple(solid, halves, dt=1e-3, nonlinear=False)
lengths = []
for system in (kept, tree, seams, pl.Full(solid, dt=1e-3)):
    system.step(3)
    lengths.append(float(np.ptp(system.vertices()[:, 0])))
recording = pl.record(kept, 0.01, 200)
for ending in ("glb", "html", "png", "npz"):
    pl.write(recording, f"FOLDER/a.{ending}")
print(json.dumps(lengths))
"""
NEEDS = {
    "pl.load_scene('spoon')": ("pliant.load_scene", "pydantic", "scenes"),
    "pl.view": ("pliant.view", "pydantic", "scenes"),
    "pl.read_mesh('a.msh')": ("reading mesh files", "meshio", "mesh"),
    "pl.read_surface('a.obj')": ("reading surfaces", "trimesh", "mesh"),
    "pl.reduce(solid, pl.modal_basis(solid, modes=2, size=4)).save('a.safetensors')": (
        "reading and writing models",
        "safetensors",
        "scenes",
    ),
    "pl.write(pl.record(pl.Full(solid, 1e-3), 0.0), 'a.vtu')": ("writing .vtu files", "meshio", "mesh"),
    "pl.write(pl.record(pl.Full(solid, 1e-3), 0.0), 'a.gif')": ("writing .gif files", "pillow", "video"),
    "pl.write(pl.record(pl.Full(solid, 1e-3), 0.0), 'a.usdc')": ("writing USD files", "usd-core", "usd"),
}


def alone(code, folder):
    """What a program prints where nothing but the core is installed."""
    done = subprocess.run(
        [sys.executable, "-c", ALONE + code.replace("FOLDER", str(folder))],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=900,  # where nothing is compiled yet
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_core_steps_and_writes_with_numpy_scipy_and_numba_alone(tmp_path):
    lengths = alone(STEPS, tmp_path)
    assert lengths == pytest.approx([1.0] * 4, rel=1e-3)
    assert {path.suffix for path in tmp_path.iterdir()} == {".glb", ".html", ".png", ".npz"}


def test_every_missing_package_is_a_sentence_that_says_what_to_install(tmp_path):
    (tmp_path / "a.msh").write_text("$MeshFormat\n")
    (tmp_path / "a.obj").write_text("v 0 0 0\n")
    told = alone(
        f"""
told = []
for code in {list(NEEDS)!r}:
    try:
        eval(code)
        told.append("nothing was said")
    except ImportError as error:
        told.append(str(error))
print(json.dumps(told))
""",
        tmp_path,
    )
    for (purpose, package, extra), sentence in zip(NEEDS.values(), told):
        assert sentence == f"{purpose} needs the package {package}; install it with: pip install 'pliant[{extra}]'"


def test_command_line_says_what_to_install(tmp_path):
    told = alone(
        """
from pliant.__main__ import main
try:
    main()
except SystemExit as end:
    print(json.dumps(end.code))
""",
        tmp_path,
    )
    assert told.startswith("the command line of pliant needs the package ")
    assert told.endswith("install it with: pip install 'pliant[app]'")


def test_extras_bring_the_packages_that_pliant_asks_for():
    names = {
        extra: {entry.split(">")[0] for entry in wanted} for extra, wanted in EXTRAS["optional-dependencies"].items()
    }
    assert all(package in names[extra] for package, extra in PACKAGES.values())
    assert [entry.split(">")[0] for entry in EXTRAS["dependencies"]] == ["numpy", "scipy", "numba"]


def test_size_of_what_is_installed_is_said():
    """The page says how much the core takes, to a tenth; what comes with numpy, scipy and numba is most of it."""
    said = re.search(r"core takes about (\d+) MB, of which (\d+) are", PYTHON.read_text(encoding="utf-8"))
    assert said is not None
    whole, others = (float(number) for number in said.groups())
    files = [file for name in sorted(CORE - {"pliant"}) for file in distribution(name).files or ()]
    taken = sum(place.stat().st_size for place in {Path(file.locate()) for file in files} if place.is_file()) / 1e6
    assert others == pytest.approx(taken, rel=0.1)
    assert others < whole < 1.15 * others
