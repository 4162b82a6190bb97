"""Labelled solids become limbs: the flower's frequencies, its classes, scaled copies, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.linalg as la
import tree_reference
from flower import DENSITY, DEPTH, DOMAINS, POISSON, SIZE, TRUE_FREQUENCIES, YOUNG, flower
from tree_reference import full_matrices, lumped_lowest, positions

import pliant as pl
from pliant.basis import vibration_modes
from pliant.errors import ArgumentError, Diverged, PliantWarning
from pliant.fem import NeoHookean, Solid, StVK
from pliant.mesh import Mesh, shapes
from pliant.mesh.grid import Grid, filled_mesh
from pliant.numerics import cross_matrix
from pliant.reduced import ReducedModel
from pliant.reduced.interface import interface_map, patch_weights
from pliant.reduced.rigid import Rigid
from pliant.systems.tree.cutting import limbs_of
from pliant.systems.tree.substructuring import steady_damping

RUBBER = StVK(YOUNG, POISSON, DENSITY)
THIRD_DIGIT, SECOND_DIGIT = 5.01e-4, 5.01e-3  # the sheet prints ratios with three digits behind the point, or two
ROUNDING = 1e-12  # relative, of positions in metres
REBUILT = 1e-10  # relative: scale factors against a rebuilt model, as the sheet accepts
HERTZ = 2 * np.pi


pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.fixture(scope="module")
def blossom():
    mesh, labels, names, fixed = flower()
    return Solid(mesh, RUBBER, fixed), labels, names


@pytest.fixture(scope="module")
def truth(blossom):
    return vibration_modes(blossom[0], 3).frequencies


@pytest.fixture(scope="module")
def limbs(blossom):
    solid, labels, names = blossom
    return limbs_of(solid, labels, size=SIZE, names=names, attachment=False)


@pytest.fixture(scope="module")
def named(limbs):
    return {limb.name: limb for limb in limbs[0]}


def frequencies(limbs):
    """The lowest three, as the largest of M x = K x / omega^2, which rounding of stiff modes does not reach."""
    M, K = full_matrices(limbs)
    return 1 / np.sqrt(la.eigh(M, K, eigvals_only=True, subset_by_index=(len(M) - 3, len(M) - 1))[::-1])


def test_flower_has_the_frequencies_of_the_sheet(truth):
    np.testing.assert_allclose(truth / HERTZ, TRUE_FREQUENCIES, rtol=0, atol=5e-5)


def test_full_inertia_has_the_frequencies_of_the_sheet(limbs, truth):
    np.testing.assert_allclose(frequencies(limbs[0]) / truth, [1.037, 1.076, 1.084], rtol=0, atol=THIRD_DIGIT)


def test_lumped_inertia_has_the_frequencies_of_the_sheet(limbs, truth):
    assert lumped_lowest(limbs[0], "L1") / truth[0] == pytest.approx(3.72, abs=SECOND_DIGIT)
    assert lumped_lowest(limbs[0], "L2") / truth[0] == pytest.approx(1.35, abs=SECOND_DIGIT)


def test_roomy_bases_have_truer_frequencies_than_those_of_the_paper(blossom, truth):
    """By default attachment modes take up to half of bases of 20 vectors; smaller ones stay those of the paper."""
    solid, labels, names = blossom
    made = {kind: limbs_of(solid, labels, size=20 * DOMAINS, names=names, attachment=kind)[0] for kind in (None, False)}
    errors = {kind: np.abs(np.log(frequencies(limbs) / truth)).max() for kind, limbs in made.items()}
    assert errors[None] < errors[False]
    small, paper = (limbs_of(solid, labels, size=SIZE, names=names, attachment=kind)[0] for kind in (None, False))
    assert max(limb.model.size for limb in small) < 20
    np.testing.assert_array_equal(frequencies(small), frequencies(paper))


def test_attachment_modes_have_the_frequencies_of_the_sheet(blossom, truth):
    solid, labels, names = blossom
    limbs, _ = limbs_of(solid, labels, size=SIZE, names=names, attachment=True)
    np.testing.assert_allclose(frequencies(limbs) / truth, [0.988, 0.980, 0.985], rtol=0, atol=THIRD_DIGIT)
    assert lumped_lowest(limbs, "L1") / truth[0] == pytest.approx(3.71, abs=SECOND_DIGIT)
    assert lumped_lowest(limbs, "L2") / truth[0] == pytest.approx(1.29, abs=SECOND_DIGIT)


def other_extra_point(kind):
    """`interface_map` with another motion of the normal n of a flat patch: still, or as the whole patch turns."""

    def changed(model, triangles):
        found = interface_map(model, triangles)
        ids, weights = patch_weights(model.X, triangles)
        Y = model.X[ids] - found.centroid
        U = model.U.reshape(-1, 3, model.size)[ids] - found.shift
        n = np.linalg.eigh((weights[:, None] * Y).T @ Y)[1][:, 0]
        gradient = found.gradient - np.einsum("acl,c,b->abl", found.gradient, n, n)
        if kind == "linrot":
            arms = [cross_matrix(y) for y in Y]
            normal = sum(w * arm.T @ arm for w, arm in zip(weights, arms))
            turn = np.linalg.solve(normal, sum(w * arm @ u for w, arm, u in zip(weights, arms, U)))
            gradient += np.einsum("al,b->abl", np.cross(turn, n, axis=0), n)
        return replace(found, gradient=gradient)

    return changed


@pytest.mark.parametrize(
    ("kind", "L2", "full"), [("linrot", 1.35, [1.036, 1.068, 1.074]), ("static", 1.97, [1.568, 1.566, 1.239])]
)
def test_other_extra_points_have_the_frequencies_of_the_sheet(monkeypatch, limbs, truth, kind, L2, full):
    """What the extra point of a flat interface does, which the paper leaves open, decides the frequency."""
    monkeypatch.setattr(tree_reference, "interface_map", other_extra_point(kind))
    np.testing.assert_allclose(frequencies(limbs[0]) / truth, full, rtol=0, atol=THIRD_DIGIT)
    assert lumped_lowest(limbs[0], "L1") / truth[0] == pytest.approx(3.72, abs=SECOND_DIGIT)
    assert lumped_lowest(limbs[0], "L2") / truth[0] == pytest.approx(L2, abs=SECOND_DIGIT)


def test_limbs_lie_where_the_solid_lies(blossom, limbs):
    for x, ids in zip(positions(limbs[0]), limbs[1]):
        np.testing.assert_allclose(x, blossom[0].mesh.vertices[ids], rtol=0, atol=ROUNDING)


def test_limbs_cover_every_cell_and_stand_on_earlier_ones(blossom, limbs):
    solid = blossom[0]
    assert len(limbs[0]) == DOMAINS
    assert sum(limb.model.size for limb in limbs[0]) == SIZE
    assert limbs[0][0].parent == -1
    assert all(limb.parent < number for number, limb in enumerate(limbs[0]))
    cells = np.concatenate([np.sort(ids[limb.model.cells], axis=1) for limb, ids in zip(*limbs)])
    assert {tuple(cell) for cell in cells} == {tuple(cell) for cell in np.sort(solid.mesh.cells, axis=1)}
    depths: list[int] = []
    for limb in limbs[0]:
        depths.append(1 if limb.parent < 0 else depths[limb.parent] + 1)
    assert max(depths) == DEPTH


def test_limbs_stand_on_the_vertices_that_hold_them(limbs):
    for limb, ids in zip(*limbs):
        if limb.parent >= 0:
            on = limbs[1][limb.parent][np.unique(limb.stands_on)]
            np.testing.assert_array_equal(np.sort(on), np.sort(ids[limb.model.fixed]))


def test_congruent_parts_share_a_model(named):
    """Kuhn's diagonals allow 180 degree turns about (1, -1, 0) and the like: three petals match three others only."""
    alike = [
        {"stem 1", "stem 2", "stem 3"},
        {"petal 1", "petal 4", "side petal 2"},
        {"petal 2", "petal 3", "side petal 1"},
        {"hub"},
        {"side stem"},
        {"side hub"},
        {"leaf"},
    ]
    found: dict[int, set[str]] = {}
    for name, limb in named.items():
        found.setdefault(id(limb.model), set()).add(name)
    assert sorted(map(sorted, found.values())) == sorted(map(sorted, alike))


