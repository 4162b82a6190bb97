"""Random trees, and their motion in plain numpy: where all copies of all vertices are, by q and the root.

Everything else here follows from these positions by differences, so that it shares nothing with the formulas of the
maths sheet: velocities, Jacobians, inertia, bias forces. `kernels` reaches the compiled code of `systems/tree`.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from scipy.spatial.transform import Rotation

from pliant.basis import Basis, modal_basis
from pliant.errors import Array
from pliant.fem import Linear, Solid, StVK
from pliant.mesh import Mesh, shapes
from pliant.numerics import rotation_exponential
from pliant.reduced import ReducedModel, reduce
from pliant.reduced.interface import interface_map
from pliant.reduced.rigid import Rigid
from pliant.systems.tree.limb import Limb

RUBBER = StVK(1e5, 0.3, 1000.0)
LENGTH = 0.8  # [m] of a part


# --- random trees ---


def random_rotation(random) -> Array:
    return Rotation.random(random_state=random).as_matrix()


def random_model(random, size: int = 5, clamped: bool = True, material=RUBBER) -> ReducedModel:
    """A crooked bar in its own axes, held at its foot; its basis is mixed, so that U^T M U is no unit matrix."""
    mesh = shapes.bar((LENGTH, 0.2, 0.25), (4, 1, 1))
    X = (mesh.vertices + 0.02 * random.standard_normal(mesh.vertices.shape)) @ random_rotation(random).T
    foot = np.flatnonzero(mesh.vertices[:, 0] < 1e-9)
    solid = Solid(Mesh(X - X[foot].mean(axis=0), mesh.cells), material, foot if clamped else None)
    mix = np.eye(size) + 0.3 * random.standard_normal((size, size)) / np.sqrt(size)
    return reduce(solid, Basis(modal_basis(solid, modes=size, size=size).vectors @ mix))


def random_patch(random, model: ReducedModel | Rigid, flat: bool) -> Array:
    """Two boundary triangles far from the foot that share an edge and lie in one plane or, if not `flat`, do not."""
    surface = model.mesh.surface
    away = (
        np.linalg.norm(model.X[surface].mean(axis=1) - model.X[model.fixed].mean(axis=0), axis=1)
        if len(model.fixed)
        else np.ones(len(surface))
    )
    far = surface[away > 0.5 * away.max()]
    if flat:
        return far[[random.integers(len(far))]]
    pairs = [(a, b) for a in range(len(far)) for b in range(a) if len(np.intersect1d(far[a], far[b])) == 2]
    sharp = [pair for pair in pairs if abs(np.dot(*_normals(model.X, far[list(pair)]))) < 0.5]
    return far[list(sharp[random.integers(len(sharp))])]


def _normals(X, triangles):
    n = np.cross(X[triangles[:, 1]] - X[triangles[:, 0]], X[triangles[:, 2]] - X[triangles[:, 0]])
    return n / np.linalg.norm(n, axis=1, keepdims=True)


def random_limbs(
    seed: int, rigid: bool = False, clamped: bool = True, scaled: bool = True, size: int = 5
) -> list[Limb]:
    """Root, two copies of one part on it, one copy each of another on these, and (if `rigid`) a rigid piece with one
    more on it; axes and, if `scaled`, sizes and stiffenings at random. Flat and bent interfaces take turns."""
    random = np.random.default_rng(seed)
    models = [random_model(random, size, clamped or k > 0) for k in range(3)]
    stone = Rigid(random_model(random, 1).mesh, 700.0)
    plan = [(0, -1), (1, 0), (1, 0), (2, 1), (2, 2)]
    if rigid:
        plan += [(3, 1), (2, 5)]
    pool = [*models, stone]
    limbs: list[Limb] = []
    for number, (kind, parent) in enumerate(plan):
        on = None if parent < 0 else random_patch(random, limbs[parent].model, flat=number % 2 == 0)
        limbs.append(
            Limb(
                pool[kind],
                parent=parent,
                stands_on=on,
                rotation=random_rotation(random),
                scale=random.uniform(0.7, 1.4) if scaled else 1.0,
                # Limbs of one part must share their origin to share a pack; the root's lies anywhere.
                origin=np.array([0.03, -0.02, 0.05]) if kind == 1 else np.zeros(3),
                position=random.standard_normal(3) if parent < 0 else np.zeros(3),
                stiffening=random.uniform(0.8, 1.2) if scaled else 1.0,
                name=f"limb {number}",
            )
        )
    return limbs


def random_coordinates(random, limbs: list[Limb], far: float = 0.25) -> Array:
    """q (sum r,), mostly in the soft directions of every limb, whose mean displacement is `far` of its length."""
    parts = []
    for limb in limbs:
        q = random.standard_normal(limb.model.size)
        if len(q):
            q = np.linalg.solve(limb.model.stiffness(), limb.model.mass @ q)
            q *= far * LENGTH / np.sqrt(q @ limb.model.mass @ q / limb.model.inertia.mass)
        parts.append(q)
    return np.concatenate(parts)


# --- motion in plain numpy ---


def nearest_rotation(A: Array) -> Array:
    U, _, V = np.linalg.svd(A)
    return U @ np.diag([1, 1, np.linalg.det(U @ V)]) @ V


@dataclass
class Stance:
    """Where a root is and how it is turned, after the small motion (a; b) in the root's axes."""

    x: Array
    R: Array

    def moved(self, twist: Array) -> "Stance":
        """By twist (6,), a shift and a turn in the root's own axes."""
        return Stance(self.x + self.R @ twist[:3], self.R @ rotation_exponential(np.ascontiguousarray(twist[3:])))


