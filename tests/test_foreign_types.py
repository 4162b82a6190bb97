"""Materials and forces of a script never get into numba's cache of pliant's own loops, and never spoil it for others.

Each script runs in a process and a folder of its own, on one cache. It begins with what pliant's own caches hold of
functions that take neither a material nor a force, so that those need not be compiled again, and nothing else.
"""

import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest
from numba.core.caching import _CacheLocator

import pliant

ROOT = Path(pliant.__file__).parents[1]
EXAMPLE = ROOT / "docs" / "extending.md"

SPRING = '''
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from pliant.fem.material import implements
from pliant.reduced.force import Force, jet_at


class SpringRows(NamedTuple):
    stiffness: np.ndarray


@dataclass(frozen=True, eq=False)
class Spring(Force):
    """W = k/2 q^2 for a single coordinate."""

    kind: ClassVar[str] = "spring"
    stiffness: float
    size: ClassVar[int] = 1

    def compiled(self, dtype=np.float64):
        return SpringRows(np.array([self.stiffness], dtype))

    def truncate(self, size):
        return self

    def with_groups(self, groups):
        return self

    def arrays(self):
        return {}


@implements(jet_at, SpringRows)
def spring_jet(force, z, jet):
    pitch = len(z)
    jet[:] = 0
    jet[0] = 0.5 * force.stiffness[0] * z[1] * z[1]
    jet[pitch] = force.stiffness[0] * z[1]
    jet[pitch + 1] = 0.5 * force.stiffness[0]
'''

FOREIGN = """
from dataclasses import replace

import numpy as np

import pliant as pl
from mooney import Fluid
from spring import Spring

mesh = pl.shapes.bar((1, 0.2, 0.2), (3, 1, 1))
u = 0.01 * mesh.vertices.ravel()
solid = pl.Solid(mesh, Fluid(1e5, 0.4), fixed="x < 0.01")
solid.energy(u), solid.force(u), solid.stiffness(u), solid.curvature(u, u)
stock = pl.Solid(mesh, pl.StVK(1e5, 0.3), fixed="x < 0.01")
basis = pl.Basis(pl.vibration_modes(stock, 1).vectors)
model = pl.reduce(solid, basis, force="cubature", samples=20)
model.energy([0.1])
sprung = replace(model, force_law=Spring(7.0))
assert abs(sprung.energy([2.0]) - 14.0) < 1e-12
pl.Clamped(sprung, 1e-3, integrator="explicit").step()  # no loop of any integrator sees the type
"""

STOCK = """
import numpy as np

import pliant as pl

mesh = pl.shapes.bar((1, 0.2, 0.2), (3, 1, 1))
solid = pl.Solid(mesh, pl.StVK(1e5, 0.3), fixed="x < 0.01")
u = 0.01 * mesh.vertices.ravel()
solid.energy(u), solid.force(u), solid.stiffness(u), solid.curvature(u, u)
model = pl.reduce(solid, pl.modal_basis(solid, modes=1, size=1), force="cubature", samples=20)
model.energy([0.1])
"""


def run(script: Path, cache: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, script.name], cwd=script.parent, env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()[-2000:]


def written(folder: Path, **modules: str) -> Path:
    folder.mkdir()
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text)
    return folder / "main.py"


def sees_no_material(index: Path) -> bool:
    """Is this the index of a compiled function of arrays alone, as far as it was compiled?"""
    return not any(word in index.read_bytes() for word in (b"pliant.fem", b"pliant.reduced", b"CPointer"))


def copy_plain(folder: Path) -> None:
    """What is compiled already of functions that see no material and no force, to where numba looks for it."""
    for index in (ROOT / "pliant").rglob("*.nbi"):
        if sees_no_material(index):
            place = folder / _CacheLocator.get_suitable_cache_subpath(str(index.parents[1] / "module.py"))
            place.mkdir(parents=True, exist_ok=True)
            for file in index.parent.glob(f"{index.stem}.*nb[ic]"):
                shutil.copy2(file, place)


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """A cache after a foreign material, a foreign force, and then stock ones."""
    folder = tmp_path_factory.mktemp("numba")
    copy_plain(folder)
    scripts = tmp_path_factory.mktemp("scripts")
    material = EXAMPLE.read_text().split("```python\n")[1].split("```")[0]
    run(written(scripts / "theirs", mooney=material, spring=SPRING, main=FOREIGN), folder)
    run(written(scripts / "ours", main=STOCK), folder)
    return folder


def test_scripts_elsewhere_run_after_a_foreign_material_and_force(cache):
    kept = {file.name.split("-")[0].split(".")[-1] for file in cache.rglob("*.nbi")}
    assert {"assemble_energy", "assemble_force", "assemble_tangent", "evaluate"} <= kept


def test_cache_names_no_foreign_module(cache):
    for file in (*cache.rglob("*.nbi"), *cache.rglob("*.nbc")):
        content = file.read_bytes()
        for module in (b"mooney", b"SpringRows"):
            assert module not in content, file.name


def test_cache_that_names_a_lost_module_is_made_anew(cache, tmp_path):
    (index,) = cache.rglob("*assemble_energy*.nbi")
    index.write_bytes(pickle.dumps(numba.__version__) + b"clost_module\nLostParameters\n.")
    text = "import pliant as pl\nm = pl.shapes.bar((1, 1, 1), (1, 1, 1))\n"
    text += "pl.Solid(m, pl.StVK(1e5, 0.3)).energy(0 * m.vertices)\n"
    run(written(tmp_path / "later", main=text), cache)
    assert b"lost_module" not in index.read_bytes()
