"""How fast a free body spins, and how much a point of it that is moved makes it spin, both as if it were rigid.

    I w = sum m s x v,     a point at r that is given the velocity v:  w = I^-1 (r x j),  v = (1/m + [r]^T I^-1 [r]) j

What spins is softer, by (w / om)^2 where om is its first frequency: beyond that it flies apart, or whirls.
"""

from typing import TYPE_CHECKING

import numpy as np

from pliant.errors import ArgumentError, Array

if TYPE_CHECKING:
    from pliant.mesh import Mesh
    from pliant.systems.system import System

LOOKED_AT = 64  # vertices
SPIN = 0.5  # of the first frequency: what a body bears is softened by a quarter


def is_free(system: "System") -> bool:
    """Does it fly? Kinds that do not know are taken for held."""
    try:
        return system.free
    except ArgumentError:
        return False


def vertex_shares(mesh: "Mesh") -> Array:
    """(n,) of the mass, as if of one density; they sum to one."""
    cells, volumes = mesh.cells, mesh.volumes
    return np.bincount(cells.ravel(), np.repeat(volumes, cells.shape[1]), mesh.vertex_count) / (
        cells.shape[1] * volumes.sum()
    )


def spin(system: "System") -> float:
    """[rad/s], of a few vertices of the mesh."""
    ids = np.unique(np.linspace(0, system._vertex_count("mesh") - 1, LOOKED_AT).astype(np.int64))
    points, pose, equal = system.points(ids, "mesh"), system.pose(), np.full(len(ids), 1 / len(ids))
    s, v = (_about_mean(equal, given) for given in (points.place(pose), points.velocity(pose, system.rates())))
    return float(np.linalg.norm(np.linalg.lstsq(_inertia(equal, s), equal @ np.cross(s, v), rcond=None)[0]))


def spin_of_speed(shares: Array, x: Array, place: Array) -> float:
    """The largest spin [rad/s] of a body with vertices x (n, 3) when a point of it is given a speed of 1 m/s."""
    arm, inverse = _cross(place - shares @ x), np.linalg.pinv(_inertia(shares, _about_mean(shares, x)))
    return float(np.linalg.norm(inverse @ arm @ np.linalg.inv(np.eye(3) + arm.T @ inverse @ arm), 2))


def _about_mean(shares: Array, given: Array) -> Array:
    return given - shares @ given


def _inertia(shares: Array, s: Array) -> Array:
    """Of a body of 1 kg."""
    return shares @ np.sum(s**2, axis=1) * np.eye(3) - (shares * s.T) @ s


def _cross(r: Array) -> Array:
    """[r], for which [r] j = r x j."""
    return np.cross(np.eye(3), r)
