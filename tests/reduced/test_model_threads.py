"""One part serves many threads: its evaluations do not disturb each other."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

import pliant as pl


def test_model_can_be_evaluated_from_several_threads():
    solid = pl.Solid(pl.shapes.bar((1, 0.2, 0.2), (6, 2, 2)), pl.StVK(1e5, 0.3), fixed="x < 1e-9")
    model = pl.reduce(solid, pl.modal_basis(solid, modes=6, size=20))
    states = 0.01 * np.random.default_rng(0).standard_normal((2, model.size))
    expected = [model.force(q) for q in states]

    def wrong(k):
        return sum(not np.array_equal(model.force(states[k]), expected[k]) for _ in range(5000))

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(wrong, (0, 1))) == [0, 0]
