"""Loads that a solid is likely to meet: its weight along three axes, and pulls at its extremities.

Each is as large as it can be while its linear response moves no vertex by more than REACH of the diagonal of the
bounding box, strains no more than one cell in a hundred by more than STRAIN, and none by more than five times that:
bent far, but not crushed.
"""

import numpy as np
from scipy.spatial import cKDTree

from pliant.basis.response import StaticResponse
from pliant.basis.rigid import is_free
from pliant.basis.vibration import Modes
from pliant.errors import Array, Ids
from pliant.fem import Solid

REACH, STRAIN = 0.1, 0.06
PATCH = 0.05  # of the diagonal: the radius of what a pull takes hold of
ENDS, PULLS = 4, 8  # extremities that are pulled where much depends on it, and slanting pulls at them
SWINGING = 6  # modes whose accelerations are tried as loads
FAR, FARTHEST = 18, 3.0  # loads that bend a solid farther, and how many times as far at most
AXES = np.eye(3)


def extremities(solid: Solid, count: int) -> Ids:
    """Up to `count` vertices (k,) of the surface, each the farthest from those before it and from what is fixed.

    Where nothing is fixed, from the centre of mass.
    """
    X, ids = solid.mesh.vertices, np.setdiff1d(solid.mesh.surface_vertices, solid.fixed)
    weights = solid.lumped_mass[::3]
    held = (weights @ X / weights.sum())[None] if is_free(solid) else X[solid.fixed]
    distance = cKDTree(held).query(X[ids])[0]
    found = list[int]()
    while len(found) < min(count, len(ids)):
        found.append(int(ids[distance.argmax()]))
        np.minimum(distance, np.linalg.norm(X[ids] - X[found[-1]], axis=1), out=distance)
    return np.array(found, dtype=np.int64)


def pull(solid: Solid, vertex: int, force: Array, radius: float = PATCH) -> Array:
    """A force (3,) [N] shared by the surface within `radius`, in diagonals, of a vertex: (3n,)."""
    X, load = solid.mesh.vertices, np.zeros(solid.mesh.vertices.shape)
    ids = np.setdiff1d(solid.mesh.surface_vertices, solid.fixed)
    near = ids[np.linalg.norm(X[ids] - X[vertex], axis=1) <= radius * diagonal(solid)]
    load[near] = force / len(near)
    return load.ravel()


def typical_loads(solid: Solid, response: StaticResponse, count: int = 4) -> Array:
    """Loads (3n, 3 count + 3) [N] along the axes: pulls at `count` extremities, and weight if something is fixed."""
    ends = extremities(solid, count)
    loads = [pull(solid, end, axis) for end in ends for axis in AXES]
    loads += [] if is_free(solid) else [solid.gravity_load(axis) for axis in AXES]
    return bounded(solid, np.stack(loads, axis=1), response)


def point_pulls(solid: Solid, response: StaticResponse, count: int = 4) -> Array:
    """Pulls (3n, 3 count) [N] at single vertices, along the axes: they leave the sharpest dents."""
    loads = [pull(solid, end, axis, 0.0) for end in extremities(solid, count) for axis in AXES]
    return bounded(solid, np.stack(loads, axis=1), response)


def held_out_loads(
    solid: Solid, modes: Modes, response: StaticResponse, seed: int = 0, count: int = 3, pulls: int | None = None
) -> Array:
    """Other loads (3n, s) of the same kind: `slanting_loads`."""
    return bounded(solid, slanting_loads(solid, modes, seed, count, pulls), response)


def slanting_loads(solid: Solid, modes: Modes, seed: int = 0, count: int = 3, pulls: int | None = None) -> Array:
    """Loads (3n, s) of any size: slanting pulls, a slanting weight, inertia of swinging modes.

    Args:
        count: extremities that are pulled, and mixtures of modes that swing.
        pulls: at all extremities together, each in a direction of its own; None: one an extremity.
    """
    random = np.random.default_rng(seed)
    ends = np.resize(extremities(solid, count), pulls or count).tolist()
    loads = [pull(solid, end, _direction(random), 0.5 * PATCH) for end in ends]
    loads += [] if is_free(solid) else [solid.gravity_load(_direction(random))]
    swinging = modes.vectors[:, : min(SWINGING, modes.count)]
    loads += [solid.mass @ (swinging @ random.standard_normal(swinging.shape[1])) for _ in range(count)]
    return np.stack(loads, axis=1)


def far_loads(solid: Solid, modes: Modes, response: StaticResponse, seed: int = 0) -> Array:
    """Loads (3n, FAR) [N] that bend a solid up to FARTHEST times as far: slanting pulls, inertia, and both at once."""
    random, ends = np.random.default_rng([FAR, seed]), extremities(solid, FAR // 2)
    radii, at = random.uniform(0.5, 1, FAR) * PATCH, random.choice(ends, FAR)
    pulls = np.stack([pull(solid, end, _direction(random), radius) for end, radius in zip(at, radii)], axis=1)
    swinging = modes.vectors[:, : min(SWINGING, modes.count)]
    inertia = solid.mass @ (swinging @ random.standard_normal((swinging.shape[1], FAR)))
    kinds = np.arange(FAR) % 3
    loads = bounded(solid, pulls, response) * (kinds != 0) + bounded(solid, inertia, response) * (kinds != 1)
    return bounded(solid, loads, response) * random.uniform(1, FARTHEST, FAR)


def bounded(solid: Solid, loads: Array, response: StaticResponse) -> Array:
    """Loads (3n, s) scaled to REACH or to STRAIN, whichever comes first."""
    u = response.solve(loads)
    return loads * natural_amplitude(solid, u)


def natural_amplitude(solid: Solid, u: Array) -> Array:
    """Factors (s,) that bring displacements (3n, s) to REACH or to STRAIN, whichever comes first."""
    nodal = u.reshape(-1, 3, u.shape[1])
    reach = np.linalg.norm(nodal, axis=1).max(axis=0)
    strain = np.array([_strain(solid, column) for column in u.T])
    tiny = np.finfo(float).tiny
    return np.minimum(REACH * diagonal(solid) / np.maximum(reach, tiny), STRAIN / np.maximum(strain, tiny))


def diagonal(solid: Solid) -> float:
    """Of the bounding box [m]."""
    return float(np.linalg.norm(np.ptp(solid.mesh.vertices, axis=0)))


def _strain(solid: Solid, u: Array) -> float:
    """The linear strain (Frobenius norm) that 99 of 100 cells stay below, or a fifth of the largest one."""
    e = solid.elements
    gradients = e.gradients.mean(axis=1)[e.blocks]
    F = np.einsum("cai,caj->cij", u.reshape(-1, 3)[solid.mesh.cells], gradients)
    symmetric = (F + F.transpose(0, 2, 1)) / 2
    strain = np.linalg.norm(symmetric, axis=(1, 2))
    return float(max(np.percentile(strain, 99), strain.max() / 5))


def _direction(random: np.random.Generator) -> Array:
    direction = random.standard_normal(3)
    return direction / np.linalg.norm(direction)
