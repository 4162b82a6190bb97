"""The swing of maths sheet substructuring 10: the flower thrown along its first mode until it leans by 45 degrees."""

from dataclasses import dataclass, field

import numpy as np
from flower import BOXES, DENSITY, POISSON, SIZE, YOUNG, flower
from scipy.interpolate import CubicSpline
from scipy.optimize import minimize_scalar
from tree_dense import Dense
from tree_kernels import Moving
from tree_motion import Plain, Stance, axial, nearest_rotation

import pliant as pl
from pliant.basis import vibration_modes
from pliant.errors import Array
from pliant.systems.tree.cutting import limbs_of

DT, STEPS = 0.02, 480
LEAN = np.pi / 4


def solid():
    mesh, labels, names, fixed = flower()
    return pl.Solid(mesh, pl.StVK(YOUNG, POISSON, DENSITY), fixed), labels, names


def hub_vertices(body, labels) -> Array:
    return np.unique(body.mesh.cells[labels == list(BOXES).index("hub")])


def tip(body, labels) -> int:
    """The middle of the hub's top."""
    hub = hub_vertices(body, labels)
    x = body.mesh.vertices[hub]
    return int(hub[np.argmin(np.linalg.norm(x - [0.05, 0.05, x[:, 2].max()], axis=1))])


def turn(x: Array, rest: Array) -> Array:
    """Best linear map of the hub about its centre, (3, 3)."""
    return np.linalg.lstsq(rest - rest.mean(axis=0), x - x.mean(axis=0), rcond=None)[0].T


def start(body, labels, lean: float = LEAN) -> tuple[Array, float]:
    """v0 (3n,) = amp omega phi of the first mode, amp so that the linearised hub turns by `lean`; and omega."""
    modes = vibration_modes(body, 1)
    phi, hub = modes.vectors[:, 0], hub_vertices(body, labels)
    rest = body.mesh.vertices[hub]
    angle = np.linalg.norm(axial(turn(phi.reshape(-1, 3)[hub], rest)))
    return lean / angle * modes.frequencies[0] * phi, float(modes.frequencies[0])


@dataclass
class Swing:
    """What was seen: the tip's path (steps + 1, 3), energies over the first, |A - R|/|R| and gaps of all interfaces,
    and how far the mean of its copies moved a vertex [m]."""

    dt: float
    path: list[Array] = field(default_factory=list)
    energy: list[float] = field(default_factory=list)
    stretch: list[float] = field(default_factory=list)
    gap: list[float] = field(default_factory=list)
    averaged: float = 0.0
    angle: float = 0.0


def true_swing(v0: Array, body, labels, count: int = STEPS) -> Swing:
    """Unreduced and undamped."""
    system, seen, hub = pl.Full(body, DT, gravity=None), Swing(DT), hub_vertices(body, labels)
    system.v, watched = v0, tip(body, labels)
    for k in range(count + 1):
        if k:
            system.step()
        seen.path.append(system.vertices()[watched].copy())
        seen.energy.append(system.energy())
        R = nearest_rotation(turn(system.vertices()[hub], body.mesh.vertices[hub]))
        seen.angle = max(seen.angle, float(np.arccos(np.clip((np.trace(R) - 1) / 2, -1, 1))))
    return seen


def tree_swing(v0: Array, body, labels, names, inertia: str, beta: float, count: int, **options) -> Swing:
    limbs, numbers = limbs_of(body, labels, size=SIZE, names=names, attachment=False)
    tree = pl.Tree(limbs, DT, inertia=inertia, damping=(0, beta), gravity=None, numbers=numbers, **options)
    plain, seen, watched = Plain(limbs), Swing(DT), tip(body, labels)
    tree.v = nearest_velocity(limbs, numbers, v0)
    for k in range(count + 1):
        if k:
            tree.step()
        seen.path.append(tree.vertices()[watched])
        seen.energy.append(tree.energy() / (seen.energy[0] if seen.energy else 1.0))
        q, root = tree.q, Stance(limbs[0].position, limbs[0].rotation)
        copies = np.split(plain.copies(q, root).reshape(-1, 3), np.cumsum([len(n) for n in numbers])[:-1])
        x = tree.vertices()
        moved = max(np.linalg.norm(x[ids] - own, axis=1).max() for ids, own in zip(numbers, copies))
        seen.averaged = max(seen.averaged, float(moved))
        for j in range(1, len(limbs)):
            A = plain.gradient(q, j)
            seen.stretch.append(np.linalg.norm(A - nearest_rotation(A)) / np.sqrt(3))
            seen.gap.append(_gap(copies[limbs[j].parent], copies[j], numbers[limbs[j].parent], numbers[j]))
    seen.energy[0] = 1.0
    return seen


def _gap(above, below, ids_above, ids_below) -> float:
    """rms distance of the copies over the rms radius of the interface."""
    _, a, b = np.intersect1d(ids_above, ids_below, return_indices=True)
    x, y = above[a], below[b]
    return float(np.linalg.norm(x - y) / np.linalg.norm(x - x.mean(axis=0)))


def nearest_velocity(limbs, numbers, v0: Array) -> Array:
    """v of the tree at rest that is nearest to the velocities v0 (3n,) of the solid, in kinetic energy."""
    zero = np.zeros(sum(limb.model.size for limb in limbs))
    still = Moving(limbs, zero, zero, zero, Stance(limbs[0].position, limbs[0].rotation), *np.zeros((4, 3)))
    dense, frames = Dense(still), still.plain.frames(zero, still.root)
    momenta = [(M @ v0.reshape(-1, 3)[ids].ravel()).reshape(-1, 3) for M, ids in zip(dense.masses, numbers)]
    return np.linalg.solve(dense.mass[6:, 6:], dense.gathered(momenta, frames)[6:])


def compared(seen: Swing, truth: Swing, printed: float) -> tuple[float, float]:
    """The factor of time that brings a path nearest to the truth; the rms distance over the rms path at `printed`."""
    t = seen.dt * np.arange(len(seen.path))
    x, y = np.array(seen.path) - seen.path[0], np.array(truth.path) - truth.path[0]
    end = truth.dt * (len(y) - 1)
    spline = CubicSpline(truth.dt * np.arange(len(y)), y)

    def distance(factor):
        inside = factor * t <= end
        wanted = spline(factor * t[inside])
        return np.sqrt(np.mean((x[inside] - wanted) ** 2) / np.mean(wanted**2))

    best = minimize_scalar(distance, bounds=(0.9 * printed, 1.1 * printed), method="bounded")
    return float(best.x), float(distance(printed))
