"""Forces from all cells: those of the table, to rounding, and the steps of exact tangents."""

import numpy as np
import pytest

import pliant as pl
from pliant.basis import Basis
from pliant.errors import ArgumentError
from pliant.fem import FirmStVK, Solid, StVK
from pliant.mesh import shapes
from pliant.reduced import load, reduce
from pliant.reduced.cells import single
from pliant.reduced.force import aligned, evaluate, padded, pitch_of
from pliant.reduced.force_costs import CUBIC_UP_TO, quicker

ROUNDING = 1e-12  # relative, of sums over some hundred cells
SINGLE = 1e-5  # relative: products in single precision
CONVERGED = 1e-8  # of a motion: steps are converged to 1e-9
RUBBER = StVK(1e5, 0.3, 1000.0)


def jet(law, q):
    n = len(q) + 1
    rows = aligned(n * pitch_of(n), np.float64)
    evaluate(law, padded(q, 1.0, np.float64), rows)
    return rows.reshape(n, -1)[:, :n]


@pytest.mark.parametrize("kind", ["tet", "hex", "tet10", "hex20"])
def test_forces_of_cells_are_those_of_the_table_for_all_kinds_of_cells(kind, random_basis):
    """A number of cells that eight does not divide, two materials."""
    mesh = shapes.bar((1.0, 0.2, 0.2), (5, 1, 1), kind=kind)
    stiff = mesh.centroids[:, 0] > 0.5
    solid = Solid(mesh, StVK(np.where(stiff, 2e6, 1e6), np.where(stiff, 0.2, 0.3)), fixed="x < 1e-9")
    basis = random_basis(solid, 11)
    table, cells = (reduce(solid, basis, force=force).force_law for force in ("cubic", "cells"))
    for size in (0.0, 1e-3, 0.05):
        q = size * np.random.default_rng(1).standard_normal(11)
        expected = table.jet(q)
        assert np.abs(cells.jet(q) - expected).max() <= ROUNDING * np.abs(expected).max()


@pytest.mark.parametrize("kind", ["tet", "hex20"])
def test_forces_of_firm_cells_are_those_of_the_solid_where_they_are_crushed(kind, random_basis):
    """U^T f(U q) and U^T K(U q) U of the full model, whose material is tested by itself; with and without a squeeze."""
    mesh = shapes.bar((1.0, 0.2, 0.2), (5, 1, 1), kind=kind)
    stiff = mesh.centroids[:, 0] > 0.5
    material = FirmStVK(np.where(stiff, 2e6, 1e6), 0.3, threshold=np.where(stiff, 0.6, 0.7))
    solid = Solid(mesh, material, fixed="x < 1e-9")
    basis = random_basis(solid, 11)
    law, crushed = reduce(solid, basis, force="cells").force_law, set()
    for size in (1e-3, 0.05, 0.3):
        q = size * np.random.default_rng(1).standard_normal(11)
        u = basis.vectors @ q
        crushed.add(bool(solid.energy(u) > Solid(mesh, StVK(material.young, 0.3)).energy(u)))
        jet, K = law.jet(q), basis.vectors.T @ (solid.stiffness(u) @ basis.vectors)
        f = basis.vectors.T @ solid.force(u)
        assert jet[0, 0] == pytest.approx(solid.energy(u), rel=ROUNDING)
        assert np.abs(jet[1:, 0] - f).max() <= ROUNDING * np.abs(f).max()
        assert np.abs(jet[1:, 1:] + jet[1:, 1:].T - K).max() <= ROUNDING * np.abs(K).max()
    assert crushed == {False, True}


def test_shared_stiffness_is_kept_until_another_is_wished_for(bar, random_basis):
    """Exact energy and force everywhere."""
    law, random = reduce(bar, random_basis(bar, 9, 2), force="cells").force_law, np.random.default_rng(3)
    renew = np.ones(1, np.int64)
    shared, (q, away) = law.shared(renew), 1e-3 * random.standard_normal((2, 9))
    first = jet(shared, q).copy()
    assert np.abs(first - law.jet(q)).max() <= SINGLE * np.abs(first).max()
    later, exact = jet(shared, away).copy(), law.jet(away)
    assert np.array_equal(later[1:, 1:], first[1:, 1:])
    assert np.abs(later[:, 0] - exact[:, 0]).max() <= ROUNDING * np.abs(exact[:, 0]).max()
    renew[0] = 1
    assert np.abs(jet(shared, away) - exact).max() <= SINGLE * np.abs(exact).max()
    assert renew[0] == 0


