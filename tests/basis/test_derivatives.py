"""Modal derivatives: each form against the derivative that it claims to be, by differences of the full model."""

import numpy as np
import pytest
import scipy.linalg as la

from pliant.basis import Modes, modal_derivatives, rigid_modes, tangent_derivatives, vibration_modes
from pliant.basis.rigid import is_free, without_rigid
from pliant.errors import ArgumentError
from pliant.fem import Linear, Solid, StVK, solve_static
from pliant.mesh import shapes

STATIC_RESPONSE = 1e-5  # single-body section 12
TANGENT_MODES = 1e-4  # single-body section 12
BORDERED = 1e-9  # against the dense bordered system
TORQUE = 1e-10
COSINE = 0.98  # single-body section 3: 0.981 to 0.9999

PAIRS = [(0, 0), (0, 1), (1, 2)]


def number(i, j, k):
    return list(zip(*np.triu_indices(k))).index((i, j))


def relative(a, b):
    return np.linalg.norm(a - b) / np.linalg.norm(b)


@pytest.mark.parametrize(("i", "j"), PAIRS)
def test_static_form_is_the_second_derivative_of_the_static_response(clamped, i, j):
    modes = vibration_modes(clamped, 3)
    loads = (clamped.mass @ modes.vectors) * modes.eigenvalues

    def curve(h):
        """Mixed second difference of u(p) along e_i and e_j; for i = j it is the plain one of step 2 s."""
        s = h / np.abs(modes.vectors).max()
        u = {
            (a, b): solve_static(clamped, s * (a * loads[:, i] + b * loads[:, j]), tolerance=1e-12)
            for a, b in [(1, 1), (1, -1), (-1, 1), (-1, -1)]
        }
        return (u[1, 1] - u[1, -1] - u[-1, 1] + u[-1, -1]) / (4 * s * s)

    difference = (4 * curve(0.005) - curve(0.01)) / 3  # Richardson: the error of each is O(h^2)
    Phi = modal_derivatives(clamped, modes)
    assert relative(Phi[:, number(i, j, 3)], difference) < STATIC_RESPONSE


@pytest.mark.parametrize(("i", "j"), [(0, 0), (0, 1), (1, 0), (2, 1)])
def test_tangent_form_is_the_derivative_of_the_tangent_modes(either, i, j):
    modes, M = vibration_modes(either, 3), either.mass
    first = 6 if is_free(either) else 0

    def tangent_mode(h):
        K = either.free_matrix(either.stiffness(h * modes.vectors[:, j])).toarray()
        _, X = la.eigh(K, either.free_matrix(M).toarray(), subset_by_index=(first, first + 4))
        psi = modes.vectors[:, i]
        overlaps = X.T @ (M @ psi)[either.free]
        x = np.zeros(either.dof_count)
        x[either.free] = X[:, np.abs(overlaps).argmax()] * np.sign(overlaps[np.abs(overlaps).argmax()])
        return x

    h = 1e-3 / np.abs(modes.vectors).max()
    wide, narrow = ((tangent_mode(s) - tangent_mode(-s)) / (2 * s) for s in (2 * h, h))
    difference = ((4 * narrow - wide) / 3)[:, None]
    if is_free(either):
        difference = without_rigid(either, difference)
    assert relative(tangent_derivatives(either, modes)[:, i, j], difference[:, 0]) < TANGENT_MODES


def test_free_static_form_solves_the_bordered_system(free):
    modes, R, M = vibration_modes(free, 4), rigid_modes(free), free.mass
    g, MR = free.curvatures(modes.vectors), M @ R
    bordered = np.block([[free.stiffness().toarray(), MR], [MR.T, np.zeros((6, 6))]])
    expected = np.linalg.solve(bordered, np.vstack([MR @ (R.T @ g) - g, np.zeros((6, g.shape[1]))]))[:-6]
    Phi = modal_derivatives(free, modes)
    assert relative(Phi, expected) < BORDERED
    assert np.abs(R.T @ (M @ Phi)).max() < 1e-12 * np.linalg.norm(Phi)


