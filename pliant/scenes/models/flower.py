"""A flower, 1.3 m high, in 20 parts: three lengths of stem, a bloom of eight petals, a bud on a side stem, two leaves.

Hold it at the ground: stem1 holds all that is below y = 0.05.
"""

import numpy as np

from pliant.errors import Array, Ids
from pliant.mesh import Mesh, sdf
from pliant.scenes.models.blocks import (
    Blocks,
    carried,
    directions,
    eased,
    flat_section,
    patch_axes,
    round_section,
    side,
    tube,
)

ACROSS = 4  # blocks across a stem: sixteen sides
AROUND = 4 * ACROSS
UP = np.array([0.0, 1.0, 0.0])
AXES = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
STEM = np.array(  # x, y, z, radius [m]
    [
        (0, 0, 0, 0.05),
        (0.01, 0.1, 0, 0.034),
        (0.05, 0.45, 0.02, 0.03),
        (0.0, 0.8, 0.02, 0.027),
        (-0.03, 1.12, 0.05, 0.024),
    ]
)
# Heights [m] of the layers, close together where something grows from the side.
STEM_HEIGHTS = {
    "stem1": (0, 0.03, 0.08, 0.15, 0.22, 0.235, 0.30, 0.37),
    "stem2": (0.44, 0.50, 0.51, 0.525, 0.54, 0.55, 0.60, 0.615, 0.67, 0.73),
    "stem3": (0.79, 0.86, 0.93, 1.0, 1.06, 1.12),
}


# Whorls of petals: layer of the cup, corner, way out and way up through four points, half width; in radii of the stem.
_Whorl = tuple[int, int, tuple[float, ...], tuple[float, ...], float]
OPEN: tuple[_Whorl, ...] = (
    (3, 1, (0, 2.5, 5.5, 9.0), (0, 0.5, 0.9, 0.0), 2.9),
    (5, 3, (0, 1.8, 4.0, 6.4), (0, 1.2, 2.7, 3.6), 2.5),
)
HALF_OPEN: tuple[_Whorl, ...] = ((4, 1, (0, 1.6, 2.7, 3.2), (0, 1.6, 4.2, 7.0), 2.4),)


def flower() -> Mesh:
    """Tets in the groups stem1 (the root), stem2, stem3, leaf1, leaf2, side, bloom, petal1 to 8, bud, sepal1 to 4."""
    blocks = Blocks()
    heights = np.concatenate([np.array(values) for values in STEM_HEIGHTS.values()])
    fine = sdf.spline(STEM, 200)
    curve = np.stack([np.interp(heights, fine[:, 1], column) for column in fine.T], axis=1)
    layers = tube(curve[:, :3], curve[:, 3], round_section(ACROSS), AXES)
    layers[0, ..., 1] = 0
    stems, start, base = {}, 0, None
    for name, values in STEM_HEIGHTS.items():
        stems[name] = blocks.sweep(name, layers[start : start + len(values)], base)
        start, base = start + len(values), stems[name][-1]
    # Layer 0 of stem2 is the top of stem1.
    _leaf(blocks, "leaf1", stems["stem1"], side(stems["stem1"], 4, 5, 12, 2), 0.42, 0.085)
    _leaf(blocks, "leaf2", stems["stem2"], side(stems["stem2"], 7, 8, 2, 2), 0.34, 0.07)
    branch = _side_stem(blocks, stems["stem2"], side(stems["stem2"], 2, 6, 7, 4))
    _bloom(blocks, "bloom", stems["stem3"], 0.024, "petal", OPEN)
    _bloom(blocks, "bud", branch, 0.0145, "sepal", HALF_OPEN)
    return blocks.mesh()


def _side_stem(blocks: Blocks, stem: Ids, base: Ids) -> Ids:
    x = blocks.points[base]
    ways = np.stack([_outward(blocks, stem, base), UP])
    knots = x.mean(axis=(0, 1)) + np.array([(0, 0), (0.06, 0.04), (0.15, 0.15), (0.19, 0.30)]) @ ways
    line = sdf.spline(knots, 10)
    layers = tube(line, np.linspace(0.021, 0.0145, len(line)), round_section(ACROSS), patch_axes(x))[1:]
    return blocks.sweep("side", eased(x, layers, 1), base)


def _leaf(blocks: Blocks, name: str, stem: Ids, base: Ids, length: float, half_width: float) -> None:
    """A blade that rises from the stem and arches over."""
    outward = _outward(blocks, stem, base)
    s = _stations(10)
    rise = np.outer(1.25 * s - 1.15 * s**2, UP)
    line = blocks.points[base].mean(axis=(0, 1)) + length * (np.outer(s, outward) + rise)
    widths = half_width * np.interp(s, (0, 0.1, 0.3, 0.5, 0.75, 0.92, 1), (0.1, 0.14, 0.75, 1.0, 0.75, 0.32, 0.04))
    _blade(blocks, name, base, line, widths, np.interp(s, (0, 0.3, 1), (0.0085, 0.008, 0.004)), 0.35)


