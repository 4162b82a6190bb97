"""Damping brakes rates of strain and nothing else, whatever the material."""

import numpy as np
import pytest

import pliant as pl
from pliant.fem.viscosity import viscosity

MATERIALS = [pl.StVK(1e5, 0.3), pl.NeoHookean(1e5, 0.3), pl.Corotational(1e5, 0.3)]
ROUNDING = 1e-12


def solid(material, **options):
    return pl.Solid(pl.shapes.bar((1, 0.3, 0.2), (4, 2, 1)), material, **options)


def matrix(body, u):
    return body.pattern.matrix(viscosity(body, u))


def deformed(body):
    return 0.05 * np.random.default_rng(0).standard_normal(body.dof_count)


@pytest.mark.parametrize("material", [*MATERIALS, pl.Linear(1e5, 0.3)], ids=lambda m: type(m).__name__)
def test_viscosity_at_rest_is_the_stiffness(material):
    body = solid(material)
    K = body.stiffness().toarray()
    V = matrix(body, np.zeros(body.dof_count)).toarray()
    assert np.abs(V - K).max() < ROUNDING * np.abs(K).max()


@pytest.mark.parametrize("material", MATERIALS, ids=lambda m: type(m).__name__)
def test_rigid_motion_of_a_deformed_body_is_not_braked_and_nothing_feeds_energy(material):
    body = solid(material)
    u = deformed(body)
    x, V = body.mesh.vertices + u.reshape(-1, 3), matrix(body, u)
    v = (np.array([0.3, -0.2, 0.1]) + np.cross([1.0, 2.0, -3.0], x)).ravel()
    assert np.abs(V @ v).max() < ROUNDING * V.diagonal().max() * np.abs(v).max()
    values = np.linalg.eigvalsh(V.toarray())
    assert values[0] > -ROUNDING * values[-1]


@pytest.mark.parametrize("material", MATERIALS, ids=lambda m: type(m).__name__)
def test_damping_forces_have_neither_sum_nor_moment(material):
    """So they change neither momentum: any motion of a free body keeps P and L with damping on."""
    body = solid(material)
    u = deformed(body)
    x, v = body.mesh.vertices + u.reshape(-1, 3), np.random.default_rng(1).standard_normal(body.dof_count)
    f = (matrix(body, u) @ v).reshape(-1, 3)
    assert np.abs(f.sum(axis=0)).max() < ROUNDING * np.abs(f).sum()
    assert np.abs(np.cross(x, f).sum(axis=0)).max() < ROUNDING * np.abs(f).sum()
