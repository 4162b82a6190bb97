"""Solids grown block by block: every part is a grid of points swept along a line, and may start on a side of another.

Parts that start on another one share its vertices there and no others, so the parts make a tree by construction, with
clean faces between them.
"""

import numpy as np
from numpy.typing import NDArray

from pliant.errors import Array, Ids, MeshError
from pliant.mesh import Mesh
from pliant.mesh.cell_kinds import TET, signed_volumes
from pliant.mesh.grid import grid_cells
from pliant.mesh.round_shapes import conforming_tets


class Blocks:
    """A growing solid. `sweep` adds blocks to a part, `mesh` turns them into labelled tets.

    Copies of a part become copies to the last tet if they are swept alike, also where they stand on different sides of
    their parents: vertices are numbered from the youngest part to the oldest, and the numbers say how blocks are cut.
    """

    def __init__(self) -> None:
        self.points: Array = np.empty((0, 3))
        self._hexes: dict[str, list[Ids]] = {}
        self._sequence: dict[str, list[Ids]] = {}

    def sweep(self, part: str, layers: Array, base: Ids | None = None, filled: NDArray[np.bool_] | None = None) -> Ids:
        """Add blocks between layers of points to a part.

        Args:
            layers: positions (l, a, b, 3) [m].
            base: (a, b) vertices of an earlier sweep that the first layer stands on; it is then one more block.
            filled: (blocks along, a - 1, b - 1) the blocks there are; None: all.

        Returns:
            ids (points along, a, b) of the vertices, those of the base first.
        """
        count, a, b, _ = layers.shape
        ids = len(self.points) + np.arange(count * a * b).reshape(count, a, b)
        self.points = np.concatenate([self.points, layers.reshape(-1, 3)])
        if base is not None:
            ids = np.concatenate([base[None], ids])
        everywhere = np.ones((len(ids) - 1, a - 1, b - 1), dtype=bool)
        self._hexes.setdefault(part, []).append(ids.ravel()[grid_cells(everywhere if filled is None else filled)])
        self._sequence.setdefault(part, []).append(ids.ravel())
        return ids

    def mesh(self) -> Mesh:
        """Tets, six a block; the cell groups are the parts in the order in which they were begun."""
        used = np.unique(np.concatenate([np.concatenate(hexes).ravel() for hexes in self._hexes.values()]))
        youngest_first = np.concatenate([ids for name in reversed(self._sequence) for ids in self._sequence[name]])
        _, first = np.unique(youngest_first, return_index=True)
        order = youngest_first[np.sort(first)]
        order = order[np.isin(order, used)]
        rank = np.empty(len(self.points), dtype=np.int64)
        rank[order] = np.arange(len(order))
        points, cells, groups, start = self.points[order], [], {}, 0
        for name, sweeps in self._hexes.items():
            tets = np.concatenate([_unfolded(points, conforming_tets(rank[hexes]), name) for hexes in sweeps])
            cells.append(tets)
            groups[name] = np.arange(start, start + len(tets))
            start += len(tets)
        return Mesh(points, np.concatenate(cells), cell_groups=groups)


def _unfolded(points: Array, tets: Ids, name: str) -> Ids:
    """The tets of a sweep, all turned right; a sweep may be left-handed as a whole, but not in places."""
    volumes = signed_volumes(points[tets])
    handed = np.sign(volumes.sum())
    folded = np.flatnonzero(handed * volumes <= 0)
    if folded.size:
        raise MeshError(
            f"part {name!r} is folded in {folded.size} of {len(tets)} tets; bend it less, or move its layers"
        )
    return tets if handed > 0 else tets[:, TET.mirrored]


