"""What of a BD-tree comes near: to an obstacle, to another tree, to itself. Spheres cull; whoever asks decides."""

from pliant.collide.field_distance import field_distance
from pliant.collide.spheres import update_sphere
from pliant.numerics.counting import borrowing


@borrowing
def leaves_near_field(tree, posed, fields, k, margin, found):
    """Leaves that come within a margin [m] of field k, into found (p,) as far as there is room; how many.

    Planes, boxes and balls, and what a ray or a point picks: a thin long capsule, a small ball.
    """
    count, node, end = 0, 0, len(tree.skip)
    R, t, size, kind = fields.R[k], fields.t[k], fields.size[k], fields.kind[k]
    while node < end:
        update_sphere(tree, posed, node)
        s = tree.spheres[node]
        d0, d1, d2 = s[0] - t[0], s[1] - t[1], s[2] - t[2]
        p0 = R[0, 0] * d0 + R[1, 0] * d1 + R[2, 0] * d2
        p1 = R[0, 1] * d0 + R[1, 1] * d1 + R[2, 1] * d2
        p2 = R[0, 2] * d0 + R[1, 2] * d1 + R[2, 2] * d2
        if not field_distance(kind, size, p0, p1, p2) <= s[3] + margin:
            node = tree.skip[node]
            continue
        if tree.skip[node] == node + 1:
            if count < len(found):
                found[count] = node
            count += 1
        node += 1
    return count


@borrowing
def pairs_near(tree, posed, other, other_posed, itself, margin, stack, found):
    """Pairs of leaves of two trees that come within a margin [m], as far as there is room for them; how many.

    Args:
        itself: are both the same tree? Then each pair comes once, and every leaf with itself.
        stack: (s, 2) work space, s at least three for every level of both.
        found: (p, 2) leaf of the first, leaf of the second.
    """
    count, top = 0, 1
    stack[0, 0], stack[0, 1] = 0, 0
    while top > 0:
        top -= 1
        a, b = stack[top, 0], stack[top, 1]
        update_sphere(tree, posed, a)
        update_sphere(other, other_posed, b)
        s, o = tree.spheres[a], other.spheres[b]
        reach = s[3] + o[3] + margin
        if not (s[0] - o[0]) ** 2 + (s[1] - o[1]) ** 2 + (s[2] - o[2]) ** 2 <= reach * reach:
            continue
        leaf_a, leaf_b = tree.skip[a] == a + 1, other.skip[b] == b + 1
        if leaf_a and leaf_b:
            if count < len(found):
                found[count, 0], found[count, 1] = a, b
            count += 1
        elif itself and a == b:
            left, right = a + 1, tree.skip[a + 1]
            top = _push(stack, top, left, left)
            top = _push(stack, top, right, right)
            top = _push(stack, top, left, right)
        elif leaf_b or (not leaf_a and s[3] >= o[3]):
            top = _push(stack, top, a + 1, b)
            top = _push(stack, top, tree.skip[a + 1], b)
        else:
            top = _push(stack, top, a, b + 1)
            top = _push(stack, top, a, other.skip[b + 1])
    return count


@borrowing
def _push(stack, top, a, b):
    stack[top, 0], stack[top, 1] = a, b
    return top + 1
