"""Contacts between all bodies: points of each against the triangles of each other that it meets.

The box tree of a is walked downward, each node with its front: the nodes of b whose boxes come within the margin, no
larger than itself. A node whose front is empty has the surface of b nowhere near, so all of it is inside or all of it
outside, and one of its points tells which. A leaf has its points looked at one by one, with its front to search.
"""

from math import sqrt

import numpy as np

from pliant.collide.body import EDGE, LEAF, SKIP, VERTEX, body_of
from pliant.collide.boxes import box_distance, boxes_meet, girth
from pliant.collide.leaf_search import nearest_in_leaves
from pliant.collide.nearest import FARTHEST, nearest
from pliant.collide.slabs import in_slabs
from pliant.collide.sweeping import pair_depth, pair_margin, sort_bodies, sweep, sweep_axis
from pliant.collide.touching import is_behind, sample_place, touch
from pliant.numerics.counting import borrowing, borrowing_inlined

FEW = 64  # leaves that are looked at side by side


@borrowing
def find_contacts(surfaces, x, margins, may_touch, contacts):
    """Write the contacts between bodies, pair by pair, of those pairs that `surfaces.again` marks one of.

    Args:
        surfaces: with boxes as `refit` left them.
        x: placed vertices (v, 3) of all bodies in a row.
        margins: (b,) [m] how far each may move before contacts are found again, beside its way; a contact is found
            where the gap is less than the two margins together and the difference of the two ways.
        may_touch: (b, b) of bool or uint8; a pair may touch if both its entries say so.
        contacts: room for them; those that do not fit are counted alone.

    Returns:
        The number of contacts. Where it exceeds the room, make more and call again.
    """
    none = np.int64(0)  # a literal would be a type of its own, for which all would be compiled again
    return find_more_contacts(surfaces, x, margins, may_touch, contacts, none)


@borrowing
def find_more_contacts(surfaces, x, margins, may_touch, contacts, first):
    """As `find_contacts`, appended after the first ones."""
    axis = sweep_axis(surfaces)
    sort_bodies(surfaces, margins, axis)
    place = np.int64(0)
    found, partner = first, place + 1
    while place < len(surfaces.shape):
        count, place, partner = sweep(surfaces, margins, axis, may_touch, place, partner)
        for k in range(count):
            a, b = surfaces.pairs[k, 0], surfaces.pairs[k, 1]
            if not (surfaces.again[a] or surfaces.again[b]):
                continue
            A, B = body_of(surfaces, x, a), body_of(surfaces, x, b)
            margin, depth = pair_margin(surfaces, margins, a, b), pair_depth(surfaces, a, b)
            tasks, front, free, deep = surfaces.tasks, surfaces.front, surfaces.free, surfaces.deep
            found = _touch_body(A, B, margin, depth, tasks, front, free, deep, a, b, contacts, found)
            found = _touch_body(B, A, margin, depth, tasks, front, free, deep, b, a, contacts, found)
    return found


@borrowing
def _touch_body(A, B, margin, depth, tasks, front, free, deep, a, b, contacts, count):
    """Points of A, none deeper than `depth`, against triangles of B; `tasks` holds nodes of A, each with its stretch of
    `front`."""
    near, hidden = margin if B.closed else max(margin, B.reach), B.closed and depth > margin
    front[0] = 0
    tasks[0, 0], tasks[0, 1], tasks[0, 2] = 0, 0, 1
    todo, free[3] = 1, -1.0
    while todo > 0:
        todo -= 1
        node, begin, end = tasks[todo, 0], tasks[todo, 1], tasks[todo, 2]
        if begin == end or A.nodes[node, SKIP] == node + 1:
            if begin < end or (hidden and boxes_meet(A.boxes[node], B.boxes[0], 0.0)):
                close = front[begin:end]
                count = _touch_node(A, node, B, margin, depth, close, free, deep, a, b, contacts, count)
        else:
            left, right = node + 1, A.nodes[node + 1, SKIP]
            middle = _refine(A.boxes, right, near, B.nodes, B.boxes, front, begin, end, end)
            last = _refine(A.boxes, left, near, B.nodes, B.boxes, front, begin, end, middle)
            tasks[todo, 0], tasks[todo, 1], tasks[todo, 2] = right, end, middle
            tasks[todo + 1, 0], tasks[todo + 1, 1], tasks[todo + 1, 2] = left, middle, last
            todo += 2
    return count


@borrowing_inlined
def _refine(boxes, node, near, others, other_boxes, front, begin, end, top):
    """Append to `front` at top what of its stretch from begin to end is near this node; the new top."""
    box, size = boxes[node], girth(boxes[node])
    for k in range(begin, end):
        i, stop = front[k], others[front[k], SKIP]
        while i < stop:
            skip = others[i, SKIP]
            if not boxes_meet(other_boxes[i], box, near):
                i = skip
            elif others[skip, LEAF] - others[i, LEAF] <= FEW or girth(other_boxes[i]) <= size:
                front[top] = i
                top += 1
                i = skip
            else:
                i += 1
    return top


@borrowing_inlined
def _touch_node(A, node, B, margin, depth, close, free, deep, a, b, contacts, count):
    """All points of a node; where nothing of B is close, those after the first only if that is inside."""
    last = A.nodes[node, SKIP]
    vertices = A.nodes[last, VERTEX] - A.nodes[node, VERTEX]
    for k in range(vertices + A.nodes[last, EDGE] - A.nodes[node, EDGE]):
        sample = A.nodes[node, VERTEX] + k if k < vertices else A.nodes[node, EDGE] + k - vertices
        count, inside = _touch_sample(A, sample, B, margin, depth, close, k, free, deep, a, b, contacts, count)
        if k == 0 and len(close) == 0 and not inside:
            break
    return count


@borrowing_inlined
def _touch_sample(A, sample, B, margin, depth, close, k, free, deep, a, b, contacts, count):
    """One point; the number of contacts, and whether the point is seen to be inside.

    What can be inside is searched for as deep as it may be, everywhere; the first point of a node that nothing is close
    to, all the way, to learn on which side the others are.
    """
    p = sample_place(A, sample)
    if _is_free(free, margin, p):
        return count, False
    hidden = B.closed and depth > margin and box_distance(B.boxes[0], p[0], p[1], p[2]) == 0
    if hidden and in_slabs(B.slabs, p[0], p[1], p[2]):
        reach = min(depth, FARTHEST if k == 0 and len(close) == 0 else max(B.reach, margin))
        t, best = nearest(B.x, B.triangles, B.nodes, B.boxes, B.stack, p[0], p[1], p[2], -1, reach * reach)
    else:
        t, best = nearest_in_leaves(B, close, p, margin if B.closed else max(B.reach, margin))
    if t < 0:
        return count, False
    inside, distance = is_behind(B, t, p), sqrt(best)
    if inside:
        deep[a], deep[b] = max(deep[a], distance), max(deep[b], distance)
    elif B.closed:
        free[0], free[1], free[2], free[3] = p[0], p[1], p[2], distance
    return touch(A, sample, p, B, t, distance, inside, margin, a, b, contacts, count), inside


@borrowing_inlined
def _is_free(free, margin, p):
    """Whether p is in a ball that the surface of B is outside of, no nearer to it than the margin."""
    radius = free[3] - margin
    away = (p[0] - free[0]) ** 2 + (p[1] - free[1]) ** 2 + (p[2] - free[2]) ** 2
    return radius > 0 and away <= radius * radius
