"""How much a sheet bends: second derivatives h of the position in every triangle, linear in the vertices around it.

    h = sum_e (L_e / A) (g_e - s_e) nu_e nu_e^T                                                  (Morley's triangle)

over the edges of a triangle with area A: nu_e in its plane and across the edge, L_e its length, g_e the slope of x
along -nu_e in the flat triangle and s_e that in the middle of the edge. Morley (1968) has s_e as unknowns. Here it is a
sum over the vertices around the edge that is exact for quadratic x, and the same from both sides. So the energy is at
least that of Morley's triangle and, of a smooth shape, tends to the true one: frequencies of plates converge on any
mesh.
Neighbours are unfolded into the plane of the triangles at the edge, so that sheets may be curved.

At an edge that nothing holds s_e is what costs the least energy: stiffness C becomes C - C m (m^T C m)^-1 m^T C with
m = nu nu^T. At a clamped edge it stays what it is at rest. Symmetric 2 x 2 are written as (11, 22, sqrt 2 12).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pliant.errors import Array, Ids
from pliant.mesh.sheet import Sheet

Mask = NDArray[np.bool_]

DEPENDENT = 0.02  # singular values below this part of the largest: neighbours that do not tell quadratics apart
INEXACT = 1e-6  # error of the slope of a quadratic across an edge of length one, at which more neighbours are asked
FLAT = 1e-9  # curvature times the size of a triangle that is rounding


@dataclass(frozen=True)
class Bending:
    """Attributes:
    axes: (m, 2, 3) unit vectors in the plane of each triangle at rest.
    slopes: (m, 3, 2) gradients of the shape functions along them [1/m].
    nodes: (m, p) vertices that h depends on, the triangle's own first; padded by the first.
    rows: (m, 3, p) the change of h, less that of its part in the plane, is rows u; zero where padded [1/m^2].
    rest: (m, 3) curvature at rest, h . N [1/m].
    loose: (m, 3, 3) nu nu^T L / A of each edge that nothing holds; zero for the others.
    """

    axes: Array
    slopes: Array
    nodes: Ids
    rows: Array
    rest: Array
    loose: Array


class _Terms(NamedTuple):
    """Side `side` adds factor x_node to its slope difference g - s."""

    side: Ids
    node: Ids
    factor: Array

    def of(self, sides: Mask) -> _Terms:
        """Those of some sides, a mask (3m,)."""
        kept = sides[self.side]
        return _Terms(self.side[kept], self.node[kept], self.factor[kept])


class _Unfolded(NamedTuple):
    """A triangle beside each edge, laid into its plane: (e,) triangle, (e, 3, 2) corners, (e,) the side it hangs on."""

    triangle: Ids
    corners: Array
    side: Ids
    there: Array


def bending(sheet: Sheet, clamped: Mask) -> Bending:
    """Of a sheet some of whose vertices, a mask (n,), are clamped: edges between two of them do not turn."""
    axes, slopes, shapes, across = _frames(sheet)
    pairs, edge = sheet.sides
    inner = (pairs[:, 1] >= 0)[edge]
    held = clamped[sheet.cells[:, [[1, 2], [2, 0], [0, 1]]]].all(axis=2).ravel()
    own = _Terms(
        np.repeat(np.arange(len(edge)), 3),
        np.repeat(sheet.cells, 3, axis=0).ravel(),
        -np.einsum("mak,mck->mca", slopes, across).ravel(),
    )
    fitted = _edge_slopes(sheet, pairs[pairs[:, 1] >= 0])
    at_rest = _joined(own.of(inner), fitted)
    moving = _joined(own.of(inner | held), fitted.of(~held))
    h = np.zeros((sheet.cell_count, 3, 3))
    np.add.at(h, at_rest.side // 3, _values(at_rest, shapes)[:, :, None] * sheet.vertices[at_rest.node][:, None])
    normal = np.cross(axes[:, 0], axes[:, 1])
    rest, tangential = np.einsum("mci,mi->mc", h, normal), np.einsum("mci,mki->mck", h, axes)
    rest[np.abs(rest).max(axis=1) * np.sqrt(sheet.volumes) < FLAT] = 0.0
    nodes, rows = _gathered(sheet, moving, shapes)
    rows[:, :, :3] -= np.einsum("mck,mak->mca", tangential, slopes)
    loose = np.where((inner | held)[:, None], 0.0, shapes).reshape(-1, 3, 3)
    return Bending(axes, slopes, nodes, rows, rest, loose)


def _frames(sheet: Sheet) -> tuple[Array, Array, Array, Array]:
    """Axes, gradients, (3m, 3) L / A nu nu^T of each side, and (m, 3, 2) nu."""
    corners = sheet.vertices[sheet.cells]
    first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normal = np.cross(first, second)
    x = first / np.linalg.norm(first, axis=1)[:, None]
    y = np.cross(normal / np.linalg.norm(normal, axis=1)[:, None], x)
    axes = np.stack([x, y], axis=1)
    flat = np.einsum("mki,mai->mak", axes, corners - corners[:, :1])
    side = flat[:, [2, 0, 1]] - flat[:, [1, 2, 0]]
    across = np.stack([side[..., 1], -side[..., 0]], axis=2)  # outward, as long as the side
    lengths = np.linalg.norm(side, axis=2)
    slopes = -across / (2 * sheet.volumes)[:, None, None]
    across = across / lengths[..., None]
    shapes = np.stack([across[..., 0] ** 2, across[..., 1] ** 2, np.sqrt(2) * across[..., 0] * across[..., 1]], axis=2)
    return axes, slopes, (shapes * (lengths / sheet.volumes[:, None])[..., None]).reshape(-1, 3), across


def _edge_slopes(sheet: Sheet, pairs: Ids) -> _Terms:
    """-s of both sides of edges (e, 2)."""
    nodes, weights = _patch_weights(sheet, pairs, rings=1)
    few = np.flatnonzero(np.isnan(weights[:, 0]))
    terms = [_two_sided(pairs, nodes, weights, ~np.isnan(weights[:, 0]))]
    if few.size:
        wider, factors = _patch_weights(sheet, pairs[few], rings=2, whatever=True)
        terms.append(_two_sided(pairs[few], wider, factors, np.ones(len(few), dtype=bool)))
    return _joined(*terms)


def _two_sided(pairs: Ids, nodes: Ids, weights: Array, kept: Mask) -> _Terms:
    """s leads from the first side's edge into its triangle, and so out of the second's."""
    pairs, nodes, weights = pairs[kept], nodes[kept].ravel(), weights[kept]
    count = weights.shape[1]
    return _joined(
        _Terms(np.repeat(pairs[:, 0], count), nodes, -weights.ravel()),
        _Terms(np.repeat(pairs[:, 1], count), nodes, weights.ravel()),
    )


def _patch_weights(sheet: Sheet, pairs: Ids, rings: int, whatever: bool = False) -> tuple[Ids, Array]:
    """Vertices (e, p) around each edge and their weights in s [1/m]; not numbers where they cannot tell quadratics
    apart, or `whatever` they give."""
    X, cells = sheet.vertices, sheet.cells
    first, second = pairs.T
    start, end = (cells[first // 3, (first % 3 + k) % 3] for k in (1, 2))
    length = np.linalg.norm(X[end] - X[start], axis=1)
    patch = [_beside(sheet, rows, start, end, sign) for rows, sign in ((first, 1.0), (second, -1.0))]
    level = patch
    for _ in range(rings):
        level = [_next(sheet, triangle, step) for triangle in level for step in (1, 2)]
        patch = patch + level
    tips = [cells[t.triangle, t.side] for t in patch]
    nodes = np.stack([start, end, *tips], axis=1)
    half = np.stack([0.5 * length, np.zeros_like(length)], axis=1)
    places = np.stack([-half, half, *(t.corners[np.arange(len(pairs)), t.side] for t in patch)], axis=1)
    there = np.stack([np.ones_like(length), np.ones_like(length), *(t.there for t in patch)], axis=1)
    weights = _flat_mean(places / length[:, None, None])
    weights, exact = _corrected(weights, places / length[:, None, None], there)
    weights = weights / length[:, None]
    if not whatever:
        weights[~exact] = np.nan
    return nodes, weights


def _flat_mean(places: Array) -> Array:
    """Slope across the edge, from -1/2 to 1/2, of the two flat triangles, each counting as the other is high."""
    (s1, h1), (s2, h2) = places[:, 2].T, places[:, 3].T
    share1, share2 = -h2 / (h1 - h2) / h1, h1 / (h1 - h2) / -h2
    weights = np.zeros(places.shape[:2])
    weights[:, 0] = -share1 * (0.5 - s1) + share2 * (0.5 - s2)
    weights[:, 1] = -share1 * (0.5 + s1) + share2 * (0.5 + s2)
    weights[:, 2], weights[:, 3] = share1, -share2
    return weights


def _corrected(weights: Array, places: Array, there: Array) -> tuple[Array, Mask]:
    """The nearest weights that are exact for linear functions and, where the vertices can, for quadratic ones."""
    x, y = places[..., 0], places[..., 1]
    linear = np.stack([np.ones_like(x), x, y], axis=1) * there[:, None]
    quadratic = np.stack([x * x, x * y, y * y], axis=1) * there[:, None]
    within = quadratic - (quadratic @ np.linalg.pinv(linear)) @ linear
    wrong = np.einsum("ecp,ep->ec", quadratic, weights)  # the slopes themselves are zero in the middle
    change = np.einsum("epc,ec->ep", np.linalg.pinv(within, rcond=DEPENDENT), -wrong)
    left = wrong + np.einsum("ecp,ep->ec", quadratic, change)
    return weights + change, np.abs(left).max(axis=1) < INEXACT


def _beside(sheet: Sheet, rows: Ids, start: Ids, end: Ids, sign: float) -> _Unfolded:
    """The triangles of these sides, with the edge along x and its middle at the origin."""
    X, triangle, side = sheet.vertices, rows // 3, rows % 3
    along = X[end] - X[start]
    length = np.linalg.norm(along, axis=1)
    tip = X[sheet.cells[triangle, side]] - 0.5 * (X[start] + X[end])
    s = np.einsum("ei,ei->e", tip, along) / length
    h = np.linalg.norm(tip - (s / length)[:, None] * along, axis=1)
    corners, every = np.zeros((len(rows), 3, 2)), np.arange(len(rows))
    corners[every, side] = np.stack([s, sign * h], axis=1)
    for step in (1, 2):
        corner = (side + step) % 3
        corners[every, corner, 0] = np.where(sheet.cells[triangle, corner] == start, -0.5, 0.5) * length
    return _Unfolded(triangle, corners, side, np.ones(len(rows)))


def _next(sheet: Sheet, known: _Unfolded, step: int) -> _Unfolded:
    """The triangles behind another side of those that are known; where there is none, a point that does not count."""
    pairs, edge = sheet.sides
    X, every = sheet.vertices, np.arange(len(known.triangle))
    side = (known.side + step) % 3
    row = 3 * known.triangle + side
    both = pairs[edge[row]]
    behind = np.where(both[:, 0] == row, both[:, 1], both[:, 0])
    there = known.there * (behind >= 0)
    behind = np.where(behind >= 0, behind, row)
    triangle, new = behind // 3, behind % 3
    a, b = (sheet.cells[known.triangle, (side + k) % 3] for k in (1, 2))
    A, B, C = (known.corners[every, (side + k) % 3] for k in (1, 2, 0))
    along, tip = X[b] - X[a], X[sheet.cells[triangle, new]] - X[a]
    length = np.linalg.norm(along, axis=1)
    s = np.einsum("ei,ei->e", tip, along) / length
    h = np.linalg.norm(tip - (s / length)[:, None] * along, axis=1)
    unit = (B - A) / length[:, None]
    away = np.stack([-unit[:, 1], unit[:, 0]], axis=1)
    away *= -np.sign(np.einsum("ek,ek->e", C - A, away))[:, None]
    corners = np.empty((len(row), 3, 2))
    corners[every, new] = A + s[:, None] * unit + h[:, None] * away
    for k in (1, 2):
        corner = (new + k) % 3
        corners[every, corner] = np.where((sheet.cells[triangle, corner] == a)[:, None], A, B)
    return _Unfolded(triangle, corners, new, there)


def _joined(*terms: _Terms) -> _Terms:
    return _Terms(*(np.concatenate(arrays) for arrays in zip(*terms)))


def _values(terms: _Terms, shapes: Array) -> Array:
    """What each adds to h of its triangle (N, 3)."""
    return shapes[terms.side] * terms.factor[:, None]


def _gathered(sheet: Sheet, terms: _Terms, shapes: Array) -> tuple[Ids, Array]:
    """Nodes (m, p) and rows (m, 3, p) of every triangle."""
    m, n = sheet.cell_count, sheet.vertex_count
    own = (np.arange(m)[:, None] * n + sheet.cells).ravel()
    keys, place = np.unique(np.concatenate([own, terms.side // 3 * n + terms.node]), return_inverse=True)
    values = np.zeros((len(keys), 3))
    np.add.at(values, place[3 * m :], _values(terms, shapes))
    triangle, node = keys // n, keys % n
    match = sheet.cells[triangle] == node[:, None]
    kept = match.any(axis=1) | (np.abs(values).max(axis=1) > 0)
    triangle, node, values, match = triangle[kept], node[kept], values[kept], match[kept]
    local = np.where(match.any(axis=1), match.argmax(axis=1), 3)
    order = np.lexsort((local, triangle))
    count = np.bincount(triangle, minlength=m)
    column = np.arange(len(order)) - np.repeat(np.cumsum(count) - count, count)
    nodes = np.repeat(sheet.cells[:, :1], count.max(), axis=1)
    rows = np.zeros((m, 3, count.max()))
    nodes[triangle[order], column] = node[order]
    rows[triangle[order], :, column] = values[order]
    return nodes, rows
