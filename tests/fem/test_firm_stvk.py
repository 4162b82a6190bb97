"""StVK that resists being crushed: what it adds, and what it leaves alone. Its derivatives: see test_materials.py."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pliant as pl
from pliant.errors import MaterialError
from pliant.fem import Solid, material

CUBE = pl.shapes.bar((1, 1, 1), (1, 1, 1))


def squeezed(x, kind=pl.FirmStVK):
    """Force per area that holds a cube squeezed to x along z, sides held: the slope of its energy."""
    solid, h = Solid(CUBE, kind(1e5, 0.3)), 1e-6

    def energy(x):
        return solid.energy((CUBE.vertices * [1, 1, x] - CUBE.vertices).ravel())

    return (energy(x + h) - energy(x - h)) / (2 * h)


@given(seed=st.integers(0, 10**6))
def test_above_the_threshold_it_is_stvk_to_the_last_bit(seed):
    u = 0.02 * np.random.default_rng(seed).standard_normal(CUBE.vertices.size)
    firm, plain = Solid(CUBE, pl.FirmStVK(1e5, 0.3)), Solid(CUBE, pl.StVK(1e5, 0.3))
    assert firm.energy(u) == plain.energy(u)
    assert np.array_equal(firm.force(u), plain.force(u))
    assert np.array_equal(firm.stiffness(u).toarray(), plain.stiffness(u).toarray())


@pytest.mark.parametrize("poisson", [0.0, 0.3, 0.49])
def test_pressure_grows_all_the_way_through_flat(poisson):
    """StVK alone lets go at 1 / sqrt 3, and pushes on below zero."""
    x = np.linspace(0.99, -0.6, 60)
    firm = np.array([squeezed(v, lambda *_: pl.FirmStVK(1e5, poisson)) for v in x])
    plain = np.array([squeezed(v, lambda *_: pl.StVK(1e5, poisson)) for v in x])
    assert (np.diff(firm) < 0).all()
    assert plain[x < 0.5].max() > 0
    assert x[np.argmin(plain)] == pytest.approx(1 / np.sqrt(3), abs=0.03)


def test_crushed_cube_carries_a_pressure_that_stvk_does_not():
    """Free sides: P = E/2 x (1 - x^2) of StVK is 0.19 E at most, and less where a coarse mesh concentrates it."""
    mesh = pl.shapes.bar((1, 1, 1), (2, 2, 2))
    far = mesh.surface[(mesh.vertices[mesh.surface][:, :, 0] > 0.999).all(axis=1)]
    load = np.zeros((mesh.vertex_count, 3))
    np.add.at(load[:, 0], far, -0.25 * 1e5 / far.size)
    share = {}
    for kind in (pl.StVK, pl.FirmStVK):
        solid = Solid(mesh, kind(1e5, 0.3), fixed="x < 1e-9")
        share[kind] = pl.inverted_share(solid, pl.solve_static(solid, load))
    assert share[pl.FirmStVK] == 0
    assert share[pl.StVK] > 0.5


def test_constants_are_checked_and_travel():
    with pytest.raises(MaterialError, match="threshold must be above 0 and below 1; 1.2 was given"):
        pl.FirmStVK(1e5, 0.3, threshold=1.2)
    with pytest.raises(MaterialError, match="firmness must be above 0; -1 was given"):
        pl.FirmStVK(1e5, 0.3, firmness=-1)
    solid = Solid(pl.shapes.bar((1, 0.2, 0.2), (4, 1, 1)), pl.FirmStVK(1e5, 0.3, firmness=0.5), fixed="x < 1e-9")
    model = pl.reduce(solid, pl.modal_basis(solid, modes=2, size=2), samples=20)
    assert model.force_law.kind == "cubature"
    assert model.with_material(firmness=2.0).solid.material.firmness == pytest.approx(2.0)
    assert material.is_implemented(material.principal_response, None) is False


@pytest.mark.parametrize("kind", ["tet", "hex"])
def test_inverted_share_is_the_volume_behind_the_mirror(kind):
    """x -> |x - 3/4| - 3/4 turns the part beyond 3/4 inside out; cells end there."""
    mesh = pl.shapes.bar((1, 0.3, 0.2), (4, 2, 1), kind=kind)
    solid = Solid(mesh, pl.StVK(1e5, 0.3))
    u = np.zeros_like(mesh.vertices)
    u[:, 0] = np.where(mesh.vertices[:, 0] > 0.75, 1.5 - 2 * mesh.vertices[:, 0], 0)
    assert pl.inverted_share(solid, u.ravel()) == pytest.approx(0.25)
    assert pl.inverted_share(solid, np.zeros(solid.dof_count)) == 0
    assert pl.inverted_share(solid, [0 * u.ravel(), u.ravel()]) == pytest.approx(0.25)
