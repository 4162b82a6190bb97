"""Trees that fly: momentum to rounding, energy as maths sheet substructuring 10 prints it, symmetries of space."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import scipy.linalg as la
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from tree_kernels import solved
from tree_motion import mass_of, random_limbs, random_rotation

import pliant as pl
from pliant.numerics import rotation_exponential
from pliant.reduced.rigid import Rigid
from pliant.systems.tree.root import A_AT, R_AT

KEPT = 1e-12  # relative: momentum, as the sheet and the issue ask
SAME = 1e-9  # relative, over short paths: rounding, grown by the stiffest mode
ORDER = (1.8, 2.2)


def thrown(limbs, seed=0, amplitude=1.0, **options):
    """A tumbling tree: mean speeds of about `amplitude` [m/s] in the three lowest modes of every limb.

    The sheet says 0.2 N(0,1) in mass-orthonormal coordinates of a tree it does not describe; this amplitude gives our
    tree the energy errors of its table.
    """
    tree = pl.Tree(limbs, **{"dt": 2e-3, "gravity": None, **options})
    random, v = np.random.default_rng(seed), []
    for limb in limbs:
        if limb.model.size:
            modes = la.eigh(limb.model.stiffness(), limb.model.mass)[1][:, :3]
            v.append(modes @ random.standard_normal(3) * amplitude * np.sqrt(limb.model.inertia.mass))
    tree.v = np.concatenate(v)
    tree.velocity, tree.spin = 0.5 * random.standard_normal(3), 2 * random.standard_normal(3)
    return tree


def flying(seed, **options):
    return random_limbs(seed, clamped=False, **{"scaled": False, "size": 6, **options})


def drift(tree, count=100):
    """Of P, L and energy, relative, over `count` steps."""
    P, L, energy = *tree.momentum(), tree.energy()
    tree.step(count)
    P_end, L_end = tree.momentum()
    return la.norm(P_end - P) / la.norm(P), la.norm(L_end - L) / la.norm(L), tree.energy() / energy - 1


@pytest.mark.parametrize("seed", range(3))
def test_free_flight_keeps_momentum_and_energy_as_the_sheet_prints(seed):
    """Five limbs, 100 steps of 2 ms. Energy with projection: -3e-3 with one pass, -2e-4 with two; here their order of
    magnitude, since the tree and its spin are not described."""
    one, two = (drift(thrown(flying(seed), seed, passes=passes)) for passes in (1, 2))
    assert max(one[:2]) < KEPT
    assert max(two[:2]) < KEPT
    assert abs(one[2]) < 3e-2
    assert abs(two[2]) < 2e-3
    assert abs(two[2]) < abs(one[2]) / 4


@pytest.mark.parametrize("inertia", ["L1", "L2"])
@pytest.mark.parametrize("seed", range(3))
def test_lumped_flight_keeps_momentum_and_gains_energy(seed, inertia):
    """The sheet: energy x 3.6 for L1, momentum to 1e-15."""
    tree = thrown(flying(seed), seed, inertia=inertia)
    P, L, gain = drift(tree)
    assert max(P, L) < KEPT
    assert -0.5 < gain < 9


def test_passes_converge():
    """To fully implicit Newmark: what a pass adds gets less and less."""
    ends = []
    for passes in range(1, 6):
        tree = thrown(flying(1), 1, passes=passes)
        tree.step(20)
        ends.append(tree.vertices())
    changes = [np.abs(b - a).max() for a, b in pairwise(ends)]
    assert all(b < a / 2 for a, b in pairwise(changes))


def end_of_push(count):
    """A held tree after a push that grows smoothly, since accelerations start at zero."""
    tree = pl.Tree(flying(0, scaled=True), 0.08 / count, gravity=None, passes=6, free=False)
    for k in range(1, count + 1):
        tree.release()
        tree.push([len(tree.vertices()) - 1], [300 * np.sin(np.pi * k / count) ** 2 * np.array([1.0, -2.0, 0.5])])
        tree.step()
    return tree.vertices()


def end_of_flight(count):
    """A tumbling tree that starts with the accelerations that its motion has."""
    tree = thrown(flying(0, scaled=True), 0, 0.3, dt=0.08 / count, passes=6)
    start, root = tree.state(), tree._root[R_AT : R_AT + 9].reshape(3, 3)
    a, A = solved(tree, free=True)
    tree.restore(start | {"a": a, "root": np.concatenate([start["root"][:A_AT], root @ A[:3], root @ A[3:]])})
    tree.step(count)
    return tree.vertices()


@pytest.mark.parametrize("end", [end_of_push, end_of_flight])
def test_full_inertia_is_of_second_order(end):
    """With enough passes to be implicit Newmark."""
    reference = end(1024)
    coarse, fine = (np.abs(end(count) - reference).max() for count in (32, 64))
    assert ORDER[0] < np.log2(coarse / fine) < ORDER[1]


@settings(max_examples=20)
@given(
    seed=st.integers(0, 10**6),
    rigid=st.booleans(),
    inertia=st.sampled_from(["full", "L1", "L2"]),
    damping=st.sampled_from([(0.0, 0.0), (0.0, 0.01), (1.0, 0.0)]),
)
def test_momentum_of_any_free_tree_is_kept(seed, rigid, inertia, damping):
    tree = thrown(flying(seed, rigid=rigid, scaled=True), seed, 0.3, inertia=inertia, damping=damping)
    P, L, _ = drift(tree, 25)
    assert max(P, L) < KEPT


@settings(max_examples=10)
@given(seed=st.integers(0, 10**6), inertia=st.sampled_from(["full", "L1", "L2"]))
def test_turned_tree_flies_a_turned_path(seed, inertia):
    """Space has no directions: turn and shift everything at the start, and the whole path turns and shifts."""
    random = np.random.default_rng(seed)
    Q, shift = random_rotation(random), random.standard_normal(3)
    limbs = flying(seed, rigid=True, scaled=True)
    turned = [
        replace(k, rotation=Q @ k.rotation, position=Q @ k.position + shift if k.parent < 0 else k.position)
        for k in limbs
    ]
    a, b = thrown(limbs, seed, 0.3, inertia=inertia), thrown(turned, seed, 0.3, inertia=inertia)
    b.velocity, b.spin = Q @ a.velocity, Q @ a.spin
    for tree in (a, b):
        tree.step(25)
    np.testing.assert_allclose(b.vertices(), a.vertices() @ Q.T + shift, rtol=0, atol=SAME)
    np.testing.assert_allclose(b.v, a.v, rtol=0, atol=SAME * np.abs(a.v).max())
    assert b.energy() == pytest.approx(a.energy(), rel=SAME)


@settings(max_examples=10)
@given(seed=st.integers(0, 10**6), free=st.booleans(), inertia=st.sampled_from(["full", "L1", "L2"]))
def test_order_of_siblings_does_not_matter(seed, free, inertia):
    limbs = random_limbs(seed, clamped=not free, rigid=True)
    order = [0, 2, 1, 4, 5, 6, 3]  # old numbers; parents stay before children
    places = {old: new for new, old in enumerate(order)}
    shuffled = [replace(limbs[i], parent=places.get(limbs[i].parent, -1)) for i in order]
    a, b = (pl.Tree(k, 2e-3, inertia=inertia, damping=(0, 0.01)) for k in (limbs, shuffled))
    starts = np.split(0.3 * np.random.default_rng(seed).standard_normal(len(a.v)), a.offsets[1:-1])
    a.v, b.v = np.concatenate(starts), np.concatenate([starts[i] for i in order])
    for tree in (a, b):
        tree.step(25)
    found = np.split(b.q, b.offsets[1:-1])
    for i, q in enumerate(np.split(a.q, a.offsets[1:-1])):
        np.testing.assert_allclose(found[places[i]], q, rtol=0, atol=SAME * np.abs(a.q).max())


# --- outside forces ---


@pytest.mark.parametrize("inertia", ["full", "L1", "L2"])
def test_weight_changes_the_momentum_by_its_impulse(inertia):
    limbs, gravity = flying(2, rigid=True, scaled=True), np.array([0.3, -9.81, 1.0])
    tree = thrown(limbs, 2, 0.3, gravity=gravity, inertia=inertia)
    mass = mass_of_all(limbs)
    P = tree.momentum()[0]
    tree.step(40)
    np.testing.assert_allclose(tree.momentum()[0], P + mass * gravity * 40 * tree.dt, rtol=KEPT, atol=0)


@pytest.mark.parametrize("inertia", ["full", "L1", "L2"])
@pytest.mark.parametrize("rigid", [False, True])
def test_thrown_tree_does_not_start_to_spin(inertia, rigid):
    """Weight has no torque about the centre of mass. Taken at either end of a step it would have v dt/2 x m g."""
    limbs, velocity = stones() if rigid else flying(3), np.array([5.0, 0.0, 0.0])
    tree = pl.Tree(limbs, 0.01, inertia=inertia, damping=(0, 0.01))
    tree.velocity = velocity
    tree.step()  # accelerations start at zero, so the first step covers too little way
    before = spin_momentum(tree)
    tree.step(99)
    spurious = np.linalg.norm(np.cross(velocity, tree.gravity)) * mass_of_all(limbs) * tree.dt / 2 * 0.99
    assert la.norm(spin_momentum(tree) - before) < 1e-2 * spurious


def mass_of_all(limbs):
    return sum(k.scale**3 * k.model.inertia.mass for k in limbs)


def spin_momentum(tree):
    """Angular momentum about the centre of mass."""
    P, L = tree.momentum()
    return L - np.cross(_centre(tree.limbs, tree), P)


def test_pushes_change_the_momentum_by_their_impulse():
    tree = thrown(flying(1), 1, 0.0)
    tree.velocity, tree.spin = np.zeros(3), np.zeros(3)
    force, vertex = np.array([3.0, -2.0, 1.0]), 5
    tree.push([vertex], [force])
    torque = np.cross(tree.vertices()[vertex], force)
    tree.step()
    P, L = tree.momentum()
    np.testing.assert_allclose(P, force * tree.dt, rtol=KEPT)
    # The vertex is pushed where it is at the newest iterate, which has moved a little.
    np.testing.assert_allclose(L, torque * tree.dt, rtol=1e-3, atol=1e-6)


# --- rigid trees ---


def stones(seed=3):
    limbs = random_limbs(seed, clamped=False)
    return [replace(k, model=Rigid(k.model.mesh, k.model.solid.material.density), stiffening=1.0) for k in limbs]


def test_tree_of_rigid_limbs_spins_as_one_rigid_body():
    """Euler's equations, by an adaptive integrator: I w' + w x I w = 0 in the body's axes."""
    limbs, spin = stones(), np.array([1.0, 3.0, -2.0])
    tree = pl.Tree(limbs, 1e-3, gravity=None)
    assert tree.free
    assert len(tree.q) == 0
    tree.spin = spin
    x = tree.vertices()
    P, L = tree.momentum()
    centre, velocity = _centre(limbs, tree), P / mass_of_all(limbs)
    inertia = _inertia(limbs, tree, centre)
    np.testing.assert_allclose(L - np.cross(centre, P), inertia @ spin, rtol=1e-10)

    def rates(_, y):
        R = y[:9].reshape(3, 3)
        w = R @ np.linalg.solve(inertia, R.T @ (inertia @ spin))
        return (np.cross(w, R.T).T).ravel()

    end = solve_ivp(rates, (0, 1), np.eye(3).ravel(), rtol=1e-11, atol=1e-12).y[:9, -1].reshape(3, 3)
    tree.step(1000)
    wanted = centre + velocity + (x - centre) @ end.T
    np.testing.assert_allclose(tree.vertices(), wanted, rtol=0, atol=1e-4)  # (w dt)^2 of a path of several metres
    np.testing.assert_allclose(np.concatenate(tree.momentum()), np.concatenate([P, L]), rtol=KEPT, atol=1e-10)


