"""Materials, bases and systems from outside the package: registered, then named in scene files."""

import importlib
import json
import re
from pathlib import Path

import numpy as np
import pytest

import pliant as pl
from pliant.app.comparison import compare
from pliant.app.comparison_methods import usual_methods
from pliant.basis import BASES
from pliant.errors import ArgumentError, SceneError
from pliant.fem import MATERIALS
from pliant.scenes import Kind, load_scene, scene_model
from pliant.scenes.kinds import SYSTEMS
from pliant.scenes.tables import Table

ROOT = Path(__file__).parents[2]
ROUNDING = 1e-12
FALLING = 1e-6  # the full solid's Newton iterations end at a relative residual

MATERIAL = '''
from dataclasses import dataclass

import pliant as pl


@dataclass(frozen=True, eq=False)
class Filled(pl.StVK):
    """StVK whose matrix carries hard filler: all moduli are multiplied by `filler`."""

    filler: float = 1.0

    def parameters(self, cell_count):
        return pl.StVK(self.filler * self.young, self.poisson, self.density).parameters(cell_count)
'''

BASIS = '''
import numpy as np

import pliant as pl


def stretches(solid, axis, size=2):
    """Fields x^k along one axis."""
    X = solid.mesh.vertices[:, 0]
    columns = np.zeros((solid.mesh.vertex_count, 3, size))
    for k in range(size):
        columns[:, "xyz".index(axis), k] = X ** (k + 1)
    return pl.Basis(columns.reshape(-1, size))
'''

SYSTEM = '''
import numpy as np

from pliant.skin import Pose, plain_skin
from pliant.systems import System


class Drop(System):
    """A stiff body that falls: x = X + q, q' = v, v' = g."""

    kind = "drop"

    def __init__(self, solid, dt, gravity):
        self._solid, self._dt, self.time, self._g = solid, dt, 0.0, np.array(gravity)
        self._mass = solid.lumped_mass[::3]
        self.q, self.v, self._pushed = np.zeros(3), np.zeros(3), np.zeros(3)
        X = solid.mesh.vertices
        self._body = plain_skin(X, solid.mesh.surface, np.tile(np.eye(3), (len(X), 1)))

    def step(self, count=1):
        a = self._g + self._pushed / self._mass.sum()
        for _ in range(count):
            self.q = self.q + self.dt * self.v + 0.5 * self.dt**2 * a
            self.v = self.v + self.dt * a
            self.time += self.dt

    def _push(self, vertices, forces):
        self._pushed = self._pushed + forces.sum(axis=0)

    def release(self):
        self._pushed = np.zeros(3)

    @property
    def body(self):
        return self._body

    @property
    def mesh(self):
        return self._solid.mesh

    def pose(self):
        return Pose([(np.eye(3), np.zeros(3))], [self.q])

    def energy(self):
        m = self._mass.sum()
        return 0.5 * m * self.v @ self.v - self._g @ (self._mass @ (self.mesh.vertices + self.q))

    def momentum(self):
        p = self._mass[:, None] * self.v
        return p.sum(axis=0), np.cross(self.mesh.vertices + self.q, p).sum(axis=0)

    def state(self):
        return {"q": self.q.copy(), "v": self.v.copy(), "time": self.time}

    def restore(self, state):
        self.q, self.v, self.time = state["q"].copy(), state["v"].copy(), state["time"]


def build_drop(solid, scene):
    return Drop(solid, scene.dt, scene.gravity)
'''

BAR = """
dt = 0.005
duration = 0.2
{head}
[[part]]
shape = {{ name = "bar", size = [1, 0.2, 0.2], cells = [4, 1, 1] }}
{part}
[[probe]]
name = "tip"
where = "x > 0.99"
"""


@pytest.fixture
def outside(tmp_path, monkeypatch):
    """A function that writes a module beside the scene and imports it; what tests register is forgotten again."""
    monkeypatch.syspath_prepend(tmp_path)
    tables = [(table, dict(table)) for table in (MATERIALS, BASES, SYSTEMS)]

    def module(name, text):
        (tmp_path / f"{name}.py").write_text(text)
        importlib.invalidate_caches()
        return importlib.import_module(name)

    yield module
    for table, before in tables:
        table.clear()
        table.update(before)


def scene(tmp_path, head="", part=""):
    path = tmp_path / "test.toml"
    path.write_text(BAR.format(head=head, part=part))
    return load_scene(path)


def sag(made):
    return np.array(made.watch(made.build()).values["tip"])


