"""States that are damaged, or of another world: refused whole, and the world goes on as if nothing had been said."""

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ArgumentError
from pliant.systems.world.keeping import ROW


@pytest.fixture(scope="module")
def world():
    """A box on the ground and one on it."""
    made = pl.World(0.01, sleeping=True)
    made.ground(friction=0.6)
    box = pl.Rigid(pl.shapes.bar((0.4, 0.4, 0.4), (2, 2, 2)), 1000.0)
    for height in (0.2, 0.6):
        made.add(box, (0.0, height, 0.0))
    made.step(5)
    return made


def kept(world, name, row, value):
    """Contacts of its state, of which one number is another."""
    contacts = world._record.contacts
    sizes = [getattr(contacts, each)[:1].size for each in ROW]
    numbers = np.array(world.state()["kept_contacts"])
    count = len(numbers) // sum(sizes)
    numbers[count * sum(sizes[: ROW.index(name)]) + row] = value
    return numbers


def spoilt(state, name, place, value):
    array = np.array(state[name], dtype=np.float64)
    array.flat[place] = value
    return {**state, name: array}


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("Q", 1e300, "Q must be below"),
        ("Q", 0.5, "unit quaternions"),
        ("t", 1e60, "t must be below"),
        ("v", np.nan, "v must be finite"),
        ("island", 7, "whole numbers from 0 to 1; 7 is not"),
        ("island", 0.5, "whole numbers"),
        ("warm_impulses", np.inf, "warm_impulses must be finite"),
        ("kept", np.nan, "kept must be finite"),
        ("still", np.nan, "still must be finite"),
    ],
)
def test_wild_numbers_are_refused_and_nothing_is_taken(world, name, value, said):
    before = world.state()
    with pytest.raises(ArgumentError, match=said):
        world.restore(spoilt(before, name, 0, value))
    assert world.state() == before


@pytest.mark.parametrize("name", ["body", "sample", "triangle"])
@pytest.mark.parametrize("value", [2**62, -(2**40), 0.5])
def test_contacts_of_what_does_not_exist_are_refused(world, name, value):
    before = world.state()
    assert len(before["kept_contacts"]), "the boxes touch"
    rows = range(2 if name == "body" else len(world.contacts()) if name == "triangle" else 1)
    refused = 0
    for row in rows:
        try:
            world.restore({**before, "kept_contacts": kept(world, name, row, value)})
        except ArgumentError as reason:
            assert "kept_contacts must be whole numbers" in str(reason)
            refused += 1
    assert refused
    assert world.state() == before


def test_arrays_that_do_not_fit_are_refused(world):
    before = world.state()
    for name in ("kept", "kept_contacts", "warm_impulses", "island", "spin"):
        with pytest.raises(ArgumentError):
            world.restore({**before, name: before[name].ravel()[:-1]})
    assert world.state() == before


@pytest.mark.parametrize("name", ["kept_contacts", "still", "island", "warm_impulses", "Q"])
def test_states_that_lack_something_are_refused(world, name):
    before = world.state()
    with pytest.raises(ArgumentError):
        world.restore({key: array for key, array in before.items() if key != name})
    assert world.state() == before
