"""Every gallery scene does what it claims."""

import pytest

import pliant as pl


@pytest.mark.parametrize("name", pl.gallery())
def test_claim_of_the_scene_holds(name):
    scene = pl.load_scene(name)
    verdicts = scene.verify(scene.watch(scene.build()))
    assert verdicts
    assert all(verdict.holds for verdict in verdicts), "; ".join(map(str, verdicts))