def test_shared_models_change_no_frequency(blossom, limbs):
    solid, labels, names = blossom
    apart, _ = limbs_of(solid, labels, size=SIZE, names=names, instances=False, attachment=False)
    assert len({id(limb.model) for limb in apart}) == DOMAINS
    np.testing.assert_allclose(frequencies(apart), frequencies(limbs[0]), rtol=1e-6)  # copies: equal modes may mix


def test_flower_of_another_size_has_the_same_limbs_scaled(blossom, limbs, truth):
    """Section 9: frequencies s^-1, and class units reproduce the rebuilt tree."""
    s = 1.7
    mesh, labels, names, fixed = flower(scale=s)
    rebuilt, _ = limbs_of(Solid(mesh, RUBBER, fixed), labels, size=SIZE, names=names, attachment=False)
    np.testing.assert_allclose(frequencies(rebuilt), frequencies(limbs[0]) / s, rtol=1e-8)
    scaled = [replace(limb, scale=s * limb.scale, position=s * limb.position) for limb in limbs[0]]
    np.testing.assert_allclose(frequencies(scaled), frequencies(limbs[0]) / s, rtol=REBUILT)


def test_scale_factors_of_a_rebuilt_part(blossom):
    """Section 9, column 2: U s^(-3/2), P s^-2, T s^(-9/2), Q s^-7, N s^(3/2), W5 s^(5/2)."""
    s, models = 1.7, []
    for scale in (1.0, s):
        mesh, labels, names, fixed = flower(scale=scale)
        limbs, _ = limbs_of(Solid(mesh, RUBBER, fixed), labels, size=SIZE, names=names, attachment=False)
        models.append(next(limb.model for limb in limbs if limb.name == "leaf"))
    small, large = models
    signs = np.sign(np.einsum("il,il->l", small.U, large.U))
    np.testing.assert_allclose(large.U * signs * s**1.5, small.U, rtol=0, atol=1e-9 * np.abs(small.U).max())
    q = signs * np.random.default_rng(0).standard_normal(small.size) * 0.1
    grown = signs * q * s**2.5  # the same shape, s times as large: forces in q scale as s^3 / s^(5/2)
    np.testing.assert_allclose(large.force(grown), signs * small.force(q) * s**0.5, rtol=1e-8)
    np.testing.assert_allclose(
        large.stiffness(),
        np.outer(signs, signs) * small.stiffness() / s**2,
        rtol=0,
        atol=1e-8 * small.stiffness().max(),
    )
    np.testing.assert_allclose(large.inertia.N * signs, small.inertia.N * s**1.5, rtol=0, atol=1e-9)
    np.testing.assert_allclose(large.inertia.W5 * signs[:, None, None], small.inertia.W5 * s**2.5, rtol=0, atol=1e-9)


