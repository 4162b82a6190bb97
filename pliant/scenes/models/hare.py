"""A sitting hare, 0.75 m high to the tips of its ears: a soft animal that rolls."""

import numpy as np

from pliant.mesh import Mesh, sdf
from pliant.scenes.models.filling import filled


def hare(edge: float = 0.07, kind: str = "tet") -> Mesh:
    """Tets of about `edge` [m] that follow the surface, or with kind "hex" voxels.

    y up, it looks along x; the origin is in the middle of its belly.
    """
    return filled(solid(), edge, kind)


def solid() -> sdf.Field:
    """The hare as a signed distance."""
    body = sdf.ellipsoid((0.27, 0.2, 0.18)).rotate((0, 0, 1), 0.35)
    chest = sdf.sphere(0.15).translate((0.17, 0.06, 0))
    head = sdf.ellipsoid((0.15, 0.12, 0.115)).rotate((0, 0, 1), -0.25).translate((0.27, 0.24, 0))
    tail = sdf.sphere(0.085).translate((-0.29, -0.06, 0))
    paws = [_limb(((0.2, 0.0, z), (0.23, -0.17, 1.1 * z), (0.31, -0.19, 1.1 * z)), 0.055) for z in (-0.09, 0.09)]
    feet = [_limb(((-0.1, -0.06, z), (-0.13, -0.15, 1.25 * z), (0.05, -0.19, 1.3 * z)), 0.075) for z in (-0.12, 0.12)]
    ears = [_limb(((0.2, 0.31, z), (0.13, 0.42, 1.5 * z), (0.06, 0.5, 1.9 * z)), 0.055) for z in (-0.055, 0.055)]
    return sdf.smooth_union(body, chest, head, tail, *paws, *feet, *ears, radius=0.05)


def _limb(points: tuple[tuple[float, float, float], ...], radius: float) -> sdf.Field:
    return sdf.sweep(sdf.spline(np.array(points), 12), radius)
