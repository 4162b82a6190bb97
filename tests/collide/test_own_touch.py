"""Surfaces that touch themselves: what is known of them at rest, and that nothing that could touch is passed over."""

import numpy as np
import pytest
from brute import nearest_points
from placed_surfaces import SURFACES, deformed, placed

import pliant as pl
from pliant.collide import contacts_for, find_self_contacts, own_touch, selves_of
from pliant.collide.body import TRIANGLE
from pliant.collide.shape import collision_shape

BEHIND = 0.5  # cosine of the angle within which a point is straight behind a triangle


def tongs():
    """A thick U, whose arms close where it is bent: vertices and triangles."""
    block = pl.shapes.bar((2.0, 1.0, 0.2), (20, 10, 2))
    x = block.centroids
    mesh = block.submesh(np.flatnonzero((x[:, 0] < 0.4) | (np.abs(x[:, 1]) > 0.2)))[0]
    return mesh.vertices, mesh.surface


SHAPES = {"tongs": tongs(), "animal": SURFACES["animal"], "brick": SURFACES["brick"]}


def known_of(name):
    shape = collision_shape(*SHAPES[name], spacing=0.15)
    return shape, own_touch(shape, SHAPES[name][0][shape.ids])


def unlisted(known):
    """The same without its lists: every leaf is looked into."""
    return known._replace(listed=0 * known.listed, block=known.block[:0], strangers=known.strangers[:0])


def closed(X, rng):
    """Bent so that the arms of tongs cross, and other things get dents."""
    x = X.copy()
    x[:, 1] -= rng.uniform(0.15, 0.35) * np.sign(x[:, 1]) * np.clip(x[:, 0], 0, None)
    return deformed(x, rng, 0.2)


def found(shape, known, x, margin):
    surfaces, places, margins = placed([shape], [0], [x], margin)
    contacts = contacts_for(4 * len(shape.samples))
    count = find_self_contacts(surfaces, selves_of([shape], [known], np.array([1])), places, margins, contacts, 0)
    return {name: array[:count] for name, array in contacts._asdict().items()}


@pytest.mark.parametrize("name", SHAPES)
def test_what_is_not_listed_as_stranger_is_a_neighbour_by_the_formula(name):
    shape, known = known_of(name)
    rest = known.rest
    corners = rest[shape.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    ends, w, starts = shape.sample_ends, shape.sample_weights[:, None], np.cumsum([0, *known.listed])
    points, seen = (1 - w) * rest[ends[:, 0]] + w * rest[ends[:, 1]], 0
    for sample, q in enumerate(points):
        away = nearest_points(q, corners) - q
        far = np.linalg.norm(away, axis=1)
        behind = (normals * (corners[:, 0] - q)).sum(axis=1) >= BEHIND * far * (1 - 1e-9)
        neighbour = (far <= known.touching * (1 + 1e-9)) | (behind & (far > 0))
        own = slice(*starts[sample : sample + 2])
        assert (np.diff(known.block[own]) > 0).all()
        for block, bits in zip(known.block[own], known.strangers[own]):
            for k in np.flatnonzero(~(int(bits) >> np.arange(8)) & 1):
                first, last = shape.leaf_starts[8 * block + k : 8 * block + k + 2, TRIANGLE]
                assert neighbour[first:last].all()
                seen += 1
    assert seen > 2 * len(points)


@pytest.mark.parametrize("name", SHAPES)
def test_lists_skip_only_what_cannot_touch(name):
    """Contacts are the same to the last bit, however the surface is bent, near and far."""
    (shape, known), rng, touched = known_of(name), np.random.default_rng(4), 0
    for margin in (0.0, 0.01, 0.1):
        for _ in range(15):
            x = closed(SHAPES[name][0], rng)
            own, slow = (found(shape, each, x, margin) for each in (known, unlisted(known)))
            for key, array in own.items():
                np.testing.assert_array_equal(array, slow[key])
            touched += len(own["gap"])
    assert touched > 100 or name == "brick"
