"""Linear reduced forces."""

import numpy as np
import pytest

from pliant.errors import ArgumentError
from pliant.fem import Linear, Solid
from pliant.reduced import reduce

ROUNDING = 1e-11


def test_linear_force_is_the_projected_rest_stiffness(bar, bar_basis):
    U = bar_basis.vectors
    K = U.T @ (bar.stiffness() @ U)
    model = reduce(bar, bar_basis, force="linear")
    q = np.linspace(-1, 2, 8)
    assert np.abs(model.stiffness(q) - K).max() < ROUNDING * np.abs(K).max()
    assert np.allclose(model.force(q), K @ q, rtol=ROUNDING)
    assert model.energy(q) == pytest.approx(0.5 * q @ K @ q, rel=ROUNDING)


def test_linear_material_makes_a_linear_model_whose_constants_change(bar, bar_basis):
    solid = Solid(bar.mesh, Linear(1e6, 0.3), bar.fixed)
    model = reduce(solid, bar_basis)
    assert model.force_law.kind == "linear"
    other = reduce(Solid(bar.mesh, Linear(3e6, 0.1), bar.fixed), bar_basis)
    changed = model.with_material(young=3e6, poisson=0.1)
    assert np.abs(changed.stiffness() - other.stiffness()).max() < ROUNDING * np.abs(other.stiffness()).max()
    assert np.allclose(model.truncate(3).stiffness(), model.stiffness()[:3, :3])


def test_training_options_belong_to_cubature(bar, bar_basis):
    with pytest.raises(ArgumentError, match="cubature"):
        reduce(bar, bar_basis, samples=10)
