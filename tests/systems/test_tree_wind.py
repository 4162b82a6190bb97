"""Wind on a tree acts on the outer surface of the whole, and not on the cuts between its limbs."""

import numpy as np
import pytest

import pliant as pl
from pliant.skin.points import vertex_areas
from pliant.systems.tree.outer_surface import outer_areas

SUMS = 1e-12
BREEZE = pl.Wind((3.0, 1.0, -2.0), gust=0.0)


def cut_bar(kind, rigid=()):
    """A bar in three equal pieces, and a tree of it."""
    mesh = pl.shapes.bar((3, 0.4, 0.6), (9, 2, 3), kind=kind)
    solid = pl.Solid(mesh, pl.StVK(1e6, 0.3, 1000), fixed="x < 1e-9")
    labels = np.minimum(mesh.centroids[:, 0].astype(int), 2)
    tree = pl.substructure(solid, labels, size=24, dt=0.01, rigid=rigid, gravity=None)
    return solid, tree


@pytest.mark.parametrize("rigid", [(), (1,)])
@pytest.mark.parametrize("kind", ["tet", "hex", "tet10"])
def test_limbs_of_a_cut_solid_have_the_surface_of_the_whole(kind, rigid):
    """Vertex by vertex: the middle piece is cut at both ends, the last at one, though they share a model."""
    solid, tree = cut_bar(kind, rigid)
    X, surface = solid.mesh.vertices, solid.mesh.surface
    piece = np.minimum(X[surface].mean(axis=1)[:, 0].astype(int), 2)
    for number, (limb, areas) in enumerate(zip(tree.limbs, outer_areas(tree.limbs))):
        wanted = vertex_areas(X, surface[piece == number])
        at = limb.model.X - limb.origin + X[solid.fixed].mean(axis=0) + [number, 0.0, 0.0]
        found = {tuple(np.round(x, 6)): area for x, area in zip(at, areas)}
        assert all(found.get(tuple(np.round(x, 6)), 0.0) == pytest.approx(a, abs=SUMS) for x, a in zip(X, wanted))


def test_wind_gives_a_free_tree_the_momentum_of_its_outer_area():
    """P = n dt A p, whatever it is cut into."""
    mesh = cut_bar("tet")[0].mesh
    free, labels = pl.Solid(mesh, pl.StVK(1e6, 0.3, 1000)), np.minimum(mesh.centroids[:, 0].astype(int), 2)
    tree = pl.substructure(free, labels, size=24, dt=0.01, gravity=None)
    tree.wind = BREEZE
    tree.step(2)
    pressure = BREEZE.pressure(np.zeros((1, 3)), 0.0)[0]
    wanted = 2 * tree.dt * vertex_areas(mesh.vertices, mesh.surface).sum() * pressure
    np.testing.assert_allclose(tree.momentum()[0], wanted, rtol=1e-9)
