"""Shape functions of the cells and their slopes in local coordinates, and the Jacobian they make.

Tet4   N_a = L_a                        L = (1 - x - y - z, x, y, z), barycentric
Tet10  N_a = L_a (2 L_a - 1)            at a corner;  N_ab = 4 L_a L_b  on an edge
Hex8   N_a = (1 + x x_a)(1 + y y_a)(1 + z z_a) / 8
Hex11  N_a = N_a^Hex8 - sum_k N_a^Hex8(p_k) b_k  at a corner;  b_k = 1 - x_k^2  of the inner node p_k = e_k / 2
Hex20  N_a = N_a^Hex8 (x x_a + y y_a + z z_a - 2)  at a corner;  (1 - x^2)(1 + y y_a)(1 + z z_a) / 4  on an edge along x

Nodes are in VTK's order: corners, then one node an edge; a Hex11 has three inner nodes after its corners. Its field is
the trilinear one of the corners, and b_k times what an inner node moves besides: where all nodes move as one affine
field does, so does the cell.
"""

import numpy as np
from numba import njit
from numba.extending import register_jitable

from pliant.errors import Array

STRAIGHT = 1e-12  # of the size of a cell: a node nearer than this to the middle of its edge lies there
SLICE = 16384  # cells whose Jacobians are held at a time

# Corners of the reference cube [-1, 1]^3: the lower quad, then the upper one.
HEX_CORNERS = np.array(
    [[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1], [-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]], dtype=float
)
TET_EDGES = np.array([[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]])
HEX_EDGES = np.array(
    [[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4], [0, 4], [1, 5], [2, 6], [3, 7]],
)
INNER = 0.5 * np.eye(3)  # p_k of a Hex11, anywhere inside
INNER_SHARES = np.prod(1 + INNER[:, None] * HEX_CORNERS, axis=2) / 8  # (3, 8) N_a(p_k) of the corners
_HEX_NODES = np.concatenate([HEX_CORNERS, HEX_CORNERS[HEX_EDGES].mean(axis=1)])


def tabulated(count: int, points: Array) -> tuple[Array, Array]:
    """Values (p, count) and slopes (p, count, 3) of shape functions at points (p, 3) of a cell with `count` nodes."""
    # Points are few, and a mesh should not wait for a compiler.
    pairs = [shape_functions.py_func(point, count) for point in points]
    return np.array([values for values, _ in pairs]), np.array([slopes for _, slopes in pairs])


def are_straight(nodes: Array) -> bool:
    """Does every node on an edge of the cells (m, c, 3) lie in its middle? Always true of linear cells."""
    if nodes.shape[1] in (4, 8, 11):
        return True
    edges = TET_EDGES if nodes.shape[1] == 10 else HEX_EDGES
    bulges = nodes[:, -len(edges) :] - nodes[:, edges].mean(axis=2)
    size = np.abs(nodes - nodes[:, :1]).max()
    return bool(np.abs(bulges).max() <= STRAIGHT * size + 4 * np.finfo(float).eps * np.abs(nodes).max())


def jacobians(nodes: Array, slopes: Array) -> Array:
    """dX_i / dxi_j (m, p, 3, 3) of cells with nodes (m, c, 3) at tabulated points."""
    return np.einsum("mai,paj->mpij", nodes, slopes, optimize=True)


def determinants(nodes: Array, slopes: Array) -> Array:
    """det dX/dxi (m, p) of cells with nodes (m, c, 3) at tabulated points."""
    found = np.empty((len(nodes), len(slopes)))
    for start in range(0, len(nodes), SLICE):
        part = slice(start, start + SLICE)
        a, b, c = np.moveaxis(jacobians(nodes[part], slopes), -1, 0)
        found[part] = np.einsum("mpi,mpi->mp", a, np.cross(b, c))
    return found


@njit(cache=True)
def shape_functions(xi, count):
    """Values (count,) and slopes (count, 3) at local coordinates xi (3,)."""
    values, slopes = np.empty(count), np.zeros((count, 3))
    if count == 4:
        _tet4(xi, values, slopes)
    elif count == 10:
        _tet10(xi, values, slopes)
    elif count == 8:
        _hex8(xi, values, slopes)
    elif count == 11:
        _hex11(xi, values, slopes)
    else:
        _hex20(xi, values, slopes)
    return values, slopes


@register_jitable
def _tet4(xi, values, slopes):
    values[0] = 1 - xi[0] - xi[1] - xi[2]
    for i in range(3):
        values[i + 1], slopes[0, i], slopes[i + 1, i] = xi[i], -1.0, 1.0


@register_jitable
def _tet10(xi, values, slopes):
    linear, rates = np.empty(4), np.zeros((4, 3))
    _tet4(xi, linear, rates)
    for c in range(4):
        values[c] = linear[c] * (2 * linear[c] - 1)
        for i in range(3):
            slopes[c, i] = (4 * linear[c] - 1) * rates[c, i]
    for e in range(6):
        a, b = TET_EDGES[e]
        values[4 + e] = 4 * linear[a] * linear[b]
        for i in range(3):
            slopes[4 + e, i] = 4 * (linear[a] * rates[b, i] + linear[b] * rates[a, i])


@register_jitable
def _hex8(xi, values, slopes):
    for c in range(8):
        x, y, z = HEX_CORNERS[c]
        fx, fy, fz = 1 + x * xi[0], 1 + y * xi[1], 1 + z * xi[2]
        values[c] = fx * fy * fz / 8
        slopes[c, 0], slopes[c, 1], slopes[c, 2] = x * fy * fz / 8, y * fx * fz / 8, z * fx * fy / 8


@register_jitable
def _hex11(xi, values, slopes):
    _hex8(xi, values, slopes)
    for k in range(3):
        values[8 + k], slopes[8 + k, k] = 1 - xi[k] * xi[k], -2 * xi[k]
        for c in range(8):
            values[c] -= INNER_SHARES[k, c] * values[8 + k]
            slopes[c, k] -= INNER_SHARES[k, c] * slopes[8 + k, k]


@register_jitable
def _hex20(xi, values, slopes):
    f, d, own = np.empty(3), np.empty(3), np.empty(3)
    for c in range(20):
        corner = c < 8
        for i in range(3):
            own[i] = _HEX_NODES[c, i]
            # Across the middle of an edge its bubble takes the place of the linear factor.
            bubble = own[i] == 0.0
            f[i] = 1 - xi[i] * xi[i] if bubble else 1 + own[i] * xi[i]
            d[i] = -2 * xi[i] if bubble else own[i]
        product = f[0] * f[1] * f[2]
        bend = xi[0] * own[0] + xi[1] * own[1] + xi[2] * own[2] - 2
        values[c] = product * bend / 8 if corner else product / 4
        for i in range(3):
            slope = d[i] * f[(i + 1) % 3] * f[(i + 2) % 3]
            slopes[c, i] = (slope * bend + product * own[i]) / 8 if corner else slope / 4
