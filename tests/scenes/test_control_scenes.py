"""Scenes whose bodies are brought back to their motion: every kind of system, and what is refused."""

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ArgumentError, PliantError, SceneError, SelectionError
from pliant.scenes.controlling import actuators_of
from pliant.scenes.scene import Scene
from pliant.systems.playing import play

BAR = """
dt = 0.01
duration = 1.0
damping = [0.1, 0.005]
gravity = [0, -1, 0]
system = "{system}"

[[part]]
name = "bar"
shape = {{ name = "bar", size = [2, 0.2, 0.1], cells = [10, 2, 1] }}
fixed = "x < 1e-9"
cut = {cut}
material = {{ model = "stvk", young = 1.4e6, poisson = 0.3, density = 1000 }}
{more}

[control]
gentleness = 0.02
{control}
patches = [{{ where = "x > 1.999", force = [0, 20, 0] }}, {{ where = "{where}", force = [0, 0, {force}] }}]
muscles = [{{ where = "{end} and y > 0.099", to = "x > 1 and x < 1.3 and y > 0.099", pull = 50 }}]
knock = [{{ where = "x > 1.5", force = [0, 0, 5], from = 0.1, until = 0.2 }}]
{tail}
"""
CHECKS = """
[[check]]
measure = "off path"
within = 0.01

[[check]]
measure = "recovery"
within = 0.2
"""
PUSHED = """
[[push]]
where = "x > 1"
force = [0, 1, 0]
"""


def bar(tmp_path, **said):
    usual = {
        "system": "clamped",
        "cut": 4,
        "more": 'basis = { kind = "modal", modes = 4, size = 8 }',
        "control": "modes = 5",
        "where": "x > 1.999",
        "force": 20,
        "end": "x < 0.5",
        "tail": CHECKS,
    }
    path = tmp_path / "bar.toml"
    path.write_text(BAR.format(**(usual | said)))
    return pl.load_scene(path)


@pytest.mark.parametrize(
    "said",
    [
        {"cut": 1},
        {"system": "tree", "more": "", "tail": CHECKS + "[tree]\nsize = 40\n"},
        {"system": "seams", "more": "", "tail": CHECKS + "[seams]\nsoft = 2\nderivatives = 4\n"},
    ],
    ids=["clamped", "tree", "seams"],
)
def test_scene_of_any_kind_is_brought_back(tmp_path, said):
    """Knocked for a tenth of a second, it is back within the rest of the second."""
    scene = bar(tmp_path, **said)
    verdicts = scene.verify(scene.watch(scene.build()))
    assert all(verdict.holds for verdict in verdicts), "; ".join(map(str, verdicts))


def test_body_that_flies_in_a_world_is_brought_back(tmp_path):
    """Free and weightless, pushed at both ends and rolled by its sides."""
    scene = bar(tmp_path)
    ends = [{"where": f"x {end}", "force": f} for end in ("> 1.999", "< 1e-9") for f in 20 * np.eye(3)]
    sides = [{"where": f"y {side}", "force": (0, 0, 20)} for side in ("> 0.099", "< -0.099")]
    table = {**scene.file.control.model_dump(by_alias=True), "patches": [*ends, *sides], "modes": 9}
    table = {**table, "muscles": []}
    knock = {**table["knock"][0], "until": 0.2}
    part = {"fixed": None, "cut": None}
    flies = scene.changed(system="world", dt=0.02, gravity=(0, 0, 0), control=table | {"knock": [knock]}, part=[part])
    verdicts = flies.verify(flies.watch(flies.build()))
    assert all(verdict.holds for verdict in verdicts), "; ".join(map(str, verdicts))


def test_motion_that_repeats_begins_in_its_stride(tmp_path):
    sway = 'period = 0.5\nsway = [{ where = "x > 1.999", force = [0, 0, 3], frequency = 2 }]'
    scene = bar(tmp_path, control=sway)
    system = scene.changed(damping=(3.0, 0.005)).build()
    assert system.time == 0
    start = system.vertices()
    alone = scene.changed(control={**scene.file.control.model_dump(by_alias=True), "knock": []}).alone
    play(system, alone, 12)
    swung = abs(system.vertices() - start).max()
    assert swung > 1e-3
    play(system, alone, 38)
    assert system.vertices() == pytest.approx(start, abs=0.02 * swung)


def test_comparisons_are_of_what_nothing_steers(tmp_path):
    changed = bar(tmp_path).with_system("full")
    assert isinstance(changed, Scene)
    assert changed.file.control is None
    assert not changed.file.check


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"control": 'kind = "follow"'}, 'control: kind should be "track" or "keyframes"'),
        ({"control": "modes = 0"}, "control.modes"),
        (
            {"control": 'period = 0.3\nsway = [{ where = "x > 1", force = [0, 1, 0], frequency = 2 }]'},
            "comes 0.6 times",
        ),
        ({"control": "period = 0.001"}, "less than a step"),
        ({"control": "until = 3"}, "control.until"),
        ({"tail": CHECKS + '[[hold]]\nwhere = "x > 1"\nto = [0, 0, 1]\n'}, "does not go with"),
        ({"system": 'clamped"\nintegrator = "static'}, "steers what moves"),
        ({"more": 'sound = { material = "steel", damping = "steel" }'}, "does not go with parts that sound"),
        ({"control": "period = 0.5", "tail": CHECKS + PUSHED}, "does not repeat"),
        ({"tail": CHECKS + "".join(f'[[body]]\npart = "bar"\nname = "{name}"\n' for name in "ab")}, "steers one body"),
    ],
)
def test_mistakes_are_told_before_anything_is_built(tmp_path, said, words):
    with pytest.raises(SceneError, match=words):
        bar(tmp_path, **said)


def test_measures_of_control_need_a_control(tmp_path):
    with pytest.raises(SceneError, match="needs a .control. table"):
        bar(tmp_path).changed(control=None)


def test_gentleness_of_nothing_is_refused(tmp_path):
    table = bar(tmp_path).file.control.model_dump(by_alias=True)
    for wrong in ({"gentleness": 0}, {"patches": [], "muscles": []}):
        with pytest.raises(SceneError, match="gentleness|nothing to steer with"):
            bar(tmp_path).changed(control=table | wrong)


@pytest.mark.parametrize(
    ("said", "kind", "words"),
    [
        ({"where": "x < 1e-9"}, ArgumentError, "actuator 1, .* can move nothing"),
        ({"where": "x > 7"}, SelectionError, "patch where = 'x > 7' selects no vertex"),
        ({"end": "x > 8"}, SelectionError, "muscle where = .* selects no vertex"),
        ({"force": 0}, ArgumentError, "force of a patch is zero"),
    ],
)
def test_actuators_that_can_move_nothing_are_refused(tmp_path, said, kind, words):
    scene = bar(tmp_path, **said)
    with pytest.raises(PliantError, match=words) as told:
        scene.control(scene.build())
    assert isinstance(told.value, kind)


def test_patches_come_before_muscles(tmp_path):
    scene = bar(tmp_path)
    kinds = [type(each).__name__ for each in actuators_of(scene.file.control, scene.bodies)]
    assert kinds == ["Patch", "Patch", "Muscle"]