def test_bases_of_single_precision_have_the_same_forces_to_rounding(bar, random_basis):
    """They are kept in half the memory, and their forces are those of the table still."""
    basis = Basis(single(random_basis(bar, 9, 2).vectors))
    table, cells = (reduce(bar, basis, force=force).force_law for force in ("cubic", "cells"))
    shared, q = cells.shared(np.ones(1, np.int64)), 0.02 * np.random.default_rng(4).standard_normal(9)
    assert shared.U is shared.V
    exact = table.jet(q)
    assert np.abs(cells.jet(q) - exact).max() <= ROUNDING * np.abs(exact).max()
    assert np.abs(jet(shared, q)[:, 0] - exact[:, 0]).max() <= ROUNDING * np.abs(exact[:, 0]).max()


@pytest.mark.parametrize("beta", [0.0, 1e-3])
def test_steps_are_those_of_exact_tangents(beta):
    """Without damping by K, where K is kept, and with it, to what is left of the residuals."""
    solid = Solid(shapes.bar((1.0, 0.1, 0.1), (10, 2, 2)), RUBBER, fixed="x < 1e-9")
    basis = pl.modal_basis(solid, modes=5, size=20)
    paths = []
    for force in ("cubic", "cells"):
        system = pl.Clamped(reduce(solid, basis, force=force), 0.01, damping=(0.1, beta))
        paths.append([(system.step(), system.q.copy())[1] for _ in range(60)])
    moved = np.abs(paths[0]).max()
    assert np.abs(np.subtract(*paths)).max() <= CONVERGED * moved


def test_models_of_cells_are_cut_changed_and_kept_in_files(bar, bar_basis, tmp_path):
    model, table = (reduce(bar, bar_basis, force=force) for force in ("cells", "cubic"))
    q = 0.01 * np.arange(1.0, 9.0)
    for change in (lambda it: it.truncate(5), lambda it: it.with_material(young=[3e6, 1e6], poisson=0.1)):
        ours, theirs = change(model), change(table)
        state = q[: ours.size]
        assert np.allclose(ours.force(state), theirs.force(state), rtol=ROUNDING, atol=ROUNDING * 1e3)
        assert np.allclose(ours.stiffness(state), theirs.stiffness(state), rtol=1e-9, atol=1e-6)
    model.save(tmp_path / "model.pliant")
    again = load(tmp_path / "model.pliant")
    assert again.force_law.kind == "cells"
    assert np.array_equal(again.force(q), model.force(q))
    system = pl.Clamped(model, 0.01)
    system.step(5)
    system.save(tmp_path / "system.pliant")
    assert np.array_equal(pl.resume(tmp_path / "system.pliant").q, system.q)


def test_the_quicker_force_is_taken(bar, random_basis):
    assert reduce(bar, random_basis(bar, CUBIC_UP_TO)).force_law.kind == "cubic"
    assert reduce(bar, random_basis(bar, CUBIC_UP_TO + 8)).force_law.kind == "cells"
    many = Solid(shapes.bar((1, 1, 1), (16, 16, 16)), RUBBER)
    assert [quicker(many, size) for size in (60, 81, 150, 151)] == ["cubic", "cubic", "cells", "cells"]


def test_other_materials_are_refused(bar):
    solid = Solid(bar.mesh, pl.NeoHookean(1e6, 0.3), bar.fixed)
    with pytest.raises(
        ArgumentError, match="cells forces are for StVK and FirmStVK; NeoHookean needs force='cubature'"
    ):
        reduce(solid, Basis(np.eye(solid.dof_count)[:, solid.free[:2]]), force="cells")
