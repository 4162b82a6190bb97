"""Where and how the strain products of a cell are integrated exactly ([SI05] section 4; maths sheet section 5).

One row of a rule is one component of the Green strain at one point: 0 .. 5 are xx, yy, zz, yz, xz, xy, and 6 the trace.
With w the rest volume of the point, T_lam sums w tr tr (weight w) and T_mu 2 w e:e (weight 2w, shear 4w).
Tets: one point, 7 rows. Axis-parallel bricks: component-wise Gauss rules, 90 rows instead of the 189 of 27 full points.
Quadratic cells: the points of the full model, so that the reduced force is its projection.
"""

from itertools import product
from typing import NamedTuple

import numpy as np

from pliant.errors import Array, Ids
from pliant.fem import Solid
from pliant.mesh.shape_functions import HEX_CORNERS

TRACE = 6
# Gauss points along x, y, z that integrate the square of each component exactly over a brick.
BRICK_RULES = ((1, 3, 3), (3, 1, 3), (3, 3, 1), (3, 2, 2), (2, 3, 2), (2, 2, 3), (3, 3, 3))


class Rule(NamedTuple):
    """Rows of the strain table of each block of congruent cells; rows of the trace come first.

    Attributes:
        gradients: (blocks, points, corners, 3) d phi_a / dX [1/m].
        points: (rows,) the point of a row.
        components: (rows,) 0 .. 6.
        weights: (blocks, rows) [m^3].
        traces: how many rows are traces.
    """

    gradients: Array
    points: Ids
    components: Ids
    weights: Array
    traces: int


def rule(solid: Solid) -> Rule:
    """The cheapest exact rule for the cells of a solid."""
    e = solid.elements
    if solid.mesh.kind == "hex":
        edges = _brick_edges(solid)
        if edges is not None:
            return _brick_rule(edges)
    return _point_rule(e.gradients, e.weights)


def _point_rule(gradients: Array, weights: Array) -> Rule:
    """All seven rows at each point."""
    count = gradients.shape[1]
    points = np.concatenate([np.arange(count), np.repeat(np.arange(count), 6)])
    components = np.concatenate([np.full(count, TRACE), np.tile(np.arange(6), count)])
    return Rule(gradients, points, components, weights[:, points] * _factor(components), count)


def _factor(components: Ids) -> Array:
    return np.array([2.0, 2.0, 2.0, 4.0, 4.0, 4.0, 1.0])[components]


def _brick_edges(solid: Solid) -> Array | None:
    """Edge lengths (blocks, 3) if all blocks are axis-parallel bricks, else None."""
    blocks = solid.elements.blocks
    _, first = np.unique(blocks, return_index=True)
    corners = solid.mesh.vertices[solid.mesh.cells[first]]
    edges = corners[:, 6] - corners[:, 0]
    expected = corners[:, :1] + 0.5 * (HEX_CORNERS + 1) * edges[:, None]
    return edges if np.abs(corners - expected).max() <= 1e-9 * np.abs(edges).max() else None


def _brick_rule(edges: Array) -> Rule:
    parts = [_brick_points(component) for component in (TRACE, *range(6))]
    xi = np.concatenate([points for points, _ in parts])
    local = np.concatenate([weights for _, weights in parts])
    components = np.concatenate([np.full(len(p), c) for c, (p, _) in zip((TRACE, *range(6)), parts)])
    factors = 1 + xi[:, None] * HEX_CORNERS
    slopes = HEX_CORNERS * factors[:, :, [1, 2, 0]] * factors[:, :, [2, 0, 1]] / 8
    gradients = slopes * (2 / edges)[:, None, None, :]
    weights = edges.prod(axis=1)[:, None] / 8 * (local * _factor(components))
    return Rule(gradients, np.arange(len(xi)), components, weights, len(parts[0][0]))


def _brick_points(component: int) -> tuple[Array, Array]:
    axes = [np.polynomial.legendre.leggauss(order) for order in BRICK_RULES[component]]
    points = np.array(list(product(*(x for x, _ in axes))))
    return points, np.array([a * b * c for a, b, c in product(*(w for _, w in axes))])
