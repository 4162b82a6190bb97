"""Products of the strains of all pairs of basis vectors, summed over the solid by one SYRK (maths sheet section 5).

With G_0 = I, G_i the displacement gradient of basis vector i and z = (1, q), the Green strain is

    E = sum_{i<=j} e_ij z_i z_j,   e_ij = sym(G_i^T G_j), halved for i = j, and e_00 = 0

so W = 1/2 sum_pq t_pq z_p z_q over pairs p, q, with t = lam T_lam + mu T_mu and both T sums of products e_p e_q.
The parts are kept for the bulk modulus lam + 2/3 mu and for mu, which are positive for every stable material.
"""

import numpy as np
from numba import njit
from scipy.linalg.blas import dsyrk

from pliant.errors import Array, Ids
from pliant.fem import Solid
from pliant.numerics.inner import inner
from pliant.numerics.progress import Progress, report
from pliant.numerics.simd16 import WIDTH, fma, load, spread, store
from pliant.reduced.packing import coefficient_count
from pliant.reduced.quadrature import TRACE, Rule, rule

ROWS = 1792  # of the strain table held at a time: 256 tets, 7 MB at r = 30


def energy_coefficients(solid: Solid, U: Array, cells: Ids, shares: Array, progress: Progress = None) -> Array:
    """Coefficients (2, C(r + 4, 4)) of the quartic energy of some cells for unit bulk and for unit shear modulus.

    Args:
        U: basis (3n, r).
        cells: ids (k,).
        shares: (2, k) what each cell's moduli are in units of the group's.
        progress: told the fraction that is done.
    """
    plan, n = rule(solid), U.shape[1] + 1
    m, rows = n * (n + 1) // 2, len(plan.points)
    bulk, trace, shear = (np.zeros((m, m), order="F") for _ in range(3))
    graded = not np.array_equal(*shares)
    size = max(1, ROWS // rows)
    workspace = np.zeros(size * rows * m + WIDTH)
    for start in range(0, len(cells), size):
        chunk = slice(start, start + size)
        traces, others = _strain_rows(solid, U, plan, cells[chunk], shares[:, chunk], workspace, m)
        bulk, shear = add_squares(bulk, traces), add_squares(shear, others)
        if graded:
            ratio = np.sqrt(shares[1, chunk] / shares[0, chunk])
            trace = add_squares(trace, traces * np.repeat(ratio, plan.traces)[:, None])
        report(progress, "polynomials", min(1.0, (start + size) / len(cells)))
    # lam = bulk - 2/3 mu, so a unit of mu takes two thirds of the trace with it.
    shear -= 2 / 3 * (trace if graded else bulk)
    return np.stack([coefficients(t, n, np.empty(coefficient_count(n))) for t in (bulk, shear)])


def add_squares(total: Array, rows: Array) -> Array:
    """total + rows^T rows, upper half."""
    return dsyrk(1.0, rows.T, 1.0, total, overwrite_c=True)


def _strain_rows(
    solid: Solid, U: Array, plan: Rule, cells: Ids, shares: Array, workspace: Array, m: int
) -> tuple[Array, Array]:
    """Weighted rows of the trace (bulk) and of the components (shear), each (rows, m)."""
    blocks = solid.elements.blocks[cells]
    split = len(cells) * plan.traces
    arguments = (plan.gradients, plan.points, plan.components, plan.weights, plan.traces)
    _fill(U, solid.mesh.cells[cells], blocks, *arguments, np.sqrt(shares), workspace, m)
    table = workspace[: len(cells) * len(plan.points) * m].reshape(-1, m)
    return table[:split], table[split:]


@njit(cache=True, nogil=True)
def _fill(U, cells, blocks, gradients, points, components, weights, traces, shares, workspace, m):
    n, others = U.shape[1] + 1, len(points) - traces
    pitch = (n + WIDTH - 1) // WIDTH * WIDTH
    G = np.zeros(9 * pitch)
    spare = np.zeros(m + WIDTH)
    for c in range(len(cells)):
        last = -1
        for row in range(len(points)):
            if points[row] != last:
                last = points[row]
                _gradients(U, cells[c], gradients[blocks[c], last], pitch, G)
            part = 0 if row < traces else 1
            at = c * traces + row if part == 0 else len(cells) * traces + c * others + row - traces
            scale = np.sqrt(weights[blocks[c], row]) * shares[part, c]
            _strain_row(G, n, pitch, components[row], scale, workspace, at * m, spare)


@njit(cache=True, nogil=True)
def _gradients(U, corners, slopes, pitch, G):
    """Rows (c, b) of G hold d u_c / d X_b of all basis vectors; column 0 is the identity."""
    for c in range(3):
        for b in range(3):
            row = G[(3 * c + b) * pitch :]
            row[0] = 1.0 if b == c else 0.0
            for i in range(U.shape[1]):
                row[i + 1] = 0.0
            for a in range(len(corners)):
                slope = slopes[a, b]
                for i in range(U.shape[1]):
                    row[i + 1] += slope * U[3 * corners[a] + c, i]


@inner
def _strain_row(G, n, pitch, component, scale, out, start, spare):
    """out[start + pair] = scale e_ij of one component, or of the trace. The last pairs pass through `spare`.

    What a vector writes past its row the next row overwrites; past the last row lies somebody else's data.
    """
    m = n * (n + 1) // 2
    at = 0
    for j in range(n):
        for i in range(0, j + 1, WIDTH):
            e = spread(0.0)
            for term in range(3 if component == TRACE else 1):
                a, b = _axes(term if component == TRACE else component)
                for c in range(3):
                    x, y = (3 * c + a) * pitch, (3 * c + b) * pitch
                    e = fma(load(G, x + i), spread(0.5 * scale * G[y + j]), e)
                    e = fma(load(G, y + i), spread(0.5 * scale * G[x + j]), e)
            if at + i + WIDTH <= m:
                store(out, start + at + i, e)
            else:
                store(spare, at + i, e)
                for k in range(at + i, m):
                    out[start + k] = spare[k]
        at += j + 1
        out[start + at - 1] *= 0.5
    out[start] = 0.0


@njit(cache=True, nogil=True)
def _axes(component):
    """Axes of the components xx, yy, zz, yz, xz, xy."""
    if component < 3:
        return component, component
    return 0 if component > 3 else 1, 1 if component > 4 else 2


@njit(cache=True, nogil=True)
def coefficients(t, n, c):
    """c_ijkl: the sum of t, an upper half, over the different ways to split i <= j <= k <= l into two pairs."""
    at = 0
    for k in range(n):
        for l in range(k, n):
            for j in range(k + 1):
                for i in range(j + 1):
                    c[at] = _split(t, i, j, k, l)
                    if j != k:
                        c[at] += _split(t, i, k, j, l)
                    if i != j and k != l:
                        c[at] += _split(t, i, l, j, k)
                    at += 1
    return c


@njit(cache=True, nogil=True)
def _split(t, i, j, k, l):
    p, q = j * (j + 1) // 2 + i, l * (l + 1) // 2 + k
    return 0.5 * t[p, p] if p == q else t[min(p, q), max(p, q)]
