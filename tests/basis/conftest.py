"""Solids that the tests of bases share: the spoon of the maths sheet, a clamped bar, a free one."""

import numpy as np
import pytest

from pliant.basis import vibration_modes
from pliant.fem import Solid, StVK
from pliant.mesh import shapes

RUBBER = StVK(young=1e6, poisson=0.3, density=1000)


@pytest.fixture(scope="session")
def spoon():
    mesh = shapes.spoon()
    return Solid(mesh, StVK(young=2e8, poisson=0.3, density=1000), fixed=np.flatnonzero(mesh.vertices[:, 0] < 1e-9))


@pytest.fixture(scope="session")
def spoon_modes(spoon):
    return vibration_modes(spoon, 6)


@pytest.fixture(scope="session")
def clamped():
    """A bar of unequal sides, so that no eigenvalue is repeated."""
    mesh = shapes.bar((2, 0.3, 0.2), (8, 2, 2))
    return Solid(mesh, RUBBER, fixed=np.flatnonzero(mesh.vertices[:, 0] < 1e-9))


@pytest.fixture(scope="session")
def free():
    return Solid(shapes.bar((2, 0.3, 0.2), (8, 2, 2)), RUBBER)


@pytest.fixture(scope="session", params=["clamped", "free"])
def either(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="session")
def mass_cosine():
    """A function (solid, a, b) -> |cosine| of two displacements in the mass metric."""

    def cosine(solid, a, b):
        M = solid.mass
        return abs(a @ (M @ b)) / np.sqrt((a @ (M @ a)) * (b @ (M @ b)))

    return cosine
