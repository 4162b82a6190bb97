"""Gradients of points one below the other, in single precision, for products that make a stiffness of them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pliant.errors import Array, Ids
from pliant.numerics.gram import pitch_for
from pliant.numerics.simd8 import WIDTH
from pliant.reduced.force import slab
from pliant.reduced.point_octets import RESPONSE
from pliant.systems.octets import CHUNK


class TallPoints(NamedTuple):
    """Points of all parts, one part after the other, and room for one octet of them.

    Attributes:
        first_at: (d + 1,) where the gradients of the parts begin: by point, component, coordinate, in whole lines.
        units: (9 72,) the nine dF with a single 1, each in all eight lanes.
        answers: what the points of an octet answer to them, as `multiply_columns` reads it.
        slopes: (72 pitch,) dP of every coordinate. unused: (pitch,). square: (pitch pitch,) K of the largest part.
    """

    first_at: Ids
    gradients: Array
    units: Array
    answers: Array
    slopes: Array
    unused: Array
    square: Array


def tall_points(gradients: Sequence[Array]) -> TallPoints:
    """Of parts with gradients (p, 9, r) each."""
    octets = [-(-len(G) // WIDTH) for G in gradients]
    pitches = [pitch_for(G.shape[2], np.float32().itemsize) for G in gradients]
    first_at = np.cumsum([0, *(CHUNK * count * pitch for count, pitch in zip(octets, pitches))]).astype(np.int64)
    most = max(pitches)
    rows, answers, slopes, unused, square = slab(
        [int(first_at[-1]), WIDTH * RESPONSE, CHUNK * most, most, most * most], np.float32
    )
    for G, start, pitch in zip(gradients, first_at, pitches):
        rows[start : start + 9 * len(G) * pitch].reshape(len(G), 9, pitch)[:, :, : G.shape[2]] = G
    units = np.repeat(np.eye(9).ravel(), WIDTH)
    return TallPoints(first_at, rows, units, answers, slopes, unused, square)
