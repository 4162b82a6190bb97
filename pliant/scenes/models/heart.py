"""A heart-like blob, 12 cm high: two chambers in a thick wall, with the roots of two vessels; hold it at these."""

import numpy as np

from pliant.mesh import Mesh, sdf
from pliant.scenes.models.filling import filled


def heart(edge: float = 0.00298, kind: str = "hex") -> Mesh:
    """Voxels of `edge` [m], or with kind "tet" tets of about that edge that follow the surface.

    y up, the vessels at the top.
    """
    return filled(solid(), edge, kind)


def solid() -> sdf.Field:
    """The heart as a signed distance."""
    left = sdf.ellipsoid((0.036, 0.050, 0.036)).rotate((0, 0, 1), 0.35).translate((0.012, -0.008, 0))
    right = sdf.ellipsoid((0.028, 0.040, 0.030)).rotate((0, 0, 1), 0.5).translate((-0.020, -0.002, 0.006))
    atria = sdf.smooth_union(
        sdf.sphere(0.022).translate((0.020, 0.036, -0.006)),
        sdf.sphere(0.021).translate((-0.022, 0.034, 0.0)),
        radius=0.01,
    )
    vessels = (_vessel(((-0.004, 0.03, 0), (-0.002, 0.055, 0.002), (0.016, 0.072, 0), (0.030, 0.066, -0.006)), 0.0085)
               | _vessel(((0.006, 0.03, 0.012), (0.0, 0.052, 0.016), (-0.016, 0.066, 0.014)), 0.0075))  # fmt: skip
    body = sdf.smooth_union(left, right, atria, vessels, radius=0.012)
    chambers = sdf.ellipsoid((0.017, 0.028, 0.017)).rotate((0, 0, 1), 0.35).translate((0.012, -0.006, 0))
    chambers |= sdf.ellipsoid((0.013, 0.022, 0.014)).rotate((0, 0, 1), 0.5).translate((-0.022, 0.0, 0.006))
    return body - chambers


def _vessel(points: tuple[tuple[float, float, float], ...], radius: float) -> sdf.Field:
    return sdf.sweep(sdf.spline(np.array(points), 16), radius)
