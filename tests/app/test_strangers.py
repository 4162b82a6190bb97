"""Anyone's mesh at first try: it opens soon, stands, can be pulled; or a sentence says what to do."""

import numpy as np
import pytest
from strangers import MADE, REFUSED, SHARED, Fare, write_made

from pliant.errors import PliantError

pytestmark = pytest.mark.filterwarnings("ignore::pliant.errors.PliantWarning")
SOON = 20.0  # [s] of work until it can be touched
FIRST = 1.0  # [s] of work until the first word of progress
SILENCE = 4.0  # [s] of work without a word of progress
STILL = 0.01  # of the size: it starts in equilibrium
MOVED = 0.05  # of the size of the body, by a hand that is 0.2 of it away; it pulls no harder than the body bears
SAID = {
    "alligator.obj": "is open, so it is a shell",
    "camelhead.off": "is open, so it is a shell",
    "lilium.obj": "is open, so it is a shell",
    "screwdriver.off": "limbs thinner than",
    "truck.obj": "encloses nothing, so its sheets are made",
    "millimetres.stl": "120 units: read as millimetres, 12 cm long",
    "z-up-rod.ply": "z is up",
    "two-bodies.off": "in 2 bodies that do not touch",
    "crowd.stl": "in 20 bodies that do not touch",
}


def check(fare, name):
    assert fare.seconds < SOON
    assert fare.first < FIRST
    assert fare.silence < SILENCE
    assert fare.drawn, "as it is in the file"
    assert fare.moved < STILL, "it stands"
    assert fare.pulled > MOVED, "it can be pulled"
    assert np.isfinite(fare.energy)
    assert SAID.get(name, "") in "; ".join(fare.scene.notes)


@pytest.mark.parametrize("name", ["spot.obj", "lilium.obj"])
def test_shared_meshes_open_stand_and_can_be_pulled(real_mesh, name):
    check(Fare(real_mesh(name)), name)


def test_two_bodies_of_our_own_open_stand_and_can_be_pulled(tmp_path):
    check(Fare(write_made("two-bodies.off", tmp_path)), "two-bodies.off")


@pytest.mark.slow
@pytest.mark.parametrize("name", SHARED)
def test_every_shared_mesh_opens_stands_and_can_be_pulled(real_mesh, name):
    check(Fare(real_mesh(name)), name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*MADE, "textured.glb"])
def test_every_mesh_of_our_own_opens_stands_and_can_be_pulled(tmp_path, name):
    check(Fare(write_made(name, tmp_path)), name)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_mesh_is_refused_with_a_sentence(tmp_path, name):
    content, sentence = REFUSED[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(PliantError) as refusal:
        Fare(tmp_path / name)
    assert sentence in str(refusal.value)
