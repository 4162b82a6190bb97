"""Contacts between all bodies: points of each against the triangles of each other that it meets.

The blocks of a are walked downward, each node with its front: the blocks of b that it is near, of its own level. A node
whose front is empty has the surface of b nowhere near, so all of it is inside or all of it outside, and one of its
points tells which. A leaf has its points looked at one by one, with its front to search.
"""

from math import sqrt

import numpy as np

from pliant.collide.blocks import WIDTH, block_box, highest, near_in_block
from pliant.collide.body import EDGE, VERTEX, body_of
from pliant.collide.boxes import box_distance, boxes_meet
from pliant.collide.flows import closes, closing
from pliant.collide.leaf_search import nearest_in_blocks
from pliant.collide.nearest import FARTHEST, nearest
from pliant.collide.slabs import in_slabs
from pliant.collide.sweeping import bounds_of, sort_bodies, sweep, sweep_axis
from pliant.collide.touching import is_inner, nearest_on, sample_mean, touch
from pliant.numerics.counting import borrowing, borrowing_inlined
from pliant.numerics.simd8 import lowest_bit

WIDER = 2.0  # times the margin: depths up to this are searched for as near things are, greater ones by themselves


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
    return find_more_contacts(surfaces, x, x, 0.0, margins, may_touch, contacts, none)


@borrowing
def find_more_contacts(surfaces, x, u, soon, margins, may_touch, contacts, first):
    """As `find_contacts`, appended after the first ones. Of pairs one of which `surfaces.brief` marks those alone that
    matter in a small step of the time `soon` [s]: then u (v, 3) are velocities, and `surfaces.flow` is there."""
    surfaces.clock[0] += 1
    surfaces.sinks[:] = 0.0
    axis = sweep_axis(surfaces)
    sort_bodies(surfaces, margins, axis)
    place = np.int64(0)
    found, partner = first, place + 1
    while place < len(surfaces.shape):
        count, place, partner = sweep(surfaces, margins, axis, may_touch, place, partner)
        for k in range(count):
            a, b = surfaces.pairs[k, 0], surfaces.pairs[k, 1]
            if surfaces.again[a] or surfaces.again[b]:
                A, B, bounds = (
                    body_of(surfaces, x, a),
                    body_of(surfaces, x, b),
                    bounds_of(surfaces, margins, soon, a, b),
                )
                found = _touch_body(A, B, bounds, surfaces, u, a, b, contacts, found)
                found = _touch_body(B, A, bounds, surfaces, u, b, a, contacts, found)
    return found


@borrowing
def _touch_body(A, B, bounds, surfaces, u, a, b, contacts, count):
    """Points of A against triangles of B; `surfaces.tasks` holds nodes of A with their levels, each with its stretch of
    `surfaces.front`."""
    margin, depth, tasks, front, free = bounds.margin, bounds.depth, surfaces.tasks, surfaces.front, surfaces.free
    own_u = u[surfaces.first_vertex[a] : surfaces.first_vertex[a + 1]]
    other_u = u[surfaces.first_vertex[b] : surfaces.first_vertex[b + 1]]
    hidden = B.closed and depth > WIDER * margin
    near = max(margin, B.reach) if not B.closed else margin if hidden else max(margin, depth)
    highest_a, highest_b = highest(A.levels) + 1, highest(B.levels) + 1
    front[0] = 0
    begin, end = _come_down(A, B, highest_a, highest_b, near, front)
    tasks[0, 0], tasks[0, 1], tasks[0, 2], tasks[0, 3] = highest_a, 0, begin, end
    todo, free[3] = 1, -1.0
    while todo > 0:
        todo -= 1
        level, node, begin, end = tasks[todo, 0], tasks[todo, 1], tasks[todo, 2], tasks[todo, 3]
        if begin == end or level == 0:
            close = front[begin:end]
            count = _touch_node(
                A, level, node, B, near, hidden, bounds, close, surfaces, own_u, other_u, a, b, contacts, count
            )
            continue
        level -= 1
        was, now, top = min(level + 1, highest_b), max(1, min(level, highest_b)), end
        for child in range(WIDTH * node, WIDTH * (node + 1)):
            start = top
            box = block_box(A.blocks, A.levels[level] + child)
            top = _refine(B, was, now, box, near, front, begin, end, start)
            if top > start or (hidden and boxes_meet(box, B.boxes[0], 0.0)):
                tasks[todo, 0], tasks[todo, 1], tasks[todo, 2], tasks[todo, 3] = level, child, start, top
                todo += 1
    return count


@borrowing
def _come_down(A, B, level, top, near, front):
    """Refine the highest block of B to the level of that of A; where the stretch of `front` begins and ends."""
    begin, end = np.int64(0), np.int64(1)
    for now in range(top - 1, level - 1, -1):
        begin, end = end, _refine(B, now + 1, now, A.boxes[0], near, front, begin, end, end)
    return begin, end


@borrowing_inlined
def _refine(B, was, now, box, near, front, begin, end, top):
    """Append to `front` at top what of its stretch of nodes of level `was` is near a box, as nodes of level `now`, the
    same or one less; the new top."""
    first = B.levels[was - 1]
    for k in range(begin, end):
        hits = near_in_block(B.blocks, first + WIDTH * front[k], box, near)
        if was == now:
            front[top] = front[k]
            top += hits != 0
        else:
            while hits != 0:
                front[top] = WIDTH * front[k] + lowest_bit(hits)
                top += 1
                hits &= hits - 1
    return top


