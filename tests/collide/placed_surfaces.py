"""Surfaces to try things on, random smooth deformations that keep them embedded, and calls without the plumbing."""

import numpy as np

import pliant as pl
from pliant.collide import collision_shape, contacts_for, find_contacts, refit, surfaces_of


def animal():
    """Body, head, ears and legs: concave everywhere."""
    body = pl.sdf.ellipsoid((0.5, 0.3, 0.3)) | pl.sdf.sphere(0.22).translate((0.55, 0.25, 0))
    for z in (-0.12, 0.12):
        body = body | pl.sdf.capsule((0.55, 0.35, z), (0.45, 0.8, 1.5 * z), 0.11)
        for x in (-0.3, 0.3):
            body = body | pl.sdf.capsule((x, -0.1, z), (x, -0.5, 1.4 * z), 0.12)
    mesh = body.tets(0.12)
    return mesh.vertices, mesh.surface


def surfaces():
    """Vertices and triangles by name."""
    made = {
        "ball": pl.shapes.sphere(0.5, 6),
        "brick": pl.shapes.box((1, 0.7, 0.4), (3, 2, 2)),
        "hexes": pl.shapes.box((0.8, 0.8, 0.8), (2, 2, 2), kind="hex"),
        "ring": pl.shapes.torus(0.5, 0.2, (4, 16)),
    }
    return {name: (mesh.vertices, mesh.surface) for name, mesh in made.items()} | {"animal": animal()}


SURFACES = surfaces()


def moved(x, *offset):
    return x + np.array(offset)


def random_rotation(rng):
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q * np.linalg.det(q)


def deformed(X, rng, strength=0.5):
    """x = A X + b + waves, whose gradient is too small to fold space: the surface stays embedded."""
    stretch = random_rotation(rng) @ np.diag(rng.uniform(0.7, 1.4, 3)) @ random_rotation(rng)
    x = X @ stretch.T
    waves = rng.normal(size=(4, 3)) * 4
    heights = rng.normal(size=(4, 3))
    bound = sum(np.linalg.norm(k) * np.linalg.norm(h) for k, h in zip(waves, heights))
    phases = rng.uniform(0, 2 * np.pi, 4)
    x = x + strength / bound * np.sin(x @ waves.T + phases) @ heights
    return x + rng.normal(size=3)


def placed(shapes, which, places, margins):
    """Surfaces refit to places, a list of vertices of the shapes' callers; x; margins."""
    S = surfaces_of(shapes, which)
    x = np.concatenate([place[shapes[w].ids] for w, place in zip(which, places)])
    refit(S, x)
    return S, x, np.broadcast_to(np.asarray(margins, dtype=float), len(which)).copy()


def contacts_between(shapes, which, places, margins, may_touch=None, capacity=20000):
    """All contacts as a dict of arrays."""
    S, x, m = placed(shapes, which, places, margins)
    allowed = np.ones((len(which), len(which)), np.uint8) if may_touch is None else may_touch
    room = contacts_for(capacity)
    count = find_contacts(S, x, m, allowed, room)
    assert count <= capacity
    return {name: array[:count].copy() for name, array in room._asdict().items()}


def shape_named(name, **options):
    return collision_shape(*SURFACES[name], **options)
