"""A rag doll, 1 m high, with its arms spread: a character to throw, tumble and hit."""

from pliant.mesh import Mesh, sdf
from pliant.scenes.models.filling import filled


def doll(edge: float = 0.07, kind: str = "tet") -> Mesh:
    """Tets of about `edge` [m] that follow the surface, or with kind "hex" voxels.

    y up, feet at 0, it looks along z; mirrored in x = 0.
    """
    return filled(solid(), edge, kind)


def solid() -> sdf.Field:
    """The doll as a signed distance."""
    belly = sdf.ellipsoid((0.15, 0.17, 0.12)).translate((0, 0.47, 0))
    chest = sdf.ellipsoid((0.15, 0.12, 0.1)).translate((0, 0.62, 0))
    neck = sdf.capsule((0, 0.66, 0), (0, 0.76, 0), 0.055)
    head = sdf.ellipsoid((0.125, 0.135, 0.12)).translate((0, 0.865, 0))
    arm = sdf.capsule((0.1, 0.65, 0), (0.42, 0.6, 0), 0.052)
    hand = sdf.sphere(0.07).translate((0.46, 0.59, 0))
    leg = sdf.capsule((0.085, 0.4, 0), (0.13, 0.1, 0), 0.066)
    foot = sdf.capsule((0.135, 0.06, -0.02), (0.145, 0.06, 0.09), 0.06)
    limbs = [limb.mirror("x") for limb in (arm, hand, leg, foot)]
    return sdf.smooth_union(belly, chest, neck, head, *limbs, radius=0.04)
