"""Cubic nonlinear parts that are crushed are refused; cells inside out are told of; firm solids bear it."""

import warnings

import numpy as np
import pytest

import pliant as pl
from pliant.errors import Diverged, PliantWarning
from pliant.systems.inversion import TOO_MANY
from pliant.systems.seams.inside_out import share_inside_out

EVERY = 1e-12  # of the volume, which the cells of so coarse a bar share alike: all of them are looked at


def bar(material=pl.StVK):
    mesh = pl.shapes.bar((1, 0.2, 0.2), (8, 1, 1))
    return pl.Solid(mesh, material(1e5, 0.35, 1000), fixed="x < 1e-9")


def halves(solid, **options):
    labels = (solid.mesh.centroids[:, 0] > 0.5).astype(int)
    given = {"dt": 0.01, "damping": (0.1, 1e-3), "gravity": None, **options}
    return pl.couple(solid, labels, soft=4, derivatives=10, **given)


def stepped_twice(system):
    system.step()
    system.step(3)


def inverted(system):
    return pl.inverted_share(system.solid, (system.vertices() - system.mesh.vertices).ravel())


def pushed(system, force):
    """On the tip, by this share of E A all in all."""
    tip = system.mesh.select("x > 0.999")
    system.push(tip, 1e5 * 0.2**2 * np.array(force) / len(tip))
    return system


def test_share_is_that_of_the_volume_at_any_state():
    system, random, found = halves(bar(), force="cubic"), np.random.default_rng(0), []
    for scale in (0.01, 0.2, 1.0):
        system.q = system.coordinates_of(scale * random.standard_normal(system.mesh.vertices.shape))
        found.append(share_inside_out(system._forces, system._ledger.cells, system.q))
        assert found[-1] == pytest.approx(inverted(system), abs=EVERY)
        assert system._ledger.cells.parts.sum() == pytest.approx(found[-1], abs=EVERY)
    assert found[0] == 0 < found[1] < found[2]


@pytest.mark.parametrize("newton", [1, 10])
def test_crushed_parts_are_refused_at_a_sound_state(newton):
    system = pushed(halves(bar(), force="cubic", newton=newton), (-0.5, 0, 0))
    with pytest.raises(
        Diverged, match=r"turned more than 10% of the volume inside out, most of it in part .; p"
    ) as info:
        system.step(100)
    assert info.value.time == system.time
    assert info.value.part in system.parts.domains.names
    assert "FirmStVK" in str(info.value)
    assert inverted(system) <= TOO_MANY


def test_a_few_cells_inside_out_are_told_of_once():
    system = halves(bar(), force="cubic", dt=1e-4)
    shape, scale = np.random.default_rng(1).standard_normal(system.mesh.vertices.shape), 0.05
    while not inverted(system):
        scale *= 1.05
        system.q = system.coordinates_of(scale * shape)
    assert 0 < inverted(system) < TOO_MANY
    with pytest.warns(PliantWarning, match="some cells are inside out; pull less hard") as told:
        stepped_twice(system)
    assert len(told) == 1


def test_bent_parts_and_firm_ones_are_let_be():
    with warnings.catch_warnings():
        warnings.simplefilter("error", PliantWarning)
        pushed(halves(bar(), force="cubic"), (0, 2e-3, 0)).step(100)
        firm = pushed(halves(bar(pl.FirmStVK)), (-0.5, 0, 0))
        firm.step(100)
    assert len(firm._ledger.cells.parts) == 0
