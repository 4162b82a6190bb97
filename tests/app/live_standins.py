"""Small scenes for the viewer's tests: real ones, and a stand-in with everything the drawing formula can do."""

import numpy as np

import pliant as pl
from pliant.app.sources import SceneSource
from pliant.numerics import rotation_exponential
from pliant.reduced import reduce
from pliant.skin import Pose, Skin, SkinPart
from pliant.systems import Clamped, Full, System
from pliant.systems.system import checked_push

RUBBER = pl.StVK(young=2e5, poisson=0.3, density=1000)


def bar_solid(cells=(12, 2, 2)):
    mesh = pl.shapes.bar((1.0, 0.12, 0.12), cells)
    return pl.Solid(mesh, RUBBER, fixed=mesh.select("x < 1e-9"))


def clamped_bar(progress=None, size=12):
    solid = bar_solid()
    model = reduce(solid, pl.modal_basis(solid, modes=6, size=size, progress=progress), progress=progress)
    return Clamped(model, 1e-3, damping=(0.5, 1e-3), gravity=(0, -2.0, 0))


def full_bar(progress=None):
    return Full(bar_solid((6, 1, 1)), 5e-3, damping=(0.5, 1e-3), gravity=(0, -2.0, 0))


class Wobble(System):
    """Two blended, warping parts with turning frames: coordinates are oscillators, nothing holds it together."""

    def __init__(self, dt=1e-3, r=5):
        mesh = pl.shapes.bar((1.0, 0.12, 0.12), (12, 2, 2))
        draw = np.random.default_rng(1)
        n, X = mesh.vertex_count, mesh.vertices
        share = np.clip(4 * X[:, 0] - 1.5, 0, 1)
        self.dt, self.time, self._triangles = dt, 0.0, mesh.surface
        self._pushed, self._rates = np.zeros((n, 3)), 2 * np.pi * draw.uniform(0.3, 1.5, (2, r))
        parts = []
        for weights in (1 - share, share):
            mine = np.flatnonzero(weights > 0)
            waves = [np.outer(np.sin(3 * k * X[mine, 0]), draw.standard_normal(3)).ravel() for k in range(1, r + 1)]
            turns = [np.outer(np.cos(2 * k * X[mine, 0]), draw.standard_normal(3)).ravel() for k in range(1, r + 1)]
            U, omega = np.stack(waves, axis=1), np.stack(turns, axis=1)
            parts.append(SkinPart(mine, weights[mine], X[mine], 0.3 * U, 2 * omega))
        self._skin = Skin(n, mesh.surface, tuple(parts))

    def step(self, count=1):
        self.time += count * self.dt

    def push(self, vertices, forces):
        checked_push(vertices, forces, self._skin.vertex_count)

    def release(self):
        pass

    def vertices(self):
        return self._skin.vertices(self.pose())

    @property
    def skin(self):
        return self._skin

    @property
    def triangles(self):
        return self._triangles

    def pose(self):
        t = self.time
        frames = tuple(
            (rotation_exponential(np.array([0, 0.2 * p, 0.3]) * np.sin(t + p)), np.array([0, 0.05 * np.sin(2 * t), 0]))
            for p in range(2)
        )
        return Pose(frames, tuple(0.1 * np.sin(rates * t) for rates in self._rates))

    def energy(self):
        return 1.0

    def momentum(self):
        return np.zeros(3), np.zeros(3)

    def state(self):
        return {"time": self.time}

    def restore(self, state):
        self.time = state["time"]


SCENES = {
    "bar": SceneSource(clamped_bar, "A bar", "Rubber, held at one end."),
    "wobble": SceneSource(lambda progress: Wobble(), "A wobble", "Frames, weights and warping at once."),
    "full": SceneSource(full_bar, "The whole bar", "No basis at all."),
}
