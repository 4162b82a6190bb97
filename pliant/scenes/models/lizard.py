"""A lizard, 2.3 m long, that suns itself on a stone, in 41 parts; hold it at the ground, under the stone.

The stone belongs to body2, the root: all other parts hang on it through the belly.
"""

import numpy as np

from pliant.errors import Array, Ids
from pliant.mesh import Mesh, sdf
from pliant.scenes.models.blocks import Blocks, eased, flat_section, patch_axes, round_section, side, tube

ACROSS = 4  # blocks across the body: sixteen sides
UP, RIGHT = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])
BELLY, RIGHT_FLANK, RIGHT_BROW, BACK, LEFT_BROW, LEFT_FLANK = 2, 6, 8, 10, 12, 14  # corners around the section
SPINE = np.array(  # x, y, z, half height, half width [m], from the tail to the snout
    [
        (-1.22, 0.10, 0.36, 0.010, 0.010),
        (-1.14, 0.07, 0.18, 0.020, 0.020),
        (-0.98, 0.08, 0.02, 0.032, 0.032),
        (-0.78, 0.16, -0.07, 0.047, 0.047),
        (-0.56, 0.30, -0.06, 0.062, 0.064),
        (-0.36, 0.40, 0.00, 0.082, 0.092),
        (-0.16, 0.44, 0.04, 0.094, 0.118),
        (0.04, 0.45, 0.05, 0.100, 0.132),
        (0.24, 0.46, 0.03, 0.104, 0.128),
        (0.42, 0.485, 0.00, 0.094, 0.100),
        (0.54, 0.53, -0.02, 0.074, 0.074),
        (0.63, 0.58, -0.02, 0.066, 0.074),
        (0.72, 0.61, 0.00, 0.070, 0.108),
        (0.81, 0.615, 0.03, 0.066, 0.108),
        (0.91, 0.60, 0.06, 0.050, 0.078),
        (1.0, 0.585, 0.085, 0.036, 0.050),
        (1.045, 0.58, 0.10, 0.021, 0.030),
        (1.06, 0.579, 0.105, 0.010, 0.015),
    ]
)
# Where the parts of the spine end, as x [m].
ENDS = {"tail6": -1.15, "tail5": -0.99, "tail4": -0.83, "tail3": -0.67, "tail2": -0.52, "tail1": -0.37, "body3": -0.10,
        "body2": 0.20, "body1": 0.43, "neck2": 0.555, "neck1": 0.65, "head": 9.0}  # fmt: skip
STONE = np.array(  # y, half lengths along x and z [m]
    [
        (0.325, 0.16, 0.12),
        (0.29, 0.34, 0.22),
        (0.24, 0.50, 0.33),
        (0.16, 0.59, 0.42),
        (0.08, 0.63, 0.46),
        (0.0, 0.65, 0.48),
    ]
)
# Legs: x of the joint; then x, y and distance to the middle of knee, ankle and end of the foot; thickness [m].
LEGS = {
    "front": (0.31, ((0.37, 0.46, 0.27), (0.46, 0.28, 0.34), (0.58, 0.245, 0.36)), 0.042),
    "hind": (-0.24, ((-0.21, 0.42, 0.27), (-0.31, 0.285, 0.36), (-0.21, 0.235, 0.44)), 0.039),
}
TOE = 0.12  # length [m]
CREST = {"neck2": 0.10, "body1": 0.13, "body2": 0.145, "body3": 0.13, "tail1": 0.10}  # heights [m]


