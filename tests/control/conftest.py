"""A slender bar, its reduced models, and three actuators on it."""

import numpy as np
import pytest

from pliant.basis import modal_basis
from pliant.fem import Solid, StVK
from pliant.mesh import shapes
from pliant.reduced import reduce


@pytest.fixture(scope="package")
def solid():
    mesh = shapes.bar((2, 0.2, 0.1), (10, 2, 1))
    return Solid(mesh, StVK(young=1.4e6, poisson=0.3, density=1000), fixed="x < 1e-9")


@pytest.fixture(scope="package")
def models(solid):
    """By the kind of force, r = 6."""
    basis = modal_basis(solid, modes=3, size=6)
    return {kind: reduce(solid, basis, force=kind) for kind in ("cubic", "linear", "cubature")}


@pytest.fixture(scope="package")
def actuators(solid, models):
    """B (6, 3): two pulls at the tip and one in the middle, of a few newtons a vertex."""
    pulls = np.zeros((3, solid.mesh.vertex_count, 3))
    tip, middle = solid.mesh.select("x > 1.999"), solid.mesh.select("abs(x - 1) < 0.001")
    pulls[0, tip, 2], pulls[1, tip, 1], pulls[2, middle, 2] = 3, 6, -8
    return models["cubic"].U.T @ pulls.reshape(3, -1).T
