"""`system = "assembled"`: a scene whose parts are joined in the way that fits them."""

import pliant as pl
from pliant.scenes import scene_of_mesh


def test_a_bare_mesh_in_parts_is_assembled(tmp_path):
    path = tmp_path / "bar.vtu"
    pl.shapes.bar((0.1, 1, 0.1), (2, 12, 2)).write(path)
    for parts, said in ((2, "of 2 parts, one of them held"), (0, "of 4 parts")):
        system = scene_of_mesh(path, parts).build()
        assert said in system.assembled_by
        system.step(2)
