"""The word SUBSPACE: eight soft letters, 1 m high, joined by seven slim links; nothing holds it."""

from itertools import pairwise

import numpy as np

from pliant.errors import Array
from pliant.mesh import Mesh, sdf
from pliant.scenes.models.labels import labelled

HALF_STROKE, HALF_DEPTH, ROUNDING, LINK = 0.095, 0.12, 0.055, 0.075  # [m]
GAP = 0.16  # [m] between letters
SUNK = 0.04  # [m] of a link in each letter

# Middle lines of the strokes (x, y) [m] and the width of the letter; arcs are (centre, radius, from, to) [degrees].
_Stroke = list[tuple[float, float]]


def _arc(x: float, y: float, radius: tuple[float, float], start: float, stop: float) -> _Stroke:
    angles = np.radians(np.linspace(start, stop, 25))
    return [(x + radius[0] * float(np.cos(a)), y + radius[1] * float(np.sin(a))) for a in angles]


LOW, HIGH, MIDDLE = HALF_STROKE, 1 - HALF_STROKE, 0.5
BOWL = (HIGH - MIDDLE) / 2  # radius of half a letter's height
LETTERS: dict[str, tuple[float, list[_Stroke]]] = {
    "S": (0.64, [_arc(0.32, HIGH - BOWL, (0.225, BOWL), 38, 270) + _arc(0.32, LOW + BOWL, (0.225, BOWL), 90, -142)]),
    "U": (0.70, [[(0.095, HIGH), *_arc(0.35, LOW + 0.255, (0.255, 0.255), 180, 360), (0.605, HIGH)]]),
    "B": (0.68, [[(0.095, LOW), (0.095, HIGH)],
                 [(0.095, HIGH), *_arc(0.34, HIGH - BOWL, (0.215, BOWL), 90, -90), (0.095, MIDDLE)],
                 [(0.095, MIDDLE), *_arc(0.36, LOW + BOWL, (0.225, BOWL), 90, -90), (0.095, LOW)]]),
    "P": (0.64, [[(0.095, LOW), (0.095, HIGH)],
                 [(0.095, HIGH), *_arc(0.31, HIGH - 0.225, (0.235, 0.225), 90, -90), (0.095, HIGH - 0.45)]]),
    "A": (0.88, [[(0.095, LOW), (0.44, HIGH), (0.785, LOW)], [(0.20, 0.32), (0.68, 0.32)]]),
    "C": (0.72, [_arc(0.42, MIDDLE, (0.325, HIGH - MIDDLE), 48, 312)]),
    "E": (0.60, [[(0.505, HIGH), (0.095, HIGH), (0.095, LOW), (0.505, LOW)], [(0.095, MIDDLE), (0.46, MIDDLE)]]),
}  # fmt: skip
WORD = "SUBSPACE"
# Heights [m] at which a link leaves a letter and reaches the next.
LINK_HEIGHTS = ((0.3, 0.3), (0.5, 0.5), (0.7, 0.7), (0.3, 0.3), (0.66, 0.46), (0.26, 0.3), (0.21, 0.21))
PARTS = tuple(f"{name}{number + 1}" for number, name in enumerate(WORD))
LINKS = tuple(f"link{number}" for number in range(1, len(WORD)))


def letters(edge: float = 0.08) -> Mesh:
    """Tets of about `edge` [m] in the groups S1, link1, U2, link2, ..., E8; x along the word, z its depth.

    The links are the parts named in LINKS, to be made rigid.
    """
    solids, start = {}, 0.0
    for name, letter in zip(PARTS, WORD, strict=True):
        solids[name] = _extruded(LETTERS[letter][1], start)
        start += LETTERS[letter][0] + GAP
    links = dict(zip(LINKS, map(_link, pairwise(solids.values()), LINK_HEIGHTS), strict=True))
    chain = {PARTS[0]: solids[PARTS[0]]}
    for link, letter in zip(LINKS, PARTS[1:], strict=True):
        chain |= {link: links[link], letter: solids[letter]}
    whole = sdf.union(*chain.values()).translate((GAP / 2 - start / 2, 0, 0))
    mesh = whole.tets(edge)
    return labelled(mesh, {name: field.translate((GAP / 2 - start / 2, 0, 0)) for name, field in chain.items()})


def _extruded(strokes: list[_Stroke], start: float) -> sdf.Field:
    """Strokes of a letter that begins at x = start, with depth along z and rounded edges."""
    lines = [np.array([(x + start, y, 0.0) for x, y in stroke]) for stroke in strokes]
    flat = sdf.union(*(sdf.sweep(line, HALF_STROKE) for line in lines))
    bounds = flat.bounds.copy()
    bounds[:, 2] = -HALF_DEPTH, HALF_DEPTH

    def distance(p: Array) -> Array:
        across = flat.distance(p * [1, 1, 0]) + ROUNDING
        deep = np.abs(p[:, 2]) - HALF_DEPTH + ROUNDING
        return np.hypot(np.maximum(across, 0), np.maximum(deep, 0)) + np.minimum(np.maximum(across, deep), 0) - ROUNDING

    return sdf.Field(distance, bounds)


def _link(letters: tuple[sdf.Field, sdf.Field], heights: tuple[float, float]) -> sdf.Field:
    """A bar from the right side of a letter to the left side of the next."""
    ends = [_edge(letters[0], heights[0], -1), _edge(letters[1], heights[1], 1)]
    return sdf.capsule((ends[0], heights[0], 0), (ends[1], heights[1], 0), LINK)


def _edge(letter: sdf.Field, height: float, step: int) -> float:
    """Where a letter begins at a height [m], seen from the left (step 1) or from the right (step -1)."""
    left, right = letter.bounds[:, 0]
    x = np.linspace(left, right, 400)[::step]
    inside = letter.distance(np.stack([x, np.full(400, height), np.zeros(400)], axis=1)) < 0
    return float(x[inside.argmax()]) + step * SUNK
