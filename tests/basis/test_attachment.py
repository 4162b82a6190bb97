"""Attachment modes: static responses of the interfaces of children, first in the basis of a part."""

import numpy as np
import pytest

from pliant.basis import modal_basis, rigid_modes
from pliant.basis.attachment import attachment_modes, in_order, interface_loads
from pliant.basis.part_basis import part_basis, span_limit
from pliant.errors import ArgumentError
from pliant.fem import Solid, StVK
from pliant.mesh import Mesh

ORTHONORMAL = 1e-10
SPANNED = 1e-8  # relative residual of a projection


@pytest.fixture(scope="module")
def ends(clamped):
    x, _, z = clamped.mesh.vertices.T
    return [np.flatnonzero(x > x.max() - 1e-9), np.flatnonzero((z > z.max() - 1e-9) & (x > 1))]


def outside(solid, U, vectors):
    """Largest relative mass norm of what U does not span of each vector."""
    rest = vectors - U @ (U.T @ (solid.mass @ vectors))
    norms = [np.sqrt(np.einsum("ij,ij->j", a, solid.mass @ a)) for a in (rest, vectors)]
    return (norms[0] / norms[1]).max()


def test_loads_are_unit_forces_and_torques_for_each_vertex(clamped, ends):
    loads = interface_loads(clamped, ends[0]).reshape(-1, 3, 6)
    arms = clamped.mesh.vertices - clamped.mesh.vertices[ends[0]].mean(axis=0)
    np.testing.assert_allclose(loads.sum(axis=0), np.hstack([len(ends[0]) * np.eye(3), np.zeros((3, 3))]), atol=1e-12)
    torques = np.cross(arms[:, None], loads.transpose(0, 2, 1)).sum(axis=0)
    assert np.abs(torques[:3]).max() < 1e-12
    off = torques[3:] - np.diag(np.diag(torques[3:]))
    assert np.abs(off).max() < 1e-12  # a rectangle loaded about its own axes
    assert (np.diag(torques[3:]) > 0).all()


def test_modes_are_static_responses(clamped, ends):
    """K phi is a combination of the loads on the interfaces, and nothing else, off the fixed vertices."""
    Phi = attachment_modes(clamped, ends)
    loads = np.hstack([interface_loads(clamped, ids) for ids in ends])[clamped.free]
    forces = (clamped.stiffness() @ Phi)[clamped.free]
    combination = np.linalg.lstsq(loads, forces, rcond=None)[0]
    np.testing.assert_allclose(loads @ combination, forces, rtol=0, atol=1e-8 * np.abs(forces).max())
    np.testing.assert_allclose(Phi.T @ (clamped.mass @ Phi), np.eye(12), atol=ORTHONORMAL)
    assert not Phi.reshape(-1, 3, 12)[clamped.fixed].any()


def test_responses_of_a_free_solid_hold_no_rigid_motion(clamped, ends):
    free = Solid(clamped.mesh, clamped.material)
    Phi = attachment_modes(free, ends)
    assert np.abs(rigid_modes(free).T @ (free.mass @ Phi)).max() < 1e-8


def test_part_basis_begins_with_the_attachment_modes(clamped, ends):
    basis = part_basis(clamped, 20, interfaces=ends)
    assert basis.size == 20
    np.testing.assert_allclose(basis.vectors.T @ (clamped.mass @ basis.vectors), np.eye(20), atol=ORTHONORMAL)
    assert outside(clamped, basis.vectors[:, :12], attachment_modes(clamped, ends)) < SPANNED
    modal = modal_basis(clamped, 11, 20).vectors
    assert outside(clamped, basis.vectors, modal[:, :1]) < SPANNED  # the most important of the others follow
    smaller = in_order(clamped, np.hstack([basis.vectors[:, :12], modal]), 16)
    assert outside(clamped, basis.vectors, smaller) < SPANNED


def test_more_interfaces_than_vectors_are_thinned(clamped, ends):
    few = part_basis(clamped, 5, interfaces=ends).vectors
    all_of_them = attachment_modes(clamped, ends)
    assert few.shape[1] == 5
    assert outside(clamped, all_of_them, few) < SPANNED


def test_held_interfaces_have_no_modes(clamped, ends):
    both = attachment_modes(clamped, [clamped.fixed, ends[0]])
    assert both.shape[1] == 6
    assert outside(clamped, both, attachment_modes(clamped, ends[:1])) < SPANNED


def test_part_basis_without_interfaces_is_the_modal_basis(clamped):
    np.testing.assert_array_equal(part_basis(clamped, 12).vectors, modal_basis(clamped, 7, 12).vectors)
    np.testing.assert_array_equal(part_basis(clamped, 12, modes=9).vectors, modal_basis(clamped, 9, 12).vectors)


def test_basis_does_not_depend_on_the_unit_of_length(clamped, ends):
    """Section 9: U' = s^(-3/2) U, attachment modes and their order too."""
    s = 1.7
    large = Solid(Mesh(s * clamped.mesh.vertices, clamped.mesh.cells), clamped.material, clamped.fixed)
    for size, interfaces in ((15, ()), (15, ends), (7, ends)):
        U, V = (part_basis(solid, size, interfaces=interfaces).vectors for solid in (clamped, large))
        signs = np.sign(np.einsum("il,il->l", U, V))
        np.testing.assert_allclose(V * signs * s**1.5, U, rtol=0, atol=1e-7 * np.abs(U).max())


@pytest.mark.parametrize("fixed", [[0, 1, 2], None])
def test_smallest_parts_span_what_their_vertices_can(fixed):
    """One tet held by a face: three vectors; two free tets: nine."""
    X = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1.0]])
    mesh = Mesh(X[:4], [[0, 1, 2, 3]]) if fixed else Mesh(X, [[0, 1, 2, 3], [1, 2, 3, 4]])
    solid = Solid(mesh, StVK(1e6, 0.3, 1000), fixed)
    limit = span_limit(mesh.vertex_count, len(solid.fixed))
    assert limit == (3 if fixed else 9)
    for size in range(1, limit + 1):
        U = part_basis(solid, size).vectors
        np.testing.assert_allclose(U.T @ (solid.mass @ U), np.eye(size), atol=ORTHONORMAL)
    with pytest.raises(ArgumentError, match="size must be"):
        part_basis(solid, limit + 1)
