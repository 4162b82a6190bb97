"""Bodies of a world scene that move themselves."""

import numpy as np
import pytest

from pliant.errors import PliantError
from pliant.scenes import load_scene

SCENE = """
system = "world"
dt = 0.005
duration = 0.5
gravity = [0, 0, 0]
damping = [0, 0.001]

[[part]]
shape = {{ name = "bar", size = [1, 0.1, 0.1], cells = [8, 1, 1] }}
material = {{ model = "linear", young = 1e6, density = 1000 }}
basis = {{ kind = "modes", size = 4 }}

[[body]]
part = "part"
name = "eel"
grid = [1, 2, 1]
spacing = 1

[[actuate]]
body = "{body}"
frequency = 2
from = 0.1
until = 0.4
muscles = [
    {{ where = "x > 0.9", force = [0, 20, 0] }},
    {{ where = "abs(x - 0.5) < 0.1", force = [0, -40, 0] }},
    {{ where = "x < {left}", force = [0, 20, 0] }},
]
"""


@pytest.fixture
def scene(tmp_path):
    def made(body="eel 0", left=0.1, more=""):
        path = tmp_path / "eels.toml"
        path.write_text(SCENE.format(body=body, left=left) + more)
        return load_scene(path)

    return made


def test_muscles_bend_the_bodies_that_are_named_for_as_long_as_they_are_told(scene):
    made = scene()
    world = made.build()
    first, other = world.bodies
    world.step(20)
    assert not first.q.any()
    bent = 0.0
    for _ in range(60):
        world.step()
        bent = max(bent, float(np.abs(first.model.U @ first.q).max()))
    assert bent > 2e-3
    assert not other.q.any()
    P, L = world.momentum()
    assert np.abs(P).max() < 1e-12
    assert np.abs(L).max() < 1e-12
    [actuation] = world._actuations
    assert [actuation.at(time) for time in (0.05, 0.225, 0.45)] == pytest.approx([0.0, 1.0, 0.0])


def test_all_that_a_pattern_names_move(scene):
    world = scene("eel *").build()
    world.step(40)
    assert all(np.abs(body.q).max() > 0 for body in world.bodies)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"body": "cod"}, "none of the bodies eel 0, eel 1"),
        ({"left": -1}, "selects no vertex"),
        ({"more": "\n[[actuate]]\nbody = 'eel 0'\nmuscles = []\n"}, "muscles"),
        ({"more": "\n[[actuate]]\nbody = 'eel 0'\nuntil = 0\nmuscles = [{where='x>0', force=[0,1,0]}]\n"}, "later"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(given, words, scene):
    with pytest.raises(PliantError, match=words):
        scene(**given).build()