def test_second_build_comes_from_the_cache(blossom, limbs, monkeypatch):
    def refuse(*_arguments, **_options):
        raise AssertionError("reduced again")

    monkeypatch.setattr("pliant.systems.tree.cutting.reduce", refuse)
    solid, labels, names = blossom
    again, _ = limbs_of(solid, labels, size=SIZE, names=names, attachment=False)
    for a, b in zip(again, limbs[0]):
        np.testing.assert_array_equal(a.model.U, b.model.U)


def test_hexes_make_the_same_tree(blossom):
    mesh, labels, names, fixed = flower("hex")
    limbs, numbers = limbs_of(Solid(mesh, RUBBER, fixed), labels, size=3 * DOMAINS, names=names, attachment=False)
    for x, ids in zip(positions(limbs), numbers):
        np.testing.assert_allclose(x, mesh.vertices[ids], rtol=0, atol=ROUNDING)
    classes = {id(limb.model) for limb in limbs}
    assert len(classes) == 6  # stems, petals, two hubs, side stem, leaf: bricks have no diagonals


# --- sizes, rigid parts, materials ---


@pytest.fixture(scope="module")
def chain():
    """A bar in four equal pieces along x, held at x = 0."""
    mesh = shapes.bar((1.6, 0.2, 0.2), (8, 1, 1))
    labels = np.minimum((mesh.centroids[:, 0] / 0.4).astype(int), 3)
    return Solid(mesh, RUBBER, "x < 1e-9"), labels


def test_root_of_a_free_solid_makes_the_tree_least_deep(chain):
    solid, labels = chain
    limbs, _ = limbs_of(Solid(solid.mesh, RUBBER), labels, size=16)
    assert limbs[0].name == "part 1"
    assert np.linalg.norm(limbs[0].model.inertia.N) < 1e-9  # its basis holds no rigid motion
    assert len(limbs[0].model.fixed) == 0
    np.testing.assert_allclose(limbs[0].model.inertia.first_moment, 0, atol=ROUNDING)