def _bloom(blocks: Blocks, name: str, stem: Ids, neck: float, petal: str, whorls: tuple[_Whorl, ...]) -> None:
    """A cup on the end of a stem of radius `neck` [m], with whorls of petals around it.

    Each whorl is its layer of the cup, the corner of its first petal, and the shape of its petals as `_petal_shape` has
    it.
    """
    top = blocks.points[stem[-1]]
    along = directions(blocks.points[stem[-3:]].mean(axis=(1, 2)))[-1]
    rise = neck * np.array([0.5, 0.95, 1.4, 1.8, 2.15, 2.6, 2.9, 3.4, 4.0])
    radii = neck * np.array([1.2, 1.65, 2.2, 2.65, 2.85, 2.85, 2.75, 2.45, 1.9])
    dome = neck * np.array([0, 0, 0, 0, 0, 0.1, 0.2, 0.45, 0.8])
    line = top.mean(axis=(0, 1)) + np.outer(rise, along)
    section = round_section(ACROSS)
    layers = tube(line, radii, section, patch_axes(top))
    layers += (dome[:, None, None] * (1 - (section**2).sum(axis=2)))[..., None] * along
    cup = blocks.sweep(name, layers, stem[-1])
    number = 0
    for layer, first, out, up, widest in whorls:
        shape = neck * _petal_shape(out, up, widest)
        for corner in range(first, first + AROUND, 4):
            number += 1
            _petal(blocks, f"{petal}{number}", cup, side(cup, layer, layer + 1, corner, 2), shape, along)


def _petal(blocks: Blocks, name: str, cup: Ids, base: Ids, shape: Array, along: Array) -> None:
    """A spoon-shaped blade; rows of `shape`: way out, way up, half width, half thickness [m]."""
    x = blocks.points[base]
    out, up, widths, thicknesses = shape
    line = x.mean(axis=(0, 1)) + np.outer(out, _outward(blocks, cup, base)) + np.outer(up, along)
    _blade(blocks, name, base, line, widths, thicknesses, 0.28)


def _blade(blocks: Blocks, name: str, base: Ids, line: Array, widths: Array, thicknesses: Array, fold: float) -> None:
    """A flat tube from a patch of two faces side by side; its edges are folded up by a fraction of its width."""
    x = blocks.points[base].transpose(1, 0, 2)
    whole = np.concatenate([x.mean(axis=(0, 1))[None], line])
    axes = patch_axes(x)
    section = flat_section(2, 1)
    section[..., 1] *= 1 - 0.5 * section[..., 0] ** 2
    layers = tube(whole, np.stack([np.append(0, widths), np.append(0, thicknesses)], axis=1), section, axes)[1:]
    _, normals = carried(whole, *axes)
    lifts = fold * widths * np.linspace(0.3, 1, len(line))
    layers += np.einsum("l,a,li->lai", lifts, section[:, 0, 0] ** 2, normals[1:])[:, :, None]
    blocks.sweep(name, layers, base.T)


def _outward(blocks: Blocks, stem: Ids, base: Ids) -> Array:
    """The unit vector from the middle of a stem to a patch of its side."""
    middles, patch = blocks.points[stem].mean(axis=(1, 2)), blocks.points[base].mean(axis=(0, 1))
    along = directions(middles)[np.linalg.norm(middles - patch, axis=1).argmin()]
    outward = patch - middles.mean(axis=0)
    outward -= (outward @ along) * along
    return outward / np.linalg.norm(outward)


def _stations(count: int) -> Array:
    """Places along a blade from above 0 to 1, closer together towards the tip, where its outline is round."""
    return 1 - (1 - np.arange(1, count + 1) / count) ** 1.5


def _petal_shape(out: tuple[float, ...], up: tuple[float, ...], widest: float) -> Array:
    """Rows of `_petal` in units of the neck, along the spline through the given points."""
    fine = sdf.spline(np.stack([np.array(out), np.array(up)], axis=1), 100)
    s = _stations(9)
    path = [np.interp(s, np.linspace(0, 1, 100), column) for column in fine.T]
    outline = (0, 0.2, 0.45, 0.65, 0.8, 0.9, 0.96, 1), (0.3, 0.5, 0.86, 1, 0.95, 0.76, 0.52, 0.16)
    return np.stack([*path, widest * np.interp(s, *outline), np.interp(s, (0, 0.3, 1), (0.3, 0.25, 0.14))])
