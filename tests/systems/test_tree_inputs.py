"""What acts on trees from outside (wind, pushes), and what they refuse."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tree_motion import RUBBER, random_limbs, random_model, random_patch

import pliant as pl
from pliant.errors import ArgumentError
from pliant.systems.tree.outer_surface import outer_areas

KEPT = 1e-12  # relative: what must not change at all, but for the order of sums


def swinging(seed=0):
    """A tree in motion."""
    tree = pl.Tree(random_limbs(seed, rigid=True), 5e-3, damping=(0, 0.02))
    tree.v = 0.3 * np.random.default_rng(seed).standard_normal(len(tree.v))
    tree.step(20)
    return tree


# --- wind ---


def test_wind_pushes_the_way_it_blows():
    tree = pl.Tree(random_limbs(0), 5e-3, gravity=None, damping=(0, 0.1))
    calm = tree.vertices().mean(axis=0)
    for direction in np.eye(3):
        tree.restore(pl.Tree(tree.limbs, 5e-3, gravity=None, damping=(0, 0.1)).state())
        tree.wind = pl.Wind(8 * direction, gust=0.0)
        tree.step(400)
        assert (tree.vertices().mean(axis=0) - calm) @ direction > 1e-3
    blown = np.linalg.norm(tree.vertices().mean(axis=0) - calm)
    tree.wind = None
    tree.step(4000)
    assert np.linalg.norm(tree.vertices().mean(axis=0) - calm) < 0.05 * blown


def test_wind_gives_a_free_tree_the_impulse_of_its_pressure():
    """P after a step is dt sum area p: the surface of every limb where it stands on no other, both sides of it."""
    limbs = random_limbs(0, clamped=False)
    tree = pl.Tree(limbs, 1e-3, gravity=None, wind=pl.Wind((6, 2, 0), gust=0.0))
    pressure = tree.wind.pressure(np.zeros((1, 3)), 0.0)[0]
    np.testing.assert_allclose(pressure, 0.5 * 1.2 * np.sqrt(40) * np.array([6, 2, 0]))
    area = sum(limb.scale**2 * areas.sum() for limb, areas in zip(limbs, outer_areas(limbs), strict=True))
    assert area < sum(limb.scale**2 * area_of(limb.model) for limb in limbs)
    tree.step()
    np.testing.assert_allclose(tree.momentum()[0], tree.dt * area * pressure, rtol=KEPT, atol=KEPT)


def area_of(model):
    a, b, c = (model.X[model.mesh.surface[:, k]] for k in range(3))
    return np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2


def test_gusts_change_in_time_and_space_about_the_mean():
    wind = pl.Wind((5, 0, 0), gust=0.3, length=10)
    points = np.random.default_rng(0).uniform(-100, 100, (2000, 3))
    speeds = np.sqrt(wind.pressure(points, 3.0)[:, 0] / 0.6)
    assert speeds.mean() == pytest.approx(5, rel=0.03)
    # The variance of n sines of amplitude 0.3 / k is half the sum of their squares.
    assert speeds.std() == pytest.approx(5 * 0.3 * np.sqrt(0.5 * (1 + 1 / 4 + 1 / 9 + 1 / 16)), rel=0.1)
    assert not np.allclose(wind.pressure(points, 3.0), wind.pressure(points, 3.5))


@pytest.mark.parametrize("bad", ["strong", (1, 0, 0), 3.0])
def test_wind_that_is_none_is_refused(bad):
    tree = swinging()
    with pytest.raises(ArgumentError, match="wind must be a pliant Wind or None"):
        tree.wind = bad
    assert tree.wind is None


@pytest.mark.parametrize(
    "options", [{"velocity": (1, 2)}, {"gust": -1}, {"length": 0}, {"drag": -1}, {"seed": 1.5}], ids=str
)
def test_wrong_winds_are_refused(options):
    with pytest.raises(ArgumentError):
        pl.Wind(**{"velocity": (1, 0, 0), **options})


# --- what is refused ---


@pytest.fixture(scope="module")
def model():
    return random_model(np.random.default_rng(1), 3)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"model": "a stick"}, "must be a ReducedModel or Rigid; str was given"),
        ({"rotation": 2 * np.eye(3)}, "must be a rotation matrix"),
        ({"rotation": np.diag([1, 1, -1])}, "must be a rotation matrix"),
        ({"rotation": np.eye(2)}, "shape"),
        ({"scale": 0}, "scale of limb twig"),
        ({"stiffening": -1}, "stiffening of limb twig"),
        ({"parent": 0.5, "stands_on": [[0, 1, 2]]}, "parent of limb twig must be a whole number"),
        ({"parent": 0}, "needs both a parent and the triangles"),
        ({"stands_on": [[0, 1, 2]]}, "needs both a parent and the triangles"),
        ({"origin": (0, 0)}, "origin of limb twig"),
        ({"position": (0, np.nan, 0)}, "position of limb twig"),
    ],
    ids=str,
)
def test_wrong_limbs_are_refused_in_one_sentence(model, options, says):
    with pytest.raises(ArgumentError, match=says) as caught:
        pl.Limb(**{"model": model, "name": "twig", **options})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"dt": 0}, "dt"),
        ({"dt": np.nan}, "dt"),
        ({"inertia": "L3"}, "inertia must be one of full, L1, L2"),
        ({"damping": (-1, 0)}, "damping"),
        ({"damping": 3}, "damping"),
        ({"gravity": (0, 1)}, "gravity"),
        ({"passes": -1}, "passes"),
        ({"passes": 0}, "passes"),
        ({"numbers": [np.arange(3)]}, "but 3 numbers were given"),
        ({"numbers": []}, "each of the 1 limbs; 0 were given"),
        ({"wind": "strong"}, "wind"),
    ],
    ids=str,
)
def test_wrong_trees_are_refused_in_one_sentence(model, options, says):
    with pytest.raises(ArgumentError, match=says) as caught:
        pl.Tree([pl.Limb(model)], **{"dt": 0.01, **options})
    assert "\n" not in str(caught.value)


def test_limbs_that_make_no_tree_are_refused(model):
    with pytest.raises(ArgumentError, match="must be pliant Limbs; str was given"):
        pl.Tree(["a stick"], 0.01)
    patch = random_patch(np.random.default_rng(0), model, flat=True)
    root, twig = pl.Limb(model), pl.Limb(model, parent=0, stands_on=patch)
    for limbs, says in (
        ([], "root"),
        ([twig], "root"),
        ([root, root], "one root"),
        ([root, replace(twig, parent=1)], "a parent must come before its children"),
        ([root, replace(twig, stands_on=patch + 1000)], "stands_on of limb 1"),
        ([root, replace(twig, stands_on=np.array([[0, 1, len(model.X) - 1]]))], "boundary"),
    ):
        with pytest.raises(ArgumentError, match=says) as caught:
            pl.Tree(limbs, 0.01)
        assert "\n" not in str(caught.value)


def test_parts_without_polynomial_forces_are_refused(model):
    soft = pl.NeoHookean(RUBBER.young, RUBBER.poisson, RUBBER.density)
    solid = pl.Solid(model.mesh, soft, model.fixed)
    with pytest.raises(ArgumentError, match="need cubic or linear"):
        pl.Tree([pl.Limb(pl.reduce(solid, model.basis, force="cubature", samples=20))], 0.01)


def test_held_root_cannot_be_thrown(model):
    tree = pl.Tree([pl.Limb(model)], 0.01)
    for name in ("velocity", "spin"):
        with pytest.raises(ArgumentError, match="the root of this tree is held"):
            setattr(tree, name, (1, 0, 0))


def test_wrong_calls_are_refused_and_change_nothing():
    tree = swinging()
    before = tree.state()
    calls = [
        lambda: setattr(tree, "q", np.zeros(3)),
        lambda: setattr(tree, "v", np.full(len(tree.v), np.nan)),
        lambda: tree.push([10**6], [[1, 0, 0]]),
        lambda: tree.push([0], [[np.inf, 0, 0]]),
        lambda: tree.step(-1),
        lambda: tree.stiffen(99, 2.0),
        lambda: tree.stiffen(0, 0.0),
        lambda: tree.cut(0),
        lambda: tree.cut(99),
        lambda: tree.swap(-1, tree.limbs[0].model),
        lambda: setattr(tree, "gravity", (0, 0, 0)),
        lambda: setattr(tree, "inertia", "L1"),
        lambda: setattr(tree, "passes", 0),
        lambda: setattr(tree, "free", True),
    ]
    for call in calls:
        with pytest.raises(ArgumentError) as caught:
            call()
        assert "\n" not in str(caught.value)
    for name, value in tree.state().items():
        np.testing.assert_array_equal(value, before[name])


# --- pushes ---


@settings(max_examples=10)
@given(seed=st.integers(0, 1000))
def test_pushes_add_up_and_are_released(seed):
    random = np.random.default_rng(seed)
    a, b, c = swinging(), swinging(), swinging()
    ids, f = random.choice(100, 5, replace=False), 20 * random.standard_normal((5, 3))
    a.push(ids, f)
    for vertex, force in zip(ids, f):
        b.push([vertex], [0.25 * force])
        b.push([vertex], [0.75 * force])
    c.push(ids, 100 * f)
    c.release()
    c.push(ids, f)
    for tree in (a, b, c):
        tree.step(5)
    np.testing.assert_allclose(b.q, a.q, rtol=0, atol=1e-10)
    np.testing.assert_array_equal(c.q, a.q)


def test_pushes_on_shared_vertices_are_shared():
    """A vertex that two limbs have in common (`numbers`) is drawn in their mean and hands each half of a push."""
    limbs = random_limbs(0, clamped=False, scaled=False)[:2]
    n = len(limbs[0].model.X)
    own = np.arange(n, n + len(limbs[1].model.X))
    shared = own.copy()
    shared[0] = 7
    apart = pl.Tree(limbs, 1e-3, gravity=None)
    joined = pl.Tree(limbs, 1e-3, gravity=None, numbers=[np.arange(n), shared - (shared > 7)])
    x = apart.vertices()
    np.testing.assert_allclose(joined.vertices()[7], (x[7] + x[n]) / 2)
    joined.push([7], [[4.0, 2.0, 0.0]])
    apart.push([7, n], [[2.0, 1.0, 0.0]] * 2)
    for tree in (joined, apart):
        tree.step(5)
    np.testing.assert_allclose(joined.q, apart.q, rtol=0, atol=KEPT)