def _scalar_mass(limb):
    return mass_of(limb)[::3, ::3].toarray()


def _centre(limbs, tree):
    x = np.split(tree.vertices(), np.cumsum([len(k.model.X) for k in limbs])[:-1])
    return sum(_scalar_mass(k).sum(axis=0) @ p for k, p in zip(limbs, x)) / mass_of_all(limbs)


def _inertia(limbs, tree, centre):
    x = np.split(tree.vertices() - centre, np.cumsum([len(k.model.X) for k in limbs])[:-1])
    second = sum(p.T @ _scalar_mass(k) @ p for k, p in zip(limbs, x))
    return np.trace(second) * np.eye(3) - second


def test_free_limb_falls_as_a_stone():
    """g t^2 / 2: the free frame has the centre of mass as its state."""
    limb = replace(stones()[0], rotation=rotation_exponential(np.array([0.3, 0.2, 0.1])))
    tree = pl.Tree([limb], 0.01)
    start = tree.vertices()
    tree.step(50)
    fallen = 9.81 * 0.5**2 / 2
    np.testing.assert_allclose(tree.vertices(), start - [0, fallen, 0], rtol=0, atol=1e-10)
    np.testing.assert_allclose(tree.velocity, [0, -9.81 * 0.5, 0], rtol=KEPT, atol=KEPT)
