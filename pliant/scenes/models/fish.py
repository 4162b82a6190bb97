"""A fish, 77 cm long, in 10 parts: head, body, tail and fins; leave it free, drag it by a node, turn its tail."""

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import Array
from pliant.mesh import Mesh, sdf
from pliant.scenes.models.lofting import bent, frame, loft, placed, sheet
from pliant.scenes.models.parting import parted, sliced

# x, y, z of the middle line [m], half width, half height [m]
BODY = np.array(
    [
        (-0.318, -0.008, 0, 0.014, 0.016),
        (-0.302, -0.007, 0, 0.026, 0.031),
        (-0.270, -0.004, 0, 0.038, 0.049),
        (-0.210, 0.000, 0, 0.050, 0.069),
        (-0.110, 0.004, 0, 0.058, 0.088),
        (0.000, 0.004, 0, 0.054, 0.086),
        (0.100, 0.002, 0, 0.040, 0.064),
        (0.185, 0.000, 0, 0.025, 0.039),
        (0.245, 0.000, 0, 0.017, 0.027),
        (0.275, 0.000, 0, 0.014, 0.028),
    ]
)
CUTS = (-0.165, -0.060, 0.086, 0.184, 0.262)  # x [m]: behind the gills, chest, middle, rear, and before the tail fin
TRUNK = ("head", "chest", "middle", "rear", "tail stem", "tail fin")
# Outlines [m] in x and y; that of the side fin is in its own plane.
TAIL_FIN = ((0.235, -0.016), (0.300, -0.046), (0.370, -0.130), (0.440, -0.190), (0.438, -0.120), (0.396, -0.035),
            (0.388, 0.0), (0.396, 0.035), (0.440, 0.125), (0.450, 0.205), (0.374, 0.138), (0.300, 0.048),
            (0.235, 0.016))  # fmt: skip
BACK_FIN = ((-0.042, 0.060), (0.052, 0.045), (0.068, 0.092), (0.125, 0.142), (0.090, 0.156), (0.030, 0.190),
            (-0.022, 0.180), (-0.046, 0.120))  # fmt: skip
BELLY_FIN = ((0.102, -0.030), (0.098, -0.070), (0.120, -0.125), (0.172, -0.168), (0.178, -0.120), (0.160, -0.075),
             (0.160, -0.025))  # fmt: skip
SIDE_FIN = ((-0.012, -0.020), (0.040, -0.050), (0.115, -0.064), (0.160, -0.040), (0.150, 0.008), (0.080, 0.036),
            (-0.012, 0.020))  # fmt: skip
FILLET = 0.014


def fish(edge: float = 0.0105) -> Mesh:
    """Tets of about `edge` [m] with a cell group for each part; nose towards -x, y up, mirrored in z = 0."""
    # A fin thinner than this would be ragged.
    body, tail, fins = _body(), *_fins(thickness=max(0.018, 1.9 * edge))
    slices = sliced(sdf.smooth_union(body, tail, radius=FILLET), [((x, 0, 0), (1, 0, 0)) for x in CUTS])
    solid = sdf.smooth_union(body, tail, *fins.values(), radius=FILLET)
    return parted(solid, dict(zip(TRUNK, slices, strict=True)) | fins, edge)


def _body() -> sdf.Field:
    trunk = loft(sdf.spline(BODY, 25), side=(0, 0, 1))
    eye = sdf.sphere(0.015).translate((-0.243, 0.022, 0.040))
    return sdf.smooth_union(trunk, eye.mirror("z"), radius=0.003)


def _fins(thickness: float) -> tuple[sdf.Field, dict[str, sdf.Field]]:
    """The tail fin, and the others."""

    def wave(x: Array, y: Array) -> Array:
        return 0.014 * np.sin(40 * (np.abs(y) - 0.6 * x)) * np.clip((x - 0.28) / 0.1, 0, 1)

    axes = frame((0.80, -0.34, 0.50), (0.25, 0.94, 0.23))
    left = placed(sheet(_smooth(SIDE_FIN), thickness), axes, (-0.125, -0.030, 0.050))
    right = placed(sheet(_smooth(SIDE_FIN), thickness), axes * [1, 1, -1], (-0.125, -0.030, -0.050))
    fins = {
        "back fin": sheet(_smooth(BACK_FIN), thickness),
        "belly fin": sheet(_smooth(BELLY_FIN), thickness),
        "left fin": left,
        "right fin": right,
    }
    return bent(sheet(_smooth(TAIL_FIN), thickness), wave, 0.014), fins


def _smooth(corners: ArrayLike) -> Array:
    """A closed outline through corners (k, 2)."""
    return sdf.spline(_closed(np.asarray(corners, dtype=float)), 40)[:-1, :2]


def _closed(points: Array) -> Array:
    looped = np.concatenate([points, points[:1]])
    return np.column_stack([looped, np.zeros(len(looped))])