def test_free_forms_nearly_agree_on_the_lowest_pairs(free, mass_cosine):
    modes = vibration_modes(free, 2)
    static, tangent = modal_derivatives(free, modes), modal_derivatives(free, modes, form="tangent")
    assert min(mass_cosine(free, a, b) for a, b in zip(static.T, tangent.T)) > COSINE


def test_torque_of_the_curvature_comes_from_the_eigenvalues(free):
    modes = vibration_modes(free, 4)
    X = free.mesh.vertices
    for i, j in [(0, 1), (1, 3), (2, 2)]:
        g = free.curvature(modes.vectors[:, i], modes.vectors[:, j]).reshape(-1, 3)
        psi, momentum = modes.vectors[:, i].reshape(-1, 3), (free.mass @ modes.vectors[:, j]).reshape(-1, 3)
        expected = (modes.eigenvalues[i] - modes.eigenvalues[j]) * np.cross(psi, momentum).sum(axis=0)
        assert np.abs(np.cross(X, g).sum(axis=0) - expected).max() < TORQUE * np.abs(g).sum()
        assert np.abs(g.sum(axis=0)).max() < TORQUE * np.abs(g).sum()


def test_tangent_form_survives_repeated_eigenvalues():
    mesh = shapes.bar((1, 0.2, 0.2), (5, 2, 2), kind="hex")
    solid = Solid(mesh, StVK(1e6, 0.3, 1000), np.flatnonzero(mesh.vertices[:, 0] < 1e-9))
    modes = vibration_modes(solid, 2)
    Phi = tangent_derivatives(solid, modes)[solid.free]
    K, M = solid.free_matrix(solid.stiffness()), solid.free_matrix(solid.mass)
    Psi = modes.vectors[solid.free]
    for i, j in [(0, 0), (0, 1), (1, 0)]:
        g = solid.curvature(modes.vectors[:, i], modes.vectors[:, j])[solid.free]
        expected = M @ (Psi @ (Psi.T @ g)) - g
        assert relative(K @ Phi[:, i, j] - modes.eigenvalues[i] * (M @ Phi[:, i, j]), expected) < 1e-6
        assert np.abs(Psi.T @ (M @ Phi[:, i, j])).max() < 1e-9 * np.linalg.norm(Phi[:, i, j])


def test_derivatives_leave_fixed_vertices_alone(clamped):
    modes = vibration_modes(clamped, 3)
    for form in ("static", "tangent"):
        Phi = modal_derivatives(clamped, modes, form=form)
        assert Phi.shape == (clamped.dof_count, 6)
        assert not Phi.reshape(-1, 3, 6)[clamped.fixed].any()


def test_linear_material_has_no_derivatives(clamped):
    solid = Solid(clamped.mesh, Linear(1e6, 0.3, 1000), clamped.fixed)
    assert not modal_derivatives(solid, vibration_modes(solid, 2)).any()


def test_batches_do_not_change_the_derivatives(clamped, monkeypatch):
    from pliant.basis import response

    modes, calls = vibration_modes(clamped, 3), []
    whole = modal_derivatives(clamped, modes)
    monkeypatch.setattr(response, "BATCH", 2)
    assert relative(modal_derivatives(clamped, modes, progress=lambda *call: calls.append(call)), whole) < 1e-12
    assert [fraction for _, fraction in calls] == pytest.approx([1 / 3, 2 / 3, 1])


def test_foreign_modes_and_forms_are_refused(clamped, spoon_modes):
    with pytest.raises(ArgumentError, match="modes of this solid"):
        modal_derivatives(clamped, spoon_modes)
    with pytest.raises(ArgumentError, match="modes of this solid"):
        modal_derivatives(clamped, spoon_modes.vectors)
    with pytest.raises(ArgumentError, match="static, tangent"):
        modal_derivatives(clamped, Modes(np.ones(1), np.ones((clamped.dof_count, 1))), form="dynamic")
