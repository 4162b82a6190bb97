"""A z-buffer: which triangle is seen at every pixel, and where in it."""

import numpy as np
from numba import njit

from pliant.errors import Array, Ids


def rasterise(pixels: Array, nearness: Array, triangles: Ids, width: int, height: int) -> tuple[Ids, Array, Array]:
    """Draw triangles whose corners are given in pixels.

    Args:
        pixels: (n, 2) columns and rows.
        nearness: (n,) greater is nearer, linear on the screen: 1/depth in perspective, -depth in a parallel view.
        triangles: (t, 3).

    Returns:
        the triangle (height, width) at each pixel, -1 for none; its nearness there (height, width), -inf for none; and
        the screen-linear shares (height, width, 3) of its corners.
    """
    owner = np.full((height, width), -1, dtype=np.int64)
    nearest, shares = np.full((height, width), -np.inf), np.zeros((height, width, 3))
    _draw(np.ascontiguousarray(pixels), nearness, triangles, owner, nearest, shares)
    return owner, nearest, shares


@njit(cache=True, nogil=True)
def _covered(a, b, c, count):
    """The first and the last of `count` pixels whose middles lie between three corners."""
    low, high = (a, b) if a < b else (b, a)
    low, high = c if c < low else low, c if c > high else high
    return max(int(np.ceil(low - 0.5)), 0), min(int(np.floor(high - 0.5)), count - 1)


@njit(cache=True, nogil=True)
def _draw(pixels, nearness, triangles, owner, nearest, shares):
    height, width = owner.shape
    for t in range(len(triangles)):
        a, b, c = triangles[t]
        ax, ay, bx, by, cx, cy = pixels[a, 0], pixels[a, 1], pixels[b, 0], pixels[b, 1], pixels[c, 0], pixels[c, 1]
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if area == 0.0 or not np.isfinite(area):
            continue
        left, right = _covered(ax, bx, cx, width)
        top, bottom = _covered(ay, by, cy, height)
        for row in range(top, bottom + 1):
            y = row + 0.5
            for column in range(left, right + 1):
                x = column + 0.5
                u = ((bx - x) * (cy - y) - (by - y) * (cx - x)) / area
                v = ((cx - x) * (ay - y) - (cy - y) * (ax - x)) / area
                w = 1.0 - u - v
                near = u * nearness[a] + v * nearness[b] + w * nearness[c]
                if u >= 0.0 and v >= 0.0 and w >= 0.0 and near > nearest[row, column]:
                    owner[row, column], nearest[row, column] = t, near
                    shares[row, column, 0], shares[row, column, 1], shares[row, column, 2] = u, v, w


@njit(cache=True, nogil=True)
def draw_depths(pixels, nearness, triangles, nearest):
    """As `rasterise`, of the nearness (height, width) alone, drawn over what is there."""
    height, width = nearest.shape
    for t in range(len(triangles)):
        a, b, c = triangles[t]
        ax, ay, bx, by, cx, cy = pixels[a, 0], pixels[a, 1], pixels[b, 0], pixels[b, 1], pixels[c, 0], pixels[c, 1]
        left, right = _covered(ax, bx, cx, width)
        top, bottom = _covered(ay, by, cy, height)
        if left > right or top > bottom:  # as of most triangles of a large mesh, which lie between the pixels
            continue
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if area == 0.0 or not np.isfinite(area):
            continue
        share = 1.0 / area
        for row in range(top, bottom + 1):
            y = row + 0.5
            for column in range(left, right + 1):
                x = column + 0.5
                u = ((bx - x) * (cy - y) - (by - y) * (cx - x)) * share
                v = ((cx - x) * (ay - y) - (cy - y) * (ax - x)) * share
                w = 1.0 - u - v
                if u >= 0.0 and v >= 0.0 and w >= 0.0:
                    near = u * nearness[a] + v * nearness[b] + w * nearness[c]
                    if near > nearest[row, column]:
                        nearest[row, column] = near
