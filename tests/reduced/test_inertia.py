"""Inertia integrals against sums over the mesh."""

import numpy as np

ROUNDING = 1e-12


def test_inertia_integrals_equal_sums_with_the_consistent_mass(bar, bar_basis, bar_model):
    M, U, n = bar.mass, bar_basis.vectors, bar.mesh.vertex_count
    Ms = M[::3, ::3].toarray()
    X, S = bar.mesh.vertices, U.reshape(n, 3, -1)
    inertia = bar_model.inertia
    assert np.isclose(inertia.mass, Ms.sum(), rtol=ROUNDING)
    assert np.allclose(inertia.first_moment, Ms.sum(axis=0) @ X, rtol=ROUNDING)
    assert np.allclose(inertia.second_moment, X.T @ Ms @ X, rtol=1e-10, atol=1e-12)
    assert np.allclose(inertia.N, np.einsum("i,iar->ar", Ms.sum(axis=0), S))
    assert np.allclose(inertia.W5, np.einsum("ial,ij,jb->lab", S, Ms, X, optimize=True))
    assert np.allclose(inertia.W7, np.einsum("ial,ij,jbp->lpab", S, Ms, S, optimize=True))
    assert np.allclose(inertia.reduced_mass, U.T @ (M @ U), rtol=1e-11, atol=1e-13)


def test_inertia_tensors_of_a_deformed_body(bar, bar_basis, bar_model):
    Ms = bar.mass[::3, ::3].toarray()
    q, v = np.linspace(-0.2, 0.2, 8), np.linspace(0.5, -1, 8)
    U = bar_basis.vectors
    p, pdot = bar.mesh.vertices + (U @ q).reshape(-1, 3), (U @ v).reshape(-1, 3)
    z, inertia = np.concatenate([[1.0], q]), bar_model.inertia
    second = p.T @ Ms @ p
    assert np.allclose(np.einsum("k,l,klab->ab", z, z, inertia.J), np.trace(second) * np.eye(3) - second, rtol=1e-11)
    angular = np.cross(p, Ms @ pdot).sum(axis=0)
    assert np.allclose(inertia.momentum(q, v)[1], angular, rtol=1e-10, atol=1e-10)
    assert np.allclose(inertia.momentum(q, v)[0], (Ms @ pdot).sum(axis=0), rtol=1e-10, atol=1e-10)
    assert np.allclose(inertia.H, -inertia.H.swapaxes(0, 1), atol=1e-12)
