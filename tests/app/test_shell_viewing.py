"""Shells on the page: frames come, what is torn is seen, and a hand bends them."""

import numpy as np
import pytest

import pliant as pl
from pliant.app.sources import SceneSource
from pliant.app.stage import BROKEN, Stage


@pytest.fixture
def stage():
    flag = pl.load_scene("flag").build()
    return Stage("flag", SceneSource(lambda _: flag), flag, 1)


def test_frames_come_and_a_torn_shell_is_seen(stage):
    stage.advance(5)
    assert len(stage.frame(1)) > 100
    assert not stage.fault()
    state = stage.system.state()
    stage.system.restore(state | {"q": 100 * np.ones_like(state["q"])})
    assert stage.fault() == BROKEN


def test_a_hand_bends_a_shell(stage):
    X = stage.rest
    vertex = int(np.argmax(X[:, 0]))
    hand = stage.hand(vertex, X[vertex] + np.array([0, 0, 0.2]))
    stage.system.wind = None
    for _ in range(40):
        stage.advance(1, [hand])
    assert stage.system.vertices()[vertex, 2] > X[vertex, 2] + 0.02
    assert not stage.fault()
