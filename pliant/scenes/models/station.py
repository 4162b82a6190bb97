"""A space station, 18 m wide, in 48 parts: modules around a node, a truss, four booms, 32 equal panels; it floats.

The panels are copies of each other to the last tet, turned and moved.
"""

import numpy as np
from numpy.typing import NDArray

from pliant.errors import Array, Ids
from pliant.mesh import Mesh
from pliant.scenes.models.blocks import Blocks, eased, flat_section, patch_axes, round_section, tube

X, Y, Z = np.eye(3)
NODE = np.linspace(-1, 1, 7)  # [m]
ACROSS = 4  # blocks across modules and truss
TRUSS = 0.45  # half width [m]
BAYS, BAY, FRAME = 3, 0.72, 0.12  # of a length of truss; [m]
GIMBAL = 0.15  # [m] a layer of the solid block at the end, which the booms stand on
BOOM = 0.12  # half width [m]
PANELS = 4  # on each side of a boom
SPACING, ROOT = 1.62, 0.12  # [m] between panels; half the width of the yoke where it meets the boom
# A panel: way out from the boom, half width, half thickness [m]; a yoke, then a plate.
PANEL = np.array([(0.16, 0.10, 0.07), (0.62, 0.72, 0.035), *((way, 0.72, 0.03) for way in (1.1, 1.6, 2.1, 2.6))])
# Modules: way out from where they stand, radius, bulge of the end [m].
MODULE = np.array(
    [
        *((0.15, 0.6, 0), (0.3, 0.62, 0), (0.55, 0.95, 0), (1.2, 0.98, 0)),
        *((1.9, 0.98, 0), (2.6, 0.98, 0), (2.85, 0.7, 0), (3.05, 0.45, 0)),
    ]
)
DOCK = np.array([(0.2, 0.45, 0), (0.45, 0.62, 0), (0.95, 0.55, 0), (1.3, 0.34, 0.05)])
AIRLOCK = np.array([(0.15, 0.55, 0), (0.4, 0.66, 0), (0.9, 0.66, 0), (1.15, 0.5, 0.08)])
MAST = np.array([(0.2, 0.4, 0), (0.5, 0.16, 0), (0.9, 0.13, 0), (1.3, 0.13, 0)])
DISH = np.array([(0.14, 0.22, 0), (0.34, 0.62, -0.06), (0.62, 1.0, -0.24), (0.85, 1.3, -0.4)])


def station() -> Mesh:
    """Tets in the groups node, lab, hab, their docks, airlock, mast, dish, truss*, boom*, panel*; y up."""
    blocks = Blocks()
    ids = _node(blocks)
    inner = slice(1, -1)
    for name, base, way in (("lab", ids[inner, inner, -1], Z), ("hab", ids[inner, inner, 0], -Z)):
        module = _turned(blocks, name, base, way, MODULE)
        _turned(blocks, f"{name}_dock", module[-1], way, DOCK)
    _turned(blocks, "airlock", ids[inner, 0, inner], -Y, AIRLOCK)
    mast = _turned(blocks, "mast", ids[inner, -1, inner], Y, MAST)
    _turned(blocks, "dish", mast[-1], Y, DISH)
    for number, (base, way) in enumerate(((ids[-1, inner, inner], X), (ids[0, inner, inner], -X))):
        inside = _truss(blocks, f"truss{2 * number + 1}", base, way, end=0)
        outside = _truss(blocks, f"truss{2 * number + 2}", inside[-1], way, end=4)
        for side, along in enumerate((Z, -Z)):
            # The middle of the block at the end: two by two faces.
            patch = outside[-4:-1, 1:4, -1 if along[2] > 0 else 0]
            _wing(blocks, 2 * number + side + 1, patch, along)
    return blocks.mesh()


