"""Boxes along the axes, (6,): least coordinates, then largest. One with a coordinate that is not finite meets none."""

from pliant.numerics.counting import borrowing


@borrowing
def boxes_meet(a, b, margin):
    """Whether two boxes come within a margin along every axis."""
    return (
        a[0] - margin <= b[3]
        and a[1] - margin <= b[4]
        and a[2] - margin <= b[5]
        and b[0] - margin <= a[3]
        and b[1] - margin <= a[4]
        and b[2] - margin <= a[5]
    )


@borrowing
def box_distance(box, p0, p1, p2):
    """Squared distance from p to a box, zero inside."""
    d0 = max(box[0] - p0, p0 - box[3], 0.0)
    d1 = max(box[1] - p1, p1 - box[4], 0.0)
    d2 = max(box[2] - p2, p2 - box[5], 0.0)
    return d0 * d0 + d1 * d1 + d2 * d2


@borrowing
def middle_distance(box, p0, p1, p2):
    """Four times the squared distance from p to the middle of a box."""
    return (box[0] + box[3] - 2 * p0) ** 2 + (box[1] + box[4] - 2 * p1) ** 2 + (box[2] + box[5] - 2 * p2) ** 2


@borrowing
def girth(box):
    """Sum of the sides."""
    return box[3] - box[0] + box[4] - box[1] + box[5] - box[2]
