"""Columns of a domain: lift, internal modes and compensating modes, and what soft columns bring (maths sheet 2, 9)."""

import numpy as np
import pytest

import pliant as pl
from pliant.basis.boundary import compensating_modes, dofs_of
from pliant.mesh.domains import domains_of
from pliant.mesh.topology import shared_faces
from pliant.numerics import factor
from pliant.systems.seams.compensation import compensated
from pliant.systems.seams.parts import coupled_parts

ROUNDING = 1e-10


def parts_of(solid, labels, soft=0, order=2, internal="normal", columns=None, trace="entity"):
    return coupled_parts(solid, domains_of(solid.mesh, labels), soft, order, internal, columns, trace)


def load_of(coupled, forces):
    """U^T f of nodal forces (n, 3)."""
    load, done = np.zeros(coupled.size), np.zeros(len(forces), dtype=bool)
    for domain, columns, places in zip(coupled.domains.parts, coupled.columns, coupled.places):
        own = np.where(done[domain.vertices, None], 0.0, forces[domain.vertices])
        np.add.at(load, places, columns.U.T @ own.ravel())
        done[domain.vertices] = True
    return load


def static(solid, forces):
    u = np.zeros(solid.dof_count)
    u[solid.free] = factor(solid.free_matrix(solid.stiffness())).solve(forces.ravel()[solid.free])
    return u


@pytest.fixture(scope="module")
def bar():
    return pl.Solid(pl.shapes.bar((1, 0.2, 0.2), (9, 2, 2)), pl.StVK(1e5, 0.3), fixed="x < 1e-9")


@pytest.fixture(scope="module")
def thirds(bar):
    return np.minimum((3 * bar.mesh.centroids[:, 0]).astype(int), 2)


@pytest.mark.parametrize("internal", ["normal", "inertia"])
def test_reduced_matrices_have_their_blocks(bar, thirds, internal):
    coupled = parts_of(bar, thirds, 3, internal=internal)
    for part, columns in zip(coupled.parts, coupled.columns):
        U, b = columns.U, len(columns.boundary)
        K, M = U.T @ (part.K @ U), U.T @ (part.M @ U)
        size = np.abs(K).max()
        assert np.abs((part.K @ U[:, :b])[part.inner]).max() < ROUNDING * size
        np.testing.assert_allclose(K[:b, :b], columns.K_bb, atol=ROUNDING * size)
        np.testing.assert_allclose(K[:b, b:], 0, atol=ROUNDING * size)
        np.testing.assert_allclose(K[b:, b:], np.diag(columns.values), atol=ROUNDING * size)
        np.testing.assert_allclose(M[:b, b:], columns.M_bi, atol=ROUNDING)
        np.testing.assert_allclose(M[b:, b:], np.eye(len(columns.values)), atol=ROUNDING)
        assert (U[part.outer][:, b:] == 0).all()


def test_assembled_matrices_are_those_of_the_whole(bar, thirds):
    coupled = parts_of(bar, thirds, 3)
    U = np.stack([coupled.displacement(e).ravel() for e in np.eye(coupled.size)], axis=1)
    M, K = coupled.assembled()
    np.testing.assert_allclose(M, U.T @ (bar.mass @ U), atol=1e-9 * np.abs(M).max())
    np.testing.assert_allclose(K, U.T @ (bar.stiffness() @ U), atol=1e-9 * np.abs(K).max())


@pytest.mark.parametrize("internal", ["normal", "inertia"])
def test_a_complete_set_spans_everything(bar, thirds, internal):
    coupled = parts_of(bar, thirds, 1000, internal=internal, columns=[10_000] * 3)
    assert coupled.size == len(bar.free)
    forces = np.random.default_rng(0).standard_normal(bar.mesh.vertices.shape)
    q = np.linalg.solve(coupled.assembled()[1], load_of(coupled, forces))
    u = static(bar, forces)
    np.testing.assert_allclose(coupled.displacement(q).ravel(), u, atol=1e-7 * np.abs(u).max())


def test_order_counts_blocks_of_internal_columns(bar, thirds):
    for order in (0, 1, 3):
        coupled = parts_of(bar, thirds, 2, order, "inertia")
        assert [len(c.values) for c in coupled.columns] == [6 * order, 12 * order, 6 * order]