def lizard() -> Mesh:
    """Tets in the groups tail6 to tail1, body3 to body1, neck2, neck1, head, crest1 to crest5, and six for each leg.

    Those are front_left_upper, _lower, _foot, _toe1, _toe2, _toe3, and so on for front_right, hind_left and hind_right.
    """
    blocks = Blocks()
    spine = _spine(blocks)
    for number, (name, height) in enumerate(CREST.items()):
        _crest(blocks, f"crest{number + 1}", spine[name], height)
    for brow in (LEFT_BROW, RIGHT_BROW):
        _eye(blocks, spine["head"], brow)
    _stone(blocks, spine["body2"])
    for pair, segment in (("front", "body1"), ("hind", "body3")):
        for hand, corner in (("left", LEFT_FLANK - 1), ("right", RIGHT_FLANK - 2)):
            _leg(blocks, f"{pair}_{hand}", spine[segment], corner, *LEGS[pair])
    return blocks.mesh()


def _spine(blocks: Blocks) -> dict[str, Ids]:
    fine = sdf.spline(SPINE, 400)
    length = np.append(0, np.cumsum(np.linalg.norm(np.diff(fine[:, :3], axis=0), axis=1)))
    # Layers lie as far apart as the body is thick, so that its blocks are about as long as wide.
    count = np.append(0, np.cumsum(np.diff(length) / np.clip(0.3 * fine[1:, 4], 0.02, 0.034)))
    wanted = np.interp(np.linspace(0, count[-1], round(count[-1]) + 1), count, length)
    curve = np.stack([np.interp(wanted, length, column) for column in fine.T], axis=1)
    layers = tube(curve[:, :3], curve[:, 3:], round_section(ACROSS), (UP, RIGHT))
    spine: dict[str, Ids] = {}
    base, start = None, 0
    for name, end in ENDS.items():
        stop = int(np.searchsorted(curve[:, 0], end))
        spine[name] = blocks.sweep(name, layers[start:stop], base)
        base, start = spine[name][-1], stop
    return spine


def _middle(blocks: Blocks, ids: Ids, x: float) -> int:
    """The layer of a segment that is nearest to an x [m]."""
    return int(np.abs(blocks.points[ids].mean(axis=(1, 2))[:, 0] - x).argmin())


def _outward(blocks: Blocks, segment: Ids, layer: int, base: Ids) -> Array:
    """The unit normal of a patch of the side of a segment, near one of its layers."""
    x = blocks.points[base]
    normal = np.cross(*patch_axes(x))
    out = x.mean(axis=(0, 1)) - blocks.points[segment[layer]].mean(axis=(0, 1))
    return normal / np.linalg.norm(normal) * np.sign(normal @ out)


def _crest(blocks: Blocks, name: str, segment: Ids, height: float) -> None:
    """A plate on the back that leans to the tail."""
    layer = len(segment) // 2
    base = side(segment, layer - 1, layer + 1, BACK - 1, 2)
    x = blocks.points[base]
    along, _ = patch_axes(x)
    along /= np.linalg.norm(along)
    out = _outward(blocks, segment, layer, base)
    s = np.array([0, 0.2, 0.4, 0.6, 0.82, 1.0])
    line = x.mean(axis=(0, 1)) + height * (np.outer(s, out) - np.outer(0.32 * s**2, along))
    widths = np.stack([0.42 * height * (1 - 0.85 * s**1.5), 0.014 - 0.009 * s], axis=1)
    blocks.sweep(name, eased(x, tube(line, widths, round_section(2), patch_axes(x))[1:], 1), base)


def _eye(blocks: Blocks, head: Ids, brow: int) -> None:
    layer = _middle(blocks, head, 0.84)
    base = side(head, layer - 1, layer + 1, brow - 1, 2)
    x = blocks.points[base]
    line = x.mean(axis=(0, 1)) + np.outer([0, 0.02, 0.034, 0.044], _outward(blocks, head, layer, base))
    blocks.sweep("head", tube(line, np.array([0.04, 0.034, 0.028, 0.015]), round_section(2), patch_axes(x))[1:], base)


