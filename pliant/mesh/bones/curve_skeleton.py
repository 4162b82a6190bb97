"""Bones from the shape alone: a curve through the middle of every limb, cut into segments.

The body is filled with cubes, each r away from the outside. Paths that cost (1 - r/r_max)^POWER a metre keep to the
middle; all lead from the tips of limbs to a deepest cube, so that together they are a tree (TEASAR, Sato et al.
2000). A path is followed from the farthest cube that no ball around an earlier path holds, until none is left.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt, label
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import cKDTree

from pliant.errors import ArgumentError, Array, Ids, check_count
from pliant.mesh.bones.skeleton import Skeleton
from pliant.mesh.mesh import Mesh
from pliant.mesh.surface import Surface
from pliant.mesh.surface_input import SurfaceLike, as_surface
from pliant.mesh.voxelisation import filled_grid

POWER, OUTER = 16, 1e4  # how much a path shuns the surface; its cost there over that in the middle
DEEP = 0.9  # of the greatest r: of all that are so deep, the cube nearest to the centre is in the middle
HELD, EDGES = 1.2, 2.0  # balls that hold what a path stands for: times r, and more cubes
BESIDE = 0.4  # times r, and a cube: paths so near to each other are one
STANDS_OUT = 1.25  # times r where it leaves the others: shorter branches are no limbs
ALIKE = 0.7  # times r: places where limbs leave the others, so near to each other, are one
SMOOTHED = 3  # times a curve is averaged with its neighbours
LONG = 5.0  # times its mean r: a longer bone is cut in two, where no number is asked for
INSIDE = 0.9  # edges: from the middle of a cube to its corner, and a little
WORST, MOST = 1e3, 1000  # cost of a bone outside; bones
BENT = 0.15  # of its length: how far a curve may leave a bone that is cut in the middle

EVERYWHERE = np.ones((3, 3, 3), dtype=bool)
HALF = np.array([(i, j, k) for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)][14:])  # one of each two ways


def curve_skeleton(shape: Mesh | SurfaceLike, bones: int | None = None, resolution: int = 64) -> Skeleton:
    """Bones through the middle of a body and of each of its limbs, that meet where limbs leave it.

    Args:
        shape: a Mesh, a Surface, a path, or (vertices, triangles).
        bones: how many; the least limbs are left out where it has more. None: as its limbs are long.
        resolution: cubes along the longest side; limbs thinner than one are not seen.
    """
    count = None if bones is None else check_count("bones", bones, at_most=1000)
    body = _body(shape, check_count("resolution", resolution, at_least=8, at_most=200))
    return Skeleton(np.array([_within(x, body) for x in _cut(_curves(body, count), body, count)]))


@dataclass(frozen=True, eq=False)
class _Body:
    """Cubes inside: centres (c, 3), how deep they are (c,), pairs of neighbours (e, 2), and the edge of a cube [m]."""

    x: Array
    r: Array
    pairs: Ids
    edge: float

    @cached_property
    def tree(self) -> cKDTree:
        return cKDTree(self.x)

    def holds(self, bone: Array) -> bool:
        """Does the segment (2, 3) stay inside?"""
        return bool((self.tree.query(Skeleton([bone]).samples(self.edge / 2)[0])[0] < INSIDE * self.edge).all())


def _body(shape: Mesh | SurfaceLike, resolution: int) -> _Body:
    surface = Surface(shape.vertices, shape.surface) if isinstance(shape, Mesh) else as_surface(shape)
    edge = float(np.ptp(surface.bounds, axis=0).max()) / resolution
    grid, inside = filled_grid(surface, edge)
    pieces, found = label(inside, EVERYWHERE)
    if not found:
        raise ArgumentError("the shape holds no cube; take a finer resolution, or a closed surface")
    inside = pieces == 1 + np.bincount(pieces.ravel())[1:].argmax()
    padded = np.pad(inside, 1)
    number = np.full(padded.shape, -1)
    number[padded] = np.arange(padded.sum())
    at = np.argwhere(padded)
    ends = [number[tuple((at + step).T)] for step in HALF]
    pairs = np.concatenate([np.stack([np.flatnonzero(end >= 0), end[end >= 0]], axis=1) for end in ends])
    return _Body(grid.centres()[inside.ravel()], edge * distance_transform_edt(padded)[padded], pairs, edge)


def _curves(body: _Body, count: int | None) -> list[Ids]:
    """Cubes along every branch of the tree, from where it meets others, outwards."""
    deep = np.flatnonzero(body.r > DEEP * body.r.max())
    middle = int(deep[np.linalg.norm(body.x[deep] - body.x.mean(axis=0), axis=1).argmin()])
    away, _ = _shortest(body, np.ones(len(body.x)), middle)
    shunned = 1 + OUTER * (1 - body.r / body.r.max()) ** POWER
    _, before = _shortest(body, shunned, middle)
    left = away.copy()
    taken, limbs = [middle], list[list[int]]()
    left[body.tree.query_ball_point(body.x[middle], HELD * body.r[middle] + EDGES * body.edge)] = -1
    while left.max() >= 0:
        path = _to_others(int(left.argmax()), middle, before, taken, body)
        for cube, reach in zip(path, HELD * body.r[path] + EDGES * body.edge):
            left[body.tree.query_ball_point(body.x[cube], reach)] = -1
        if _length(body.x[path]) > STANDS_OUT * body.r[path[-1]] + EDGES * body.edge or not limbs:
            taken += path[:-1]
            limbs.append(path[::-1])
    return _merged(_branches(_largest(limbs, body, count)), body)


def _to_others(tip: int, middle: int, before: Ids, taken: list[int], body: _Body) -> list[int]:
    """Cubes from a tip on the way to the middle, until one that is taken; what runs beside others joins them."""
    path = [tip]
    while path[-1] != middle:
        path.append(int(before[path[-1]]))
    away, which = cKDTree(body.x[taken]).query(body.x[path])
    near = int(np.argmax(away <= BESIDE * body.r[path] + body.edge))
    return [*path[: max(near, 1)], taken[int(which[near])]]


def _shortest(body: _Body, cost: Array, start: int) -> tuple[Array, Ids]:
    """Costs of the ways (c,) from a cube, and the cube before each on its way."""
    a, b = body.pairs.T
    ways = np.linalg.norm(body.x[a] - body.x[b], axis=1) * (cost[a] + cost[b]) / 2
    graph = sp.csr_matrix((ways, (a, b)), shape=(len(cost), len(cost)))
    found, before = dijkstra(graph, directed=False, indices=start, return_predecessors=True)
    return found, before


def _largest(limbs: list[list[int]], body: _Body, count: int | None) -> list[list[int]]:
    """As many of them as there can be branches for: n limbs make at most 2 n - 1."""
    kept = list(limbs)
    while count is not None and len(kept) > 1 and len(_branches(kept)) > count:
        needed = {limb[0] for limb in kept}
        free = [limb for limb in kept[1:] if not needed & set(limb[1:])] or kept[1:]
        kept.remove(min(free, key=lambda limb: _length(body.x[limb]) - body.r[limb[0]]))
    return kept


def _merged(branches: list[Ids], body: _Body) -> list[Ids]:
    """Without those that are short between others; these meet where the deeper end was."""
    left = [branch.tolist() for branch in branches]
    while True:
        ends = [end for branch in left for end in (branch[0], branch[-1])]
        inner = [branch for branch in left if min(ends.count(branch[0]), ends.count(branch[-1])) > 1]
        short = [branch for branch in inner if _length(body.x[branch]) < ALIKE * body.r[branch].max()]
        if not short:
            return [np.array(branch) for branch in left]
        a, b = sorted((short[0][0], short[0][-1]), key=lambda cube: -body.r[cube])
        left = [[a if cube == b else cube for cube in branch] for branch in left if branch is not short[0]]


def _branches(limbs: list[list[int]]) -> list[Ids]:
    """Limbs, cut where others leave them; two that meet alone in the middle are one."""
    meet = {limb[0] for limb in limbs}
    cut = list[list[int]]()
    for limb in limbs:
        at = [0, *(k for k in range(1, len(limb) - 1) if limb[k] in meet), len(limb) - 1]
        cut += [limb[a : b + 1] for a, b in pairwise(at)]
    for place in meet:
        ends = [branch for branch in cut if place in (branch[0], branch[-1])]
        if len(ends) == 2:
            cut = [branch for branch in cut if branch not in ends]
            first = ends[0] if ends[0][-1] == place else ends[0][::-1]
            second = ends[1] if ends[1][0] == place else ends[1][::-1]
            cut.append(first + second[1:])
    return [np.array(branch) for branch in cut]


def _cut(branches: list[Ids], body: _Body, count: int | None) -> list[Array]:
    """Places along every bone: first those that leave the body are cut, then the longest and most bent."""
    pieces = [(_smooth(body.x[branch]), body.r[branch]) for branch in branches]
    while len(pieces) < (count or MOST):
        costs = [_cost(x, r, body, count is None) for x, r in pieces]
        k = int(np.argmax(costs))
        if costs[k] <= 0:
            break
        x, r = pieces[k]
        at = _where(x)
        pieces[k : k + 1] = [(x[: at + 1], r[: at + 1]), (x[at:], r[at:])]
    return [x for x, _ in pieces]


def _cost(x: Array, r: Array, body: _Body, is_free: bool) -> float:
    """Of a bone in a curve; none where it cannot be cut, or need not, where their number is free."""
    if len(x) < 3:
        return 0.0
    length, off = _length(x), float(_off(x).max())
    if not body.holds(x[[0, -1]]):
        return WORST * length
    needs = length > LONG * r.mean() or off > r.mean()
    return length + off if needs or not is_free else 0.0


def _within(x: Array, body: _Body) -> Array:
    """(2, 3) ends of a bone that begins where a curve does and, where bones are too few to follow it, ends before."""
    return next(x[[0, k]] for k in range(len(x) - 1, 0, -1) if k == 1 or body.holds(x[[0, k]]))


def _where(x: Array) -> int:
    """Where a curve is cut: where it bends, or in its middle."""
    off, length = _off(x), _length(x)
    along = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(x, axis=0), axis=1)))
    at = int(off.argmax()) if off.max() > BENT * length else int(np.abs(along - length / 2).argmin())
    return min(max(at, 1), len(x) - 2)


def _off(x: Array) -> NDArray[np.float64]:
    """How far places (n, 3) are from the segment between the first and the last."""
    return Skeleton([x[[0, -1]]]).distances(x)[0][:, 0]


def _smooth(x: Array) -> Array:
    """Without the steps of cubes; its ends stay."""
    made = x.copy()
    for _ in range(SMOOTHED):
        made[1:-1] = (made[:-2] + 2 * made[1:-1] + made[2:]) / 4
    return made


def _length(x: Array) -> float:
    return float(np.linalg.norm(np.diff(x, axis=0), axis=1).sum())
