"""Contacts as arrays: which point of a touches which triangle of b, where, in which direction, how deep."""

from typing import NamedTuple

import numpy as np

from pliant.errors import Array, Ids, check_count
from pliant.numerics.counting import borrowing


class Contacts(NamedTuple):
    """Room for m contacts; how many there are is the caller's to keep."""

    body: Ids  # (m, 2) a has the point, b the triangle; -1 - k instead of b is field k
    sample: Ids  # (m,) of the shape of a
    triangle: Ids  # (m,) of the shape of b; -1 for a field
    barycentric: Array  # (m, 3) the nearest point of that triangle
    normal: Array  # (m, 3) of length one, from b to a
    gap: Array  # (m,) distance [m], negative where a is inside b
    point: Array  # (m, 3) place of the sample
    rest: Array  # (m,) of the gap, see `refreshing`
    rate: Array  # (m,) at which it opens [m/s]
    work: Array  # (m,)


def contacts_for(capacity: int) -> Contacts:
    """Room for so many contacts."""
    m = check_count("capacity", capacity)
    return Contacts(
        body=np.zeros((m, 2), dtype=np.int64),
        sample=np.zeros(m, dtype=np.int64),
        triangle=np.zeros(m, dtype=np.int64),
        barycentric=np.zeros((m, 3)),
        normal=np.zeros((m, 3)),
        gap=np.zeros(m),
        point=np.zeros((m, 3)),
        rest=np.zeros(m),
        rate=np.zeros(m),
        work=np.zeros(m),
    )


@borrowing
def note(contacts, count, a, b, sample, triangle, weights, normal, gap, point):
    """Write contact `count` where there is room for it; the number of contacts with it."""
    if count < len(contacts.gap):
        contacts.body[count, 0], contacts.body[count, 1] = a, b
        contacts.sample[count], contacts.triangle[count], contacts.gap[count] = sample, triangle, gap
        for k in range(3):
            contacts.barycentric[count, k] = weights[k]
            contacts.normal[count, k] = normal[k]
            contacts.point[count, k] = point[k]
    return count + 1
