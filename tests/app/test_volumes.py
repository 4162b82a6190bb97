"""What looks broken is seen by the volumes of its cells, in every kind of system, before numbers are infinite."""

import numpy as np
import pytest
from live_standins import bar_solid
from test_live_parts import MAKERS, session_of, stage_of

import pliant as pl
from pliant.app.stage import BROKEN
from pliant.app.volumes import Volumes
from pliant.systems.playing import EachStep

TORN = 1.0  # of random coordinates, which are about metres in a bar of a metre
WHEN = 0.3  # [s]


def torn(system):
    """Its state with a random shape."""
    state, draw = system.state(), np.random.default_rng(0)
    name = "u" if "u" in state else "q"
    shape = TORN * draw.standard_normal(state[name].shape)
    if name == "u":
        shape.reshape(-1, 3)[system.solid.fixed] = 0.0
    return state | {name: shape}


@pytest.mark.parametrize("kind", MAKERS)
def test_every_kind_is_sound_at_rest_and_broken_in_a_random_shape(kind):
    stage = stage_of(kind)
    stage.advance(20)
    assert not stage.fault()
    stage.system.restore(torn(stage.system))
    assert stage.fault() == BROKEN


@pytest.mark.parametrize(("stretch", "sound"), [(1.9, True), (2.1, False), (0.1, True), (-1.0, False)])
def test_cells_may_be_flat_and_eight_times_as_large_but_not_inside_out(stretch, sound):
    """Stretched alike in all directions: by s the volume is s^3 times as large."""
    system = pl.Full(bar_solid((4, 1, 1), fixed=False), 1e-3, gravity=None)
    volumes = Volumes(system)
    system.u = ((stretch - 1) * system.mesh.vertices).ravel()
    assert volumes.are_sound(system) is sound


def test_a_body_that_is_torn_goes_back_and_plays_on():
    system = MAKERS["tree"]()
    session, heard = session_of(system)
    done = []

    def tear(torn_one):
        if torn_one.time > WHEN and not done:
            done.append(torn_one.time)
            torn_one.restore(torn(torn_one))

    session.on_stage.forces = EachStep(tear)
    while not done:
        session.advance(10)
    assert system.time < done[0]
    assert session.playing
    assert not session.on_stage.fault()
    assert any(BROKEN in getattr(report, "sentence", "") for report in heard)
