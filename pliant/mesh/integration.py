"""Integration points of the reference cells: where their strain energy is sampled, and rules that are exact for masses.

Strain energy, by the number of nodes:
    Tet4    1 point: strains are constant.
    Tet10   4 points, exact to degree 2. F is linear in a straight cell and four points determine it: no mode is free.
            Curved: 8 points, exact to degree 3, which uniform stress needs (the patch test).
    Hex8    3 x 3 x 3 Gauss points, exact for St. Venant-Kirchhoff in a brick (degree 4 along each axis).
    Hex11   the same.
    Hex20   14 points, exact to degree 5 (Irons 1971), half the cost of 27; the gradients there leave no mode free.
            Curved: 3 x 3 x 3 Gauss points, for the patch test.
Any fixed points keep reduced StVK forces exactly cubic; all weights are positive.
"""

from functools import cache
from itertools import product

import numpy as np
from scipy.special import roots_jacobi

from pliant.errors import Array
from pliant.mesh.shape_functions import HEX_CORNERS

Rule = tuple[Array, Array]  # points (p, 3) and weights (p,), which sum to the volume of the reference cell


@cache
def energy_rule(count: int, curved: bool = False) -> Rule:
    """Where the strain energy of a cell with `count` nodes is sampled; `curved`: its edges are not straight."""
    if count == 4:
        return np.full((1, 3), 0.25), np.full(1, 1 / 6)
    if count == 10 and curved:
        return conical_tet(2)
    if count == 10:
        far, near = (5 + 3 * np.sqrt(5)) / 20, (5 - np.sqrt(5)) / 20
        return np.vstack([np.full(3, near), near + (far - near) * np.eye(3)]), np.full(4, 1 / 24)
    return gauss_cube(3) if count in (8, 11) or curved else _irons()


@cache
def mass_rule(count: int) -> Rule:
    """Exact for products of two shape functions, also in curved cells."""
    if count in (4, 10):
        return conical_tet(4)
    return gauss_cube({8: 3, 11: 4}.get(count, 5))


@cache
def volume_rule(count: int) -> Rule:
    """Exact for the volume, also of curved cells: det dX/dxi has degree 3 in a Tet10, 5 along each axis of a Hex20."""
    if count not in (4, 10):
        return gauss_cube(3)
    points = np.vstack([np.full(3, 1 / 4), np.full(3, 1 / 6), 1 / 6 + np.eye(3) / 3])
    return points, np.array([-2 / 15, 3 / 40, 3 / 40, 3 / 40, 3 / 40])


def gauss_cube(order: int) -> Rule:
    """Gauss points of [-1, 1]^3, exact to degree 2 order - 1 along each axis."""
    x, w = np.polynomial.legendre.leggauss(order)
    return np.array(list(product(x, x, x))), np.array([a * b * c for a, b, c in product(w, w, w)])


def conical_tet(order: int) -> Rule:
    """order^3 points of a cube that is drawn together to a tet, exact to degree 2 order - 1.

    (a, b, c) in [0, 1]^3 -> (a, b (1 - a), c (1 - a)(1 - b)); Gauss-Jacobi points know the Jacobian (1 - a)^2 (1 - b).
    """
    axes = [roots_jacobi(order, power, 0) for power in (2, 1, 0)]
    a, b, c = (np.array(list(product(*(x for x, _ in axes)))).T + 1) / 2
    points = np.stack([a, b * (1 - a), c * (1 - a) * (1 - b)], axis=1)
    return points, np.array([u * v * w for u, v, w in product(*(w for _, w in axes))]) / 64


def _irons() -> Rule:
    faces, corners = np.sqrt(19 / 30) * np.vstack([np.eye(3), -np.eye(3)]), np.sqrt(19 / 33) * HEX_CORNERS
    return np.vstack([faces, corners]), np.concatenate([np.full(6, 320 / 361), np.full(8, 121 / 361)])
