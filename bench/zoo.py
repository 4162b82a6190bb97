"""Shapes that nobody tuned for, each held somewhere: thin and thick, branching, with loops, and of one lump."""

from collections.abc import Callable

import numpy as np

import pliant as pl
from bench.other_materials import MATERIALS, OTHERS
from bench.strangers import STRANGERS, Made
from pliant import sdf

RUBBER = pl.StVK(1e6, 0.4, 1000.0)


def comb(fine: float = 1.0) -> Made:
    back = sdf.box((1.0, 0.12, 0.1))
    teeth = [sdf.box((0.07, 0.5, 0.08)).translate((x, 0.28, 0)) for x in np.linspace(-0.44, 0.44, 7)]
    return sdf.union(back, *teeth).tets(0.048 / fine), "x < -0.42"


def bridge(fine: float = 1.0) -> Made:
    x = np.linspace(-1, 1, 25)
    arch = sdf.sweep(np.stack([x, 0.5 * (1 - x**2), 0 * x], axis=1), 0.07)
    hangers = [sdf.capsule((s, 0, 0), (s, 0.5 * (1 - s * s), 0), 0.05) for s in (-0.5, 0.0, 0.5)]
    return sdf.union(sdf.box((2.2, 0.12, 0.3)), arch, *hangers).tets(0.072 / fine), "abs(x) > 1.02"


def animal(fine: float = 1.0) -> Made:
    trunk = sdf.ellipsoid((0.42, 0.2, 0.17))
    legs = [sdf.capsule((x, -0.05, z), (x, -0.55, z), 0.065) for x in (-0.27, 0.27) for z in (-0.1, 0.1)]
    neck = sdf.capsule((0.36, 0.05, 0), (0.58, 0.36, 0), 0.075)
    head = sdf.ellipsoid((0.16, 0.09, 0.08)).translate((0.66, 0.4, 0))
    tail = sdf.capsule((-0.38, 0.05, 0), (-0.85, 0.22, 0), 0.05)
    return sdf.smooth_union(trunk, *legs, neck, head, tail, radius=0.04).tets(0.062 / fine), "y < -0.54"


def hand(fine: float = 1.0) -> Made:
    palm = sdf.rounded_box((0.4, 0.45, 0.12), 0.05)
    roots, reach = (-0.16, -0.055, 0.055, 0.16), (0.35, 0.45, 0.48, 0.4)
    fingers = [sdf.capsule((x, 0.2, 0), (1.3 * x, 0.2 + l, 0), 0.045) for x, l in zip(roots, reach, strict=True)]
    thumb = sdf.capsule((0.17, -0.08, 0), (0.42, 0.14, 0.03), 0.052)
    wrist = sdf.capsule((0, -0.2, 0), (0, -0.5, 0), 0.1)
    return sdf.smooth_union(palm, *fingers, thumb, wrist, radius=0.02).tets(0.050 / fine), "y < -0.5"


def octopus(fine: float = 1.0) -> Made:
    arms = []
    for turn in np.linspace(0, 2 * np.pi, 6, endpoint=False):
        out = np.array([np.cos(turn), 0, np.sin(turn)])
        line = [0.15 * out, 0.4 * out + (0, -0.12, 0), 0.68 * out + (0, -0.05, 0), 0.9 * out + (0, -0.2, 0)]
        arms.append(sdf.sweep(sdf.spline(np.array(line), 12), np.linspace(0.085, 0.045, 12)))
    return sdf.smooth_union(sdf.sphere(0.26), *arms, radius=0.04).tets(0.058 / fine), "y > 0.2"


def ring(fine: float = 1.0) -> Made:
    return sdf.torus(0.5, 0.09).rotate((1, 0, 0), np.pi / 2).tets(0.066 / fine), "y < -0.5"


def plate(fine: float = 1.0) -> Made:
    return pl.shapes.bar((1.0, 0.04, 0.7), [round(fine * k) for k in (18, 2, 12)]), "x < 1e-9"


def bracket(fine: float = 1.0) -> Made:
    upright = sdf.box((0.12, 0.8, 0.3)).translate((0, 0.34, 0))
    shelf = sdf.box((0.8, 0.1, 0.3)).translate((0.34, 0.7, 0))
    return (upright | shelf).tets(0.060 / fine), "y < -0.03"


def fork(fine: float = 1.0) -> Made:
    x = np.linspace(0, np.pi, 13)
    bow = np.stack([-0.15 * np.sin(x), 0.15 * np.cos(x), 0 * x], axis=1)
    prongs = [sdf.capsule((0, y, 0), (0.9, y, 0), 0.05) for y in (-0.15, 0.15)]
    return sdf.union(sdf.sweep(bow, 0.05), *prongs, sdf.capsule((-0.15, 0, 0), (-0.5, 0, 0), 0.05)).tets(
        0.050 / fine
    ), "x < -0.49"