def test_root_may_be_chosen(chain):
    solid, labels = chain
    limbs, _ = limbs_of(Solid(solid.mesh, RUBBER), labels, root="part 3", size=16)
    assert [limb.name for limb in limbs] == ["part 3", "part 2", "part 1", "part 0"]
    with pytest.raises(ArgumentError, match="must be part 0; part 2 was given"):
        limbs_of(solid, labels, root=2, size=16)


def test_rigid_parts_have_no_coordinates(chain):
    solid, labels = chain
    limbs, _ = limbs_of(solid, labels, size=9, rigid=["part 1"])
    assert [type(limb.model) for limb in limbs] == [ReducedModel, Rigid, ReducedModel, ReducedModel]
    assert [limb.model.size for limb in limbs] == [3, 0, 3, 3]
    full = np.sqrt(la.eigh(*full_matrices(limbs)[::-1], eigvals_only=True)[0])
    soft, _ = limbs_of(solid, labels, size=12)
    assert full > np.sqrt(la.eigh(*full_matrices(soft)[::-1], eigvals_only=True)[0])


def test_sizes_may_be_given_in_order_or_by_name(chain):
    solid, labels = chain
    by_order, _ = limbs_of(solid, labels, sizes=[4, 0, 5, 3], attachment=False)
    by_name, _ = limbs_of(solid, labels, sizes={"part 0": 4, "part 1": 0, "part 2": 5, 3: 3})
    assert [limb.model.size for limb in by_order] == [limb.model.size for limb in by_name] == [4, 0, 5, 3]
    np.testing.assert_array_equal(by_order[3].model.U, by_order[2].model.U[:, :3])  # one class, truncated
    with pytest.raises(ArgumentError, match="part 3 is missing"):
        limbs_of(solid, labels, sizes={0: 4, 1: 4, 2: 4})
    with pytest.raises(ArgumentError, match="size of part 2"):
        limbs_of(solid, labels, sizes=[4, 4, 400, 4])


def test_small_parts_pass_on_what_they_cannot_span(chain):
    solid, labels = chain
    labels = np.where(solid.mesh.centroids[:, 0] > 1.4, 3, np.minimum(labels, 2))
    with pytest.warns(PliantWarning, match="part 3"):
        limbs, _ = limbs_of(solid, labels, size=80)
    assert sum(limb.model.size for limb in limbs) == 80
    assert limbs[3].model.size == 12  # four free vertices


def test_materials_follow_the_cells(chain):
    solid, labels = chain
    stiff = np.where(labels == 2, 4.0, 1.0)
    graded = Solid(solid.mesh, StVK(YOUNG * stiff, POISSON, DENSITY * stiff), solid.fixed)
    limbs, _ = limbs_of(graded, labels, size=16, attachment=False)
    plain, _ = limbs_of(solid, labels, size=16, attachment=False)
    assert limbs[2].model is not limbs[1].model
    assert limbs[3].model is limbs[1].model
    assert limbs[2].model.inertia.mass == pytest.approx(4 * plain[2].model.inertia.mass)
    # E and rho four times as large leave frequencies and, but for its length, the basis alone.
    np.testing.assert_allclose(2 * np.abs(limbs[2].model.U), np.abs(plain[2].model.U), atol=1e-7)


def test_cell_groups_are_labels(chain):
    solid, labels = chain
    groups = {name: np.flatnonzero(labels == part) for part, name in enumerate(["foot", "shin", "knee", "thigh"])}
    mesh = Mesh(solid.mesh.vertices, solid.mesh.cells, cell_groups=groups)
    limbs, _ = limbs_of(Solid(mesh, RUBBER, solid.fixed), size=8)
    assert [limb.name for limb in limbs] == list(groups)


def test_instances_stand_elsewhere_on_one_model():
    """A cross of four equal arms on a hub: one arm, turned three times (hexes have the symmetry)."""
    filled = np.zeros((9, 9, 1), dtype=bool)
    filled[3:6, :], filled[:, 3:6] = True, True
    mesh = filled_mesh(Grid(np.zeros(3), 1.0, filled.shape), filled)
    x, y = mesh.centroids[:, :2].T
    labels = np.select([x < 2, x > 7, y < 2, y > 7], [1, 2, 3, 4], 0)
    limbs, numbers = limbs_of(Solid(mesh, RUBBER), labels, sizes=[4] * 5)
    assert len({id(limb.model) for limb in limbs[1:]}) == 1
    assert limbs[0].name == "part 0"
    for found, ids in zip(positions(limbs), numbers):
        np.testing.assert_allclose(found, mesh.vertices[ids], rtol=0, atol=ROUNDING)


