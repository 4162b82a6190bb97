"""Whatever a hand does to a bar, it stays sound and comes back, as every kind of system, held and free."""

from itertools import islice

import pytest
from kinds import AND_BODIES, bar, system, thirds, tip
from pulling import MANNERS, broken, movable_vertices, pulled, untouched

import pliant as pl
from pliant.app.holding import Grip
from pliant.errors import ArgumentError

DT = 5e-3
HELD, FREE = (1.0, 2e-2), (1.0, 2e-3)  # damping: about a tenth of the critical one, at om = 5 and 38 rad/s
ONE_PART = {  # force, and how it is stepped
    "linear": ("linear", {}),
    "converged": ("cubic", {"newton": 10}),
    "explicit": ("cubic", {"integrator": "explicit", "dt": DT / 50}),
    "single": ("cubic", {"dtype": "float32"}),
}
QUICK = [*(each for each in AND_BODIES if each[0] != "full"), *((kind, False) for kind in ONE_PART)]
KINDS = [*AND_BODIES, *((kind, False) for kind in ONE_PART)]
REFUSED = {
    "exact": lambda: one_part("linear", integrator="exact"),
    "L1": lambda: pl.substructure(bar(), thirds(bar()), size=18, inertia="L1", dt=DT, damping=HELD),
    "L2": lambda: pl.substructure(bar(), thirds(bar()), size=18, inertia="L2", dt=DT, damping=HELD),
}
VERTICES = 40  # in the slow part
STEADY = 5e-3  # of the energy, in 1.5 s


def made(kind, free):
    if kind in ONE_PART:
        force, settings = ONE_PART[kind]
        return one_part(force, **settings)
    return system(kind, free, DT, FREE if free else HELD)


def one_part(force, dt=DT, **settings):
    model = pl.reduce(bar(), pl.modal_basis(bar(), 3, 6), force=force)
    return pl.Clamped(model, dt, HELD, None, **settings)


def check(kind, free, manner, count):
    body = made(kind, free)
    start, calm = body.state(), untouched(body)
    for seed, vertex in enumerate(islice(movable_vertices(body), count)):
        body.restore(start)
        happened = pulled(body, manner, vertex, seed, calm)
        assert not broken(body, happened, calm), f"{kind}, {manner} at vertex {vertex}: {happened}"


@pytest.mark.parametrize(("kind", "free"), QUICK)
def test_a_hand_breaks_no_kind(kind, free):
    check(kind, free, "jerked", 1)


@pytest.mark.slow
@pytest.mark.parametrize("manner", MANNERS)
@pytest.mark.parametrize(("kind", "free"), KINDS)
def test_no_hand_breaks_any_kind(kind, free, manner):
    check(kind, free, manner, VERTICES)


@pytest.mark.parametrize("kind", REFUSED)
def test_kinds_that_cannot_be_held_say_so(kind):
    body = REFUSED[kind]()
    with pytest.raises(ArgumentError, match="use integrator='implicit'|needs a tree with full inertia"):
        Grip(body, tip(bar()), body.vertices()[tip(bar())])
    assert body.holds == ()
    body.step()


def test_damping_leaves_the_spin_of_nonlinear_seams_to_a_hand_that_stands_still():
    """A hand that stands still does no work, and what spins steadily about it is not deformed: nothing is lost."""
    body = system("seams-nonlinear", True, DT, (0.0, 2e-3))
    body.launch(spin=(25.0, 0.0, 0.0))
    body.hold(26, body.vertices()[26])
    body.step(round(2 / DT))
    before = body.energy()
    body.step(round(1.5 / DT))
    assert body.energy() == pytest.approx(before, rel=STEADY)
