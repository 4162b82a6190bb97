"""Which cell holds a point, and with which weights: a grid of bins over the cells, and compiled loops.

Inside a cell a point is X(xi) = sum_i N_i(xi) X_i with its shape functions; Newton's method finds xi. Beyond it the
weights go on linearly from the nearest point: w = N(xi) + dN/dX (point - X(xi)), which keeps linear fields exact,
inner vertices of hexes that bend among them.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit

from pliant.errors import Array, Ids
from pliant.mesh.cell_kinds import KINDS
from pliant.mesh.shape_functions import shape_functions
from pliant.numerics.inner import inner

TOLERANCE = 1e-9  # in local coordinates: a point on a face is in both its cells
FARTHEST = 100.0  # the change of weights at which the linear continuation stops
NEWTON_STEPS = 20


@dataclass(frozen=True)
class Bins:
    """A grid over the cells: bin b overlaps the boxes of the cells members[starts[b]:starts[b + 1]]."""

    corner: Array
    edge: float
    counts: Ids
    starts: Ids
    members: Ids
    boxes: Array


def bin_cells(vertices: Array, cells: Ids) -> Bins:
    """Sort the cells into about as many bins as there are cells."""
    boxes = _boxes(vertices, cells)
    corner, extent = boxes[0].min(axis=0), np.ptp(boxes.reshape(-1, 3), axis=0)
    edge = float(np.cbrt(extent.prod() / len(cells)))
    counts = np.maximum(np.ceil(extent / edge), 1).astype(np.int64)
    first, last = (np.clip((box - corner) / edge, 0, counts - 1).astype(np.int64) for box in boxes)
    starts, members = _fill_bins(first, last, counts)
    return Bins(corner, edge, counts, starts, members, boxes)


def containing_cells(vertices: Array, cells: Ids, points: Array) -> Ids:
    """The cell that holds each point (p,), or -1 outside the mesh."""
    b = bin_cells(vertices, cells)
    return _containing_cells(vertices, cells, points, b.corner, b.edge, b.counts, b.starts, b.members, b.boxes)


def _boxes(vertices: Array, cells: Ids) -> Array:
    """Smallest and largest coordinates (2, m, 3) of boxes around the cells.

    A curved cell is x_linear + sum N_e b_e with the bulge b_e of each edge, so the bulges bound how far it leaves the
    box of its corners.
    """
    kind = KINDS[cells.shape[1]]
    corners = vertices[cells[:, : kind.corners]]
    boxes = np.stack([corners.min(axis=1), corners.max(axis=1)])
    if kind.order == 2:
        bulges = vertices[cells[:, kind.middles]] - vertices[cells[:, kind.edges]].mean(axis=2)
        # Along an axis all bulges together reach no farther than their positive and their negative parts do.
        boxes[0] += np.minimum(bulges, 0).sum(axis=1)
        boxes[1] += np.maximum(bulges, 0).sum(axis=1)
    return boxes


@njit(cache=True)
def _fill_bins(first, last, counts):
    starts = np.zeros(counts[0] * counts[1] * counts[2] + 1, dtype=np.int64)
    members = np.empty(0, dtype=np.int64)
    for sweep in range(2):  # count, then fill
        for cell in range(len(first)):
            for i in range(first[cell, 0], last[cell, 0] + 1):
                for j in range(first[cell, 1], last[cell, 1] + 1):
                    for k in range(first[cell, 2], last[cell, 2] + 1):
                        b = (i * counts[1] + j) * counts[2] + k
                        if sweep == 1:
                            members[starts[b]] = cell
                        starts[b + 1 - sweep] += 1
        if sweep == 0:
            for b in range(1, len(starts)):
                starts[b] += starts[b - 1]
            members = np.empty(starts[-1], dtype=np.int64)
    for b in range(len(starts) - 1, 0, -1):  # filling moved every start to its end
        starts[b] = starts[b - 1]
    starts[0] = 0
    return starts, members


@njit(cache=True)
def _containing_cells(vertices, cells, points, corner, edge, counts, starts, members, boxes):
    found = np.full(len(points), -1)
    slack = TOLERANCE * edge
    for p in range(len(points)):
        b = _bin_of(points[p], corner, edge, counts, slack)
        best = -TOLERANCE
        for m in range(starts[b], starts[b + 1] if b >= 0 else starts[b]):
            cell = members[m]
            if _in_box(points[p], boxes[0, cell], boxes[1, cell], slack):
                depth = _depth(_local_coordinates(vertices[cells[cell]], points[p]), cells.shape[1])
                if depth >= best:
                    best, found[p] = depth, cell
    return found


@inner
def _bin_of(point, corner, edge, counts, slack):
    b = 0
    for axis in range(3):
        if point[axis] < corner[axis] - slack or point[axis] > corner[axis] + edge * counts[axis] + slack:
            return -1
        b = b * counts[axis] + min(max(int((point[axis] - corner[axis]) / edge), 0), counts[axis] - 1)
    return b


@inner
def _in_box(point, low, high, slack):
    return (
        low[0] - slack <= point[0] <= high[0] + slack
        and low[1] - slack <= point[1] <= high[1] + slack
        and low[2] - slack <= point[2] <= high[2] + slack
    )


@njit(cache=True)
def cell_weights(vertices, cells, cell_ids, points, anchors):
    """Weights (p, c) of points that continue linearly from anchors (p, 3) in the given cells (p,)."""
    weights = np.empty((len(points), cells.shape[1]))
    for p in range(len(points)):
        corners = vertices[cells[cell_ids[p]]]
        shapes, slopes = shape_functions(_local_coordinates(corners, anchors[p]), len(corners))
        xi = _local_step(corners, shapes, slopes, points[p])
        step, largest = np.zeros(len(shapes)), 1.0
        for i in range(len(shapes)):
            step[i] = slopes[i, 0] * xi[0] + slopes[i, 1] * xi[1] + slopes[i, 2] * xi[2]
            largest = max(largest, abs(step[i]))
        for i in range(len(shapes)):
            weights[p, i] = shapes[i] + step[i] * min(1.0, FARTHEST / largest)
    return weights


@inner
def _local_coordinates(corners, point):
    xi = np.full(3, 0.25 if len(corners) in (4, 10) else 0.0)
    for _ in range(NEWTON_STEPS):
        shapes, slopes = shape_functions(xi, len(corners))
        step = _local_step(corners, shapes, slopes, point)
        for axis in range(3):
            # Far from the cell Newton's method may run away; such points are outside anyway.
            xi[axis] = min(max(xi[axis] + step[axis], -4.0), 4.0)
        if max(abs(step[0]), abs(step[1]), abs(step[2])) < 1e-14 or len(corners) == 4:
            break
    return xi


@inner
def _local_step(corners, shapes, slopes, point):
    """The change of xi that moves X(xi) to the point, to first order."""
    a, b, c, rest = np.zeros(3), np.zeros(3), np.zeros(3), point.copy()  # a, b, c: the columns of dX/dxi
    for i in range(len(corners)):
        for axis in range(3):
            rest[axis] -= shapes[i] * corners[i, axis]
            a[axis] += slopes[i, 0] * corners[i, axis]
            b[axis] += slopes[i, 1] * corners[i, axis]
            c[axis] += slopes[i, 2] * corners[i, axis]
    step, determinant = np.zeros(3), _triple(a, b, c)
    if abs(determinant) > 1e-300:
        step[0] = _triple(rest, b, c) / determinant
        step[1] = _triple(a, rest, c) / determinant
        step[2] = _triple(a, b, rest) / determinant
    return step


@inner
def _triple(a, b, c):
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])


@njit(cache=True)
def _depth(xi, node_count):
    if node_count in (4, 10):
        return min(xi[0], xi[1], xi[2], 1 - xi[0] - xi[1] - xi[2])
    return 1 - max(abs(xi[0]), abs(xi[1]), abs(xi[2]))
