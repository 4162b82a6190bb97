"""A tyrannosaur, 12 m long and 5 m high, in 17 parts: head and jaw, trunk, tail, legs and arms; hold it at the feet."""

import numpy as np
from numpy.typing import ArrayLike

from pliant.mesh import Mesh, sdf
from pliant.scenes.models.lofting import loft
from pliant.scenes.models.parting import near, parted, sliced

# x, y, z of the middle line, half width, half height [m], from the tip of the tail to the back of the head
SPINE = ((-6.9, 3.30, 0, 0.13, 0.14), (-5.6, 2.98, 0, 0.18, 0.21), (-4.2, 2.86, 0, 0.26, 0.32),
         (-2.9, 2.92, 0, 0.40, 0.50), (-1.7, 3.06, 0, 0.57, 0.74), (-0.5, 3.14, 0, 0.72, 0.92),
         (0.6, 3.12, 0, 0.76, 0.96), (1.6, 3.26, 0, 0.64, 0.82), (2.25, 3.60, 0, 0.45, 0.58),
         (2.62, 4.05, 0, 0.35, 0.43), (2.90, 4.50, 0, 0.32, 0.37), (3.25, 4.78, 0, 0.34, 0.38))  # fmt: skip
SKULL = (
    (3.15, 4.84, 0, 0.40, 0.44),
    (3.75, 4.98, 0, 0.46, 0.53),
    (4.45, 4.90, 0, 0.35, 0.44),
    (5.15, 4.74, 0, 0.27, 0.32),
)
JAW = ((3.50, 4.42, 0, 0.33, 0.20), (4.10, 4.00, 0, 0.32, 0.20), (4.85, 3.70, 0, 0.24, 0.17))
BROW = (3.92, 5.32, 0.31)
# Points and normals of the cuts, from the tip of the tail to the back of the head
CUTS = (((-5.3, 0, 0), (1, 0, 0)), ((-4.0, 0, 0), (1, 0, 0)), ((-2.8, 0, 0), (1, 0, 0)), ((-1.6, 0, 0), (1, 0, 0)),
        ((0.75, 0, 0), (1, 0, 0)), ((2.25, 3.60, 0), (0.68, 0.73, 0)), ((2.88, 4.46, 0), (0.60, 0.80, 0)))  # fmt: skip
TRUNK = ("tail tip", "tail end", "tail middle", "tail root", "hips", "chest", "neck", "head")
# Limbs of the side z > 0 as lofts
THIGH = ((-0.45, 2.90, 0.56, 0.36, 0.66), (-0.05, 2.35, 0.68, 0.34, 0.50), (0.40, 1.72, 0.74, 0.24, 0.29))
SHIN = ((0.40, 1.72, 0.74, 0.23, 0.27), (0.02, 1.25, 0.74, 0.20, 0.25), (-0.50, 0.80, 0.74, 0.15, 0.16))
INSTEP = ((-0.50, 0.80, 0.74, 0.15, 0.16), (-0.30, 0.45, 0.75, 0.15, 0.14), (-0.02, 0.17, 0.76, 0.19, 0.15))
TOES = ((0.66, 0.10, 0.40), (0.82, 0.10, 0.78), (0.62, 0.10, 1.14))
ARM = ((1.72, 2.86, 0.50, 0.17, 0.20), (1.95, 2.46, 0.66, 0.13, 0.15), (2.36, 2.34, 0.66, 0.11, 0.11))


def tyrannosaur(edge: float = 0.125) -> Mesh:
    """Tets of about `edge` [m] with a cell group for each part; the head towards x, y up from 0, mirrored in z = 0."""
    spine = sdf.smooth_union(_along(SPINE, 30), _along(SKULL, 8), _brows(), radius=0.15)
    regions = dict(zip(TRUNK, sliced(spine, CUTS), strict=True)) | {"jaw": _along(JAW, 8)}
    for name, side in (("left", -1), ("right", 1)):
        regions |= {f"{name} {part}": near(limb, 0.6) for part, limb in _limbs(side).items()}
    added = [region for name, region in regions.items() if name not in TRUNK]
    ground = sdf.box((20, 1, 20)).translate((0, -0.5, 0))
    return parted(sdf.smooth_union(spine, *added, radius=0.14) - ground, regions, edge)


def _limbs(side: int) -> dict[str, sdf.Field]:
    """Thigh, shin, foot and arm on one side, -1 or 1, of the plane z = 0."""
    toes = (sdf.sweep([_mirrored(INSTEP[-1][:3], side), _mirrored(toe, side)], [0.15, 0.11]) for toe in TOES)
    return {
        "thigh": _along(THIGH, 8, side),
        "shin": _along(SHIN, 8, side),
        "foot": sdf.union(_along(INSTEP, 6, side), *toes),
        "arm": _along(ARM, 6, side),
    }


def _brows() -> sdf.Field:
    return sdf.sphere(0.15).translate(BROW).mirror("z")


def _along(stations: ArrayLike, count: int, side: int = 1) -> sdf.Field:
    """Ellipses along the smooth line through stations, mirrored to one side."""
    return loft(sdf.spline(np.asarray(stations) * [1, 1, side, 1, 1], count), side=(0, 0, 1))


def _mirrored(point: ArrayLike, side: int) -> np.ndarray:
    return np.asarray(point) * [1, 1, side]
