"""A seashell, 0.2 m across: a flat dome with ribs that fan out."""

import numpy as np

from pliant.mesh import Mesh, sdf
from pliant.scenes.models.filling import filled

RIBS = 7


def shell(edge: float = 0.035, kind: str = "tet") -> Mesh:
    """Tets of about `edge` [m] that follow the surface, or with kind "hex" voxels.

    y up, flat below; its ribs fan out along x.
    """
    return filled(solid(), edge, kind)


def solid() -> sdf.Field:
    """The shell as a signed distance."""
    dome = sdf.ellipsoid((0.1, 0.045, 0.09))
    angles = np.linspace(-0.9, 0.9, RIBS)
    ribs = [sdf.capsule((-0.07, 0.015, 0), (-0.07 + 0.165 * np.cos(a), 0.02, 0.105 * np.sin(a)), 0.022) for a in angles]
    return sdf.smooth_union(dome, *ribs, radius=0.015)
