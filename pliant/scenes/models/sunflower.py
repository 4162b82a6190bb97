"""A sunflower, 1.9 m high, in 13 parts: stalk, leaves, disc and petals in groups of three; hold it at the ground."""

import numpy as np

from pliant.errors import Array
from pliant.mesh import Mesh, sdf
from pliant.scenes.models.lofting import frame, loft, placed
from pliant.scenes.models.parting import near, parted, sliced

# x, y, z, radius [m]
STALK = np.array([(0.0, -0.05, 0.0, 0.042), (0.012, 0.40, 0.004, 0.032), (-0.014, 0.85, -0.006, 0.029),
                  (0.004, 1.22, -0.010, 0.027), (0.004, 1.44, 0.020, 0.027), (0.010, 1.52, 0.110, 0.031),
                  (0.018, 1.53, 0.200, 0.040)])  # fmt: skip
CUTS = (0.60, 0.95, 1.29)  # heights [m] of the cuts through the stalk
HEAD, FACING = np.array([0.020, 1.532, 0.215]), np.array([0.16, 0.16, 1.0])
DISC, GROUPS = 0.19, 5  # radius [m] of the disc, groups of petals around it
WITHIN, BETWEEN = np.radians(20.0), np.radians(32.0)  # angle from petal to petal, in a group and to the next
# Distance from the middle of the disc, height over it, half width, half thickness (1: as given) [m]
PETAL = np.array([(0.150, -0.004, 0.037, 1.0), (0.205, 0.000, 0.036, 1.0), (0.250, 0.010, 0.033, 1.0),
                  (0.330, 0.024, 0.044, 1.0), (0.400, 0.020, 0.032, 1.0), (0.450, 0.002, 0.013, 0.9)])  # fmt: skip
# Distance along the ground from the stalk, height over its foot, half width, half thickness (1: as petals) [m]
LEAF = np.array([(0.0, 0.000, 0.018, 1.1), (0.09, 0.055, 0.019, 1.1), (0.15, 0.090, 0.072, 0.95),
                 (0.25, 0.112, 0.118, 0.85), (0.37, 0.080, 0.080, 0.85), (0.46, 0.010, 0.016, 0.85)])  # fmt: skip
LEAVES = {"right leaf": (0.40, 0.20, 1.30), "left leaf": (0.78, 2.85, 1.15), "small leaf": (1.10, -0.10, 0.85)}


def sunflower(edge: float = 0.016) -> Mesh:
    """Tets of about `edge` [m] with a cell group for each part; y up from 0, the head looks towards z."""
    half = max(0.012, 0.9 * edge)  # petals thinner than this would be ragged
    stalk, disc = sdf.sweep(*_rows_and_radii(sdf.spline(STALK, 25))), _on_head(_disc())
    leaves = {name: near(_leaf(*place, half), 0.1) for name, place in LEAVES.items()}
    petals = {f"petals {group + 1}": near(_on_head(_petals(group, half)), 0.1) for group in range(GROUPS)}
    soil = sdf.box((1, 1, 1)).translate((0, -0.5, 0))
    green = sdf.smooth_union(stalk, disc, *leaves.values(), radius=0.03) - soil
    solid = sdf.smooth_union(green, *petals.values(), radius=0.008)
    slices = sliced(stalk, [((0, y, 0), (0, 1, 0)) for y in CUTS])
    names = ("lower stalk", "middle stalk", "upper stalk", "neck")
    inner = _on_head(sdf.cylinder(DISC, 1.0).rotate((1, 0, 0), np.pi / 2))
    outer = {name: group - inner for name, group in petals.items()}
    return parted(solid, dict(zip(names, slices, strict=True)) | leaves | {"disc": disc} | outer, edge)


def _disc() -> sdf.Field:
    """A thick lens with a raised ring of seeds, facing z."""
    lens = sdf.ellipsoid((DISC, DISC, 0.052))
    ring = sdf.torus(0.118, 0.030).rotate((1, 0, 0), np.pi / 2).translate((0, 0, 0.028))
    return sdf.smooth_union(lens, ring, radius=0.02)


def _petals(group: int, half: float) -> sdf.Field:
    """Three petals that touch at their feet."""
    middle = group * (2 * WITHIN + BETWEEN) + np.pi / 2
    return sdf.union(*(_petal(middle + side * WITHIN, half) for side in (-1, 0, 1)))


def _petal(angle: float, half: float) -> sdf.Field:
    r, height, width, thickness = sdf.spline(PETAL, 9).T
    stations = np.stack([r * np.cos(angle), r * np.sin(angle), height, width, thickness * half], axis=1)
    return loft(stations, side=(-np.sin(angle), np.cos(angle), 0), section="stadium")


def _leaf(height: float, angle: float, size: float, half: float) -> sdf.Field:
    """A blade on a stem, grown from the stalk at a height towards an angle around it."""
    r, rise, width, thickness = (sdf.spline(LEAF, 14) * [size, size, size, 1]).T
    width = np.maximum(width, 1.1 * half)
    foot = [np.interp(height, STALK[:, 1], STALK[:, axis]) for axis in range(3)]
    out = np.array([np.cos(angle), 0, np.sin(angle)])
    points = foot + r[:, None] * out + rise[:, None] * [0, 1, 0]
    return loft(np.column_stack([points, width, thickness * half]), side=_tilted(out), section="stadium")


def _tilted(out: Array) -> Array:
    """Across a leaf that grows towards `out`, rolled so that its upper face is seen from the front."""
    return np.cross(out, [0, 1, 0]) - [0, 0.7 * np.sign(out[0]), 0]


def _on_head(field: sdf.Field) -> sdf.Field:
    right = np.cross([0, 1, 0], FACING)
    return placed(field, frame(right, np.cross(FACING, right)), HEAD)


def _rows_and_radii(rows: Array) -> tuple[Array, Array]:
    return rows[:, :3], rows[:, 3]
