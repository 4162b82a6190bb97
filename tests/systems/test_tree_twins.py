"""Trees that are one in another description: other axes, rebuilt at another size, rigid for frozen (sheet 9, 10)."""

from dataclasses import replace

import numpy as np
import pytest
from tree_dense import Dense
from tree_kernels import moving, solved, unloaded
from tree_motion import random_rotation, relative

import pliant as pl
from pliant.basis import Basis
from pliant.fem import Solid
from pliant.mesh import Mesh
from pliant.reduced import reduce
from pliant.reduced.rigid import Rigid

EQUAL_TREES = 1e-9  # relative, as the sheet accepts: paths of 20 steps, accelerations
SEEDS = range(3)
GRAVITY = np.array([1.5, -9.81, 0.7])


def walked(limbs, state, count=20, **options):
    """World positions of the copies after some steps from q, v of a state."""
    tree = pl.Tree(limbs, 2e-3, **{"gravity": GRAVITY, "damping": (0.1, 1e-3), **options})
    tree.q, tree.v = state.q, state.v
    tree.step(count)
    return tree


@pytest.mark.parametrize("options", [{}, {"inertia": "L1"}, {"inertia": "L2"}, {"free": True}], ids=str)
@pytest.mark.parametrize("seed", SEEDS)
def test_local_axes_do_not_matter(seed, options):
    """Every part in other axes: X Q^T, Q U and the limb turned by Q^T."""
    state = moving(seed, rigid=True, far=0.1, held=True)
    random = np.random.default_rng(seed)
    known: dict[int, tuple] = {}
    turned = []
    for limb in state.limbs:
        if id(limb.model) not in known:
            known[id(limb.model)] = _turned_model(limb.model, random_rotation(random))
        model, Q = known[id(limb.model)]
        turned.append(replace(limb, model=model, rotation=limb.rotation @ Q.T, origin=Q @ limb.origin))
    a, b = walked(state.limbs, state, **options), walked(turned, state, **options)
    assert relative(b.vertices(), a.vertices()) < EQUAL_TREES
    assert relative(b.v, a.v) < EQUAL_TREES


def _turned_model(model, Q):
    mesh = Mesh(model.X @ Q.T, model.cells)
    if isinstance(model, Rigid):
        return Rigid(mesh, model.density), Q
    U = np.einsum("ab,nbl->nal", Q, model.U.reshape(len(model.X), 3, -1)).reshape(len(model.U), -1)
    return reduce(Solid(mesh, model.solid.material, model.fixed), Basis(U)), Q


@pytest.mark.parametrize("inertia", ["full", "L1", "L2"])
@pytest.mark.parametrize("seed", SEEDS)
def test_scaled_limbs_move_as_models_rebuilt_at_that_size(seed, inertia):
    """Class units (section 9): x = s (X + U q), against meshes s X with bases s U, scale one."""
    state = moving(seed, rigid=True, far=0.1, held=True)
    rebuilt = []
    for limb in state.limbs:
        mesh = Mesh(limb.scale * limb.model.X, limb.model.cells)
        if isinstance(limb.model, Rigid):
            model = Rigid(mesh, limb.model.density)
        else:
            solid = Solid(mesh, limb.model.solid.material, limb.model.fixed)
            model = reduce(solid, Basis(limb.scale * limb.model.U))
        rebuilt.append(replace(limb, model=model, scale=1.0, origin=limb.scale * limb.origin))
    a, b = (walked(limbs, state, inertia=inertia) for limbs in (state.limbs, rebuilt))
    assert relative(b.vertices(), a.vertices()) < EQUAL_TREES
    assert relative(b.v, a.v) < EQUAL_TREES
    assert b.energy() == pytest.approx(a.energy(), rel=EQUAL_TREES)


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("frozen", [1, 4])
def test_rigid_limb_moves_as_one_with_frozen_coordinates(frozen, free):
    """A Rigid in place of a limb (one that carries, one that does not) against the flexible tree's dense equation with
    the rows and columns of its coordinates struck out."""
    state = moving(1)
    span = state.plain.spans[frozen]
    keep = np.setdiff1d(np.arange(state.plain.size), np.arange(span.start, span.stop))
    still = replace(state, q=state.q.copy(), v=state.v.copy())
    still.q[span], still.v[span] = 0.0, 0.0
    stone = Rigid(state.limbs[frozen].model.mesh, state.limbs[frozen].model.solid.material.density)
    limbs = list(state.limbs)
    limbs[frozen] = replace(limbs[frozen], model=stone)
    tree = unloaded(replace(still, limbs=limbs, q=still.q[keep], v=still.v[keep], a=state.a[keep]).tree(free=free))
    dense, rows = Dense(still), np.concatenate([np.arange(6), 6 + keep])
    M, right = dense.mass[np.ix_(rows, rows)], -dense.bias[rows]
    right[6:] -= dense.elastic()[0][keep]
    found, A = solved(tree, free=free)
    if free:
        wanted = np.linalg.solve(M, right)
        assert relative(np.concatenate([A, found]), wanted) < EQUAL_TREES
    else:
        root = np.concatenate([state.pull, state.twist])
        assert relative(found, np.linalg.solve(M[6:, 6:], right[6:] - M[6:, :6] @ root)) < EQUAL_TREES
