"""Polynomial forces against the projected force of the full mesh, which they must equal."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from projected import projected

from pliant.basis import Basis
from pliant.errors import ArgumentError, BasisError, MaterialError
from pliant.fem import NeoHookean, Solid, StVK
from pliant.mesh import Mesh, shapes
from pliant.reduced import reduce
from pliant.reduced.cubic import cubic_force
from pliant.reduced.groups import groups_of

ROUNDING = 1e-12  # maths sheet section 12


def assert_same(model, oracle, q):
    assert model.energy(q) == pytest.approx(oracle.energy(q), rel=ROUNDING)
    f, K = oracle.force(q), oracle.stiffness(q)
    assert np.abs(model.force(q) - f).max() <= ROUNDING * np.abs(f).max()
    assert np.abs(model.stiffness(q) - K).max() <= ROUNDING * np.abs(K).max()


@settings(max_examples=30)
@given(
    kind=st.sampled_from(["tet", "brick", "hex"]),
    cells=st.tuples(*[st.integers(1, 3)] * 3),
    r=st.integers(1, 17),
    poisson=st.floats(-0.5, 0.49),
    kinds=st.sampled_from([1, 2, 100]),
    seed=st.integers(0, 2**32 - 1),
)
def test_cubic_force_equals_projected_force(random_basis, kind, cells, r, poisson, kinds, seed):
    random = np.random.default_rng(seed)
    mesh = shapes.box((1.0, 0.7, 0.5), cells, kind="tet" if kind == "tet" else "hex")
    if kind != "brick":
        edge = min(1.0 / cells[0], 0.7 / cells[1], 0.5 / cells[2])
        mesh = Mesh(mesh.vertices + 0.1 * edge * random.uniform(-1, 1, mesh.vertices.shape), mesh.cells)
    label = random.integers(0, kinds, mesh.cell_count)
    solid = Solid(mesh, StVK(1e5 * (1 + label), poisson / (1 + 0.1 * label), 1000))
    basis = random_basis(solid, min(r, solid.dof_count), seed)
    q = random.uniform(-0.1, 0.1, basis.size)
    assert_same(reduce(solid, basis), projected(solid, basis), q)


def test_cubic_force_turns_with_the_body(bar, bar_basis, bar_model):
    # An energy that knows only strains does not see a rotation: put rotated rest positions into the basis.
    X = bar.mesh.vertices
    turns = [np.cross(axis, X).ravel() for axis in np.eye(3)] + [
        np.cross(a, np.cross(b, X)).ravel() for a, b in zip(np.eye(3), np.eye(3))
    ]
    free = Solid(bar.mesh, bar.material)
    model = reduce(free, Basis(np.stack(turns, axis=1)))
    angle = 0.7
    q = np.array([0, 0, np.sin(angle), 0, 0, 1 - np.cos(angle)])
    scale = np.abs(model.stiffness()).max()
    assert abs(model.energy(q)) < ROUNDING * scale
    assert np.abs(model.force(q)).max() < ROUNDING * scale


def test_stiffness_derivative_is_exact(bar_model):
    q, v = np.linspace(-0.1, 0.2, 8), np.linspace(0.3, -0.1, 8)
    # K is quadratic along a line, so three of its values give the slope at the first.
    K = [bar_model.stiffness(q + s * v) for s in (0, 1, 2)]
    slope = (-3 * K[0] + 4 * K[1] - K[2]) / 2
    assert np.abs(bar_model.stiffness_derivative(q, v) - slope).max() < ROUNDING * np.abs(K[0]).max()


def test_cubic_truncation_equals_a_smaller_basis(bar, bar_basis, bar_model):
    small = reduce(bar, bar_basis.truncate(5))
    q = np.linspace(-0.1, 0.1, 5)
    cut = bar_model.truncate(5)
    assert_same(cut, small, q)
    assert np.allclose(cut.mass, small.mass, rtol=1e-12, atol=1e-14)
    assert np.allclose(cut.inertia.W7, small.inertia.W7)


def test_material_changes_without_precomputation(bar, bar_basis, bar_model):
    m = bar.mesh.cell_count
    groups = bar_model.groups
    assert groups.count == 2
    young, poisson, density = groups.young * [3.0, 0.5], np.array([0.1, 0.4]), groups.density * [2.0, 1.0]
    per_cell = [values[groups.labels] for values in (young, poisson, density)]
    rebuilt = reduce(Solid(bar.mesh, StVK(*per_cell), bar.fixed), bar_basis)
    changed = bar_model.with_material(young, poisson, density)
    assert_same(changed, rebuilt, np.linspace(-0.1, 0.1, 8))
    assert np.allclose(changed.mass, rebuilt.mass, rtol=1e-12)
    assert len(per_cell[0]) == m
    one = bar_model.with_material(young=7e6, group=1)
    assert one.groups.young[1] == 7e6
    assert one.groups.young[0] == groups.young[0]


def test_material_out_of_range_is_refused(bar_model):
    with pytest.raises(MaterialError):
        bar_model.with_material(poisson=0.5)
    with pytest.raises(ArgumentError):
        bar_model.with_material(young=1e6, group=2)


def test_cubic_refuses_other_materials(bar, bar_basis):
    solid = Solid(bar.mesh, NeoHookean(1e6, 0.3), bar.fixed)
    with pytest.raises(ArgumentError, match="cubature"):
        reduce(solid, bar_basis, force="cubic")


def test_residual_is_zero_at_rest_and_sees_a_bad_state(bar_model):
    assert bar_model.residual(np.zeros(8)) == 0
    assert 0 < bar_model.residual(0.3 * np.ones(8)) <= 1


def test_too_many_vectors_are_refused_before_memory_runs_out():
    mesh = shapes.bar((1, 0.2, 0.2), (4, 2, 2))
    solid = Solid(mesh, StVK(1e6, 0.3, 1000), fixed=mesh.select("x < 1e-9"))
    with pytest.raises(BasisError, match="at most 150 basis vectors.*cubature"):
        cubic_force(solid, np.zeros((solid.dof_count, 151)), groups_of(solid))