def round_section(count: int) -> Array:
    """A square grid of `count` blocks each way, pressed into the unit disc (count + 1, count + 1, 2)."""
    square = flat_section(count, count)
    largest = np.abs(square).max(axis=-1, keepdims=True)
    quarter = np.pi / 4 * square / np.maximum(largest, 1e-300)
    wide = np.abs(square[..., :1]) >= np.abs(square[..., 1:])
    upright = np.concatenate([np.cos(quarter[..., 1:]) * np.sign(square[..., :1]), np.sin(quarter[..., 1:])], axis=-1)
    level = np.concatenate([np.sin(quarter[..., :1]), np.cos(quarter[..., :1]) * np.sign(square[..., 1:])], axis=-1)
    return largest * np.where(wide, upright, level)


def flat_section(wide: int, thick: int) -> Array:
    """A grid (wide + 1, thick + 1, 2) of the square from -1 to 1."""
    axes = np.linspace(-1, 1, wide + 1), np.linspace(-1, 1, thick + 1)
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)


def side(ids: Ids, start: int, stop: int, first: int, count: int) -> Ids:
    """A patch (stop - start + 1, count + 1) of the side of a sweep.

    From layer `start` to layer `stop`, and `count` faces around from corner `first` of the section; corners go around
    along the second axis at the lower end of the first, and so on.
    """
    _, a, b = ids.shape
    rows = np.concatenate([np.zeros(b - 1), np.arange(a - 1), np.full(b - 1, a - 1), np.arange(a - 1, 0, -1)])
    columns = np.concatenate([np.arange(b - 1), np.full(a - 1, b - 1), np.arange(b - 1, 0, -1), np.zeros(a - 1)])
    around = (first + np.arange(count + 1)) % len(rows)
    return ids[start : stop + 1][:, rows[around].astype(int), columns[around].astype(int)]


def tube(line: Array, half_widths: Array, section: Array, axes: tuple[Array, Array]) -> Array:
    """Layers (l, a, b, 3): a section (a, b, 2) carried along a line (l, 3) without twisting.

    Args:
        half_widths: (l,) or (l, 2) what the two coordinates of the section are multiplied by [m].
        axes: about where they point at the start; both are turned to be square to the line.
    """
    widths = np.broadcast_to(half_widths.reshape(len(line), -1), (len(line), 2))
    u, v = carried(line, *axes)
    offsets = np.einsum("abk,lk,kli->labi", section, widths, np.stack([u, v]))
    return line[:, None, None] + offsets


def carried(line: Array, u: Array, v: Array) -> tuple[Array, Array]:
    """Two axes (l, 3) each, square to a line (l, 3) and to each other, that start about as u and v and do not twist."""
    tangents = directions(line)
    firsts, seconds = np.empty_like(line), np.empty_like(line)
    for place, tangent in enumerate(tangents):
        u = _square_to(u, tangent)
        handed = np.cross(tangent, u)
        v = handed if handed @ v > 0 else -handed
        firsts[place], seconds[place] = u, v
    return firsts, seconds


def directions(line: Array) -> Array:
    """Unit tangents (l, 3) of a line (l, 3)."""
    slopes = np.gradient(line, axis=0)
    return slopes / np.linalg.norm(slopes, axis=1, keepdims=True)


def patch_axes(x: Array) -> tuple[Array, Array]:
    """The directions of the rows and columns of a patch of points (a, b, 3): the axes of a tube that stands on it."""
    return (x[-1] - x[0]).mean(axis=0), (x[:, -1] - x[:, 0]).mean(axis=0)


def eased(start: Array, layers: Array, over: int) -> Array:
    """The layers (l, a, b, 3) again, the first `over` of them bent towards the shape (a, b, 3) they start on."""
    offset = start - start.mean(axis=(0, 1)) - (layers[0] - layers[0].mean(axis=(0, 1)))
    fade = np.clip(1 - np.arange(1, len(layers) + 1) / (over + 1), 0, 1) ** 1.5
    return layers + fade[:, None, None, None] * offset


def _square_to(u: Array, tangent: Array) -> Array:
    across = u - (u @ tangent) * tangent
    return across / np.linalg.norm(across)