def test_outside_material_gets_its_own_constant_from_the_scene(tmp_path, outside):
    """filler = 4 on young = 1e5 is young = 4e5."""
    held = 'fixed = "x < 0.01"\nmaterial = {{ model = "{}", young = {}{} }}'
    truth = sag(scene(tmp_path, 'system = "full"', held.format("stvk", 4e5, "")))
    pl.register("material", "filled", outside("filled", MATERIAL).Filled)
    made = scene(tmp_path, 'system = "full"', held.format("filled", 1e5, ", filler = 4"))
    assert made.solid.material.filler == 4
    np.testing.assert_array_equal(sag(made), truth)


def test_constants_that_a_material_does_not_have_are_refused(tmp_path, outside):
    pl.register("material", "filled", outside("filled", MATERIAL).Filled)
    for given, message in (
        ('model = "filled", filer = 4', r"part\[0\].material: filled does not know filer; did you mean filler\?"),
        ('model = "stvk", filler = 4', "stvk does not know filler; it has no keys of its own"),
        ('model = "stvk", yung = 4', r"did you mean young\?"),
        ('model = "filled", filler = "much"', "filler of filled should be a finite number; 'much' was given"),
        ('model = "fild"', r"'linear' or 'filled'; 'fild' was given; did you mean filled\?"),
    ):
        with pytest.raises(SceneError, match=message):
            scene(tmp_path, part=f"material = {{ {given} }}")


def test_outside_basis_gets_its_options_from_the_scene(tmp_path, outside):
    pl.register("basis", "stretches", outside("stretching", BASIS).stretches)
    basis = 'fixed = "x < 0.01"\nbasis = {{ kind = "stretches", size = 3, {} }}'
    model = scene(tmp_path, part=basis.format('axis = "y"')).build().model
    shapes = model.U.reshape(-1, 3, 3)
    assert np.abs(shapes[:, 1]).max() > 0
    assert not shapes[:, [0, 2]].any()
    with pytest.raises(SceneError, match=r"does not know axes; did you mean axis\?"):
        scene(tmp_path, part=basis.format('axes = "y"'))


def test_changed_basis_function_is_not_taken_from_the_cache(tmp_path, outside, monkeypatch):
    monkeypatch.setenv("PLIANT_CACHE", str(tmp_path / "cache"))
    part = 'fixed = "x < 0.01"\nbasis = { kind = "stretches", axis = "y" }'
    pl.register("basis", "stretches", outside("first", BASIS).stretches)
    first = scene(tmp_path, part=part).build().model
    pl.register("basis", "stretches", outside("second", BASIS.replace("k + 1", "k + 2")).stretches, replace=True)
    second = scene(tmp_path, part=part).build().model
    assert not np.array_equal(first.U, second.U)


def test_outside_system_runs_from_a_scene_file(tmp_path, outside):
    """u = g t^2 / 2 + F t^2 / 2 m."""
    pl.register("system", "drop", outside("dropping", SYSTEM).build_drop)
    push = '[[push]]\nwhere = "x < 9"\nforce = [0, 40, 0]\n'
    made = scene(tmp_path, 'system = "drop"', "material = { density = 250 }\n" + push)
    track = made.watch(made.build())
    t = np.array(track.times)
    np.testing.assert_allclose(track.values["tip"], (-9.81 + 40 / 10) * t**2 / 2, rtol=ROUNDING)
    with pytest.raises(SceneError, match=r"\[\[hold\]\] tables are for system = "):
        scene(tmp_path, 'system = "drop"\n[[hold]]\nvertex = 1')


def test_outside_kind_has_a_table_of_its_own(tmp_path, outside):
    dropping = outside("dropping", SYSTEM)

    class DropTable(Table):
        lift: float = 1.0

    def build(file, body, _progress):
        return dropping.Drop(body.solid, file.dt, file.table(DropTable).lift * np.array(file.gravity))

    pl.register("system", "drop", Kind("drop", build, DropTable))
    made = scene(tmp_path, 'system = "drop"', "[drop]\nlift = 0.5")
    t = np.array((track := made.watch(made.build())).times)
    np.testing.assert_allclose(track.values["tip"], -9.81 * t**2 / 4, rtol=ROUNDING)
    with pytest.raises(SceneError, match=r"drop.lifft: unknown key; did you mean lift\?"):
        scene(tmp_path, 'system = "drop"', "[drop]\nlifft = 0.5")
    schema = json.loads(json.dumps(scene_model().model_json_schema()))
    assert "drop" in schema["properties"]
    assert "drop" in schema["properties"]["system"]["enum"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("metal", "iron", pl.StVK), "what must be one of material, basis, system"),
        (("material", "stvk", pl.StVK), "there is a material called 'stvk' already; take another name"),
        (("material", "iron", 7), "must be a whole subclass of pliant.fem.Material; 7 was given"),
        (("material", " ", pl.StVK), "name of a material must be a word"),
        (("basis", "none", 3), r"must be a function \(solid, \*\*options\) -> Basis"),
        (("system", "none", lambda solid: solid), r"must be a function \(solid, scene\) -> System"),
        (("system", "tree", lambda solid, scene: None), "there is a system called 'tree' already"),
        (("system", "rope", Kind("cord", lambda *_: None)), "the kind is called 'cord'"),
        (
            ("system", "rope", Kind("rope", lambda *_: None, accepts=frozenset({"knots"}))),
            "accepts 'knots', which is no",
        ),
        (("system", "push", Kind("push", lambda *_: None, Table)), "have a key 'push' already"),
    ],
)
def test_register_refuses_what_it_cannot_use(outside, arguments, message):
    with pytest.raises(ArgumentError, match=message):
        pl.register(*arguments)


