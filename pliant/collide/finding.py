"""Contacts between all bodies: points of each against the triangles of each other that it meets.

The box tree of a is walked downward, each node with its front: the nodes of b whose boxes come within the margin, no
larger than itself. A node whose front is empty has the surface of b nowhere near, so all of it is inside or all of it
outside, and one of its points tells which. A leaf has its points looked at one by one, with its front to search.
"""

from math import sqrt

from pliant.collide.body import EDGE, SKIP, VERTEX, body_of
from pliant.collide.boxes import box_distance, boxes_meet, girth
from pliant.collide.nearest import FARTHEST, nearest_below, nearest_of_all
from pliant.collide.sweeping import sort_bodies, sweep, sweep_axis
from pliant.collide.touching import is_behind, sample_place, touch
from pliant.numerics.counting import borrowing


@borrowing
def find_contacts(surfaces, x, margins, may_touch, contacts):
    """Write the contacts between bodies, pair by pair.

    Args:
        surfaces: with boxes as `refit` left them.
        x: placed vertices (v, 3) of all bodies in a row.
        margins: (b,) [m] how far each may move before contacts are found again; a contact is found where the gap is
            less than the two margins together.
        may_touch: (b, b) of bool or uint8; a pair may touch if both its entries say so.
        contacts: room for them; those that do not fit are counted alone.

    Returns:
        The number of contacts. Where it exceeds the room, make more and call again.
    """
    axis = sweep_axis(surfaces)
    sort_bodies(surfaces, margins, axis)
    found, place, partner = 0, 0, 1
    while place < len(surfaces.shape):
        count, place, partner = sweep(surfaces, margins, axis, may_touch, place, partner)
        for k in range(count):
            a, b = surfaces.pairs[k, 0], surfaces.pairs[k, 1]
            A, B, margin = body_of(surfaces, x, a), body_of(surfaces, x, b), margins[a] + margins[b]
            found = _touch_body(A, B, margin, surfaces.tasks, surfaces.front, a, b, contacts, found)
            found = _touch_body(B, A, margin, surfaces.tasks, surfaces.front, b, a, contacts, found)
    return found


@borrowing
def _touch_body(A, B, margin, tasks, front, a, b, contacts, count):
    """Points of A against triangles of B; `tasks` holds nodes of A, each with its stretch of `front`."""
    near = margin if B.closed else max(margin, B.reach)
    front[0] = 0
    tasks[0, 0], tasks[0, 1], tasks[0, 2] = 0, 0, 1
    todo = 1
    while todo > 0:
        todo -= 1
        node, begin, end = tasks[todo, 0], tasks[todo, 1], tasks[todo, 2]
        if begin == end:
            if B.closed:
                count = _touch_far(A, node, B, margin, a, b, contacts, count)
        elif A.nodes[node, SKIP] == node + 1:
            count = _touch_near(A, node, B, margin, front, begin, end, a, b, contacts, count)
        else:
            left, right = node + 1, A.nodes[node + 1, SKIP]
            middle = _refine(A.boxes, right, near, B.nodes, B.boxes, front, begin, end, end)
            last = _refine(A.boxes, left, near, B.nodes, B.boxes, front, begin, end, middle)
            tasks[todo, 0], tasks[todo, 1], tasks[todo, 2] = right, end, middle
            tasks[todo + 1, 0], tasks[todo + 1, 1], tasks[todo + 1, 2] = left, middle, last
            todo += 2
    return count


@borrowing
def _refine(boxes, node, near, others, other_boxes, front, begin, end, top):
    """Append to `front` at top what of its stretch from begin to end is near this node; the new top."""
    box, size = boxes[node], girth(boxes[node])
    for k in range(begin, end):
        i, stop = front[k], others[front[k], SKIP]
        while i < stop:
            skip = others[i, SKIP]
            if not boxes_meet(other_boxes[i], box, near):
                i = skip
            elif skip == i + 1 or girth(other_boxes[i]) <= size:
                front[top] = i
                top += 1
                i = skip
            else:
                i += 1
    return top


@borrowing
def _touch_far(A, node, B, margin, a, b, contacts, count):
    """A node that the surface of B is not near: all its points are inside, or none."""
    if not boxes_meet(A.boxes[node], B.boxes[0], 0.0):
        return count
    begin, end = A.nodes[node, VERTEX], A.nodes[A.nodes[node, SKIP], VERTEX]
    first = begin if begin < end else A.nodes[node, EDGE]
    if first == A.nodes[A.nodes[node, SKIP], EDGE]:
        return count
    p = sample_place(A, first)
    t, _ = nearest_of_all(B.x, B.triangles, B.nodes, B.boxes, p[0], p[1], p[2], FARTHEST)
    if t < 0 or not is_behind(B, t, p):
        return count
    for sample in range(begin, end):
        count = _touch_deep(A, sample, B, margin, a, b, contacts, count)
    for sample in range(A.nodes[node, EDGE], A.nodes[A.nodes[node, SKIP], EDGE]):
        count = _touch_deep(A, sample, B, margin, a, b, contacts, count)
    return count


@borrowing
def _touch_deep(A, sample, B, margin, a, b, contacts, count):
    p = sample_place(A, sample)
    t, best = nearest_of_all(B.x, B.triangles, B.nodes, B.boxes, p[0], p[1], p[2], max(B.reach, margin) ** 2)
    if t >= 0:
        count = touch(A, sample, p, B, t, sqrt(best), margin, a, b, contacts, count)
    return count


@borrowing
def _touch_near(A, leaf, B, margin, front, begin, end, a, b, contacts, count):
    """All points of a leaf, whose front is not empty."""
    for sample in range(A.nodes[leaf, VERTEX], A.nodes[leaf + 1, VERTEX]):
        count = _touch_one(A, sample, B, margin, front, begin, end, a, b, contacts, count)
    for sample in range(A.nodes[leaf, EDGE], A.nodes[leaf + 1, EDGE]):
        count = _touch_one(A, sample, B, margin, front, begin, end, a, b, contacts, count)
    return count


@borrowing
def _touch_one(A, sample, B, margin, front, begin, end, a, b, contacts, count):
    p = sample_place(A, sample)
    enclosed = box_distance(B.boxes[0], p[0], p[1], p[2]) == 0
    reach = max(B.reach, margin) if enclosed or not B.closed else margin
    t, best = -1, reach * reach
    for k in range(begin, end):
        t, best = nearest_below(B.x, B.triangles, B.nodes, B.boxes, front[k], p[0], p[1], p[2], t, best)
    if best > margin * margin and enclosed and B.closed:  # what is nearest may be no part of the front
        t, best = nearest_below(B.x, B.triangles, B.nodes, B.boxes, 0, p[0], p[1], p[2], t, best)
    if t >= 0:
        count = touch(A, sample, p, B, t, sqrt(best), margin, a, b, contacts, count)
    return count
