"""Boxes around what is below every node, from the placed vertices: leaves first, then their parents."""

from pliant.collide.blocks import fit_blocks
from pliant.collide.body import LEAF, SKIP, TRIANGLE
from pliant.collide.slabs import FAR, fit_slabs
from pliant.numerics.counting import borrowing


@borrowing
def refit(surfaces, x):
    """Write boxes, blocks and slabs of `surfaces` for the vertices x (v, 3) of all bodies in a row."""
    for b in range(len(surfaces.shape)):
        refit_one(surfaces, x, b)


@borrowing
def refit_one(surfaces, x, b):
    """The same for body b alone."""
    s, own = surfaces.shape[b], x[surfaces.first_vertex[b] : surfaces.first_vertex[b + 1]]
    fit_slabs(own, surfaces.slabs[b])
    refit_body(
        own,
        surfaces.triangles[surfaces.shape_triangle[s] : surfaces.shape_triangle[s + 1]],
        surfaces.nodes[surfaces.shape_node[s] : surfaces.shape_node[s + 1]],
        surfaces.boxes[surfaces.first_box[b] : surfaces.first_box[b + 1]],
        surfaces.blocks[6 * surfaces.first_block[b] : 6 * surfaces.first_block[b + 1]],
    )
    fit_blocks(surfaces.blocks[6 * surfaces.first_block[b] : 6 * surfaces.first_block[b + 1]], surfaces.levels[s])


@borrowing
def refit_body(x, triangles, nodes, boxes, blocks):
    """Write the boxes (n, 6) of one body, and once more those of its leaves into its blocks."""
    count = len(blocks) // 6
    for i in range(len(boxes) - 1, -1, -1):
        box = boxes[i]
        if nodes[i, SKIP] == i + 1:
            _enclose(x, triangles, nodes[i, TRIANGLE], nodes[i + 1, TRIANGLE], box)
            for k in range(6):
                blocks[k * count + nodes[i, LEAF]] = box[k]
        else:
            left, right = boxes[i + 1], boxes[nodes[i + 1, SKIP]]
            for k in range(3):
                box[k] = min(left[k], right[k])
                box[3 + k] = max(left[3 + k], right[3 + k])


@borrowing
def _enclose(x, triangles, begin, end, box):
    a0, a1, a2, b0, b1, b2 = FAR, FAR, FAR, -FAR, -FAR, -FAR
    for t in range(begin, end):
        for corner in range(3):
            v = triangles[t, corner]
            x0, x1, x2 = x[v, 0], x[v, 1], x[v, 2]
            a0, a1, a2 = min(a0, x0), min(a1, x1), min(a2, x2)
            b0, b1, b2 = max(b0, x0), max(b1, x1), max(b2, x2)
    box[0], box[1], box[2], box[3], box[4], box[5] = a0, a1, a2, b0, b1, b2
