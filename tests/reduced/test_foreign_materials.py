"""A material from outside with a constant of its own, through groups, reduction, changes, files and recordings."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pytest

import pliant as pl
from pliant.errors import ArgumentError, Array, FileError, MaterialError
from pliant.export import read_recording, record, write
from pliant.fem import MATERIALS, Material, material
from pliant.fem.material import implements
from pliant.reduced.cache import content_key

EXACT = 1e-12  # relative: sums of some hundred terms in another order
TRAINED = 0.02  # relative force error of cubature on states that it was not trained on


class SpringParameters(NamedTuple):
    stiffness: Array


@dataclass(frozen=True, eq=False)
class Springy(Material):
    """psi = (E + pull) / 2 |F - I|^2: forces are linear, so that every result has a formula."""

    pull: float | Array = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if np.any(np.asarray(self.pull) < 0):
            raise MaterialError(f"pull must not be negative; {self.pull} was given")

    def parameters(self, cell_count: int) -> SpringParameters:
        return SpringParameters(self.per_cell("young", cell_count) + self.per_cell("pull", cell_count))


@implements(material.energy, SpringParameters)
def _energy(springs, cell, F):
    total = 0.0
    for i in range(3):
        for j in range(3):
            total += (F[i, j] - (1.0 if i == j else 0.0)) ** 2
    return 0.5 * springs.stiffness[cell] * total


@implements(material.stress, SpringParameters)
def _stress(springs, cell, F, P):
    for i in range(3):
        for j in range(3):
            P[i, j] = springs.stiffness[cell] * (F[i, j] - (1.0 if i == j else 0.0))


@implements(material.clamped_stress_derivative, SpringParameters)
@implements(material.stress_derivative, SpringParameters)
def _stress_derivative(springs, cell, F, D):
    D[:] = 0.0
    for k in range(9):
        D[k, k] = springs.stiffness[cell]


@implements(material.stress_curvature, SpringParameters)
def _stress_curvature(springs, cell, A, B, P):
    P[:] = 0.0


MESH = pl.shapes.bar((1, 0.3, 0.2), (4, 1, 1), kind="hex")


def solid(pull, young=1e5):
    return pl.Solid(MESH, Springy(young, 0.3, 1000.0, pull), fixed="x < 1e-9")


@pytest.fixture(scope="module")
def basis():
    return pl.modal_basis(pl.Solid(MESH, pl.StVK(1e5, 0.3), fixed="x < 1e-9"), modes=3, size=4)


@pytest.fixture
def registered():
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(MATERIALS, "springy", Springy)
        yield


def exact_force(pull, basis, q):
    return basis.vectors.T @ solid(pull).force(basis.vectors @ q)


@pytest.mark.parametrize("force", ["cubature", "linear"])
@pytest.mark.parametrize("pull", [0.0, 1e5, 3e5])
def test_own_constant_reaches_the_reduced_force(basis, force, pull):
    q = np.array([0.3, -0.1, 0.2, 0.1])
    model = pl.reduce(solid(pull), basis, force=force)
    exact = exact_force(pull, basis, q)
    assert np.linalg.norm(model.force(q) - exact) < TRAINED * np.linalg.norm(exact)
    assert model.energy(q) == pytest.approx(solid(pull).energy(basis.vectors @ q), rel=2 * TRAINED)
    assert model.material == "Springy"


def test_own_constant_of_two_kinds_of_cells_makes_two_groups(basis):
    pull = np.where(MESH.centroids[:, 0] > 0.5, 2e5, 0.0)
    model = pl.reduce(solid(pull), basis, force="linear")
    assert model.groups.others["pull"].tolist() == [0.0, 2e5]
    assert np.array_equal(model.solid.material.pull, pull)
    exact = basis.vectors.T @ (solid(pull).stiffness() @ basis.vectors)
    assert np.allclose(model.stiffness(), exact, rtol=0, atol=EXACT * np.abs(exact).max())


def test_own_constant_that_is_graded_finely_is_kept_for_every_cell():
    mesh = pl.shapes.bar((1, 0.3, 0.2), (20, 1, 1), kind="hex")
    pull = 1e5 * mesh.centroids[:, 0]
    graded = pl.Solid(mesh, Springy(1e5, 0.3, 1000.0, pull), fixed="x < 1e-9")
    model = pl.reduce(graded, pl.modal_basis(graded, modes=2, size=2), force="linear")
    assert model.groups.count == 1
    assert np.allclose(model.solid.material.pull, pull, rtol=EXACT)
    with pytest.raises(ArgumentError, match="pull differs from cell to cell"):
        model.with_material(pull=1.0)


def test_own_constant_changes_without_precomputation(basis):
    q = np.array([0.3, -0.1, 0.2, 0.1])
    model = pl.reduce(solid(1e5), basis, force="cubature")
    assert np.allclose(model.with_material(pull=3e5).force(q), 2 * model.force(q), rtol=EXACT)
    assert np.allclose(model.with_material(young=3e5).force(q), 2 * model.force(q), rtol=EXACT)
    assert np.allclose(model.truncate(2).with_material(pull=3e5).force(q[:2]), 2 * model.truncate(2).force(q[:2]))
    with pytest.raises(MaterialError, match="pull must not be negative"):
        model.with_material(pull=-1.0)
    with pytest.raises(ArgumentError, match="push is not a constant.*young, poisson, density, pull"):
        model.with_material(push=1.0)


def test_linear_force_of_a_foreign_law_refuses_other_elastic_constants(basis):
    model = pl.reduce(solid(1e5), basis, force="linear")
    with pytest.raises(ArgumentError, match="reduce a solid that has the new ones"):
        model.with_material(pull=3e5)
    heavier = model.with_material(density=2000.0)
    assert np.allclose(heavier.mass, 2 * model.mass, rtol=EXACT)
    assert np.array_equal(heavier.stiffness(), model.stiffness())


@pytest.mark.parametrize("force", ["cubature", "linear"])
def test_registered_material_comes_back_from_a_file(basis, force, tmp_path, registered):
    q = np.array([0.3, -0.1, 0.2, 0.1])
    model = pl.reduce(solid(1e5), basis, force=force)
    model.save(tmp_path / "a.pliant")
    back = pl.load(tmp_path / "a.pliant")
    assert back.material == "springy"
    assert back.solid.material.pull == pytest.approx(1e5)
    assert np.array_equal(back.force(q), model.force(q))
    if force == "cubature":
        assert np.array_equal(back.with_material(pull=3e5).force(q), model.with_material(pull=3e5).force(q))


def test_unregistered_material_is_told_to_register(basis, tmp_path):
    model = pl.reduce(solid(1e5), basis, force="linear")
    with pytest.raises(FileError, match=r'Springy is not registered.*pl\.register\("material", "springy", Springy\)'):
        model.save(tmp_path / "a.pliant")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(MATERIALS, "springy", Springy)
        model.save(tmp_path / "a.pliant")
    with pytest.raises(FileError, match=r'called springy.*pl\.register\("material", "springy"'):
        pl.load(tmp_path / "a.pliant")


def test_recording_keeps_own_constants_of_a_registered_material(basis, tmp_path, registered):
    system = pl.Clamped(pl.reduce(solid(1e5), basis, force="linear"), 0.01)
    recording = record(system, 0.05)
    write(recording, tmp_path / "a.npz")
    assert np.allclose(read_recording(tmp_path / "a.npz").material.pull, 1e5)
    del MATERIALS["springy"]
    with pytest.raises(FileError, match="Springy is not registered"):
        write(recording, tmp_path / "b.npz")
    with pytest.raises(FileError, match="called springy"):
        read_recording(tmp_path / "a.npz")


def test_subclass_is_not_taken_for_its_base(basis):
    class Tuned(pl.StVK):
        pass

    tuned = pl.Solid(MESH, Tuned(1e5, 0.3), fixed="x < 1e-9")
    assert pl.reduce(tuned, basis, force="linear").material == "Tuned"
    with pytest.raises(ArgumentError, match="cubic forces are for StVK"):
        pl.reduce(tuned, basis, force="cubic")


def test_parts_of_a_mesh_keep_own_constants():
    pull = np.arange(4.0)
    cut = Springy(1e5, 0.3, 1000.0, pull).of_cells(np.array([1, 3]))
    assert cut.pull.tolist() == [1.0, 3.0]
    assert cut.young == 1e5


def test_content_key_sees_own_constants_and_the_source_of_a_foreign_law(monkeypatch):
    one = Springy(1e5, 0.3, 1000.0, 1.0)
    assert content_key(one) != content_key(replace(one, pull=2.0))
    before = content_key(one)
    monkeypatch.setattr("pliant.reduced.cache.origin", lambda kind: "another formula")
    assert content_key(one) != before
