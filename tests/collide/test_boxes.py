"""Boxes of a tree hold what is below them, for any placement."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from placed_surfaces import SURFACES, placed, shape_named

from pliant.collide.blocks import FAR, WIDTH
from pliant.collide.box_tree import LEAF


@pytest.mark.parametrize("name", list(SURFACES))
@settings(max_examples=10)
@given(seed=st.integers(0, 2**32), spread=st.floats(1e-3, 1e3))
def test_boxes_hold_what_is_below_them(name, seed, spread):
    rng = np.random.default_rng(seed)
    shape = shape_named(name, spacing=0.1)
    places = [spread * rng.normal(size=SURFACES[name][0].shape) for _ in range(2)]
    S, _, _ = placed([shape], [0, 0], places, 0.0)
    for b, place in enumerate(places):
        own, boxes = place[shape.ids], S.boxes[S.first_box[b] : S.first_box[b + 1]]
        w = shape.sample_weights[:, None]
        samples = (1 - w) * own[shape.sample_ends[:, 0]] + w * own[shape.sample_ends[:, 1]]
        for node, (skip, *_) in enumerate(shape.nodes[:-1]):
            begin, end = shape.nodes[node], shape.nodes[skip]
            corners = own[shape.triangles[begin[1] : end[1]]].reshape(-1, 3)
            assert np.array_equal(boxes[node], np.concatenate([corners.min(axis=0), corners.max(axis=0)]))
            inside = np.concatenate([samples[begin[2] : end[2]], samples[begin[3] : end[3]]])
            slack = 1e-12 * spread
            assert (inside >= boxes[node, :3] - slack).all()
            assert (inside <= boxes[node, 3:] + slack).all()


@pytest.mark.parametrize("name", list(SURFACES))
def test_blocks_hold_the_leaves_below_them_and_nothing_else(name):
    shape = shape_named(name)
    S, _, _ = placed([shape], [0], [SURFACES[name][0]], 0.0)
    bounds, starts = S.blocks.reshape(6, -1), S.levels[0]
    nodes = np.flatnonzero(shape.nodes[:-1, 0] == np.arange(len(shape.nodes) - 1) + 1)
    boxes = S.boxes[nodes]
    for level in range(len(starts) - 1):
        for k in range(starts[level + 1] - starts[level]):
            own = boxes[k * WIDTH**level : (k + 1) * WIDTH**level]
            empty = np.concatenate([np.full(3, FAR), np.full(3, -FAR)])
            wanted = np.concatenate([own[:, :3].min(axis=0), own[:, 3:].max(axis=0)]) if len(own) else empty
            assert np.array_equal(bounds[:, starts[level] + k], wanted)


@pytest.mark.parametrize("name", list(SURFACES))
def test_leaves_share_out_all_triangles_and_samples(name):
    shape = shape_named(name, spacing=0.1)
    nodes = shape.nodes
    leaves = np.flatnonzero(nodes[:-1, 0] == np.arange(len(nodes) - 1) + 1)
    for column, count in ((1, len(shape.triangles)), (2, len(shape.ids)), (3, len(shape.sample_weights))):
        sizes = nodes[leaves + 1, column] - nodes[leaves, column]
        first = len(shape.ids) if column == 3 else 0
        assert sizes.sum() == count - first
        assert (sizes >= 0).all()
    assert (nodes[leaves + 1, 1] - nodes[leaves, 1]).max() <= LEAF
