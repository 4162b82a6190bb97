"""Every gallery scene does what it claims."""

import pytest

import pliant as pl
from pliant.scenes import load_scene


@pytest.mark.parametrize("name", pl.gallery())
def test_claim_of_the_scene_holds(name):
    scene = load_scene(name)
    verdicts = scene.verify(scene.watch(scene.build()))
    assert verdicts
    assert all(verdict.holds for verdict in verdicts), "; ".join(map(str, verdicts))