def _node(blocks: Blocks) -> Ids:
    """A cube with blunt corners; ids by x, y, z."""
    cube = np.stack(np.meshgrid(NODE, NODE, NODE, indexing="ij"), axis=-1)
    largest, length = np.abs(cube).max(axis=-1, keepdims=True), np.linalg.norm(cube, axis=-1, keepdims=True)
    return blocks.sweep("node", cube * (0.6 + 0.4 * largest / np.maximum(length, 1e-9)))


def _turned(blocks: Blocks, name: str, base: Ids, way: Array, profile: Array) -> Ids:
    """A body of revolution with a profile (l, 3): way out, radius, bulge of the layer."""
    x = blocks.points[base]
    section = round_section(ACROSS)
    line = x.mean(axis=(0, 1)) + np.outer(np.append(0, profile[:, 0]), way)
    layers = tube(line, np.append(1, profile[:, 1]), section, patch_axes(x))[1:]
    layers += (profile[:, 2, None, None] * (1 - (section**2).sum(axis=2)))[..., None] * way
    return blocks.sweep(name, eased(x, layers, 0), base)


def _truss(blocks: Blocks, name: str, base: Ids, way: Array, end: int) -> Ids:
    """Frames joined by four longerons; `end` solid layers close it."""
    steps, filled = [FRAME], [_frame()]
    for _ in range(BAYS):
        steps += [BAY / 2, BAY / 2, FRAME]
        filled += [_corners(), _corners(), _frame()]
    steps += [GIMBAL] * end
    filled += [np.ones((ACROSS, ACROSS), dtype=bool)] * end
    x = blocks.points[base]
    line = x.mean(axis=(0, 1)) + np.outer(np.append(0, np.cumsum(steps)), way)
    layers = tube(line, np.full(len(line), TRUSS), flat_section(ACROSS, ACROSS), patch_axes(x))[1:]
    return blocks.sweep(name, layers, base, np.stack(filled))


def _frame() -> NDArray[np.bool_]:
    ring = np.ones((ACROSS, ACROSS), dtype=bool)
    ring[1:-1, 1:-1] = False
    return ring


def _corners() -> NDArray[np.bool_]:
    corners = np.zeros((ACROSS, ACROSS), dtype=bool)
    corners[:: ACROSS - 1, :: ACROSS - 1] = True
    return corners


def _wing(blocks: Blocks, number: int, base: Ids, along: Array) -> None:
    """A boom along a direction, and panels to its two sides."""
    roots = 0.95 + SPACING * np.arange(PANELS)
    gaps = (roots[1:] + roots[:-1]) / 2
    places = np.sort(np.concatenate([[0.12, 0.45], roots - ROOT, roots, roots + ROOT, gaps, [roots[-1] + 0.3]]))
    x = blocks.points[base]
    line = x.mean(axis=(0, 1)) + np.outer(places, along)
    section = BOOM * flat_section(2, 2)
    layers = line[:, None, None] + section[..., :1] * X + section[..., 1:] * Y
    boom = blocks.sweep(f"boom{number}", layers, base if x[-1, 0, 0] > x[0, 0, 0] else base[::-1])
    for rank, root in enumerate(roots):
        middle = int(np.abs(places - root).argmin()) + 1
        for face, out in ((-1, X), (0, -X)):
            patch = boom[middle - 1 : middle + 2, face]
            _panel(blocks, f"panel{number}{'ab'[face]}{rank + 1}", patch, along, out)


def _panel(blocks: Blocks, name: str, patch: Ids, along: Array, out: Array) -> None:
    up = np.cross(out, along)  # right-handed on every side, so that all panels are the same
    base = patch if up[1] > 0 else patch[:, ::-1]
    section = flat_section(2, 2)
    middle = blocks.points[base[1, 1]]
    layers = [
        middle + way * out + wide * section[..., :1] * along + thick * section[..., 1:] * up
        for way, wide, thick in PANEL
    ]
    blocks.sweep(name, np.stack(layers), base)
