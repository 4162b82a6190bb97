"""Frames in 16 bits, for systems whose poses would fill a network: half as long, and off by less than a hair.

Behind the header of a frame stand four float32, the least place and the step of a grid, then 16-bit numbers: of a pose
the unit quaternions of its parts, their places in the grid, their sizes and the coordinates, and, a byte each, the
powers of two that the coordinates of a part are multiples of; of vertices, their places in the grid.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from pliant.errors import Array, Ids
from pliant.skin import Pose, Skin

WORTH = 20_000  # bytes of a frame in float32
WHOLE, PLACES = 32767, 65535
LEAST_POWER = -126
LOOKED_AT = 500  # vertices


def rounded_pose(pose: Pose) -> bytes:
    """What follows the header."""
    sizes = np.diff(pose.offsets)
    powers = _powers(pose)
    turns = np.rint(WHOLE * Rotation.from_matrix(pose.rotations).as_quat()).astype("<i2")
    multiples = np.rint(pose.flat * np.exp2(-np.repeat(powers, sizes))).astype("<i2")
    grid, places = _on_a_grid(pose.translations)
    bytes_ = b"".join(
        array.tobytes() for array in (grid, turns, places, sizes.astype("<u2"), multiples, powers.astype("i1"))
    )
    return bytes_ + bytes(-len(bytes_) % 4)


def pose_of(rounded: bytes, offsets: Ids) -> Pose:
    """The pose that a page makes of `rounded_pose`."""
    d, count = len(offsets) - 1, int(offsets[-1])
    grid = np.frombuffer(rounded, "<f4", 4).astype(np.float64)
    numbers = np.frombuffer(rounded, "<i2", 8 * d + count, 16)
    turns, places = numbers[: 4 * d].reshape(d, 4), numbers[4 * d : 7 * d].view("<u2").reshape(d, 3)
    powers = np.frombuffer(rounded, "i1", d, 16 + 2 * len(numbers)).astype(np.float64)
    flat = numbers[8 * d :] * np.exp2(np.repeat(powers, np.diff(offsets)))
    return Pose.stacked(Rotation.from_quat(turns).as_matrix(), grid[:3] + grid[3] * places, flat, offsets)


def rounded_vertices(x: Array) -> bytes:
    """What follows the header, of vertices (n, 3)."""
    grid, places = _on_a_grid(x)
    bytes_ = grid.tobytes() + places.tobytes()
    return bytes_ + bytes(-len(bytes_) % 4)


def pose_error(skin: Skin, pose: Pose) -> float:
    """How far rounding moves a vertex, of those that are looked at [m]."""
    ids = np.arange(0, skin.vertex_count, max(1, skin.vertex_count // LOOKED_AT))
    seen = pose_of(rounded_pose(pose), pose.offsets)
    return float(np.linalg.norm(skin.vertices_at(seen, ids) - skin.vertices_at(pose, ids), axis=1).max(initial=0.0))


def vertices_error(x: Array) -> float:
    """How far rounding moves a vertex of x (n, 3) [m]."""
    return float(np.sqrt(3) / 2 * _on_a_grid(x)[0][3])


def _powers(pose: Pose) -> NDArray[np.int64]:
    """Of every part the least power of two of which its largest coordinate is no more than 32767."""
    largest, deforms = np.zeros(pose.part_count), np.diff(pose.offsets) > 0
    if deforms.any():
        largest[deforms] = np.maximum.reduceat(np.abs(pose.flat), pose.offsets[:-1][deforms])
    with np.errstate(divide="ignore"):
        needed = np.ceil(np.log2(largest / WHOLE))
    return np.clip(np.nan_to_num(needed, neginf=LEAST_POWER), LEAST_POWER, 127).astype(np.int64)


def _on_a_grid(x: Array) -> tuple[NDArray[np.float32], NDArray[np.uint16]]:
    """The least place and the step of a grid (4,), and the places (n, 3) of x in it."""
    low = x.min(axis=0)
    step = max(float(np.ptp(x, axis=0).max()) / PLACES, 1e-30)
    grid = np.append(low, step).astype("<f4")
    places = np.clip(np.rint((x - grid[:3].astype(np.float64)) / float(grid[3])), 0, PLACES)
    return grid, places.astype("<u2")
