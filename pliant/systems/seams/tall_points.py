"""Gradients of points one below the other, in single precision: for stiffness, and for what is new in forces."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pliant.errors import Array, Ids
from pliant.numerics.counting import borrowing
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
        slopes: (72 pitch,) dP of every coordinate. sums: (pitch,). square: (pitch pitch,) K of the largest part.
        way, force: (pitch,) how far a part goes, and what that adds to its force. turned: (72,) of one octet.
    """

    first_at: Ids
    gradients: Array
    units: Array
    answers: Array
    slopes: Array
    sums: Array
    square: Array
    way: Array
    force: Array
    turned: Array


def tall_points(gradients: Sequence[Array]) -> TallPoints:
    """Of parts with gradients (p, 9, r) each."""
    octets = [-(-len(G) // WIDTH) for G in gradients]
    pitches = [pitch_for(G.shape[2], np.float32().itemsize) for G in gradients]
    first_at = np.cumsum([0, *(CHUNK * count * pitch for count, pitch in zip(octets, pitches))]).astype(np.int64)
    most = max(pitches)
    lengths = [int(first_at[-1]), WIDTH * RESPONSE, CHUNK * most, most, most * most]
    rows, answers, slopes, sums, square = slab(lengths, np.float32)
    for G, start, pitch in zip(gradients, first_at, pitches):
        rows[start : start + 9 * len(G) * pitch].reshape(len(G), 9, pitch)[:, :, : G.shape[2]] = G
    units = np.repeat(np.eye(9).ravel(), WIDTH)
    way, force, turned = slab([most, most, CHUNK], np.float64)
    return TallPoints(first_at, rows, units, answers, slopes, sums, square, way, force, turned)


@borrowing
def row_length(points, i):
    """Of part i in points.tall.gradients."""
    octets = points.octets_at[i + 1] - points.octets_at[i]
    return (points.tall.first_at[i + 1] - points.tall.first_at[i]) // (CHUNK * octets)
