"""Copies of systems go on for themselves, to the last bit; nothing that a caller keeps is theirs."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
from kinds import AND_BODIES, bar, stirred, system, tip

import pliant as pl

WAYS = {"copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": lambda made: pickle.loads(pickle.dumps(made))}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("kind", "free"), AND_BODIES)
def test_copies_go_on_to_the_last_bit_and_alone(kind, free, way):
    moving = stirred(kind, free)
    moving.push([tip(bar(free))], (0.0, 1.0, 0.0))
    start = moving.state()
    other = WAYS[way](moving)
    assert other.state() == start
    other.step(4)
    assert moving.state() == start
    moving.step(4)
    assert moving.state() == other.state()
    np.testing.assert_array_equal(moving.vertices(), other.vertices())


def test_copies_share_their_parts_and_keep_their_looks():
    moving = stirred("clamped")
    moving.wear(pl.sdf.sphere(0.05).surface(0.03))
    moving.paint(np.full((len(moving.triangles), 3), 0.5))
    moving.hold(3, moving.vertices()[3] + 0.01)
    other = copy.copy(moving)
    assert other.model is moving.model
    seams = stirred("seams-nonlinear")
    assert copy.copy(seams).parts is seams.parts
    assert other.worn is moving.worn
    np.testing.assert_array_equal(other.colours, moving.colours)
    other.step(3)
    moving.step(3)
    np.testing.assert_array_equal(other.hold_forces, moving.hold_forces)


def test_a_world_with_a_system_in_it_is_copied_whole():
    world = pl.World(2e-3, gravity=None, substeps=2)
    world.add(stirred("tree", True))
    other = copy.deepcopy(world)
    start = world.state()
    other.step(3)
    assert world.state() == start
    assert other.bodies[0].model is not world.bodies[0].model


def test_another_process_unpickles_what_it_has_not_imported(tmp_path):
    moving = stirred("bodies")
    (tmp_path / "system.pickle").write_bytes(pickle.dumps(moving))
    told = "import pickle, sys; print(repr(pickle.load(open(sys.argv[1], 'rb')).time))"
    out = subprocess.run([sys.executable, "-c", told, tmp_path / "system.pickle"], capture_output=True, check=True)
    assert float(out.stdout) == moving.time


@pytest.mark.parametrize(("kind", "free"), AND_BODIES)
def test_systems_keep_copies_of_what_they_are_given(kind, free):
    """The arrays of two systems are the same; those of the first are spoilt after every call."""
    found = []
    for spoil in (True, False):
        given = [np.array([0.0, -9.81, 0.0])]
        made = system(kind, free, gravity=given[0])
        given += [np.array([tip(bar(free))]), np.array([[1.0, 4.0, -3.0]]), np.zeros(made.size)]
        made.push(given[1], given[2])
        if kind not in ("world", "full"):
            made.push_reduced(given[3])
        if free:
            given += [np.array([0.1, 0.0, 0.0]), np.array([0.0, 0.3, 0.0])]
            made.launch(*given[-2:])
        given.append(made.vertices("mesh")[tip(bar(free))] + 0.01)
        made.hold(tip(bar(free)), given[-1])
        made.step()
        state = {name: np.array(array) for name, array in made.state().items()}
        made.restore(state)
        given += state.values()
        for array in given if spoil else ():
            array[...] = 7
        made.step(4)
        found.append(made.state())
    assert found[0] == found[1]
