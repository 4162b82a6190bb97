"""Frames of interfaces: exact for rigid motion at any angle, whatever the patch is like."""

import numpy as np
import pytest
from scipy.optimize import brentq

from pliant.basis import Basis
from pliant.errors import ArgumentError
from pliant.fem import Solid, StVK
from pliant.mesh import Mesh, shapes
from pliant.numerics import polar, rotation_exponential, rotation_logarithm
from pliant.reduced import interface, reduce
from pliant.reduced.interface import interface_map, patch_centroid, patch_weights
from pliant.reduced.rigid import Rigid

EXACT = 1e-11  # relative: fits of exact data, solved with matrices of condition 1e3
SIZE = np.array([1.0, 0.3, 0.2])
ANGLES = [0.01, 0.5, np.pi / 4, np.pi / 2, 2.0, 3.1]


def affine_model(kind="tet", size=SIZE):
    """A free bar whose basis holds every affine motion: u = G (X - c) + t with q = (t, G by rows)."""
    mesh = shapes.bar(size, (5, 3, 2), kind=kind)
    X = mesh.vertices - mesh.vertices.mean(axis=0)
    fields = [np.tile(axis, (len(X), 1)) for axis in np.eye(3)]
    fields += [np.outer(X[:, j], np.eye(3)[i]) for i in range(3) for j in range(3)]
    U = np.stack([field.ravel() for field in fields], axis=1)
    return reduce(Solid(mesh, StVK(1e5, 0.3, 1000)), Basis(U), force="linear")


def motion(model, R, t):
    """q of x = R (X - c) + c + t."""
    return np.concatenate([t, (R - np.eye(3)).ravel()])


def patches(model):
    """Names and triangles: an end, two faces of an edge, one triangle and a strip."""
    mesh = model.mesh
    X, surface = mesh.vertices, mesh.surface
    x, y, z = (X[surface] - mesh.bounds[0]).transpose(2, 0, 1)
    end = (x > SIZE[0] - 1e-9).all(axis=1)
    top = (z > SIZE[2] - 1e-9).all(axis=1)
    found = {"end": surface[end], "corner": surface[end | top], "triangle": surface[np.flatnonzero(end)[:1]]}
    found["strip"] = surface[top & (y < SIZE[1] / 3 + 1e-9).all(axis=1)]
    return found


def frame_at(patch, q):
    A = np.eye(3) + patch.gradient @ q
    R = np.empty((3, 3))
    polar(A, R)
    return A, R


@pytest.mark.parametrize("kind", ["tet", "hex"])
@pytest.mark.parametrize("where", ["end", "corner", "triangle", "strip"])
@pytest.mark.parametrize("angle", ANGLES)
def test_rigid_motion_is_exact(kind, where, angle):
    model = affine_model(kind)
    rng = np.random.default_rng(1)
    axis = rng.standard_normal(3)
    turn, t = rotation_exponential(angle * axis / np.linalg.norm(axis)), rng.standard_normal(3)
    patch, q = interface_map(model, patches(model)[where]), motion(model, turn, t)
    A, R = frame_at(patch, q)
    np.testing.assert_allclose(A, turn, rtol=0, atol=EXACT)
    assert np.linalg.norm(rotation_logarithm(R)) == pytest.approx(angle, abs=EXACT)
    c = model.X.mean(axis=0)
    expected = turn @ (patch.centroid - c) + c + t
    np.testing.assert_allclose(patch.centroid + patch.shift @ q, expected, rtol=0, atol=EXACT)


def test_rigid_motion_of_a_ribbon_is_exact():
    """Its width tells nothing either: two directions are taken from the cells."""
    model = affine_model(size=(1.0, 0.02, 0.2))
    top = model.mesh.surface[(model.X[model.mesh.surface][:, :, 2] > model.mesh.bounds[1, 2] - 1e-9).all(axis=1)]
    turn = rotation_exponential(np.array([2.0, 1.0, -1.0]))
    A, _ = frame_at(interface_map(model, top), motion(model, turn, np.zeros(3)))
    np.testing.assert_allclose(A, turn, rtol=0, atol=EXACT)


def test_a_patch_that_is_bent_a_little_goes_over_from_flat_ones_without_a_jump():
    """FLAT: from there on its own points tell of the direction across it, below the cells do in part."""
    model = affine_model()
    end = patches(model)["end"]
    random = np.random.default_rng(4)
    bump = np.zeros_like(model.X)
    bump[np.unique(end), 0] = random.standard_normal(len(np.unique(end)))
    bent = random.standard_normal((len(model.X), 3))  # an uneven field, which the two ways see differently

    def spread(height):
        moved = model.X + height * bump
        ids, weights = patch_weights(moved, end)
        Y = moved[ids] - weights @ moved[ids] / weights.sum()
        values = np.linalg.eigvalsh(np.einsum("k,ka,kb->ab", weights, Y, Y))
        return values[0] / values[2]

    height = brentq(lambda h: spread(h) - interface.FLAT, 0.0, 0.1)
    found = []
    for factor in (1 - 1e-6, 1 + 1e-6):
        mesh = Mesh(model.X + factor * height * bump, model.cells)
        basis = Basis(np.column_stack([model.U, bent.ravel()]))
        uneven = reduce(Solid(mesh, StVK(1e5, 0.3, 1000)), basis, force="linear")
        found.append(interface_map(uneven, end).gradient)
    np.testing.assert_allclose(found[1], found[0], rtol=0, atol=1e-4 * np.abs(found[0]).max())


def test_bending_angle_of_a_flat_end_is_whole():
    """The sheet: an extra point that stands still would report half of it."""
    model = affine_model()
    patch = interface_map(model, patches(model)["end"])
    for angle in ANGLES:
        _, R = frame_at(patch, motion(model, rotation_exponential(np.array([0.0, 0.0, angle])), np.zeros(3)))
        assert rotation_logarithm(R)[2] == pytest.approx(angle, abs=EXACT)


