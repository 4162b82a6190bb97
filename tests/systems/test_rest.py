"""Bodies at rest stay there, and bodies that ring down arrive: rounding is no divergence."""

import numpy as np
import pytest

import pliant as pl
from pliant.errors import Diverged
from pliant.fem import MATERIALS
from pliant.systems import arrival
from pliant.systems.clamped import clamped
from pliant.systems.seams import nonlinear
from pliant.systems.seams.nonlinear import couple_nonlinear

LENGTH = 0.1
STILL = {
    np.float64: 1e-14,
    np.float32: 1e-6,
}  # displacement over the body's length: its rounding, amplified by K's range
PRECISIONS = pytest.mark.parametrize("dtype", [np.float64, np.float32])
EACH_MATERIAL = pytest.mark.parametrize("material", ["stvk", "firm-stvk", "neo-hookean", "corotational", "linear"])


def bar(material):
    mesh = pl.shapes.bar((LENGTH, 0.02, 0.02), (10, 2, 2), kind="hex")
    return pl.Solid(mesh, MATERIALS[material](5e5, 0.45, 1100), fixed="x < 1e-9")


@pytest.fixture(scope="module")
def models():
    """One reduced bar of each material that was asked for."""
    known = {}

    def of(material):
        if material not in known:
            solid = bar(material)
            known[material] = pl.reduce(solid, pl.modal_basis(solid, modes=8, size=20))
        return known[material]

    return of


def largest(system):
    return np.abs(system.vertices() - system.mesh.vertices).max() / LENGTH


@EACH_MATERIAL
@PRECISIONS
def test_reduced_body_at_rest_stays_there(models, material, dtype):
    system = pl.Clamped(models(material), 5e-3, damping=(0, 0.02), gravity=None, newton=5, dtype=dtype)
    system.step(300)
    assert largest(system) < STILL[dtype]


@EACH_MATERIAL
@PRECISIONS
def test_reduced_body_rings_down_to_rest(models, material, dtype):
    system = pl.Clamped(models(material), 5e-3, damping=(0, 0.02), gravity=None, newton=5, dtype=dtype)
    system.push(system.mesh.select("x > 0.0999"), (0, -1e-3, 0))
    system.step(20)
    assert largest(system) > 1e-3
    system.release()
    system.step(600)
    assert largest(system) < STILL[dtype]


@pytest.mark.filterwarnings("ignore:dt =")  # five milliseconds are many periods of a cube so stiff
@pytest.mark.parametrize("material", ["neo-hookean", "corotational"])
def test_stiff_damped_cube_comes_to_rest_in_few_iterations(material):
    """Damping makes A nine times K: corrections of rounding shrink ninefold in every iteration."""
    mesh = pl.shapes.bar((LENGTH, LENGTH, LENGTH), (4, 4, 4), kind="hex")
    solid = pl.Solid(mesh, MATERIALS[material](1e9, 0.45, 1100), fixed="x < 1e-9")
    model = pl.reduce(solid, pl.modal_basis(solid, modes=1, size=1), samples=40)
    system = pl.Clamped(model, 5e-3, damping=(0, 0.02), gravity=None, newton=3)
    system.push(mesh.select("x > 0.0999"), (0, -1.0, 0))
    system.step(5)
    system.release()
    system.step(500)
    assert largest(system) < STILL[np.float64]


@EACH_MATERIAL
@PRECISIONS
def test_equilibrium_without_a_load_is_rest(models, material, dtype):
    system = pl.Clamped(models(material), 5e-3, gravity=None, integrator="static", dtype=dtype)
    system.step()
    system.push(system.mesh.select("x > 0.0999"), (0, -1e-3, 0))
    system.step()
    assert largest(system) > 1e-3
    system.release()
    system.step()
    assert largest(system) < STILL[dtype]


@EACH_MATERIAL
def test_full_body_rings_down_to_rest(material):
    system = pl.Full(bar(material), 5e-3, damping=(0, 0.05), gravity=None, newton=5)
    system.step(5)
    assert largest(system) < STILL[np.float64]
    system.push(system.mesh.select("x > 0.0999"), (0, -1e-3, 0))
    system.step(5)
    system.release()
    system.step(150)
    assert largest(system) < 1e-9


def test_nonlinear_seams_ring_down_to_rest():
    solid = bar("stvk")
    labels = (solid.mesh.centroids[:, 0] > LENGTH / 2).astype(int)
    options = {"dt": 5e-3, "damping": (0, 0.02), "gravity": None, "newton": 5}
    system = couple_nonlinear(solid, labels, 1, 3, modes=4, **options)
    system.step(100)
    assert largest(system) < STILL[np.float64]
    system.push(system.mesh.select("x > 0.0999"), (0, -1e-3, 0))
    system.step(20)
    system.release()
    system.step(600)
    assert largest(system) < STILL[np.float64]


def test_step_that_has_not_arrived_still_diverges(models):
    """A stall is accepted at the size of rounding alone."""
    system = pl.Clamped(models("neo-hookean"), 5e-3, gravity=None, newton=2)
    system.push(system.mesh.select("x > 0.0999"), (0, -1e9, 0))
    with pytest.raises(Diverged):
        system.step(50)


def test_bodies_are_measured_alike():
    assert clamped.FAR == nonlinear.FAR == arrival.FAR
