"""Trunks, boughs and twigs: tapered, bent tubes with shoots, and the places on them where something can grow."""

from dataclasses import dataclass

import numpy as np

from pliant.errors import Array, Ids
from pliant.mesh import Mesh, sdf
from pliant.scenes.assembly import seat
from pliant.scenes.models.blocks import Blocks, carried, directions, eased, patch_axes, round_section, side, tube

SIDEWAYS, UPWARDS = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
SHOOT_LAYERS = 5


@dataclass(frozen=True, eq=False)
class Axis:
    """The middle line (l, 3) of a tube, its radii (l,) [m], and two axes (l, 3) across it."""

    line: Array
    radii: Array
    u: Array
    v: Array

    @property
    def length(self) -> float:
        """[m]."""
        return float(np.linalg.norm(np.diff(self.line, axis=0), axis=1).sum())


@dataclass(frozen=True, eq=False)
class Slot:
    """A place on a piece: triangles (k, 3) to stand on, the way out of the wood and the way along it (3,)."""

    triangles: Ids
    outward: Array
    along: Array
    radius: float


@dataclass(frozen=True, eq=False)
class Wood:
    """A mesh that stands on its vertices `base` at the origin and grows along y, and the middle lines of its tubes."""

    mesh: Mesh
    base: Ids
    axes: tuple[Axis, ...]

    def slot(self, axis: int, place: float, angle: float, reach: float = 1.0) -> Slot:
        """On the side of a tube, at a fraction of its length; the seat has a radius of `reach` radii of the tube."""
        tube_axis = self.axes[axis]
        spots = np.linspace(0, 1, len(tube_axis.line))
        point, u, v, along = (
            np.array([np.interp(place, spots, column) for column in values.T])
            for values in (tube_axis.line, tube_axis.u, tube_axis.v, directions(tube_axis.line))
        )
        radius = float(np.interp(place, spots, tube_axis.radii))
        outward = np.cos(angle) * u + np.sin(angle) * v
        return Slot(seat(self.mesh, point + radius * outward, reach * radius), outward, along, radius)

    def tip(self, axis: int = 0) -> Slot:
        """On the end of a tube."""
        line, radius = self.axes[axis].line, float(self.axes[axis].radii[-1])
        along = directions(line)[-1]
        return Slot(seat(self.mesh, line[-1] + 0.1 * radius * along, 1.5 * radius), along, along, radius)


def wood(
    knots: Array, radii: Array, across: int, layers: int, shoots: tuple[tuple[float, int, float], ...] = ()
) -> Wood:
    """A tube along the smooth curve through `knots` (k, 3), with `radii` (k,) [m] at them.

    Args:
        across: blocks across the tube, 2 (eight-sided) or 3 (twelve-sided).
        layers: blocks along it, about.
        shoots: each shoot's place along the tube (0 to 1), the corner of the section it starts at, and its length.
    """
    curve = sdf.spline(np.column_stack([knots, radii]), 200)
    places = _layer_places(curve, layers, [place for place, _, _ in shoots])
    line = np.stack([np.interp(places, np.linspace(0, 1, 200), column) for column in curve.T], axis=1)
    blocks = Blocks()
    body = tube(line[:, :3], line[:, 3], round_section(across), (SIDEWAYS, UPWARDS))
    body[0, ..., 1] = 0  # a flat foot, though the curve may start out of plumb
    ids = blocks.sweep("wood", body)
    axes = [Axis(curve[:, :3], curve[:, 3], *carried(curve[:, :3], SIDEWAYS, UPWARDS))]
    for place, corner, length in shoots:
        middle = int(np.abs(places - place).argmin())
        axes.append(_shoot(blocks, side(ids, middle - 1, middle + 1, corner, 2), line[middle], length))
    mesh = blocks.mesh()
    ends = blocks.points[ids[0].ravel()]
    base = np.flatnonzero((np.abs(mesh.vertices[:, None] - ends).max(axis=2) == 0).any(axis=1))
    return Wood(mesh, base, tuple(axes))


def _layer_places(curve: Array, layers: int, shoots: list[float]) -> Array:
    """Fractions of the length: evenly spread, with a layer on either side of every shoot, one radius away."""
    length = np.linalg.norm(np.diff(curve[:, :3], axis=0), axis=1).sum()
    around = [place + side * 0.9 * np.interp(place, np.linspace(0, 1, len(curve)), curve[:, 3]) / length
              for place in shoots for side in (-1, 0, 1)]  # fmt: skip
    even = np.linspace(0, 1, layers + 1)
    gap = 0.45 / layers
    kept = [place for place in even if not around or np.abs(np.array(around) - place).min() > gap or place in (0, 1)]
    return np.sort(np.array(kept + around))


def _shoot(blocks: Blocks, base: Ids, stem: Array, length: float) -> Axis:
    """A tapered tube from a patch (3, 3) of a stem whose middle and radius are `stem` (4,); it bends upwards."""
    x = blocks.points[base]
    start, radius = x.mean(axis=(0, 1)), 0.74 * stem[3]
    outward = start - stem[:3]
    along, _ = patch_axes(x)
    out = outward / np.linalg.norm(outward) + 0.75 * along / np.linalg.norm(along)
    out /= np.linalg.norm(out)
    s = np.linspace(0, 1, SHOOT_LAYERS + 1)[:, None] ** 1.1
    bend = along / np.linalg.norm(along) + 0.6 * UPWARDS
    line = start + length * (s * out + 0.22 * s**2 * bend)
    radii = radius * (1 - 0.4 * s[:, 0])
    layers = tube(line, radii, round_section(2), patch_axes(x))[1:]
    blocks.sweep("wood", eased(x, layers, 1), base)
    return Axis(line, radii, *carried(line, *patch_axes(x)))
