"""Small scenes for the viewer's tests: real ones, and a stand-in with everything the drawing formula can do."""

import numpy as np

import pliant as pl
from pliant.app.sources import SceneSource
from pliant.numerics import rotation_exponential
from pliant.reduced import reduce
from pliant.skin import Pose, Skin, SkinPart
from pliant.systems import Clamped, Full, System

RUBBER = pl.StVK(young=2e5, poisson=0.3, density=1000)


def bar_solid(cells=(12, 2, 2), fixed=True):
    mesh = pl.shapes.bar((1.0, 0.12, 0.12), cells)
    return pl.Solid(mesh, RUBBER, fixed=mesh.select("x < 1e-9") if fixed else None)


def clamped_bar(progress=None, size=12):
    solid = bar_solid()
    model = reduce(solid, pl.modal_basis(solid, modes=6, size=size, progress=progress), progress=progress)
    return Clamped(model, 1e-3, damping=(0.5, 1e-3), gravity=(0, -2.0, 0))


def full_bar(progress=None):
    return Full(bar_solid((6, 1, 1)), 5e-3, damping=(0.5, 1e-3), gravity=(0, -2.0, 0))


def coupled_bar(progress=None, fixed=True, gravity=(0, -2.0, 0)):
    solid = bar_solid(fixed=fixed)
    labels = pl.split(solid.mesh, 3)
    return pl.couple(solid, labels, soft=2, order=1, dt=5e-3, damping=(0.5, 1e-3), gravity=gravity, nonlinear=False)


def nonlinear_bar(progress=None, fixed=True, gravity=(0, -2.0, 0)):
    solid = bar_solid((12, 1, 1), fixed)
    labels = pl.split(solid.mesh, 3)
    return pl.couple_nonlinear(solid, labels, 1, 4, modes=3, dt=5e-3, damping=(0.5, 1e-3), gravity=gravity)


def tree_bar(progress=None, fixed=True, gravity=(0, -2.0, 0)):
    solid = bar_solid(fixed=fixed)
    labels = pl.split(solid.mesh, 3)
    return pl.substructure(solid, labels, size=18, dt=5e-3, damping=(0.5, 1e-3), gravity=gravity)


class Drawn(System):
    """What only moves to be looked at: a skin, and poses that follow from the time."""

    def __init__(self, skin, dt=1e-3):
        self._skin, self.dt, self.time = skin, dt, 0.0

    def step(self, count=1):
        self.time += count * self.dt

    def _push(self, vertices, forces):
        pass

    def release(self):
        pass

    @property
    def body(self):
        return self._skin

    def energy(self):
        return 1.0

    def momentum(self):
        return np.zeros(3), np.zeros(3)

    def state(self):
        return {"time": self.time}

    def restore(self, state):
        self.time = state["time"]


def waves(draw, X, r, rate=3):
    """(3n, r) smooth columns."""
    columns = [np.outer(np.sin(rate * k * X[:, 0] + k), draw.standard_normal(3)).ravel() for k in range(1, r + 1)]
    return np.stack(columns, axis=1)


class Wobble(Drawn):
    """Two blended, warping parts with turning frames: coordinates are oscillators, nothing holds it together."""

    def __init__(self, r=5):
        mesh = pl.shapes.bar((1.0, 0.12, 0.12), (12, 2, 2))
        draw, X = np.random.default_rng(1), mesh.vertices
        share = np.clip(4 * X[:, 0] - 1.5, 0, 1)
        self._rates = 2 * np.pi * draw.uniform(0.3, 1.5, (2, r))
        parts = []
        for weights in (1 - share, share):
            mine = np.flatnonzero(weights > 0)
            U, omega = 0.3 * waves(draw, X[mine], r), 2 * waves(draw, X[mine], r, 2)
            parts.append(SkinPart(mine, weights[mine], X[mine], U, omega))
        super().__init__(Skin(len(X), mesh.surface, tuple(parts)))

    def pose(self):
        t = self.time
        frames = tuple(
            (rotation_exponential(np.array([0, 0.2 * p, 0.3]) * np.sin(t + p)), np.array([0, 0.05 * np.sin(2 * t), 0]))
            for p in range(2)
        )
        return Pose(frames, tuple(0.1 * np.sin(rates * t) for rates in self._rates))


class Crowd(Drawn):
    """Many turning instances of three bars, one of them rigid and one warping, and links that read two neighbours."""

    def __init__(self, count=300, links=20):
        mesh = pl.shapes.bar((0.5, 0.12, 0.12), (4, 2, 1))
        draw, X, n = np.random.default_rng(2), mesh.vertices - [0.25, 0.06, 0.06], mesh.vertex_count
        kinds = [(np.zeros((3 * n, 0)), None), (0.1 * waves(draw, X, 5), None)]
        kinds.append((0.1 * waves(draw, X, 6), waves(draw, X, 6, 2)))
        scaled = [X, 0.7 * X]
        parts = [SkinPart(p * n + np.arange(n), np.ones(n), scaled[p // 3 % 2], *kinds[p % 3]) for p in range(count)]
        for k in range(links):
            U, omega = 0.1 * waves(draw, X, 11), 0.3 * waves(draw, X, 11, 2)
            lifted = X + np.array([0, 0.2, 0])
            reads = (3 * k + 1, 3 * k + 2)
            parts.append(SkinPart((count + k) * n + np.arange(n), np.ones(n), lifted, U, omega, reads))
        triangles = np.concatenate([mesh.surface + n * p for p in range(len(parts))])
        super().__init__(Skin(n * len(parts), triangles, parts))
        self.paint(np.repeat(draw.uniform(0.2, 0.9, (len(parts), 3)), len(mesh.surface), axis=0))
        grid = np.stack(np.unravel_index(np.arange(count), (20, -(-count // 20))), axis=1)
        self._places = np.pad(0.6 * grid, ((0, 0), (0, 1)))[:, [0, 2, 1]] * [1.0, 1.0, 0.6]
        self._rates = 2 * np.pi * draw.uniform(0.3, 1.5, self.body.offsets[-1])
        self._axes = draw.standard_normal((count, 3))

    def pose(self):
        angle = 0.6 * np.sin(self.time + np.arange(len(self._axes)))[:, None]
        rotations = np.stack([rotation_exponential(w) for w in angle * self._axes])
        flat = 0.5 * np.sin(self._rates * self.time)
        return Pose.stacked(rotations, self._places, flat, self.body.offsets)


SCENES = {
    "bar": SceneSource(clamped_bar, "A bar", "Rubber, held at one end."),
    "wobble": SceneSource(lambda progress: Wobble(), "A wobble", "Frames, weights and warping at once."),
    "crowd": SceneSource(lambda progress: Crowd(), "A crowd", "Hundreds of instances, and parts that read others."),
    "seams": SceneSource(coupled_bar, "A coupled bar", "Three parts that share their interfaces."),
    "tree": SceneSource(tree_bar, "A bar in a row", "Three parts that stand on each other."),
    "full": SceneSource(full_bar, "The whole bar", "No basis at all."),
}