def test_other_materials_are_refused_early(chain):
    solid, labels = chain
    with pytest.raises(ArgumentError, match="NeoHookean was given"):
        limbs_of(Solid(solid.mesh, NeoHookean(YOUNG, POISSON), solid.fixed), labels)


@pytest.mark.parametrize("options", [{"root": "nose"}, {"rigid": ["nose"]}, {"sizes": {"nose": 3}}])
def test_unknown_parts_are_named(chain, options):
    with pytest.raises(ArgumentError, match="'nose'; there are part 0"):
        limbs_of(*chain, **options)


# --- the tree itself ---


def test_substructured_solid_stands_as_it_was(blossom):
    solid, labels, names = blossom
    tree = pl.substructure(solid, labels, size=SIZE, names=names, dt=0.02)
    np.testing.assert_allclose(tree.vertices(), solid.mesh.vertices, rtol=0, atol=ROUNDING)
    np.testing.assert_array_equal(tree.triangles, solid.mesh.surface)
    assert tree.inertia == "full"
    assert not tree.free
    assert tree.limbs[0].name == "stem 1"


def test_root_that_is_rigid_and_fixed_does_not_fly(chain):
    solid, labels = chain
    assert not pl.substructure(solid, labels, size=9, rigid=[0], dt=0.01).free
    assert pl.substructure(Solid(solid.mesh, RUBBER), labels, size=16, dt=0.01, gravity=None).free


def pulled_over(blossom, **options):
    """A tree that was pulled at its top by 30 N for 2 s and let go."""
    solid, labels, names = blossom
    tree = pl.substructure(solid, labels, size=SIZE, names=names, gravity=None, attachment=False, **options)
    tree.push([int(np.argmax(solid.mesh.vertices[:, 2]))], [[30.0, 10.0, 0.0]])
    tree.step(round(2 / tree.dt))
    tree.release()
    return tree


@pytest.mark.parametrize("dt", [0.005, 0.02])
@pytest.mark.parametrize("inertia", ["L1", "L2", "full"])
def test_default_damping_makes_swings_fade(blossom, inertia, dt):
    """Windows of 5 s, longer than a period; how fast is another matter, since L1 and L2 do not keep this energy."""
    tree, energies = pulled_over(blossom, inertia=inertia, dt=dt), []
    for _ in range(100):
        tree.step(round(0.1 / dt))
        energies.append(tree.energy())
    assert max(energies[50:]) < max(energies[:50])


@pytest.mark.parametrize("dt", [0.005, 0.02])
@pytest.mark.parametrize("inertia", ["L1", "L2"])
def test_undamped_lumped_inertia_blows_up(blossom, inertia, dt):
    """Section 10: the default is needed."""
    with pytest.raises(Diverged):
        pulled_over(blossom, inertia=inertia, dt=dt, damping=(0, 0)).step(round(10 / dt))


def test_default_damping_is_a_ratio_of_the_slowest_limb_under_its_load(limbs):
    """2 zeta / omega a level, omega of (K, M + sum m_j a^T a), all as the parts stand at rest."""
    given = limbs[0]
    loaded, mass = [np.array(limb.model.mass) for limb in given], [limb.model.inertia.mass for limb in given]
    depth = [0] * len(given)
    for i in range(len(given) - 1, 0, -1):
        on = given[given[i].parent]
        shift = interface_map(on.model, given[i].stands_on).shift
        loaded[given[i].parent] += mass[i] * shift.T @ shift
        mass[given[i].parent] += mass[i]
    for i in range(1, len(given)):
        depth[i] = depth[given[i].parent] + 1
    pairs = [(limb.model.stiffness(), M) for limb, M in zip(given, loaded)]
    slowest = min(np.sqrt(la.eigh(K, M, eigvals_only=True)[0]) for K, M in pairs) / max(depth)
    assert steady_damping(given, "full", 0.02) == (0.0, 0.01)
    assert steady_damping(given, "L1", 0.02)[1] * slowest / 2 == pytest.approx(0.1)
    larger = [replace(limb, scale=2.0) for limb in given]
    assert steady_damping(larger, "L2", 0.02)[1] * slowest / 4 == pytest.approx(0.2)
