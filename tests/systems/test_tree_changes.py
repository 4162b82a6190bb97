"""Trees that are saved, restored, pulled too hard, and changed while they move."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.linalg as la
from tree_motion import Plain, Stance, difference, random_limbs, random_model

import pliant as pl
from pliant.errors import ArgumentError, Diverged, PliantError
from pliant.numerics import rotation_exponential
from pliant.reduced import interface
from pliant.reduced.rigid import Rigid
from pliant.systems.tree.root import R_AT, V_AT, W_AT

KEPT = 1e-12  # relative: what must not change at all, but for the order of sums
DAMPED = (0.0, 0.02)
KINDS = ["full", "L1", "L2"]


def swinging(inertia="full", free=False, seed=0, **options):
    """A tree in motion."""
    limbs = random_limbs(seed, rigid=True, clamped=not free)
    tree = pl.Tree(limbs, 5e-3, inertia=inertia, **{"damping": DAMPED, **options})
    tree.v = 0.3 * np.random.default_rng(seed).standard_normal(len(tree.v))
    if free:
        tree.velocity, tree.spin = [1.0, 0.5, 0.0], [0.0, 1.0, 2.0]
    tree.step(20)
    return tree


def by_limb(tree, values):
    return np.split(values, tree.offsets[1:-1])


def is_finite(tree):
    numbers = [np.ravel(value) for value in tree.state().values()]
    return np.isfinite(np.concatenate([*numbers, *tree.momentum(), tree.vertices().ravel(), [tree.energy()]])).all()


# --- state ---


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("inertia", KINDS)
def test_restored_state_repeats_the_path_bit_by_bit(inertia, free):
    tree = swinging(inertia, free, wind=pl.Wind((3, 0, 1)))
    saved = tree.state()
    tree.step(30)
    first, shape, energy = tree.state(), tree.vertices(), tree.energy()
    tree.restore(saved)
    tree.step(30)
    for name, value in tree.state().items():
        np.testing.assert_array_equal(value, first[name])
    np.testing.assert_array_equal(tree.vertices(), shape)
    assert tree.energy() == energy
    other = pl.Tree(tree.limbs, 5e-3, inertia=inertia, damping=DAMPED, wind=tree.wind)
    other.restore(saved)
    other.step(30)
    np.testing.assert_array_equal(other.q, first["q"])


def test_looking_at_a_tree_does_not_change_its_path():
    a, b = swinging(), swinging()
    for _ in range(10):
        a.step()
        a.energy(), a.momentum(), a.vertices(), a.pose(), a.state()
    for _ in range(10):
        b.step()
    np.testing.assert_array_equal(a.q, b.q)


def test_state_of_another_tree_is_refused():
    tree, saved = swinging(), swinging().state()
    for bad in ({}, saved | {"q": saved["q"][:-1]}, saved | {"root": np.zeros(3)}, {**saved, "P": None}):
        with pytest.raises(ArgumentError):
            tree.restore(bad)
    np.testing.assert_array_equal(tree.q, saved["q"])


# --- pulled too hard ---


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("inertia", KINDS)
@pytest.mark.parametrize("newton", [1e2, 1e4, 1e6, 1e12, 1e300])
def test_absurd_pull_ends_in_calm_or_diverged(inertia, free, newton):
    """40 kg limbs of soft rubber: 1e4 N fold them over. The last good state stays, and restoring goes on from there."""
    tree = swinging(inertia, free)
    saved = tree.state()
    tree.push([len(tree.vertices()) - 1], [[newton, newton / 2, -newton]])
    try:
        tree.step(100)
        tree.release()
        tree.step(200)
    except Diverged as error:
        assert newton > 1e3 or inertia == "L2"
        assert error.time == pytest.approx(tree.time)
        assert error.part in {limb.name for limb in tree.limbs}
    assert is_finite(tree)
    tree.release()
    tree.restore(saved)
    tree.step(20)
    assert is_finite(tree)


def test_absurd_pull_on_a_rigid_tree_diverges():
    limbs = [replace(k, model=Rigid(k.model.mesh, 1000.0)) for k in random_limbs(0)]
    tree = pl.Tree(limbs, 0.01)
    tree.push([0], [[1e300, 0, -1e300]])
    with pytest.raises(Diverged):
        tree.step(50)
    assert is_finite(tree)
    tree.release()
    tree.step(10)
    assert is_finite(tree)


def test_failed_step_takes_the_others_of_its_count():
    """Those before the one that fails are taken, up to the last state that was checked, and time says so."""
    tree = swinging(passes=1)
    tree.push([len(tree.vertices()) - 1], [[1e5, 0, 0]])
    began = tree.time
    with pytest.raises(Diverged):
        tree.step(10_000)
    taken = round((tree.time - began) / tree.dt)
    assert taken > 0
    other = swinging(passes=1)
    other.push([len(tree.vertices()) - 1], [[1e5, 0, 0]])
    other.step(taken)
    np.testing.assert_array_equal(tree.q, other.q)


# --- other parts at run time ---


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("inertia", KINDS)
def test_changes_keep_the_motion_of_the_others(inertia, free):
    tree = swinging(inertia, free)
    q, v = by_limb(tree, tree.q), by_limb(tree, tree.v)
    frames = tree.pose().frames
    model = random_model(np.random.default_rng(9), 3)
    tree.swap(4, model, origin=np.zeros(3))
    gone = tree.cut(5)  # the rigid limb, and 6 on it
    assert gone == [5, 6]
    number = tree.add(replace(random_limbs(0)[3], parent=2, name="new"))
    assert number == 5
    assert [limb.parent for limb in tree.limbs] == [-1, 0, 0, 1, 2, 2]
    for i in range(4):
        np.testing.assert_array_equal(by_limb(tree, tree.q)[i], q[i])
        np.testing.assert_array_equal(by_limb(tree, tree.v)[i], v[i])
        for now, then in zip(tree.pose().frames[i], frames[i]):
            np.testing.assert_allclose(now, then, rtol=0, atol=KEPT)
    assert not by_limb(tree, tree.q)[4].any()
    assert len(by_limb(tree, tree.q)[4]) == 3
    before = np.concatenate(tree.momentum())
    np.testing.assert_allclose(before, momentum_of_copies(tree), rtol=1e-6, atol=1e-6 * np.abs(before).max())
    tree.step(20)
    assert is_finite(tree)
    if free:
        mass = sum(k.scale**3 * k.model.inertia.mass for k in tree.limbs)
        np.testing.assert_allclose(tree.momentum()[0], before[:3] + 20 * tree.dt * mass * tree.gravity, rtol=1e-10)


def momentum_of_copies(tree):
    """P, L from the vertices, by a difference of where they are a moment before and later."""
    root = tree.state()["root"]
    x, v, w = root[:3], root[V_AT : V_AT + 3], root[W_AT : W_AT + 3]
    R, plain = root[R_AT : R_AT + 9].reshape(3, 3), Plain(tree.limbs)

    def copies(t):
        return plain.copies(tree.q + t * tree.v, Stance(x + t * v, rotation_exponential(t * w) @ R))

    p = (plain.mass @ difference(copies)).reshape(-1, 3)
    return np.concatenate([p.sum(axis=0), np.cross(tree.vertices(), p).sum(axis=0)])


def test_cut_tree_moves_as_one_that_never_had_the_limb():
    tree = swinging()
    tree.cut(5)
    limbs = random_limbs(0, rigid=True)[:5]
    other = pl.Tree(limbs, 5e-3, damping=DAMPED)
    other.q, other.v, other.a = tree.q, tree.v, tree.a
    for k in (tree, other):
        k.step(30)
    np.testing.assert_allclose(tree.q, other.q, rtol=0, atol=KEPT * np.abs(other.q).max())


@pytest.mark.parametrize("inertia", KINDS)
def test_stiffened_limb_moves_as_one_made_stiffer(inertia):
    tree = swinging(inertia)
    tree.stiffen(3, 1.5)
    tree.stiffen(3, 1.2)
    limbs = list(random_limbs(0, rigid=True))
    limbs[3] = replace(limbs[3], stiffening=1.5 * 1.2 * limbs[3].stiffening)
    other = pl.Tree(limbs, 5e-3, inertia=inertia, damping=DAMPED)
    other.q, other.v, other.a = tree.q, tree.v, tree.a
    for k in (tree, other):
        k.step(30)
    np.testing.assert_allclose(tree.q, other.q, rtol=0, atol=1e-9 * np.abs(other.q).max())


def test_changed_solid_stays_in_one_piece_where_limbs_stay():
    """Cut, added to or swapped: copies of a vertex on an interface that is still there meet in their mean."""
    mesh = pl.shapes.bar((2, 0.2, 0.2), (8, 2, 2))
    solid = pl.Solid(mesh, pl.StVK(1e5, 0.4, 1000), fixed="x < 1e-9")
    tree = pl.substructure(solid, (mesh.centroids[:, 0] // 0.5).astype(int), size=24, dt=0.01)
    tree.step(20)
    before, last = tree.vertices(), tree.limbs[3]
    assert np.abs(before - mesh.vertices).max() > 0.1
    tree.cut(3)
    inner = mesh.vertices[:, 0] < 1.5 - 1e-9  # the cut face has lost its other copy
    kept = inner[mesh.vertices[:, 0] < 1.5 + 1e-9]
    assert len(tree.vertices()) == len(kept)
    np.testing.assert_allclose(tree.vertices()[kept], before[inner], rtol=0, atol=KEPT)
    assert tree.add(last) == 3
    np.testing.assert_allclose(tree.vertices()[: len(kept)][kept], before[inner], rtol=0, atol=KEPT)
    tree.swap(3, Rigid(last.model.mesh, 1000.0))
    np.testing.assert_allclose(tree.vertices()[: len(kept)][kept], before[inner], rtol=0, atol=KEPT)
    assert tree.mesh.cell_count == mesh.cell_count
    tree.push([0, len(tree.vertices()) - 1], [0, 1, 0])
    tree.step(5)


def test_stiffening_keeps_pushes_and_clothes():
    tree, other = swinging(), swinging()
    tree.wear(pl.Surface(tree.mesh.vertices, tree.mesh.surface))
    other.stiffen(3, 1.5)
    for k in (tree, other):
        k.push([0, 5], [[0, 3, 1], [1, 0, 0]], on="mesh")
    tree.stiffen(3, 1.5)
    for k in (tree, other):
        k.push([7], [0, 1, 0], on="mesh")
        k.step(30)
    assert tree.worn is not None
    np.testing.assert_allclose(tree.q, other.q, rtol=0, atol=KEPT * np.abs(other.q).max())


@pytest.mark.parametrize("inertia", KINDS)
@pytest.mark.parametrize("kappa", [0.5, 3.0])
def test_stiffening_multiplies_all_frequencies(inertia, kappa):
    """kappa in every limb makes time run kappa times as fast: the same path in steps dt / kappa. Exact, at any size."""
    limbs = random_limbs(0, rigid=True)
    stiff = [replace(k, stiffening=kappa * k.stiffening) for k in limbs]
    a = pl.Tree(limbs, 5e-3, inertia=inertia, damping=(0.5, 0.02), gravity=None)
    b = pl.Tree(stiff, 5e-3 / kappa, inertia=inertia, damping=(0.5 * kappa, 0.02 / kappa), gravity=None)
    a.v = 0.3 * np.random.default_rng(0).standard_normal(len(a.v))
    b.v = kappa * a.v
    for tree in (a, b):
        tree.step(50)
    np.testing.assert_allclose(b.q, a.q, rtol=0, atol=1e-9 * np.abs(a.q).max())
    np.testing.assert_allclose(b.v, kappa * a.v, rtol=0, atol=1e-9 * np.abs(b.v).max())


@pytest.mark.parametrize("inertia", KINDS)
@pytest.mark.parametrize("s", [0.3, 1.7])
def test_larger_trees_are_slower(inertia, s):
    """Section 9: frequencies 1 / s. The same path, s times as large, in steps s dt."""
    limbs = random_limbs(0, rigid=True)
    large = [replace(k, scale=s * k.scale, position=s * k.position) for k in limbs]
    a = pl.Tree(limbs, 5e-3, inertia=inertia, damping=(0.5, 0.02), gravity=None)
    b = pl.Tree(large, 5e-3 * s, inertia=inertia, damping=(0.5 / s, 0.02 * s), gravity=None)
    a.v = 0.3 * np.random.default_rng(0).standard_normal(len(a.v))
    b.v = a.v / s
    for tree in (a, b):
        tree.step(50)
    np.testing.assert_allclose(b.vertices(), s * a.vertices(), rtol=0, atol=1e-9 * s)
    assert b.energy() == pytest.approx(s**3 * a.energy(), rel=1e-8)


def test_small_swings_have_kappa_times_the_frequency():
    """One limb, its first mode: q(t) = q0 cos(kappa w t), to the period error of average acceleration."""
    model, kappa = random_model(np.random.default_rng(3), 4), 2.0
    w, modes = _modes(model)
    tree = pl.Tree([pl.Limb(model, stiffening=kappa)], 2 * np.pi / w[0] / kappa / 200, gravity=None)
    start = 1e-6 * modes[:, 0]
    tree.q, tree.a = start, -((kappa * w[0]) ** 2) * start
    tree.step(200)
    np.testing.assert_allclose(modes.T @ model.mass @ tree.q, [1e-6, 0, 0, 0], rtol=0, atol=1e-6 * 2e-3)


def _modes(model):
    values, modes = la.eigh(model.stiffness(), model.mass)
    return np.sqrt(values), modes


def test_changes_compute_the_interfaces_of_new_models_alone(monkeypatch):
    tree, computed = swinging(), []
    whole = interface._computed_map
    monkeypatch.setattr(interface, "_computed_map", lambda *given: computed.append(given[0]) or whole(*given))
    tree.stiffen(1, 2.0)
    gone = tree.cut(len(tree.limbs) - 1)
    assert gone
    assert not computed
    parent = max(limb.parent for limb in tree.limbs)
    fresh = replace(tree.limbs[parent].model)
    tree.swap(parent, fresh)
    patches = {np.asarray(limb.stands_on).tobytes() for limb in tree.limbs if limb.parent == parent}
    assert [model is fresh for model in computed] == [True] * len(patches)


def test_kept_interfaces_are_those_of_a_tree_built_anew():
    tree = swinging()
    tree.stiffen(1, 2.0)
    tree.cut(len(tree.limbs) - 1)
    copies = {id(limb.model): replace(limb.model) for limb in tree.limbs if not isinstance(limb.model, Rigid)}
    limbs = [replace(limb, model=copies.get(id(limb.model), limb.model)) for limb in tree.limbs]
    anew = pl.Tree(limbs, 5e-3, damping=DAMPED)
    np.testing.assert_array_equal(anew._layout.packs.interface, tree._layout.packs.interface)
    np.testing.assert_array_equal(anew._layout.packs.hat, tree._layout.packs.hat)


def test_refused_change_leaves_the_tree_as_it_was():
    tree, other = swinging(), swinging()
    inner = np.array([[0, 1, len(tree.limbs[0].model.X) - 1]])
    with pytest.raises(PliantError):
        tree.add(pl.Limb(tree.limbs[3].model, parent=0, stands_on=inner))
    with pytest.raises(PliantError):
        tree.add(pl.Limb(tree.limbs[3].model, parent=99, stands_on=tree.limbs[3].stands_on))
    with pytest.raises(PliantError):
        tree.swap(1, "a stick")
    with pytest.raises(PliantError):
        tree.swap(1, pl.Rigid(pl.shapes.box(cells=(1, 1, 1)), 1000.0))  # limbs stand on triangles that it lacks
    for k in (tree, other):
        k.step(10)
    np.testing.assert_array_equal(tree.q, other.q)
    assert len(tree.limbs) == len(other.limbs)


def test_worn_surface_goes_when_limbs_come_and_go():
    tree = swinging()
    tree.wear(pl.Surface(tree.mesh.vertices, tree.mesh.surface))
    tree.cut(6)
    assert tree.worn is None
    assert len(tree.vertices()) == sum(len(limb.model.X) for limb in tree.limbs)
