"""Pairs of bodies whose outermost boxes and slabs meet, by sorting them along one axis and sweeping over it."""

from math import sqrt
from typing import NamedTuple

from pliant.collide.boxes import boxes_meet
from pliant.collide.flows import ASIDE, REST, SHARE
from pliant.collide.slabs import FAR, slabs_meet
from pliant.numerics.counting import borrowing


@borrowing
def sweep_axis(surfaces):
    """The axis along which the bodies' boxes are spread most."""
    chosen, widest = 0, -1.0
    for axis in range(3):
        low, high = 1e300, -1e300
        for b in range(len(surfaces.shape)):
            box = surfaces.boxes[surfaces.first_box[b]]
            low, high = min(low, box[axis] + box[3 + axis]), max(high, box[axis] + box[3 + axis])
        if high - low > widest:
            chosen, widest = axis, high - low
    return chosen


@borrowing
def sort_bodies(surfaces, margins, axis):
    """Bring `surfaces.order` in the order of the boxes' beginnings, equal ones by number; quick if it nearly is."""
    order = surfaces.order
    for k in range(1, len(order)):
        b = order[k]
        at = _begin(surfaces, margins, b, axis)
        j = k
        while j > 0:
            before = order[j - 1]
            begin = _begin(surfaces, margins, before, axis)
            if begin < at or (begin == at and before < b):
                break
            order[j] = before
            j -= 1
        order[j] = b


@borrowing
def sweep(surfaces, margins, axis, may_touch, place, partner):
    """Fill `surfaces.pairs` from where the sweep stopped; the number of pairs, and where it stops now.

    Pairs (a, b) have a < b and are sorted. The sweep is over if it stops at the number of bodies.
    """
    order, pairs = surfaces.order, surfaces.pairs
    count, bodies = 0, len(order)
    while place < bodies:
        a = order[place]
        end = surfaces.boxes[surfaces.first_box[a], 3 + axis] + margins[a] + max(0.0, surfaces.ways[a, axis])
        while partner < bodies and _begin(surfaces, margins, order[partner], axis) <= end:
            b = order[partner]
            if may_touch[a, b] and may_touch[b, a] and _meet(surfaces, a, b, pair_margin(surfaces, margins, a, b)):
                if count == len(pairs):
                    _sort(pairs, count)
                    return count, place, partner
                pairs[count, 0], pairs[count, 1] = min(a, b), max(a, b)
                count += 1
            partner += 1
        place += 1
        partner = place + 1
    _sort(pairs, count)
    return count, place, partner


@borrowing
def _begin(surfaces, margins, b, axis):
    return surfaces.boxes[surfaces.first_box[b], axis] - margins[b] + min(0.0, surfaces.ways[b, axis])


@borrowing
def pair_margin(surfaces, margins, a, b):
    """How far two bodies may come closer to each other: by their margins, and as their ways differ."""
    return margins[a] + margins[b] + _between(surfaces.ways, a, b)


@borrowing
def pair_depth(surfaces, a, b):
    """How deep points of two bodies may be inside each other, as far as is known.

    They were no deeper than any of either when contacts of the pair were last found, which was when those of the
    younger were; since then both went their ways and strayed. The older may have strayed before, and have come back.
    """
    young, old = (a, b) if surfaces.age[a] <= surfaces.age[b] else (b, a)
    way = surfaces.age[young] * _between(surfaces.going, a, b)
    back = surfaces.strays[old] if surfaces.age[old] > surfaces.age[young] else 0.0
    return min(surfaces.known[a], surfaces.known[b]) + way + surfaces.strayed[a] + surfaces.strayed[b] + back


@borrowing
def field_depth(surfaces, a):
    """How deep points of a body may be inside an obstacle that stands still, as far as is known."""
    v = surfaces.going[a]
    way = surfaces.age[a] * sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    return surfaces.known[a] + way + surfaces.strayed[a]


class Bounds(NamedTuple):
    """How near two bodies are looked at.

    Attributes:
        margin: gaps up to this [m]. depth: no point is deeper [m].
        brief: only what matters in a small step of the time `soon` [s]: gaps up to what they close in it and `aside`,
            and points that are inside, of which none is farther from the surface than `beside` and what it closes.
        rest: how far points may have come otherwise than as they go, a small step ago [m].
    """

    margin: float
    depth: float
    brief: bool
    soon: float
    aside: float
    beside: float
    rest: float


@borrowing
def bounds_of(surfaces, margins, soon, a, b):
    """Of a pair; see `flows`."""
    flow, rest = surfaces.flow, FAR
    aside = flow[a, ASIDE] + flow[b, ASIDE] + SHARE * _between(surfaces.ways, a, b)
    if surfaces.age[a] == soon and surfaces.age[b] == soon:
        rest = flow[a, REST] + flow[b, REST]
    margin, depth = pair_margin(surfaces, margins, a, b), pair_depth(surfaces, a, b)
    brief = surfaces.brief[a] > 0 or surfaces.brief[b] > 0
    before = min(surfaces.known[a], surfaces.known[b]) + rest
    return Bounds(margin, depth, brief, soon, aside, max(aside, before), rest)


@borrowing
def _between(rows, a, b):
    return sqrt((rows[a, 0] - rows[b, 0]) ** 2 + (rows[a, 1] - rows[b, 1]) ** 2 + (rows[a, 2] - rows[b, 2]) ** 2)


@borrowing
def _meet(surfaces, a, b, margin):
    box, other = surfaces.boxes[surfaces.first_box[a]], surfaces.boxes[surfaces.first_box[b]]
    return boxes_meet(box, other, margin) and slabs_meet(surfaces.slabs[a], surfaces.slabs[b], margin)


@borrowing
def _sort(pairs, count):
    """Shell sort by first body, then second."""
    step = 1
    while 3 * step + 1 < count:
        step = 3 * step + 1
    while step > 0:
        for k in range(step, count):
            a, b, j = pairs[k, 0], pairs[k, 1], k
            while j >= step and (pairs[j - step, 0] > a or (pairs[j - step, 0] == a and pairs[j - step, 1] > b)):
                pairs[j, 0], pairs[j, 1] = pairs[j - step, 0], pairs[j - step, 1]
                j -= step
            pairs[j, 0], pairs[j, 1] = a, b
        step //= 3