def spring(fine: float = 1.0) -> Made:
    s = np.linspace(0, 5 * np.pi, 90)
    coil = np.stack([0.3 * np.cos(s), 0.052 * s, 0.3 * np.sin(s)], axis=1)
    return sdf.sweep(coil, 0.05).tets(0.060 / fine), "y < 0.03"


def branch(fine: float = 1.0) -> Made:
    ends = [(0, 0.5, 0), (-0.35, 0.95, 0.1), (0.3, 0.9, -0.1), (0.55, 1.2, 0.1), (0.1, 1.25, -0.25)]
    limbs = [((0, 0, 0), 0, 0.08), (ends[0], 1, 0.06), (ends[0], 2, 0.065), (ends[2], 3, 0.05), (ends[2], 4, 0.05)]
    return sdf.smooth_union(*(sdf.capsule(a, ends[b], r) for a, b, r in limbs), radius=0.03).tets(0.050 / fine), "y < 0"


def spoon(fine: float = 1.0) -> Made:
    bowl = sdf.ellipsoid((0.2, 0.09, 0.14)) - sdf.ellipsoid((0.17, 0.06, 0.11)).translate((0, 0.05, 0))
    return sdf.smooth_union(bowl, sdf.capsule((-0.17, 0, 0), (-0.8, 0.06, 0), 0.035), radius=0.03).tets(
        0.038 / fine
    ), "x < -0.76"


def bowl(fine: float = 1.0) -> Made:
    shell = sdf.sphere(0.5) - sdf.sphere(0.42) - sdf.box((2, 1, 2)).translate((0, 0.55, 0))
    return shell.tets(0.066 / fine), "y < -0.46"


def chair(fine: float = 1.0) -> Made:
    seat = sdf.box((0.5, 0.07, 0.5))
    legs = [sdf.capsule((x, 0, z), (1.15 * x, -0.5, 1.15 * z), 0.045) for x in (-0.2, 0.2) for z in (-0.2, 0.2)]
    posts = [sdf.capsule((-0.2, 0, z), (-0.32, 0.6, z), 0.045) for z in (-0.2, 0.2)]
    rails = [sdf.capsule((-0.2 - 0.2 * y, y, -0.2), (-0.2 - 0.2 * y, y, 0.2), 0.045) for y in (0.35, 0.58)]
    return sdf.union(seat, *legs, *posts, *rails).tets(0.060 / fine), "y < -0.5"


def block(fine: float = 1.0) -> Made:
    return sdf.rounded_box((0.6, 0.8, 0.5), 0.1).tets(0.102 / fine), "y < -0.38"


def bunny(fine: float = 1.0) -> Made:
    ball = sdf.ellipsoid((0.3, 0.26, 0.24))
    head = sdf.sphere(0.17).translate((0.3, 0.26, 0))
    ears = [sdf.capsule((0.28, 0.38, z), (0.16, 0.78, 2.2 * z), 0.05) for z in (-0.07, 0.07)]
    return sdf.smooth_union(ball, head, *ears, sdf.sphere(0.08).translate((-0.32, 0, 0)), radius=0.05).tets(
        0.062 / fine
    ), "y < -0.2"


def lamp(fine: float = 1.0) -> Made:
    foot = sdf.box((0.4, 0.08, 0.3))
    line = [(0, 0, 0), (-0.1, 0.3, 0), (0.05, 0.6, 0.04), (0.35, 0.75, 0.06)]
    neck = sdf.sweep(sdf.spline(np.array(line), 16), np.linspace(0.07, 0.05, 16))
    head = sdf.ellipsoid((0.2, 0.13, 0.16)).translate((0.48, 0.7, 0.07))
    return sdf.smooth_union(foot, neck, head, radius=0.03).tets(0.052 / fine), "y < -0.03"


SHAPES: dict[str, Callable[[float], Made]] = {
    make.__name__: make
    for make in (
        comb, bridge, animal, hand, octopus, ring, plate, bracket, fork, spring, branch, spoon, bowl, chair, block,
        bunny, lamp,
    )
} | OTHERS | STRANGERS  # fmt: skip


def solid_of(name: str, fine: float = 1.0) -> pl.Solid:
    """A shape of soft rubber, or of its own material; `fine`: how many times more cells along an edge."""
    mesh, fixed = SHAPES[name](fine)
    return pl.Solid(mesh, MATERIALS.get(name, RUBBER), fixed=fixed)
