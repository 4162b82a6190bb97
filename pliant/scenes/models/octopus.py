"""An octopus with eight arms, 2 m across: fifty bones, two in its head and six in every arm ([MC15] Fig. 9)."""

import numpy as np

from pliant.errors import Array
from pliant.mesh import Mesh, sdf
from pliant.scenes.models.filling import filled

ARMS, IN_ARM = 8, 6
LENGTH, THICK, THIN = 0.85, 0.085, 0.035  # [m] of an arm along the ground, its radius at the head and at the tip
SKIRT = 0.14  # [m] from the middle, where arms begin


def octopus(edge: float = 0.06, kind: str = "tet") -> Mesh:
    """Tets of about `edge` [m] that follow the surface, or with kind "hex" voxels.

    y up, its arms spread on the ground at 0; the first points along x.
    """
    return filled(solid(), edge, kind)


def solid() -> sdf.Field:
    """The octopus as a signed distance."""
    head = sdf.ellipsoid((0.2, 0.27, 0.2)).translate((0, 0.38, 0))
    skirt = sdf.ellipsoid((0.22, 0.12, 0.22)).translate((0, 0.13, 0))
    radii = np.linspace(THICK, THIN, 24)
    arms = [sdf.sweep(arm(k, 24), radii) for k in range(ARMS)]
    return sdf.smooth_union(head, skirt, *arms, radius=0.04)


def arm(number: int, points: int) -> Array:
    """(points, 3) along the middle of an arm [m], from the head to the tip, a little bent."""
    s = np.linspace(0, 1, points)
    angle = 2 * np.pi * number / ARMS + 0.25 * s**2
    far = SKIRT + LENGTH * s
    return np.column_stack([far * np.cos(angle), THICK + 0.02 * np.sin(np.pi * s), far * np.sin(angle)])


def octopus_bones(in_arm: int = IN_ARM) -> tuple[list[str], Array]:
    """Names and ends (k, 2, 3) [m] of its bones: head and skirt, then each arm from within."""
    names, ends = ["head", "skirt"], [[(0, 0.35, 0), (0, 0.5, 0)], [(0, 0.12, 0), (0, 0.16, 0)]]
    for k in range(ARMS):
        line = arm(k, 10 * in_arm + 1)
        for i in range(in_arm):
            names.append(f"arm {k}, {i}")
            ends.append([tuple(line[10 * i + 3]), tuple(line[10 * i + 8])])
    return names, np.array(ends, dtype=float)