def test_a_system_with_a_wrong_name_is_told_the_names(tmp_path):
    with pytest.raises(SceneError, match=r"system: should be 'clamped', .*; 'seam' was given; did you mean seams\?"):
        scene(tmp_path, 'system = "seam"')


NUMBERS = {"five": 5, "seven": 7}


def files_of(section):
    """The files that docs/extending.md says a new variant touches, as many as it says."""
    text = (ROOT / "docs" / "extending.md").read_text()
    told = re.search(rf"## {section}\n(.*?)(?=\n## |\Z)", text, re.S)[1]
    number, listed = re.search(r"touches (\w+) files(.*?)(?=\n\n[^|]|\Z)", told, re.S).groups()
    files = re.findall(r"`([\w/<>]+\.(?:pyi?|md|toml))`", listed)
    assert len(files) == len(set(files)) == NUMBERS[number]
    return files


KINDS = {"clamped": "Clamped", "tree": "Tree", "seams": "Seams", "full": "Full"}


def test_a_kind_touches_as_many_files_as_the_docs_say():
    """At most four in the package; no other file of `scenes` or `app` knows a kind by its name."""
    files = files_of("A system")
    assert len([path for path in files if path.startswith("pliant/")]) <= 4
    for kind, name in KINDS.items():
        named = {path.replace("<kind>", kind) for path in files}
        for path in named:
            assert re.search(rf"\b({kind}|{name})\b", (ROOT / path).read_text()), f"{path} does not know {kind}"
        for source in [*(ROOT / "pliant" / "scenes").rglob("*.py"), *(ROOT / "pliant" / "app").rglob("*.py")]:
            path = source.relative_to(ROOT).as_posix()
            mentions = rf'kinds\.{kind}\b|Kind\("{kind}"|[=!]= \[?"{kind}"|SYSTEMS\["{kind}"|with_system\("{kind}"'
            assert path in named or not re.search(mentions, source.read_text()), path


VARIANTS = {  # file, public name, name in scene files
    "A material": [
        ("stvk", "StVK", "stvk"),
        ("linear", "Linear", "linear"),
        ("neo_hookean", "NeoHookean", "neo-hookean"),
    ],
    "A basis": [
        ("modal", "modal_basis", "modal"),
        ("sketch", "sketch_basis", "sketch"),
        ("poses", "pose_basis", "poses"),
    ],
}


@pytest.mark.parametrize("section", VARIANTS)
def test_materials_and_bases_touch_as_many_files_as_the_docs_say(section):
    for file, public, said in VARIANTS[section]:
        for path in files_of(section):
            word = f'"{said}"' if path == "docs/scenes.md" else rf"\b{public}\b"
            assert re.search(word, (ROOT / path.replace("<name>", file)).read_text()), f"{path} does not know {word}"


def test_outside_kind_is_among_the_usual_models_of_its_scenes(tmp_path, outside):
    """The full solid, which nothing holds, falls as the stiff one does; a kind may also name models of its own."""
    dropping = outside("dropping", SYSTEM)
    pl.register("system", "drop", dropping.build_drop)
    made = scene(tmp_path, 'system = "drop"')
    assert usual_methods(made) == ["full", "drop"]
    full, drop = compare(made, usual_methods(made), 0.1)
    np.testing.assert_allclose(drop.probes["tip"], -9.81 * drop.times**2 / 2, rtol=ROUNDING)
    assert full.probe_error(drop, "tip") < FALLING
    light = Kind(
        "drop",
        lambda file, body, _: dropping.Drop(body.solid, file.dt, file.gravity),
        comparisons={"drop-moon": lambda scene: scene.with_system("drop", gravity=(0, -1.62, 0))},
        compared=lambda _: ["drop-moon"],
    )
    pl.register("system", "drop", light, replace=True)
    assert usual_methods(made) == ["full", "drop-moon"]
    (moon,) = compare(made, ["drop-moon"], 0.1)
    np.testing.assert_allclose(moon.probes["tip"], -1.62 * moon.times**2 / 2, rtol=ROUNDING)
