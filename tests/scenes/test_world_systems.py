"""Bodies of a world scene that are trees, seams or clamped parts."""

import numpy as np
import pytest

from pliant.errors import PliantError
from pliant.scenes import load_scene

SCENE = """
system = "world"
dt = 0.004
duration = 0.4
damping = [0.5, 0.005]

[world]
substeps = 2

[[part]]
name = "worm"
shape = {{ name = "segments", size = [0.5, 0.07, 0.07], cells = [12, 2, 2], parts = 3 }}
material = {{ young = 8e5, poisson = 0.4, density = 900 }}

[[part]]
name = "plank"
shape = {{ name = "bar", size = [0.6, 0.05, 0.2], cells = [8, 1, 2] }}
material = {{ young = 1e7, poisson = 0.3, density = 600 }}
fixed = "x < 0.01"
basis = {{ kind = "modal", modes = 4, size = 8 }}

[[body]]
part = "worm"
system = "{kind}"
at = [0, 0.3, 0]
turn = [0, 0, 20]
velocity = [0.2, 0, 0]

[[body]]
part = "plank"
system = "clamped"
at = [0, 0.06, 0]

[[ground]]

[paint]
"worm" = "#aa5544"

[seams]
soft = 4
derivatives = 20

[tree]
size = 156
"""


@pytest.fixture
def scene(tmp_path):
    def made(**changes):
        path = tmp_path / "guests.toml"
        text = SCENE.format(kind=changes.pop("kind", "tree"))
        path.write_text(text + "".join(changes.values()))
        return load_scene(path)

    return made


@pytest.mark.parametrize(("kind", "made"), [("tree", "tree"), ("seams", "seams-nonlinear")])
def test_a_body_may_be_a_system_of_its_own(kind, made, scene):
    world = scene(kind=kind).build()
    worm, plank = world.bodies
    assert [body.system.kind for body in world.bodies] == [made, "clamped"]
    assert (worm.name, worm.kind) == ("worm", "system")
    np.testing.assert_allclose(worm.velocity, (0.2, 0.0, 0.0), atol=1e-12)
    np.testing.assert_allclose(worm.rotation @ worm.system.gravity, world.gravity, atol=1e-12)
    assert worm.system.dt == pytest.approx(0.002)
    start, touched = plank.vertices()[:, 1].min(), set()
    for _ in range(60):
        world.step()
        touched |= {tuple(sorted(pair)) for pair in world.contacts().bodies.tolist()}
    assert (0, 1) in touched
    assert plank.vertices()[:, 1].min() < start - 1e-4
    assert world.vertices()[:, 1].min() > -2e-3
    colours = np.unique(np.round(world.colours[: len(worm.model.triangles)], 6), axis=0)
    assert len(colours) == 1


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (
            '\n[[joint]]\nbodies = ["worm"]\nat = [0, 0.3, 0]\nkind = "hinge"\naxis = [0, 0, 1]\ntorque = 1\n',
            "no motor or limits",
        ),
        ("inertia = 'L1'\n", "full inertia"),
    ],
)
def test_what_systems_cannot_do_in_a_world_is_said(more, words, scene):
    with pytest.raises(PliantError, match=words):
        scene(more=more).build()


JOINED = """
[[part]]
name = "bell"
shape = { name = "bar", size = [0.06, 0.06, 0.06], cells = [2, 2, 2] }
rigid = true
material = { density = 500 }

[[body]]
part = "bell"
at = [0.57, 0.12, 0]

[[joint]]
bodies = ["bell", "plank"]
at = [0.6, 0.085, 0]
kind = "rigid"

[[check]]
measure = "joint gap"
within = 1e-5
"""


def test_a_joint_of_a_file_holds_a_system(scene):
    hung = scene(bell=JOINED)
    world = hung.build()
    (joint,) = world.joints
    assert [body.name for body in joint.bodies] == ["bell", "plank"]
    verdicts = hung.verify(hung.watch(world))
    assert all(verdict.holds for verdict in verdicts), "; ".join(map(str, verdicts))
