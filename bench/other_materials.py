"""Shapes of other materials and units than those of the zoo: steel, concrete, nearly incompressible, in millimetres."""

from collections.abc import Callable

import numpy as np

import pliant as pl
from bench.strangers import Made
from pliant import sdf


def steel_comb(fine: float = 1.0) -> Made:
    """Thirteen teeth of one cell across, held at one end of the back."""
    back = sdf.box((2.0, 0.15, 0.08))
    teeth = [sdf.box((0.04, 0.45, 0.05)).translate((x, 0.28, 0)) for x in np.linspace(-0.92, 0.92, 13)]
    return sdf.union(back, *teeth).tets(0.046 / fine), "x > 0.97"


def concrete_arch(fine: float = 1.0) -> Made:
    """Half a round that stands on both feet, with a deck on top."""
    turn = np.linspace(0, np.pi, 41)
    arch = sdf.sweep(np.stack([1.5 * np.cos(turn), 1.1 * np.sin(turn), 0 * turn], axis=1), 0.11)
    deck = sdf.box((2.6, 0.1, 0.25)).translate((0, 1.15, 0))
    return sdf.smooth_union(arch, deck, radius=0.03).tets(0.085 / fine), "y < 0.02"


def lizard(fine: float = 1.0) -> Made:
    """305 mm long, on four thin legs, with a tail of half that length; mm, t, s, MPa."""
    trunk = sdf.ellipsoid((60, 18, 20))
    legs = [sdf.capsule((x, -5, 10 * side), (x, -32, 30 * side), 6.5) for x in (-38, 38) for side in (-1, 1)]
    s = np.linspace(0, 1, 30)
    tail = sdf.sweep(np.stack([-50 - 150 * s, 2 + 10 * np.sin(4 * s), 25 * np.sin(5 * s)], axis=1), 11 - 6 * s)
    head = sdf.ellipsoid((26, 12, 14)).translate((75, 6, 0))
    return sdf.smooth_union(trunk, *legs, tail, head, radius=4.0).tets(6.6 / fine), "y < -32"


def curled_hand(fine: float = 1.0) -> Made:
    """Of the size of a real one, fingers curled by 126 degrees."""
    palm, bend = sdf.rounded_box((0.09, 0.1, 0.028), 0.012), np.linspace(0, 2.2, 14)
    fingers = []
    for x, length in zip((-0.036, -0.012, 0.012, 0.036), (0.06, 0.08, 0.085, 0.075), strict=True):
        r = length / 2.2
        line = np.stack([x + 0 * bend, 0.045 + r * np.sin(bend), r * (1 - np.cos(bend))], axis=1)
        fingers.append(sdf.sweep(line, np.linspace(0.0105, 0.008, 14)))
    thumb = sdf.sweep(np.array([(0.035, -0.03, 0), (0.06, -0.01, 0.01), (0.07, 0.01, 0.03)]), 0.011)
    return sdf.smooth_union(palm, *fingers, thumb, radius=0.005).tets(0.0085 / fine), "y < -0.048"


def gear(fine: float = 1.0) -> Made:
    """Ten teeth, three holes and a bore, held at one side; mm, t, s, MPa."""
    teeth = [
        sdf.box((12, 12, 8)).translate((40 * np.cos(turn), 0, 40 * np.sin(turn)))
        for turn in np.linspace(0, 2 * np.pi, 10, endpoint=False)
    ]
    body = sdf.union(sdf.box((70, 12, 70)) & sdf.sphere(38), *teeth)
    for x, z in ((0, 0), *((22 * np.cos(turn), 22 * np.sin(turn)) for turn in (0.3, 2.4, 4.5))):
        body = body - sdf.capsule((x, -20, z), (x, 20, z), 7)
    return body.tets(5.6 / fine), "x < -33"


OTHERS: dict[str, Callable[[float], Made]] = {
    make.__name__: make for make in (steel_comb, concrete_arch, lizard, curled_hand, gear)
}
MATERIALS = {
    "steel_comb": pl.StVK(2e11, 0.3, 7800),
    "concrete_arch": pl.StVK(3e10, 0.2, 2400),
    "lizard": pl.StVK(0.5, 0.45, 1e-9),
    "curled_hand": pl.StVK(1e5, 0.49, 1050),
    "gear": pl.StVK(210e3, 0.3, 7.8e-9),
}