def test_parts_of_several_materials_keep_them():
    mesh = pl.shapes.bar((1, 0.2, 0.2), (6, 1, 1))
    young = np.where(mesh.centroids[:, 0] < 0.4, 1e5, 3e5)
    solid = pl.Solid(mesh, pl.StVK(young, 0.3, 1000 + mesh.centroids[:, 0]), fixed="x < 1e-9")
    coupled = parts_of(solid, (mesh.centroids[:, 0] > 0.5).astype(int), 1000, columns=[10_000] * 2)
    U = np.stack([coupled.displacement(e).ravel() for e in np.eye(coupled.size)], axis=1)
    M, K = coupled.assembled()
    np.testing.assert_allclose(K, U.T @ (solid.stiffness() @ U), atol=1e-9 * np.abs(K).max())
    np.testing.assert_allclose(M, U.T @ (solid.mass @ U), atol=1e-9 * np.abs(M).max())


def test_compensating_modes_are_those_of_a_new_factorisation(bar, thirds):
    """[BA13] Eq. 20: hold C as well, K_JJ x_J = -K_JC."""
    part = parts_of(bar, thirds).parts[1]
    inner = np.unique(part.inner // 3)
    held = inner[[0, len(inner) // 2]]
    modes = compensating_modes(part, held)
    C = np.searchsorted(part.inner, dofs_of(held))
    J = np.setdiff1d(np.arange(len(part.inner)), C)
    expected = np.zeros(modes.shape)
    expected[C] = np.eye(len(C))
    expected[J] = -factor(part.K_II[J][:, J]).solve(part.K_II[J][:, C].toarray())
    np.testing.assert_allclose(modes, expected, atol=ROUNDING)


def test_inertia_modes_find_the_lowest_frequencies(bar, thirds):
    """Of a chain with few columns; the sheet has 6.6% for ten frequencies of a coarser set."""
    M, K = parts_of(bar, thirds, 3, 2, "inertia").assembled()
    found = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real)[:6])
    exact = pl.vibration_modes(bar, 6).frequencies
    assert (found > exact * (1 - 1e-9)).all()
    assert (found < 1.05 * exact).all()


@pytest.fixture(scope="module")
def cube():
    """The cube of maths sheet 9: its solid, labels, loads, the truth, and the size of gradient jumps."""
    box = pl.shapes.box((1, 1, 1), (8, 8, 8))
    mesh = pl.Mesh(box.vertices + 0.5, box.cells)
    solid = pl.Solid(mesh, pl.StVK(1e4, 0.3), fixed="z < 1e-9")
    labels = (mesh.centroids[:, 2] > 0.5).astype(int)
    x, y, z = mesh.vertices.T
    none, top = np.zeros(len(x)), (z > 1 - 1e-9).astype(float)
    bump = top * np.exp(-((x - 1) ** 2 + (y - 1) ** 2) / 0.1)
    fields = {
        "corner": (z * x * y, none, z * x * y),
        "saddle": (none, none, z * (x - 0.5) * (y - 0.5)),
        "corner traction": (bump, none, bump),
        "saddle traction": (none, none, top * (x - 0.5) * (y - 0.5)),
    }
    loads = {name: np.stack(field, axis=1) for name, field in fields.items()}
    first, second = (rows // 4 for rows in shared_faces(mesh.cells))
    cut = labels[first] != labels[second]
    gradients = solid.elements.gradients[:, 0]

    def jump(u):
        H = np.einsum("cai,caj->cij", u.reshape(-1, 3)[mesh.cells], gradients)
        return float(np.linalg.norm(H[first[cut]] - H[second[cut]]))

    return solid, labels, loads, {name: static(solid, load) for name, load in loads.items()}, jump


# Load, soft columns, columns of a domain, gradient jump relative to the truth, displacement error [%].
CUBE = [
    ("corner", 0, 30, 1.64, 5.2), ("corner", 5, 30, 1.15, 4.3), ("corner", 9, 30, 1.10, 3.3),
    ("saddle", 0, 30, 2.14, 58), ("saddle", 5, 30, 2.04, 58), ("saddle", 9, 30, 1.41, 16),
    ("corner traction", 0, 30, 1.57, 9.2), ("corner traction", 5, 30, 1.71, 10.0),
    ("corner traction", 9, 30, 1.70, 10.8), ("corner traction", 18, 30, 1.54, 17.2),
    ("saddle traction", 0, 30, 2.68, 46), ("saddle traction", 5, 30, 2.52, 46),
    ("saddle traction", 9, 30, 1.66, 26), ("saddle traction", 18, 30, 2.48, 52),
    ("corner traction", 0, 66, 1.35, 7.7), ("corner traction", 9, 75, 1.11, 5.9),
    ("corner traction", 45, 111, 0.94, 4.8),
]  # fmt: skip


@pytest.mark.parametrize(("soft", "columns"), sorted({row[1:3] for row in CUBE}))
def test_soft_columns_do_to_the_cube_what_the_sheet_says(cube, soft, columns):
    solid, labels, loads, truth, jump = cube
    coupled = parts_of(solid, labels, soft, columns=[columns] * 2)
    for name, _, _, jumps, error in (row for row in CUBE if row[1:3] == (soft, columns)):
        u = coupled.displacement(np.linalg.solve(coupled.assembled()[1], load_of(coupled, loads[name]))).ravel()
        assert jump(u) / jump(truth[name]) == pytest.approx(jumps, abs=0.011)  # two digits after the point
        found = 100 * np.linalg.norm(u - truth[name]) / np.linalg.norm(truth[name])
        assert found == pytest.approx(error, abs=0.6 if error > 12 else 0.06)  # as many digits as are printed


def test_hats_lock_less_than_entities_and_soft_columns_unlock_both():
    """A plate in quadrants (maths sheet 1): finer meshes lock more, hats less; soft columns free both."""

    def compliance(cells, trace, soft):
        plate = pl.shapes.box((1, 1, 0.1), (cells, cells, 2))
        solid = pl.Solid(plate, pl.StVK(1e5, 0.3), fixed="x < -0.49 and abs(y) > 0.2")
        labels = (plate.centroids[:, 0] > 0) * 2 + (plate.centroids[:, 1] > 0) * 1
        coupled = parts_of(solid, labels.astype(int), soft, columns=[10_000] * 4, trace=trace)
        load = load_of(coupled, forces := solid.gravity_load((0, 0, -1)).reshape(-1, 3))
        return load @ np.linalg.solve(coupled.assembled()[1], load) / (forces.ravel() @ static(solid, forces))

    coarse, fine = ({trace: compliance(cells, trace, 0) for trace in ("entity", "hat")} for cells in (4, 8))
    # A face of the coarse plate has no vertex within reach of the cross edge.
    assert coarse["hat"] == pytest.approx(coarse["entity"], abs=1e-9)
    assert fine["entity"] < fine["hat"] < coarse["entity"] < 1
    for trace in ("entity", "hat"):
        assert fine[trace] < compliance(8, trace, 12) < 1
        assert 0.99 < compliance(8, trace, 24) < 1


def test_compensating_modes_carry_anchors():
    """A free bar anchored at the 16 vertices of its end: 0.20 of the true sag with 92 columns, 0.98 with 48 of 100."""
    mesh = pl.shapes.bar((1, 0.1, 0.1), (24, 3, 3))
    free = pl.Solid(mesh, pl.StVK(1.2e6, 0.4))
    ends, tip = mesh.select("x < 1e-9"), mesh.select("x > 0.999")
    clamped = pl.Solid(mesh, pl.StVK(1.2e6, 0.4), fixed=ends)
    gravity = free.gravity_load((0, 0, -1)).reshape(-1, 3)
    truth = static(clamped, gravity).reshape(-1, 3)[tip, 2].mean()
    labels = np.minimum((3 * mesh.centroids[:, 0]).astype(int), 2)

    def sag(coupled):
        K = coupled.assembled()[1]
        U = np.stack([coupled.displacement(e)[ends].ravel() for e in np.eye(coupled.size)], axis=1)
        G = np.linalg.svd(U, full_matrices=False)
        rows = G[2][G[1] > 1e-9 * G[1][0]]
        zero = np.zeros((len(rows), len(rows)))
        system = np.block([[K, rows.T * K.max()], [rows * K.max(), zero]])
        solution = np.linalg.lstsq(system, np.concatenate([load_of(coupled, gravity), np.zeros(len(rows))]), rcond=None)
        return coupled.displacement(solution[0][: coupled.size])[tip, 2].mean() / truth

    plain = parts_of(free, labels, 3, internal="inertia", columns=[29, 34, 29])
    few = parts_of(free, labels, 3, internal="inertia", columns=[15, 22, 15])
    anchored = few.with_columns(0, compensated(few.parts[0], few.columns[0], ends))
    assert sum(c.size for c in plain.columns) == 92
    assert sum(c.size for c in anchored.columns) == 100
    assert sag(plain) == pytest.approx(0.20, abs=0.01)
    assert sag(anchored) == pytest.approx(0.98, abs=0.01)
