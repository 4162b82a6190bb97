"""Rigid parts: the inertia of simple solids, and the attributes of a reduced model."""

import numpy as np
import pytest

import pliant as pl
from pliant.basis import Basis
from pliant.errors import ArgumentError, MaterialError
from pliant.fem import Solid, StVK
from pliant.mesh import shapes
from pliant.reduced import reduce
from pliant.reduced.rigid import Rigid

SIZE, DENSITY = np.array([1.0, 0.4, 0.2]), 700.0
EXACT = 1e-12


@pytest.mark.parametrize("kind", ["tet", "hex"])
def test_inertia_of_a_box(kind):
    """m = rho a b c,   int rho X_i^2 = m (L_i^2 / 12 + c_i^2)."""
    mesh = shapes.bar(SIZE, (3, 2, 2), kind=kind)
    box = Rigid(mesh, DENSITY)
    m, c = DENSITY * SIZE.prod(), mesh.bounds.mean(axis=0)
    assert box.inertia.mass == pytest.approx(m, rel=EXACT)
    np.testing.assert_allclose(box.inertia.first_moment, m * c, rtol=EXACT, atol=EXACT * m)
    expected = m * (np.diag(SIZE**2 / 12) + np.outer(c, c))
    np.testing.assert_allclose(box.inertia.second_moment, expected, rtol=0, atol=EXACT * m)


def test_density_may_differ_from_cell_to_cell():
    mesh = shapes.bar(SIZE, (20, 1, 1))
    density = DENSITY * (1 + np.arange(mesh.cell_count))  # more kinds than a model has groups
    box = Rigid(mesh, density)
    assert box.inertia.mass == pytest.approx(mesh.volumes @ density, rel=EXACT)
    np.testing.assert_allclose(box.inertia.first_moment, (mesh.volumes * density) @ mesh.centroids, atol=1e-9)


def test_rigid_has_what_a_reduced_model_has():
    mesh = shapes.bar(SIZE, (3, 1, 1))
    rigid = Rigid(mesh, DENSITY)
    solid = Solid(mesh, StVK(1e6, 0.3, DENSITY))
    model = reduce(solid, Basis(np.random.default_rng(0).standard_normal((solid.dof_count, 2))), "linear")
    for name in ("X", "cells", "fixed", "mesh"):
        assert type(getattr(rigid, name)) is type(getattr(model, name))
    np.testing.assert_array_equal(rigid.X, model.X)
    assert rigid.U.shape == (solid.dof_count, 0)
    assert rigid.mass.shape == (0, 0)
    assert rigid.size == rigid.inertia.size == 0
    np.testing.assert_allclose(rigid.inertia.gram, model.inertia.gram[:4, :4], rtol=1e-12)


def test_rigid_is_public_and_frozen():
    box = pl.Rigid(shapes.bar(SIZE, (1, 1, 1)), DENSITY)
    with pytest.raises(AttributeError):
        box.density = 1.0
    assert not box.inertia.gram.flags.writeable


def test_bad_input_is_refused():
    with pytest.raises(ArgumentError, match="must be a pliant Mesh"):
        Rigid("box", DENSITY)
    with pytest.raises(MaterialError, match="density"):
        Rigid(shapes.bar(SIZE, (1, 1, 1)), -1.0)
