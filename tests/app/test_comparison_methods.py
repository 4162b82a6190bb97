"""What `pliant compare` makes of a scene: the part that is compared is changed, and no other."""

import pytest

from pliant.app.comparison_methods import methods
from pliant.errors import PliantWarning
from pliant.scenes import load_scene

SPARE = """
dt = 0.01
[[part]]
name = "spare"
shape = { name = "bar", size = [1, 0.2, 0.2], cells = [4, 1, 1] }
[[part]]
name = "used"
shape = { name = "bar", size = [1, 0.2, 0.2], cells = [6, 2, 2] }
fixed = "x < 0.01"
basis = { modes = 4, size = 6 }
[[body]]
part = "used"
"""


@pytest.fixture
def spare(tmp_path):
    """A scene whose only body is of its second part."""
    (tmp_path / "spare.toml").write_text(SPARE)
    with pytest.warns(PliantWarning, match=r"no \[\[body\]\] names the part 'spare', so it is not in the scene"):
        return load_scene(tmp_path / "spare.toml")


@pytest.mark.parametrize(("method", "kind", "force"), [("modes", "modes", "cubic"), ("linear", "modes", "linear")])
def test_reduced_methods_change_the_part_of_the_body(spare, method, kind, force):
    made = methods()[method](spare)
    assert (made.bodies[0].part.basis.kind, made.bodies[0].part.force) == (kind, force)
    assert made.file.part[0] == spare.file.part[0]
    assert made.build().size == 6


def test_modal_warping_cuts_the_part_of_the_body(spare):
    made = methods()["modal-warping"](spare)
    assert [part.cut for part in made.file.part] == [None, 1]
