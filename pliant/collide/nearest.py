"""The triangle of a placed surface nearest to a point: descend while a box is nearer than the best so far."""

from pliant.collide.body import SKIP, TRIANGLE
from pliant.collide.boxes import box_distance, middle_distance
from pliant.collide.triangle import cross_of, nearer_distance, squared_distance
from pliant.numerics.counting import borrowing, borrowing_inlined

OPPOSED = 0.1  # a direction opposes another if their product is below minus this
FARTHEST = 1e150


@borrowing_inlined
def nearest(x, triangles, nodes, boxes, stack, p0, p1, p2, found, best):
    """Nearest triangle, and its squared distance; what was found before where none is nearer than best.

    Of two boxes the one whose middle is nearer goes first, so that the other is often too far by then.
    """
    stack[0] = 0
    top = 1
    while top > 0:
        top -= 1
        i = stack[top]
        if not box_distance(boxes[i], p0, p1, p2) < best:
            continue
        while nodes[i, SKIP] > i + 1:
            left, right = i + 1, nodes[i + 1, SKIP]
            left_first = middle_distance(boxes[left], p0, p1, p2) <= middle_distance(boxes[right], p0, p1, p2)
            stack[top] = right if left_first else left
            top += box_distance(boxes[stack[top]], p0, p1, p2) < best
            i = left if left_first else right
            if not box_distance(boxes[i], p0, p1, p2) < best:
                i = -1
                break
        if i >= 0:
            for t in range(nodes[i, TRIANGLE], nodes[i + 1, TRIANGLE]):
                d = nearer_distance(x, triangles[t, 0], triangles[t, 1], triangles[t, 2], p0, p1, p2, best)
                if d < best:
                    found, best = t, d
    return found, best


@borrowing
def opposes(x, triangles, t, m0, m1, m2):
    """Whether n . m < -OPPOSED for the normal n of triangle t and a direction m."""
    n0, n1, n2 = cross_of(x, triangles[t, 0], triangles[t, 1], triangles[t, 2])
    along = n0 * m0 + n1 * m1 + n2 * m2
    return along < 0 and along * along > OPPOSED * OPPOSED * (n0 * n0 + n1 * n1 + n2 * n2)


@borrowing
def nearest_opposed(x, triangles, nodes, boxes, p0, p1, p2, m0, m1, m2, best):
    """As `nearest`, among the triangles that oppose a direction m; -1 if there is none within best."""
    found, i, end = -1, 0, nodes[0, SKIP]
    while i < end:
        if not box_distance(boxes[i], p0, p1, p2) < best:
            i = nodes[i, SKIP]
            continue
        if nodes[i, SKIP] == i + 1:
            for t in range(nodes[i, TRIANGLE], nodes[i + 1, TRIANGLE]):
                d = squared_distance(x, triangles[t, 0], triangles[t, 1], triangles[t, 2], p0, p1, p2)
                if d < best and opposes(x, triangles, t, m0, m1, m2):
                    found, best = t, d
        i += 1
    return found, best
