"""Boxes in blocks of eight, which are looked at side by side: leaves of a box tree, blocks of them, blocks of blocks.

The leaves of a body stand in the order of its tree, so that eight in a row are neighbours. Level 0 are the leaves; node
j of level k + 1 is the block 8 j to 8 j + 7 of level k; the highest level is one block. Levels are filled up with boxes
that nothing meets. A body's boxes stand one coordinate after the other, so that a processor takes eight at a time.
"""

import numpy as np

from pliant.errors import Ids
from pliant.numerics.counting import borrowing, borrowing_inlined
from pliant.numerics.simd8 import WIDTH, larger8, load8, spread8, up_to8

LEVELS = 9  # of at most so many
FAR = 1e300
CORNERS = 9 * WIDTH  # numbers: corners of the triangles of a leaf


def level_starts(leaves: int) -> Ids:
    """Where the boxes of every level begin, (LEVELS + 1,): those above the highest have none."""
    sizes = [-(-leaves // WIDTH) * WIDTH]
    while sizes[-1] > WIDTH:
        sizes.append(-(-sizes[-1] // WIDTH**2) * WIDTH)
    return np.cumsum([0, *sizes, *[0] * (LEVELS - len(sizes))])


@borrowing
def highest(levels):
    """The level that is one block."""
    k = 0
    while levels[k + 1] - levels[k] > WIDTH:
        k += 1
    return k


@borrowing
def fit_blocks(blocks, levels):
    """Write the boxes of all levels above the leaves."""
    bounds = blocks.reshape((6, len(blocks) // 6))
    for k in range(highest(levels)):
        for j in range((levels[k + 1] - levels[k]) // WIDTH):
            first, own = levels[k] + WIDTH * j, levels[k + 1] + j
            for i in range(3):
                low, high = FAR, -FAR
                lows, highs = bounds[i, first : first + WIDTH], bounds[3 + i, first : first + WIDTH]
                for l in range(WIDTH):
                    low, high = min(low, lows[l]), max(high, highs[l])
                bounds[i, own], bounds[3 + i, own] = low, high


@borrowing_inlined
def near_in_block(blocks, first, box, near):
    """Which of the eight boxes from `first` on come near a box, as bits."""
    n = len(blocks) // 6
    a0, a1, a2, b0, b1, b2 = box[0], box[1], box[2], box[3], box[4], box[5]
    d0 = larger8(load8(blocks, first) - b0, a0 - load8(blocks, first + 3 * n))
    d1 = larger8(load8(blocks, first + n) - b1, a1 - load8(blocks, first + 4 * n))
    d2 = larger8(load8(blocks, first + 2 * n) - b2, a2 - load8(blocks, first + 5 * n))
    return up_to8(larger8(larger8(d0, d1), d2), spread8(near))


@borrowing_inlined
def block_box(blocks, at):
    """One of the boxes."""
    n = len(blocks) // 6
    return blocks[at], blocks[n + at], blocks[2 * n + at], blocks[3 * n + at], blocks[4 * n + at], blocks[5 * n + at]


@borrowing_inlined
def squares_to_block(blocks, first, p0, p1, p2):
    """Squared distances of p from the eight boxes from `first` on."""
    n, none = len(blocks) // 6, spread8(0.0)
    d0 = larger8(larger8(load8(blocks, first) - p0, p0 - load8(blocks, first + 3 * n)), none)
    d1 = larger8(larger8(load8(blocks, first + n) - p1, p1 - load8(blocks, first + 4 * n)), none)
    d2 = larger8(larger8(load8(blocks, first + 2 * n) - p2, p2 - load8(blocks, first + 5 * n)), none)
    return d0 * d0 + d1 * d1 + d2 * d2