def test_frame_of_a_flat_patch_does_not_depend_on_the_threshold(monkeypatch, bar_model):
    end = bar_model.mesh.surface[(bar_model.X[bar_model.mesh.surface][:, :, 0] > 2 - 1e-9).all(axis=1)]
    found = []
    for eps in (1e-6, 1e-3, 1e-1):
        monkeypatch.setattr(interface, "FLAT", eps)
        found.append(interface_map(bar_model, end).gradient)
    np.testing.assert_allclose(found[0], found[1], rtol=0, atol=1e-9 * np.abs(found[1]).max())
    np.testing.assert_allclose(found[2], found[1], rtol=0, atol=1e-9 * np.abs(found[1]).max())


def test_normal_of_a_flat_patch_moves_with_the_cells_behind_it(bar_model):
    """A^l n = G_l n, the volume mean over the cells that own a triangle; differences of the two last layers give it."""
    mesh = bar_model.mesh
    rows = np.flatnonzero((bar_model.X[mesh.surface][:, :, 0] > 2 - 1e-9).all(axis=1))
    patch = interface_map(bar_model, mesh.surface[rows])
    cells = np.unique(mesh.surface_cells[rows])
    U = bar_model.U.reshape(-1, 3, bar_model.size)
    mean, total = 0.0, 0.0
    for cell in cells:
        corners = mesh.cells[cell]
        edges = (bar_model.X[corners[1:]] - bar_model.X[corners[0]]).T
        moves = (U[corners[1:]] - U[corners[0]]).transpose(1, 0, 2)
        volume = np.linalg.det(edges)
        mean = mean + volume * np.einsum("ikl,kj->ijl", moves, np.linalg.inv(edges))
        total += volume
    np.testing.assert_allclose(
        patch.gradient[:, 0], mean[:, 0] / total, rtol=0, atol=1e-9 * np.abs(patch.gradient).max()
    )


def test_centroid_and_area_are_those_of_the_patch():
    model = affine_model()
    found = patches(model)
    end, corner = interface_map(model, found["end"]), interface_map(model, found["corner"])
    low = model.mesh.bounds[0]
    assert end.area == pytest.approx(SIZE[1] * SIZE[2])
    np.testing.assert_allclose(end.centroid - low, [SIZE[0], SIZE[1] / 2, SIZE[2] / 2], atol=EXACT)
    assert corner.area == pytest.approx(SIZE[1] * (SIZE[0] + SIZE[2]))
    np.testing.assert_allclose(patch_centroid(model.X, found["corner"]), corner.centroid, atol=EXACT)
    # The mean of vertices weighted by thirds of areas is the mean of the triangles weighted by their areas.
    middles = model.X[found["corner"]].mean(axis=1)
    a, b, c = (model.X[found["corner"][:, k]] for k in range(3))
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    np.testing.assert_allclose(corner.centroid, areas @ middles / areas.sum(), atol=EXACT)


def test_frame_does_not_depend_on_the_axes_of_the_model(random_basis):
    turn = rotation_exponential(np.array([0.3, -0.8, 0.5]))
    mesh = shapes.bar(SIZE, (5, 3, 2))
    end = mesh.surface[(mesh.vertices[mesh.surface][:, :, 0] > mesh.bounds[1, 0] - 1e-9).all(axis=1)]
    plain = Solid(mesh, StVK(1e5, 0.3, 1000))
    U = random_basis(plain, 4).vectors
    turned = Solid(type(mesh)(mesh.vertices @ turn.T, mesh.cells), plain.material)
    V = np.einsum("ab,kbl->kal", turn, U.reshape(-1, 3, 4)).reshape(-1, 4)
    here = interface_map(reduce(plain, Basis(U), "linear"), end)
    there = interface_map(reduce(turned, Basis(V), "linear"), end)
    np.testing.assert_allclose(there.centroid, turn @ here.centroid, atol=EXACT)
    np.testing.assert_allclose(there.shift, turn @ here.shift, atol=EXACT)
    expected = np.einsum("ab,bcl,dc->adl", turn, here.gradient, turn)
    np.testing.assert_allclose(there.gradient, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def test_hex_faces_may_be_cut_along_either_diagonal():
    model = affine_model("hex")
    end = patches(model)["end"].reshape(-1, 2, 3)
    corners = [[*first, second[2]] for first, second in end]  # 0 1 2 and 0 2 3
    other = np.array([[[q[0], q[1], q[3]], [q[1], q[2], q[3]]] for q in corners]).reshape(-1, 3)
    a, b = interface_map(model, end.reshape(-1, 3)), interface_map(model, other)
    np.testing.assert_allclose(a.centroid, b.centroid, atol=EXACT)
    assert a.area == pytest.approx(b.area)


def test_rigid_part_has_an_empty_map():
    model = affine_model()
    patch = interface_map(Rigid(model.mesh, 500.0), patches(model)["end"])
    assert patch.shift.shape == (3, 0)
    assert patch.gradient.shape == (3, 3, 0)
    np.testing.assert_allclose(patch.centroid, interface_map(model, patches(model)["end"]).centroid)


def test_triangles_off_the_boundary_are_refused():
    model = affine_model()
    with pytest.raises(ArgumentError, match="boundary"):
        interface_map(model, [[0, 1, len(model.X) - 1]])  # opposite corners
    with pytest.raises(ArgumentError, match="at least one"):
        interface_map(model, np.empty((0, 3), dtype=int))
    with pytest.raises(ArgumentError, match="vertices 0 to"):
        interface_map(model, [[0, 1, 10_000]])