def _stone(blocks: Blocks, body: Ids) -> None:
    layer = len(body) // 2
    base = side(body, layer - 2, layer + 2, BELLY - 2, 4)
    x = blocks.points[base]
    middle = x.mean(axis=(0, 1))
    section = round_section(ACROSS)
    angle = np.arctan2(section[..., 1], section[..., 0])
    layers = []
    for y, long, wide in STONE:
        rough = 1 + 0.05 * np.sin(3 * angle + 9 * y) + 0.035 * np.sin(5 * angle - 14 * y + 1)
        points = section * rough[..., None]
        down = np.full(section.shape[:2], y)
        layers.append(np.stack([middle[0] + long * points[..., 0], down, middle[2] + wide * points[..., 1]], axis=-1))
    stacked = np.stack(layers)
    along, across = patch_axes(x)
    stacked = stacked if along[0] > 0 else stacked[:, ::-1]
    stacked = stacked if across[2] > 0 else stacked[:, :, ::-1]
    blocks.sweep("body2", stacked, base)


def _leg(
    blocks: Blocks, name: str, body: Ids, corner: int, joint: float, ends: tuple[tuple[float, ...], ...], thick: float
) -> None:
    """Upper leg, lower leg, foot and three toes on a flank."""
    layer = _middle(blocks, body, joint)
    base = side(body, layer - 1, layer + 2, corner, 3)
    x = blocks.points[base]
    start = x.mean(axis=(0, 1))
    middle = blocks.points[body[layer]].mean(axis=(0, 1))[2]
    out = np.sign(start[2] - middle)
    knee, ankle, tip = (np.array([ex, ey, middle + out * ez]) for ex, ey, ez in ends)
    hip = (start + knee) / 2 + 0.012 * _outward(blocks, body, layer, base)
    knots = np.stack([start, hip, knee, ankle, (ankle + tip) / 2, tip])
    radii = thick * np.array([1.25, 1.1, 0.86, 0.62, 0.68, 0.55])
    fine = sdf.spline(np.column_stack([knots, radii]), 16)
    flat = np.stack([fine[:, 3], fine[:, 3] * np.append(np.ones(12), [0.9, 0.8, 0.7, 0.6])[:16]], axis=1)
    layers = eased(x, tube(fine[:, :3], flat, round_section(3), patch_axes(x))[1:], 1)
    upper = blocks.sweep(f"{name}_upper", layers[:5], base)
    lower = blocks.sweep(f"{name}_lower", layers[5:10], upper[-1])
    foot = blocks.sweep(f"{name}_foot", layers[10:], lower[-1])
    ahead = tip - ankle
    ahead /= np.linalg.norm(ahead)
    _toe(blocks, f"{name}_toe1", foot[-1], ahead, ahead, round_section(3))
    pairs = [[side(foot, len(foot) - 3, len(foot) - 2, first, 3) for first in pair] for pair in ((0, 6), (3, 9))]
    level = min(pairs, key=lambda pair: abs(_outward(blocks, foot, len(foot) - 3, pair[0])[1]))
    for number, patch in enumerate(level):
        out = _outward(blocks, foot, len(foot) - 3, patch)
        _toe(
            blocks, f"{name}_toe{number + 2}", patch, out + 0.5 * ahead, ahead + out * [0.9, 0, 0.9], flat_section(1, 3)
        )


def _toe(blocks: Blocks, name: str, base: Ids, first: Array, last: Array, section: Array) -> None:
    """A toe that sets out in one direction and ends in another, its claw bent down."""
    x = blocks.points[base]
    s = np.array([0, 0.2, 0.45, 0.7, 1.0])
    first, last = first / np.linalg.norm(first), last / np.linalg.norm(last)
    way = np.outer(s, first) + np.outer(s**2 / 2, last - first)
    line = x.mean(axis=(0, 1)) + TOE * way + np.outer(0.015 * s - 0.04 * s**2, UP)
    blocks.sweep(name, eased(x, tube(line, 0.017 - 0.011 * s**1.5, section, patch_axes(x))[1:], 1), base)
