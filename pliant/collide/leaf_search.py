"""The triangle nearest to a point among those of blocks of leaves, whose boxes are looked at side by side."""

from pliant.collide.blocks import WIDTH, squares_to_block
from pliant.collide.triangle import squared_distance
from pliant.collide.triangle8 import nearer_in_leaf
from pliant.numerics.counting import borrowing_inlined
from pliant.numerics.simd8 import load8, lowest_bit, smallest8, spread8, store8, up_to8


@borrowing_inlined
def nearest_in_blocks(B, close, p, reach):
    """Nearest triangle within reach in these blocks of leaves of B and its squared distance; -1 where there is none."""
    best, least, first = reach * reach, reach * reach, 0
    spans, nearby = B.spans, False
    for k in range(len(close)):
        squares = squares_to_block(B.blocks, WIDTH * close[k], p[0], p[1], p[2])
        store8(spans, WIDTH * k, squares)
        nearest = smallest8(squares)
        if nearest < least:
            least, first, nearby = nearest, k, True
    if not nearby:
        return -1, best
    first = WIDTH * first + lowest_bit(up_to8(load8(spans, WIDTH * first), spread8(least)))
    found, best = nearer_in_leaf(B, WIDTH * close[first // WIDTH] + first % WIDTH, p[0], p[1], p[2], -1, best)
    for k in range(len(close)):
        hits = up_to8(load8(spans, WIDTH * k), spread8(best))
        while hits != 0:
            own = WIDTH * k + lowest_bit(hits)
            hits &= hits - 1
            if spans[own] < best and own != first:
                found, best = nearer_in_leaf(B, WIDTH * close[k] + own % WIDTH, p[0], p[1], p[2], found, best)
    if found < 0:
        return found, best
    corners = B.triangles[found]
    return found, squared_distance(B.x, corners[0], corners[1], corners[2], p[0], p[1], p[2])
