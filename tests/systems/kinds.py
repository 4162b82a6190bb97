"""One bar as every kind of system, held and free, for claims that all of them share."""

from functools import cache

import numpy as np

import pliant as pl
from pliant.systems import System

HELD = ("full", "clamped", "tree", "seams", "seams-nonlinear")
FREE = ("full", "tree", "seams", "seams-nonlinear")
ALL = [(kind, False) for kind in HELD] + [(kind, True) for kind in FREE]
AND_BODIES = [*ALL, *((kind, free) for kind in ("bodies", "world") for free in (False, True))]
YOUNG, DENSITY, LENGTH = 1e6, 1000.0, 1.0


@cache
def bar(free: bool = False) -> pl.Solid:
    mesh = pl.shapes.bar((LENGTH, 0.12, 0.1), (10, 2, 2))
    return pl.Solid(mesh, pl.StVK(YOUNG, 0.35, DENSITY), fixed=None if free else "x < 1e-9")


def thirds(solid: pl.Solid) -> np.ndarray:
    return np.minimum((3 * solid.mesh.centroids[:, 0] / LENGTH).astype(int), 2)


@cache
def _model(free: bool = False) -> pl.ReducedModel:
    return pl.reduce(bar(free), pl.modal_basis(bar(free), 6, 12))


def system(kind: str, free: bool = False, dt: float = 2e-3, damping=(0.1, 2e-3), gravity=None) -> System:
    """A new one, at rest."""
    solid, settings = bar(free), {"dt": dt, "damping": damping, "gravity": gravity}
    if kind == "bodies":
        return pl.Bodies([system("tree" if free else "clamped", free, **settings), system("seams", free, **settings)])
    if kind == "world":
        world = pl.World(dt, gravity, substeps=2)
        world.add(_model(free), damping=damping)
        return world
    if kind == "full":
        return pl.Full(solid, **settings)
    if kind == "clamped":
        return pl.Clamped(_model(), **settings)
    if kind == "tree":
        return pl.substructure(solid, thirds(solid), size=18, **settings)
    if kind == "seams":
        return pl.couple(solid, thirds(solid), 6, **settings, nonlinear=False)
    # Exact forces, so that dense references are exact; cubature has tests of its own.
    return pl.couple_nonlinear(solid, thirds(solid), 1, 4, modes=4, force="cubic", **settings)


def tip(solid: pl.Solid) -> int:
    return int(solid.mesh.select(f"x > {LENGTH - 1e-9} and y > 0.05 and z > 0.04")[0])


def stirred(kind: str, free: bool = False, **settings) -> System:
    """Bent, moving and, where it is free, spinning."""
    made = system(kind, free, **settings)
    if free:
        made.launch((0.3, 0.2, -0.1), (0.4, -0.3, 0.5))
    made.push([tip(bar(free))], (1.0, 4.0, -3.0))
    made.step(12)
    made.release()
    made.step(3)
    return made
