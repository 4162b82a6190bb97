"""`pl.assemble`: the way that fits the graph, with its reason; within a few per cent of the unreduced solid."""

from types import SimpleNamespace

import numpy as np
import pytest
from released import pulled_and_released

import pliant as pl
from pliant.basis import SizeReport
from pliant.errors import ArgumentError
from pliant.mesh import domains_of
from pliant.systems.assembling import MANY, _one_is_better, chosen_way

CLOSE = 0.05  # largest tip error over largest tip displacement, pulled and released
MATERIAL = pl.StVK(1e6, 0.3, 1000)


def bar(fixed="x < 1e-9"):
    return pl.Solid(pl.shapes.bar((1, 0.1, 0.1), (20, 2, 2)), MATERIAL, fixed=fixed)


def ring():
    return pl.Solid(pl.shapes.torus(0.5, 0.1, (3, 24)), MATERIAL, fixed="x < -0.5")


def track(system, patch, force, steps=30):
    return pulled_and_released(system, patch, np.tile(np.array(force) / len(patch), (len(patch), 1)), steps)


CASES = {
    "bar": (bar, 3, (1.0, 0.05, 0.05), (0.0, 5.0, 0.0), 0),
    "ring": (ring, 6, (0.6, 0.0, 0.0), (0.0, 30.0, 0.0), 1),
    "bridge": (lambda: bar("x < 1e-9 or x > 0.999999"), 3, (0.5, 0.1, 0.05), (0.0, -80.0, 0.0), 0),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name == "ring" else []) for name in CASES]
)
def test_an_assembled_solid_moves_as_the_full_one(name):
    make, parts, place, force, loops = CASES[name]
    solid = make()
    tip = np.flatnonzero(np.linalg.norm(solid.mesh.vertices - place, axis=1) < 0.12)
    labels = pl.split(solid, parts)
    assert domains_of(solid.mesh, labels).loops == loops
    given = {"dt": 0.004, "damping": (0.0, 0.002), "gravity": None}
    truth = track(pl.Full(solid, **given), tip, force)
    system = pl.assemble(solid, labels, **given)
    error = np.linalg.norm(track(system, tip, force) - truth, axis=1).max() / np.linalg.norm(truth, axis=1).max()
    assert np.linalg.norm(truth, axis=1).max() > 0.01
    assert error < CLOSE
    assert system.assembled_by.startswith("nonlinear seams")


def test_the_reason_tells_loops_and_supports():
    bridge = bar("x < 1e-9 or x > 0.999999")
    assert "2 of them held" in chosen_way(bridge, domains_of(bridge.mesh, pl.split(bridge, 3))).reason
    circle = ring()
    assert "6 parts that close 1 loop" in chosen_way(circle, domains_of(circle.mesh, pl.split(circle, 6))).reason


def slabs(solid, count):
    return np.minimum((count * solid.mesh.centroids[:, 0]).astype(int), count - 1)


def test_many_parts_make_a_tree_unless_they_cannot():
    long = pl.shapes.bar((1, 0.01, 0.01), (2 * MANY + 2, 1, 1))
    for fixed, way in (("x < 1e-9", "tree"), (None, "tree"), ("x < 1e-9 or x > 0.999999", "nonlinear seams")):
        solid = pl.Solid(long, MATERIAL, fixed=fixed)
        assert chosen_way(solid, domains_of(long, slabs(solid, MANY + 1))).way == way
        assert chosen_way(solid, domains_of(long, slabs(solid, MANY))).way == "nonlinear seams"


def test_materials_without_cubic_forces_are_joined_otherwise():
    mesh, labels = bar().mesh, slabs(bar(), 2)
    for material, fixed, way in (
        (pl.NeoHookean(1e6, 0.3, 1000), "x < 1e-9", "clamped"),
        (pl.NeoHookean(1e6, 0.3, 1000), None, "seams"),
        (pl.FirmStVK(1e6, 0.3, 1000), "x < 1e-9", "nonlinear seams"),
        (pl.Linear(1e6, 0.3, 1000), None, "seams"),
    ):
        assert chosen_way(pl.Solid(mesh, material, fixed=fixed), domains_of(mesh, labels)).way == way


@pytest.mark.filterwarnings("ignore:80 vectors leave")  # a lump that is pinched at its corners
def test_a_lump_is_one_part():
    solid = pl.Solid(pl.shapes.bar((1, 1, 1), (4, 4, 4)), MATERIAL, fixed="y < 1e-9")
    system = pl.assemble(solid, dt=0.001)
    system.step(3)
    assert isinstance(system, pl.Clamped)
    assert "one part" in system.assembled_by


def test_a_held_solid_is_one_part_where_that_is_accurate():
    system = pl.assemble(bar(), dt=0.01, tolerance=0.1)
    assert isinstance(system, pl.Clamped)
    assert system.model.report.error <= 0.1
    assert f"one part, since {system.size} vectors are within" in system.assembled_by
    with pytest.raises(ArgumentError, match="soft is no option of clamped, which was chosen"):
        pl.assemble(bar(), dt=0.01, tolerance=0.1, soft=8)


@pytest.mark.parametrize(
    ("parts", "sudden", "one"), [(0.58, 0.0, True), (0.05, 0.0, False), (0.01, 0.0, False), (0.05, 0.4, True)]
)
def test_one_part_is_taken_where_parts_err_by_more(parts, sudden, one):
    whole = SizeReport(200, 0.02, np.array([200]), np.array([[0.059]]), sudden=0.295)  # of a chair; 0.1475 reached
    made = SimpleNamespace(report=SizeReport(487, 0.02, np.array([487]), np.array([[parts]]), sudden=sudden))
    choice = _one_is_better(whole, made, 16)
    assert (choice is not None) == one
    if one:
        assert choice.reason.startswith("clamped, one part, since 200 vectors are within 15 %, and 16 parts within")
    assert _one_is_better(None, made, 16) is None


def test_the_way_and_its_options_can_be_given():
    system = pl.assemble(bar(), 3, dt=0.01, by="tree", size=24)
    assert isinstance(system, pl.Tree)
    assert system.size == 24
    assert system.assembled_by == "tree, as asked for"
    with pytest.raises(ArgumentError, match="sise is no option of nonlinear seams, which was chosen; it has soft"):
        pl.assemble(bar(), 3, dt=0.01, sise=24)
    with pytest.raises(ArgumentError, match="by must be one of clamped, tree, seams, nonlinear seams"):
        pl.assemble(bar(), 3, dt=0.01, by="glue")
