"""A character that can hit itself: two arms in a row of bones, joined at one end."""

import numpy as np

import pliant as pl
from pliant.systems.world.bones import bones

LONG, GAP = 2.0, 0.4


def tongs_mesh():
    block = pl.shapes.bar((LONG, 1.0, 0.2), (20, 10, 2))
    x = block.centroids
    slot = (x[:, 0] > 0.4) & (np.abs(x[:, 1]) < GAP / 2)
    return block.submesh(np.flatnonzero(~slot))[0]


MESH = tongs_mesh()
NAMES = ("back", "upper", "upper tip", "lower", "lower tip")


def tongs_weights(mesh=MESH):
    """Five bones: the back, and two in each arm."""
    x, y = mesh.vertices[:, 0], mesh.vertices[:, 1]
    arm, tip = np.clip((x - 0.3) / 0.4, 0, 1), np.clip((x - 1.0) / 0.4, 0, 1)
    up = (y > 0).astype(float)
    return np.column_stack(
        [1 - arm, arm * (1 - tip) * up, arm * tip * up, arm * (1 - tip) * (1 - up), arm * tip * (1 - up)]
    )


def tongs(young=2e6, modes=8):
    solid = pl.Solid(MESH, pl.Linear(young, 0.3, 1000))
    return bones(solid, tongs_weights(), modes=modes, names=NAMES, joints="all")


def ends(x):
    """Vertices of both inner faces near the tips, and how far they are apart [m], below zero where they cross."""
    rest = MESH.vertices
    near = (np.abs(np.abs(rest[:, 1]) - GAP / 2) < 1e-9) & (rest[:, 0] > 1.2)
    upper, lower = x[near & (rest[:, 1] > 0)], x[near & (rest[:, 1] < 0)]
    return upper, lower
