"""Elimination by fronts: the dense solution for any graph, no fill in trees, and a cost that grows with the parts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pliant.systems.seams.elimination_order import elimination_order
from pliant.systems.seams.fronts import factorised, fronts_of, solve_again

ROUNDING = 1e-11  # relative: well-conditioned systems of up to a hundred unknowns


def chain(count):
    """Parts in a row, an entity between neighbours."""
    return [[i - 1, i] for i in range(1, count - 1)] + [[0], [count - 2]]


def ring(count):
    return [[i, (i + 1) % count] for i in range(count)]


def random_tree(parents):
    """A part hangs on an earlier one, by an entity of its own: entities of part 0 .. len(parents)."""
    own = [[] for _ in range(len(parents) + 1)]
    for entity, parent in enumerate(parents):
        own[parent % (entity + 1)].append(entity)
        own[entity + 1].append(entity)
    return own


def layout(entities, sizes, inside):
    """places, kept and entity as of `fronts_of`; entities of a part in the order given, its inside last."""
    entity = np.repeat(np.arange(len(sizes)), sizes)
    starts, first = np.concatenate([[0], np.cumsum(sizes)]), len(entity)
    places, kept = [], []
    for own in entities:
        shared = [np.arange(starts[e], starts[e + 1]) for e in own]
        places.append(np.concatenate([*shared, np.arange(first, first + inside)]).astype(np.int64))
        kept.append(len(places[-1]) - inside)
        first += inside
    return places, kept, entity, first


def check_dense(entities, sizes, inside, seed):
    random = np.random.default_rng(seed)
    places, kept, entity, size = layout(entities, sizes, inside)
    matrices, dense = [], np.zeros((size, size))
    for own in places:
        B = random.standard_normal((len(own), len(own)))
        matrices.append(B @ B.T + len(own) * np.eye(len(own)))
        dense[np.ix_(own, own)] += matrices[-1]
    plan = fronts_of(places, kept, entity)
    right = random.standard_normal((size, 3))
    wanted = np.linalg.solve(dense, right)
    found = solve_again(factorised(plan, matrices), right)
    np.testing.assert_allclose(found, wanted, atol=ROUNDING * np.abs(wanted).max())
    matrices[-1] -= 1e3 * np.abs(matrices[-1]).max() * np.eye(len(places[-1]))
    assert factorised(plan, matrices) is None


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_graph_is_solved_as_the_dense_matrix_is(data):
    parts = data.draw(st.integers(1, 7))
    entities = data.draw(st.lists(st.lists(st.integers(0, parts - 1), min_size=1, max_size=4, unique=True), max_size=9))
    sizes = data.draw(st.lists(st.integers(1, 20), min_size=len(entities), max_size=len(entities)))
    own = [data.draw(st.permutations([e for e, of in enumerate(entities) if i in of])) for i in range(parts)]
    check_dense(own, sizes, data.draw(st.integers(1, 18)), data.draw(st.integers(0, 1000)))


@pytest.mark.parametrize(
    "graph", [chain(9), ring(8), random_tree([0, 0, 1, 1, 2, 4, 4])], ids=["chain", "ring", "tree"]
)
def test_usual_graphs_are_solved_as_the_dense_matrix_is(graph):
    count = 1 + max(e for own in graph for e in own)
    check_dense(graph, [3 + 5 * (e % 4) for e in range(count)], 7, 1)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 30), min_size=1, max_size=30), st.lists(st.integers(1, 20), min_size=30, max_size=30))
def test_a_tree_of_parts_never_fills_in(parents, sizes):
    """Every front lies within the entities of one part."""
    parts = random_tree(parents)
    for stage in elimination_order(parts, sizes):
        assert any({*stage.gone, *stage.left} <= set(own) for own in parts)


def test_a_loop_fills_in_by_the_entity_that_closes_it():
    """Two neighbours are left of every entity of a ring, and never more; the last ones go together."""
    stages = elimination_order(ring(50), [13] * 50)
    assert sum(len(stage.gone) for stage in stages) == 50
    assert {len(stage.left) for stage in stages[:-1]} == {2}
    assert stages[-1].left == ()


def work(entities):
    """Numbers of the fronts, squared: what an elimination reads and writes."""
    count = 1 + max(e for own in entities for e in own)
    places, kept, entity, _ = layout(entities, [13] * count, 14)
    return int((fronts_of(places, kept, entity).n ** 2).sum())


@pytest.mark.parametrize("graph", [chain, ring])
def test_cost_grows_with_the_number_of_parts_alone(graph):
    one, two, four = (work(graph(count)) for count in (32, 64, 128))
    assert four - two == 2 * (two - one)
