"""Solids and models that the tests of reduced models share."""

import numpy as np
import pytest

from pliant.basis import Basis, modal_basis
from pliant.fem import Solid, StVK
from pliant.mesh import shapes
from pliant.reduced import reduce

RUBBER = StVK(young=1e6, poisson=0.3, density=1000)


@pytest.fixture(scope="session")
def spoon():
    mesh = shapes.spoon()
    return Solid(mesh, StVK(young=2e8, poisson=0.3, density=1000), fixed=np.flatnonzero(mesh.vertices[:, 0] < 1e-9))


@pytest.fixture(scope="session")
def bar():
    """Two materials, the second half twice as stiff."""
    mesh = shapes.bar((2, 0.3, 0.2), (8, 2, 2))
    stiff = mesh.centroids[:, 0] > 1
    material = StVK(np.where(stiff, 2e6, 1e6), np.where(stiff, 0.2, 0.3), np.where(stiff, 1500.0, 1000.0))
    return Solid(mesh, material, fixed=np.flatnonzero(mesh.vertices[:, 0] < 1e-9))


@pytest.fixture(scope="session")
def bar_basis(bar):
    return modal_basis(bar, modes=4, size=8)


@pytest.fixture(scope="session")
def bar_model(bar, bar_basis):
    return reduce(bar, bar_basis)


@pytest.fixture(scope="session")
def random_basis():
    """A function (solid, size, seed) -> any full-rank basis."""

    def make(solid, size, seed=0):
        U = np.zeros((solid.dof_count, size))
        U[solid.free] = np.random.default_rng(seed).standard_normal((len(solid.free), size))
        return Basis(U)

    return make
