"""Slabs across the four diagonals of space around every body: they cut the corners off its box.

A slab is low <= d . x <= high with d = (1, 1, 1), (1, 1, -1), (1, -1, 1), (-1, 1, 1); eight numbers hold four of them.
"""

from pliant.numerics.counting import borrowing

LENGTH = 1.7320508075688772  # of a diagonal: a margin counts as this much along it
FAR = 1e300


@borrowing
def fit_slabs(x, slabs):
    """Write the slabs (8,) around vertices x (n, 3): lows, then highs."""
    a0, a1, a2, a3, b0, b1, b2, b3 = FAR, FAR, FAR, FAR, -FAR, -FAR, -FAR, -FAR
    for v in range(len(x)):
        d0, d1, d2, d3 = along_diagonals(x[v, 0], x[v, 1], x[v, 2])
        a0, a1, a2, a3 = min(a0, d0), min(a1, d1), min(a2, d2), min(a3, d3)
        b0, b1, b2, b3 = max(b0, d0), max(b1, d1), max(b2, d2), max(b3, d3)
    slabs[0], slabs[1], slabs[2], slabs[3] = a0, a1, a2, a3
    slabs[4], slabs[5], slabs[6], slabs[7] = b0, b1, b2, b3


@borrowing
def along_diagonals(p0, p1, p2):
    """d . p for the four diagonals d."""
    return p0 + p1 + p2, p0 + p1 - p2, p0 - p1 + p2, p1 + p2 - p0


@borrowing
def slabs_meet(a, b, margin):
    """Whether two bodies' slabs come within a margin along every diagonal."""
    m = LENGTH * margin
    return (
        a[0] - m <= b[4]
        and a[1] - m <= b[5]
        and a[2] - m <= b[6]
        and a[3] - m <= b[7]
        and b[0] - m <= a[4]
        and b[1] - m <= a[5]
        and b[2] - m <= a[6]
        and b[3] - m <= a[7]
    )


@borrowing
def in_slabs(slabs, p0, p1, p2):
    """Whether p is in all four."""
    d0, d1, d2, d3 = along_diagonals(p0, p1, p2)
    return (
        slabs[0] <= d0 <= slabs[4]
        and slabs[1] <= d1 <= slabs[5]
        and slabs[2] <= d2 <= slabs[6]
        and slabs[3] <= d3 <= slabs[7]
    )
