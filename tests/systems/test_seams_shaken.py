"""Free nonlinear seams that a hand shakes: their energy is the solid's, and let go they come back to their shape."""

import numpy as np
import pytest

import pliant as pl
from pliant.systems.seams.nonlinear import couple_nonlinear

TOLD = 0.05  # relative: what the energy of a rule may differ from that of all cells, in the mean over a motion
WITHIN = 1.5  # of the elastic energy of cubic parts under the same hand
HERTZ, SWING = 2.0, 0.15  # of the hand; of the largest extent


def shaken(system, vertex, direction, seconds):
    """Elastic energies while a vertex is moved to and fro: of the parts, and at times beside that of the solid."""
    X = system.mesh.vertices
    reach = SWING * np.ptp(X, axis=0).max() * direction / np.linalg.norm(direction)
    told, true = [], []
    for k in range(round(seconds / system.dt)):
        system.hold(vertex, X[vertex] + reach * np.sin(2 * np.pi * HERTZ * (k + 1) * system.dt), on="mesh")
        system.step()
        told.append(sum(m.energy(system.q[own]) for m, own in zip(system.parts.models, system.parts.places)))
        if k % 10 == 9:
            true.append((told[-1], system.solid.energy((system.vertices("mesh") - X).ravel())))
    system.hold(vertex, None, on="mesh")
    return np.array(told), np.array(true)


def strain_of(system):
    """The largest distance from the rest shape, moved and turned to fit best, over the extent."""
    X, x = system.mesh.vertices, system.vertices("mesh")
    a, b = X - X.mean(axis=0), x - x.mean(axis=0)
    U, _, V = np.linalg.svd(a.T @ b)
    R = U @ np.diag([1, 1, np.linalg.det(U @ V)]) @ V
    return np.abs(a @ R - b).max() / np.ptp(X, axis=0).max()


def test_shaken_ring_has_the_energy_of_cubic_parts_and_of_the_solid():
    mesh = pl.shapes.torus(0.5, 0.12, (4, 24))
    angle = np.arctan2(mesh.centroids[:, 2], mesh.centroids[:, 0])
    labels = np.minimum((3 * (angle / np.pi + 1)).astype(int), 5)
    solid, vertex = pl.Solid(mesh, pl.StVK(1e5, 0.3)), int(np.argmax(mesh.vertices[:, 0]))
    found = {}
    for force in ("cubic", "cubature"):
        system = couple_nonlinear(
            solid, labels, 2, 8, dt=0.005, damping=(1.0, 0.005), gravity=None, modes=6, force=force
        )
        found[force], pairs = shaken(system, vertex, np.array([0.2, 1.0, 0.4]), 1.0)
    assert found["cubature"].mean() < WITHIN * found["cubic"].mean()
    assert found["cubic"].mean() < WITHIN * found["cubature"].mean()
    assert pairs[:, 0].sum() == pytest.approx(pairs[:, 1].sum(), rel=TOLD)
    system.step(600)
    assert strain_of(system) < 0.02


def test_shaken_linear_parts_have_no_more_energy_than_the_hand_brought_and_lose_it_by_default():
    mesh = pl.shapes.torus(0.5, 0.12, (4, 24))
    labels = (mesh.centroids[:, 0] > 0).astype(int) + 2 * (mesh.centroids[:, 2] > 0).astype(int)
    solid, vertex = pl.Solid(mesh, pl.StVK(1e5, 0.3)), int(np.argmax(mesh.vertices[:, 0]))
    system = pl.couple(solid, labels, 2, 4, dt=0.005, gravity=None, nonlinear=False)
    assert system.damping == (0.0, 0.5 * system.dt)
    x, brought = mesh.vertices[vertex], 0.0
    way = SWING * np.ptp(mesh.vertices, axis=0).max() * np.array([0.2, 1.0, 0.4])
    for k in range(round(3 / system.dt)):
        hold = system.hold(vertex, mesh.vertices[vertex] + way * np.sin(2 * np.pi * HERTZ * (k + 1) * system.dt))
        system.step()
        now = system.vertices()[vertex]
        brought, x = brought + abs(hold.force @ (now - x)), now
        assert system.energy() <= brought
    system.hold(vertex, None)
    energies = []
    for _ in range(3):
        energies.append(system.energy())
        system.step(200)
    assert energies == sorted(energies, reverse=True)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_shaken_fish_of_the_gallery_comes_back(seed):
    """Vibrations of its slowest mode decay by exp(-3 (0.5 / 2 + 0.01 w^2 / 2)), w = 6.9 /s, to a quarter in 3 s."""
    body = pl.load_scene("fish").bodies[0]
    system = couple_nonlinear(body.solid, body.labels, dt=0.005, damping=(0.5, 0.01), gravity=None)
    random = np.random.default_rng(seed)
    vertex = int(random.choice(np.unique(system.mesh.surface)))
    told, pairs = shaken(system, vertex, random.standard_normal(3), 5.0)
    assert pairs[:, 0].sum() == pytest.approx(pairs[:, 1].sum(), rel=TOLD)
    system.step(600)
    X, x, cells = system.mesh.vertices, system.vertices("mesh"), system.mesh.cells
    volumes = [np.linalg.det(p[cells[:, 1:]] - p[cells[:, :1]]) for p in (x, X)]
    assert (volumes[0] / volumes[1]).min() > 0.5
    left = sum(m.energy(system.q[own]) for m, own in zip(system.parts.models, system.parts.places))
    assert left < 0.3 * told.mean()