class Plain:
    """A tree as a function of its coordinates."""

    def __init__(self, limbs: list[Limb]):
        self.limbs = limbs
        starts = np.cumsum([0, *(limb.model.size for limb in limbs)])
        self.spans = [slice(a, b) for a, b in pairwise(starts)]
        self.size = int(starts[-1])
        self.patches = [None if k.parent < 0 else interface_map(limbs[k.parent].model, k.stands_on) for k in limbs]
        self.mass = sp.block_diag([mass_of(limb) for limb in limbs]).tocsr()

    def gradient(self, q: Array, j: int) -> Array:
        """A(q) R_hat (3, 3) of the interface under limb j."""
        on = self.limbs[self.limbs[j].parent]
        A = np.eye(3) + self.patches[j].gradient @ q[self.spans[self.limbs[j].parent]]
        return A @ on.rotation.T @ self.limbs[j].rotation

    def frames(self, q: Array, root: Stance) -> list[Stance]:
        found = [root]
        for j, limb in enumerate(self.limbs[1:], start=1):
            on, above, patch = self.limbs[limb.parent], found[limb.parent], self.patches[j]
            at = on.scale * (patch.centroid - on.origin + patch.shift @ q[self.spans[limb.parent]])
            found.append(Stance(above.x + above.R @ at, above.R @ nearest_rotation(self.gradient(q, j))))
        return found

    def shapes(self, q: Array) -> list[Array]:
        """Positions (n_i, 3) of the limbs' vertices in their frames."""
        return [
            k.scale * (k.model.X - k.origin + (k.model.U @ q[span]).reshape(-1, 3))
            for k, span in zip(self.limbs, self.spans)
        ]

    def copies(self, q: Array, root: Stance) -> Array:
        """World positions (3 sum n_i,) of every limb's own copy of its vertices."""
        placed = [f.x + x @ f.R.T for f, x in zip(self.frames(q, root), self.shapes(q))]
        return np.concatenate([x.ravel() for x in placed])

    def jacobian(self, q: Array, root: Stance) -> Array:
        """d copies / d (twist of the root, q) (3n, 6 + r)."""

        def at(step):
            return self.copies(q + step[6:], root.moved(step[:6]))

        return np.stack([difference(lambda h, e=e: at(h * e)) for e in np.eye(6 + self.size)], axis=1)

    def path(self, q, v, a, root: Stance, speed, spin, pull, twist):
        """t -> (q, root) with these first and second derivatives at t = 0; root's in the root's axes."""

        def at(t):
            x = root.x + root.R @ (t * speed + 0.5 * t * t * pull)
            turn = rotation_exponential(root.R @ (t * spin + 0.5 * t * t * twist))
            return q + t * v + 0.5 * t * t * a, Stance(x, turn @ root.R)

        return at


def mass_of(limb: Limb):
    """Consistent mass (3n, 3n) of an instance."""
    material = Linear(1.0, 0.0, limb.model.density) if isinstance(limb.model, Rigid) else limb.model.solid.material
    return limb.scale**3 * Solid(limb.model.mesh, material).mass


def difference(f, h: float = 2e-3):
    """f'(0), of the fourth order."""
    return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)


def second_difference(f, h: float = 5e-3):
    """f''(0), of the fourth order."""
    return (16 * (f(h) + f(-h)) - (f(2 * h) + f(-2 * h)) - 30 * f(0.0)) / (12 * h * h)


def axial(A: Array) -> Array:
    """w with tilde(w) = (A - A^T)/2."""
    return 0.5 * np.array([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]])


def relative(found: Array, wanted: Array) -> float:
    """The largest difference over the largest value."""
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())