@borrowing_inlined
def _touch_node(A, level, node, B, near, hidden, bounds, close, surfaces, own_u, other_u, a, b, contacts, count):
    """All points of a node; where nothing of B is close, those after the first only if that is inside."""
    leaves, flow, about = len(A.leaf_starts) - 1, surfaces.flow[b], near
    first, last = min(node << 3 * level, leaves), min((node + 1) << 3 * level, leaves)
    begin, end = A.leaf_starts[first], A.leaf_starts[last]
    vertices = end[VERTEX] - begin[VERTEX]
    for k in range(vertices + end[EDGE] - begin[EDGE]):
        sample = begin[VERTEX] + k if k < vertices else begin[EDGE] + k - vertices
        p, v = sample_mean(A, sample, A.x), sample_mean(A, sample, own_u)
        if bounds.brief and B.closed:
            about = min(near, closing(flow, bounds.soon, near, p, v) + bounds.beside)
        if _is_free(surfaces.free, about, p):
            if len(close) == 0:
                break
            continue
        far = FARTHEST if k == 0 and len(close) == 0 else max(B.reach, bounds.margin)
        far = min(bounds.depth, far) if hidden else 0.0
        count, inside = _touch_sample(
            A, sample, p, v, B, about, far, bounds, close, surfaces, other_u, a, b, contacts, count
        )
        if k == 0 and len(close) == 0 and not inside:
            break
    return count


@borrowing_inlined
def _touch_sample(A, sample, p, v, B, near, far, bounds, close, surfaces, other_u, a, b, contacts, count):
    """One point with velocity v; the number of contacts, and whether the point is seen to be inside.

    What is not near anything is searched for as deep as it may be, `far`, everywhere; the first point of a node that
    nothing is close to, all the way, to learn on which side the others are.
    """
    t, best = nearest_in_blocks(B, close, p, near)
    if t < 0:
        if far > near and box_distance(B.boxes[0], p[0], p[1], p[2]) == 0 and in_slabs(B.slabs, p[0], p[1], p[2]):
            t, best = nearest(B.x, B.triangles, B.nodes, B.boxes, B.stack, p[0], p[1], p[2], -1, far * far)
        if t < 0:
            return count, False
    distance, (weights, feature, c) = sqrt(best), nearest_on(B, t, p)
    inside, free, known = is_inner(B, t, feature, p, c), surfaces.free, _was_so_deep(A, surfaces, sample, a, b)
    if inside and distance > 0:
        n = (c[0] - p[0]) / distance, (c[1] - p[1]) / distance, (c[2] - p[2]) / distance
        inside = _can_be_so_deep(bounds, known, distance, B, t, weights, other_u, n, v)
    if inside:
        _note_depth(A, surfaces, sample, a, b, distance)
    elif B.closed:
        free[0], free[1], free[2], free[3] = p[0], p[1], p[2], distance
    if bounds.brief and not inside and distance > bounds.aside:
        n = (p[0] - c[0]) / distance, (p[1] - c[1]) / distance, (p[2] - c[2]) / distance
        if distance > bounds.aside + bounds.soon * closes(B, t, weights, other_u, n, v):
            return count, False
    made = touch(A, sample, p, B, t, weights, c, distance, inside, bounds.margin, a, b, contacts, count)
    if inside and count < made <= len(contacts.gap) and -contacts.gap[count] > distance:
        depth, way, out = -contacts.gap[count], contacts.triangle[count], contacts.normal[count]
        if not _can_be_so_deep(bounds, known, depth, B, way, contacts.barycentric[count], other_u, out, v):
            return count, inside
        _note_depth(A, surfaces, sample, a, b, depth)
    return made, inside


@borrowing_inlined
def _was_so_deep(A, surfaces, sample, a, b):
    """How deep a point was when contacts were last found, as far as is known: of points of edges, any of the bodies."""
    known = min(surfaces.known[a], surfaces.known[b])
    if A.sample_edges[sample] >= 0:
        return known
    return min(known, surfaces.sunk[surfaces.first_vertex[a] + sample]) if known < FARTHEST else known


@borrowing_inlined
def _can_be_so_deep(bounds, known, depth, B, t, weights, speeds, n, v):
    """Whether a point with velocity v can be so deep below triangle t, from where n leads out; see `flows`."""
    if not bounds.brief:
        return depth <= bounds.depth
    known += bounds.rest
    return depth <= known or depth <= known + bounds.soon * closes(B, t, weights, speeds, n, v)


@borrowing_inlined
def _note_depth(A, surfaces, sample, a, b, depth):
    """A point of a is so deep in b."""
    surfaces.deep[a], surfaces.deep[b] = max(surfaces.deep[a], depth), max(surfaces.deep[b], depth)
    if A.sample_edges[sample] < 0:
        v = surfaces.first_vertex[a] + sample
        surfaces.sinks[v] = max(surfaces.sinks[v], depth)


@borrowing_inlined
def _is_free(free, near, p):
    """Whether p is in a ball that the surface of B is outside of, no nearer to it than `near`."""
    radius = free[3] - near
    away = (p[0] - free[0]) ** 2 + (p[1] - free[1]) ** 2 + (p[2] - free[2]) ** 2
    return radius > 0 and away <= radius * radius
