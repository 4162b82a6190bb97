"""The equation of motion of random trees, kernel by kernel: inertia, bias and forces against sums over the vertices,
the O(d) recursion against dense solves, lumped forces against a point mass (maths sheet substructuring 5-7, 9-10)."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.linalg as la
from tree_dense import Dense
from tree_kernels import (
    accelerated,
    frame_numbers,
    jacobians,
    loaded,
    moving,
    of_limb,
    solved,
    system_forces,
    unloaded,
)
from tree_motion import Plain, Stance, difference, random_rotation, relative, second_difference

import pliant as pl
from pliant.fem import Linear, Solid
from pliant.reduced import ReducedModel, reduce
from pliant.systems.tree.frames import PULL, SPIN, TWIST
from pliant.systems.tree.lumped import LUMP, _hang, lump_masses, sum_subtrees
from pliant.systems.tree.part_forces import evaluate_jets

# Relative, as the sheet accepts: polynomials, integrals, differences of positions, of accelerations, dense solves.
POLYNOMIALS, INTEGRALS, FIRST, SECOND, SOLVE = 1e-11, 1e-12, 1e-9, 1e-7, 1e-10
SEEDS = range(3)
GRAVITY = np.array([1.5, -9.81, 0.7])


@pytest.fixture(params=SEEDS)
def state(request):
    return moving(request.param, rigid=True)


# --- forces of the limbs themselves ---


@pytest.mark.parametrize("seed", SEEDS)
def test_polynomials_match_the_unreduced_solid(seed):
    """K, f and W in eight lanes, times kappa^2 s^3, against U^T K(Uq) U, U^T f(Uq), W(Uq)."""
    state = moving(seed)
    tree = state.tree()
    packs, m = tree._layout.packs, tree._scratch
    evaluate_jets(tree._layout.parts, packs, tree._motion.q, m.pairs, m.hessian, m.K, m.f, m.W)
    forces, energies = m.f[tree._layout.coordinates], of_limb(tree, m.W, 1, 0, 1).ravel()
    for number, (limb, span, at) in enumerate(zip(state.limbs, state.plain.spans, tree._layout.places)):
        U, solid = limb.model.U, limb.model.solid
        u, factor = U @ state.q[span], limb.scale**3 * limb.stiffening**2
        r, start = limb.model.size, packs.triangle_at[at // 8]
        lower = m.K[start : start + 4 * r * (r + 1)].reshape(-1, 8)[:, at % 8]
        f, K = solid.tangent(u)
        assert relative(lower, factor * (U.T @ (K @ U))[np.tril_indices(r)]) < POLYNOMIALS
        assert relative(forces[span], factor * (U.T @ f)) < POLYNOMIALS
        assert energies[number] == pytest.approx(factor * solid.energy(u), rel=POLYNOMIALS)


def test_linear_forces_stay_linear():
    state = moving(1)
    soft = [replace(k, model=reduce(_linear(k.model), k.model.basis)) for k in state.limbs]
    state = replace(state, limbs=soft)
    tree = state.tree()
    f, K, _ = Dense(state).elastic()
    evaluate_jets(
        tree._layout.parts,
        tree._layout.packs,
        tree._motion.q,
        *(getattr(tree._scratch, name) for name in ("pairs", "hessian", "K", "f", "W")),
    )
    assert relative(tree._scratch.f[tree._layout.coordinates], K @ state.q) < POLYNOMIALS
    assert relative(f, K @ state.q) < POLYNOMIALS
    energies = of_limb(tree, tree._scratch.W, 1, 0, 1).sum()
    assert energies == pytest.approx(0.5 * state.q @ K @ state.q, rel=POLYNOMIALS)


def _linear(model):
    material = model.solid.material
    return Solid(model.mesh, Linear(material.young, material.poisson, material.density), model.fixed)


def test_system_forces_match_direct_integration(state):
    """f = -int rho U^T (a + al x x + w x (w x x) + 2 w x x') over the tets, with the consistent mass."""
    tree = state.tree()
    accelerated(tree)
    found, plain = system_forces(tree), state.plain
    rates = [x - rest for x, rest in zip(plain.shapes(state.v), plain.shapes(0 * state.v))]
    dense = Dense(state)
    for j, (limb, span, x, rate) in enumerate(zip(state.limbs, plain.spans, plain.shapes(state.q), rates)):
        a, al, w = (frame_numbers(tree, at)[j] for at in (PULL, TWIST, SPIN))
        field = a + np.cross(al, x) + np.cross(w, np.cross(w, x)) + 2 * np.cross(w, rate)
        wanted = -limb.scale * limb.model.U.T @ (dense.masses[j] @ field.ravel())
        if limb.model.size:
            assert relative(found[span], wanted) < INTEGRALS


# --- the whole equation ---


def test_dense_reference_matches_differences_of_the_positions(state):
    """M(q) = J^T M J over the copies and bias = J^T M J' v, J by differences."""
    plain, dense = state.plain, Dense(state)
    J = plain.jacobian(state.q, state.root)
    coasting = replace(state, a=0 * state.a, pull=np.zeros(3), twist=np.zeros(3)).path()
    drift = second_difference(lambda t: plain.copies(*coasting(t)))
    assert relative(dense.mass, J.T @ (plain.mass @ J)) < FIRST
    assert relative(dense.bias, J.T @ (plain.mass @ drift)) < SECOND


@pytest.mark.parametrize("rigid", [False, True])
@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("c", [(0.0, 0.0, 0.0), (0.01, 0.3, 0.02)], ids=["explicit", "implicit"])
@pytest.mark.parametrize("seed", SEEDS)
def test_recursion_matches_the_dense_solve(seed, c, free, rigid):
    state = moving(seed, rigid=rigid)
    tree = unloaded(state.tree(free=free))
    for found, wanted in zip(solved(tree, c, free=free), Dense(state).accelerations(c, free=free)):
        assert relative(found, wanted) < SOLVE


def test_mass_damping_of_what_is_held_is_alpha_times_the_momentum(state):
    """-alpha M(q) y of all limbs, their frames included, as of any held solid."""
    alpha, dense = 0.7, Dense(state)
    momentum = dense.mass @ np.concatenate([state.speed, state.spin, state.v])
    found, _ = solved(unloaded(state.tree()), (0.0, alpha, 0.0), frames=alpha)
    wanted, _ = dense.accelerations(load=-alpha * momentum)
    assert relative(found, wanted) < SOLVE


@pytest.mark.parametrize("free", [False, True])
def test_recursion_inverts_the_mass_of_the_vertices(free):
    """q'' of unit forces, column by column: M(q)^-1 with M by differences of the positions, nothing else."""
    state = replace(moving(2, rigid=True), v=0 * moving(2, rigid=True).v, speed=np.zeros(3), spin=np.zeros(3))
    state = replace(state, pull=np.zeros(3), twist=np.zeros(3))
    plain = state.plain
    J = plain.jacobian(state.q, state.root)
    M = J.T @ (plain.mass @ J)
    columns = []
    for l in range(plain.size):
        tree = unloaded(state.tree(free=free))
        tree._scratch.load[tree._layout.coordinates[l]] = 1.0
        qdd, A = solved(tree, elastic=False, free=free)
        columns.append(np.concatenate([A, qdd]))
    inverse = np.stack(columns, axis=1)
    if free:
        assert relative(inverse, np.linalg.inv(M)[:, 6:]) < FIRST
    else:
        assert relative(inverse[6:], np.linalg.inv(M[6:, 6:])) < FIRST
        assert not inverse[:6].any()


def areas_of(X, triangles):
    """A third of the triangles around each vertex (n,)."""
    a, b, c = (X[triangles[:, k]] for k in range(3))
    shares = np.zeros(len(X))
    np.add.at(shares, triangles, np.linalg.norm(np.cross(b - a, c - a), axis=1)[:, None] / 6)
    return shares


def outside(state, tree, rng):
    """World forces (n_i, 3) on all copies: weight, wind on what no limb covers, pushes; the tree is told of them."""
    frames, plain = state.plain.frames(state.q, state.root), state.plain
    tree.wind = pl.Wind((4.0, 1.0, -2.0), gust=0.0)
    pressure = tree.wind.pressure(np.zeros((1, 3)), 0.0)[0]
    forces = []
    for limb, M in zip(state.limbs, Dense(state).masses):
        surface, X = limb.model.mesh.surface, limb.model.X
        foot = surface[np.isin(surface, limb.model.fixed).all(axis=1)] if limb.parent >= 0 else surface[:0]
        shares = limb.scale**2 * (areas_of(X, surface) - areas_of(X, foot))
        if limb.parent >= 0:  # it covers as much of what it stands on as its foot is large
            on = state.limbs[limb.parent]
            patch = on.scale**2 * areas_of(on.model.X, limb.stands_on)
            share = min(1.0, limb.scale**2 * areas_of(X, foot).sum() / patch.sum())
            forces[limb.parent] -= share * patch[:, None] * pressure
        forces.append((M @ np.tile(GRAVITY, len(X))).reshape(-1, 3) + shares[:, None] * pressure)
    starts = np.cumsum([0, *(len(f) for f in forces)])
    ids = rng.choice(starts[-1], 12, replace=False)
    pushed = 30 * rng.standard_normal((12, 3))
    tree.push(ids, pushed)
    for vertex, f in zip(ids, pushed):
        j = np.searchsorted(starts, vertex, side="right") - 1
        forces[j][vertex - starts[j]] += f
    return forces, frames, plain


def test_outside_forces_match_the_forces_on_the_vertices(state):
    """Loads and wrenches of weight, wind and pushes, gathered at the coordinates, are J^T f."""
    rng, dense = np.random.default_rng(4), Dense(state)
    tree = state.tree(gravity=GRAVITY, free=True)
    forces, frames, plain = outside(state, tree, rng)
    loads, wrenches = loaded(tree)
    found = sum(D.T @ wrench for D, wrench in zip(dense.maps, wrenches))
    found[6:] += loads
    J = plain.jacobian(state.q, state.root)
    flat = np.concatenate([f.ravel() for f in forces])
    assert relative(found, J.T @ flat) < SECOND
    assert relative(found, dense.gathered(forces, frames)) < INTEGRALS


@pytest.mark.parametrize("free", [False, True])
def test_outside_forces_accelerate_the_tree(state, free):
    rng, dense = np.random.default_rng(4), Dense(state)
    tree = state.tree(gravity=GRAVITY, free=free)
    forces, frames, _ = outside(state, tree, rng)
    loaded(tree)
    wanted = dense.accelerations(free=free, load=dense.gathered(forces, frames))
    for a, b in zip(solved(tree, free=free), wanted):
        assert relative(a, b) < SOLVE


def test_energy_and_momentum_match_the_moving_vertices(state):
    """1/2 v M v + W - g . m x; P and L about the world's origin; velocities by differences of the positions."""
    plain, path, tree = state.plain, state.path(), state.tree(gravity=GRAVITY, free=True)
    x, v = plain.copies(state.q, state.root), difference(lambda t: plain.copies(*path(t)))
    p = (plain.mass @ v).reshape(-1, 3)
    elastic = sum(
        k.scale**3 * k.stiffening**2 * k.model.energy(state.q[span])
        for k, span in zip(state.limbs, plain.spans)
        if isinstance(k.model, ReducedModel)
    )
    height = (plain.mass @ np.tile(GRAVITY, len(p))) @ x
    assert tree.energy() == pytest.approx(0.5 * v @ p.ravel() + elastic - height, rel=FIRST)
    P, L = tree.momentum()
    assert relative(P, p.sum(axis=0)) < SECOND
    assert relative(L, np.cross(x.reshape(-1, 3), p).sum(axis=0)) < SECOND


# --- lumped forces ---


@pytest.mark.parametrize("kind", ["L1", "L2"])
def test_lumped_forces_are_those_of_a_point_mass(state, kind):
    """-M_ij q'' + f'_ij = P^T R^T (F_j - m_j p'') (+ J_w^T R^T tau_j), p'' by differences of its path."""
    rng, plain, path = np.random.default_rng(4), state.plain, state.path()
    tree = state.tree(gravity=GRAVITY, inertia=kind, damping=(0, 0.01))
    accelerated(tree)
    forces, frames, _ = outside(state, tree, rng)
    loaded(tree)
    packs, scratch, sums, lumps = tree._layout.packs, tree._scratch, tree._sums, tree._lumps
    sum_subtrees(*tree._moving, lumps)
    sums.force[:] = 0.0
    if kind == "L1":
        lump_masses(packs, scratch, sums, lumps)
    else:
        sums.K[:] = 0.0
    for pack in range(1, len(packs.size)):
        _hang(packs, pack, scratch, sums, lumps, kind == "L2")
    found = -sums.force[tree._layout.coordinates]
    wanted = np.zeros(plain.size)
    for j in range(1, len(state.limbs)):
        wanted += point_mass_force(state, kind, j, forces, frames, jacobians(tree)[j], path)
    for number, (limb, span) in enumerate(zip(state.limbs, plain.spans)):
        r, at = limb.model.size, tree._layout.places[number]
        lower = np.zeros((r, r))
        start = packs.triangle_at[at // 8]
        lower[np.tril_indices(r)] = sums.K[start : start + 4 * r * (r + 1)].reshape(-1, 8)[:, at % 8]
        found[span] -= (lower + np.tril(lower, -1).T) @ state.a[span]
    assert relative(found, wanted) < SECOND


def point_mass_force(state, kind, j, forces, frames, turning, path):
    """On all coordinates of the tree: what child j, with all it carries, does to its parent."""
    plain, dense, i = state.plain, Dense(state), state.limbs[j].parent
    carried = [j]
    for k, limb in enumerate(state.limbs):
        if limb.parent in carried:
            carried.append(k)
    x = [f.x + p @ f.R.T for f, p in zip(frames, plain.shapes(state.q))]
    weights = [np.asarray(M[::3, ::3].sum(axis=0)).ravel() for M in dense.masses]
    mass = sum(weights[k].sum() for k in carried)
    centre = sum(weights[k] @ x[k] for k in carried) / mass
    F = sum(forces[k].sum(axis=0) for k in carried)
    torque = sum(np.cross(x[k] - centre, forces[k]).sum(axis=0) for k in carried)
    c = frames[j].R.T @ (centre - frames[j].x) if kind == "L2" else np.zeros(3)

    def point(q, root):
        frame = plain.frames(q, root)[j]
        return frame.x + frame.R @ c

    found, R, span = np.zeros(plain.size), frames[i].R, plain.spans[i]
    push = F - mass * second_difference(lambda t: point(*path(t)))
    for l in range(span.start, span.stop):
        unit = np.eye(plain.size)[l]
        found[l] = difference(lambda h, unit=unit: point(state.q + h * unit, state.root)) @ push
    if kind == "L2":
        found[span] += turning.T @ (R.T @ torque)
    return found


def test_lumps_hold_the_mass_of_each_subtree(state):
    tree = state.tree(inertia="L1", damping=(0, 0.01))
    masses = of_limb(tree, tree._lumps.subtree, LUMP, 9, 1).ravel()
    own = [k.scale**3 * k.model.inertia.mass for k in state.limbs]
    for j in range(len(state.limbs)):
        carried = [j]
        for k, limb in enumerate(state.limbs):
            if limb.parent in carried:
                carried.append(k)
        assert masses[j] == pytest.approx(sum(own[k] for k in carried))


# --- K that is not positive definite ---


def test_indefinite_stiffness_gives_way_to_the_one_at_rest():
    """Limbs 1 and 2 share a pack; only 1 is crushed, so only 1 takes K(0), for this step."""
    state = moving(0, held=True, scaled=False)
    limb, span = state.limbs[1], state.plain.spans[1]
    q, c = _crushed(limb.model), (10.0, 0.0, 0.0)
    for number, other in enumerate(state.plain.spans):
        state.q[other] = q if number == 1 else 0.0
    state.v[:], state.a[:] = 0.0, 0.0
    dense = Dense(state)
    M = dense.mass[6:, 6:]
    K = dense.elastic()[1]
    assert la.eigvalsh((M + 0.25 * c[0] ** 2 * K)[span, span])[0] < 0
    tree = unloaded(state.tree())
    found, _ = solved(tree, c)
    wanted, _ = dense.accelerations(c, at_rest=[1])
    assert relative(found, wanted) < 1e-8  # 0.25 dt^2 K outweighs M by orders
    exact, _ = dense.accelerations(c)
    assert relative(found, exact) > 1e-2


def _crushed(model):
    """q where K(q) has a negative eigenvalue: the first found along the softest strains, growing."""
    random = np.random.default_rng(0)
    for size in np.geomspace(0.1, 10, 30):
        for _ in range(20):
            q = random.standard_normal(model.size)
            q *= size * np.sqrt(model.inertia.mass / (q @ model.mass @ q)) * 0.2
            if la.eigvalsh(model.stiffness(q))[0] < -0.05 * la.eigvalsh(model.stiffness())[0]:
                return q
    raise AssertionError("no indefinite stiffness found")


def test_plain_reference_is_rigid_motion_of_a_rigid_tree():
    """The reference itself: at q = 0 it turns with its root."""
    state = moving(0)
    plain, R = Plain(state.limbs), random_rotation(np.random.default_rng(0))
    q = 0 * state.q
    still = plain.copies(q, Stance(np.zeros(3), np.eye(3))).reshape(-1, 3)
    turned = plain.copies(q, Stance(np.ones(3), R)).reshape(-1, 3)
    np.testing.assert_allclose(turned, 1 + still @ R.T, rtol=0, atol=INTEGRALS)
