"""What cubature points add to a reduced energy, force and stiffness: eight at a time, two ways, by the material.

    F = I + G q,   W += w psi(F),   f += w G^T P,   K += w G^T (dP/dF) G        with dP/dF clamped

Isotropic materials, in their principal axes F = U diag(x) V^T (`pliant/fem/isotropic.py`): with g = U^T G V every
column of G turned, K += B^T B where B = R g, and R^T R = w dP/dF is three by three on the diagonal of g and a number on
each sum and difference of its opposite entries. Others: K += G^T (w dP/dF G).
"""

from numba import njit
from numba.extending import overload

from pliant.fem.material import (
    clamped_stress_derivative,
    energy,
    is_implemented,
    principal_response,
    stress,
)
from pliant.numerics.gram import add_lower_product
from pliant.numerics.inner import inner
from pliant.numerics.simd8 import least8, load8, spread8, sqrt8, store8, sums8, total8, where_positive8
from pliant.numerics.simd8_eigen import eigen8, signed_svd8
from pliant.numerics.simd8_matrices import MATRICES, VECTORS, load3
from pliant.numerics.simd_line import lanes_of, load_line, spread_line, store_line

RESPONSE = 90  # octets of room for what a material answers: at most P (9) and dP/dF (81)
DEFINITE = 1e-8  # pivots above this part of the trace: Cholesky's root is as good as that of the eigenvalues
TURN_U, TURN_V, ROOT, PLUS, MINUS, FORCE = 0, 72, 144, 216, 240, 264  # where the answers of an isotropic material lie
DERIVATIVE = 72  # and those of any other: P first


def add_points(parameters, points, workspace):
    """Add all points to workspace.force and workspace.stiffness; returns their energy."""
    raise NotImplementedError


@overload(add_points)
def _choose(parameters, points, workspace):
    return _add_isotropic if is_implemented(principal_response, parameters) else _add_general


@njit(cache=True, nogil=True)
def deform8(gradients, at, pitch, q, F, to):
    """F = I + G q of eight points, nine octets F[to ..]; q (pitch,) padded by zeros."""
    moved8(gradients, at, pitch, q, F, to)
    for k in range(to, to + MATRICES, 32):
        store8(F, k, load8(F, k) + 1.0)


@inner(forceinline=True)
def moved8(gradients, at, pitch, q, F, to):
    """G q alone."""
    step = 9 * pitch
    for k in range(9):
        a = at + k * pitch
        s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = spread8(0.0)
        for i in range(0, pitch, 8):
            z, b = load8(q, i), a + i
            s0, s1 = s0 + load8(gradients, b) * z, s1 + load8(gradients, b + step) * z
            s2, s3 = s2 + load8(gradients, b + 2 * step) * z, s3 + load8(gradients, b + 3 * step) * z
            s4, s5 = s4 + load8(gradients, b + 4 * step) * z, s5 + load8(gradients, b + 5 * step) * z
            s6, s7 = s6 + load8(gradients, b + 6 * step) * z, s7 + load8(gradients, b + 7 * step) * z
        store8(F, to + 8 * k, sums8(s0, s1, s2, s3, s4, s5, s6, s7))


def _add_isotropic(parameters, points, workspace):
    # Arrays are taken out of their tuples once: inside the loop numba would count references to each.
    weights, gradients, q, F, U, x, V = (
        points.weights,
        points.gradients,
        workspace.q,
        workspace.F,
        workspace.U,
        workspace.x,
        workspace.V,
    )
    response, product, force, stiffness = workspace.response, workspace.product, workspace.force, workspace.stiffness
    pitch, width, total = workspace.pitch, workspace.width, 0.0
    for first in range(0, points.used, 16):
        deform8(gradients, 9 * first * pitch, pitch, q, F, 0)
        deform8(gradients, 9 * (first + 8) * pitch, pitch, q, F, MATRICES)
        signed_svd8(F, U, x, V)
        for octet in range(min(2, (points.used - first + 7) // 8)):
            at = first + 8 * octet
            weight = load8(weights, at)
            psi, stresses, slopes, plus, minus = principal_response(parameters, at, load3(x, VECTORS * octet))
            _store_turns(U, V, MATRICES * octet, response)
            _store_roots(weight, stresses, slopes, plus, minus, response)
            rows = _turn_columns(gradients, 9 * at * pitch, pitch, width, response, product, force)
            add_lower_product(product, 0, product, 0, rows, pitch, width, stiffness)
            total += total8(weight * psi)
    return total


@njit(cache=True, nogil=True, forceinline=True)
def _store_turns(U, V, octet, response):
    for k in range(0, MATRICES, 8):
        store8(response, TURN_U + k, load8(U, octet + k))
        store8(response, TURN_V + k, load8(V, octet + k))


@njit(cache=True, nogil=True, forceinline=True)
def _store_roots(weight, stresses, slopes, plus, minus, response):
    """R and w d psi / dx. Sums and differences are taken of g_ab and g_ba without their factor sqrt(1/2)."""
    half = 0.5 * weight
    for c in range(3):
        store8(response, FORCE + 8 * c, weight * stresses[c])
        store8(response, PLUS + 8 * c, _root(half * plus[c]))
        store8(response, MINUS + 8 * c, _root(half * minus[c]))
    a00, a01, a02, a11, a12, a22 = slopes
    weight = _root(weight)
    l10, l20 = a01 / a00, a02 / a00
    d1, s21 = a11 - l10 * a01, a12 - l10 * a02
    l21 = s21 / d1
    d2, floor = a22 - l20 * a02 - l21 * s21, DEFINITE * (a00 + a11 + a22)
    if min(least8(a00 - floor), least8(d1 - floor), least8(d2 - floor)) > 0.0:
        r0, r1, r2, zero = weight * sqrt8(a00), weight * sqrt8(d1), weight * sqrt8(d2), spread8(0.0)
        _store_row(response, 0, (r0, r0 * l10, r0 * l20))
        _store_row(response, 1, (zero, r1, r1 * l21))
        _store_row(response, 2, (zero, zero, r2))
        return
    (e0, e1, e2), (x, y, z) = eigen8(slopes)
    e0, e1, e2 = weight * _root(e0), weight * _root(e1), weight * _root(e2)
    _store_row(response, 0, (e0 * x[0], e0 * x[1], e0 * x[2]))
    _store_row(response, 1, (e1 * y[0], e1 * y[1], e1 * y[2]))
    _store_row(response, 2, (e2 * z[0], e2 * z[1], e2 * z[2]))


@njit(cache=True, nogil=True, forceinline=True)
def _root(x):
    """sqrt(max(x, 0))."""
    return sqrt8(where_positive8(x, x, spread8(0.0)))


@inner(forceinline=True)
def _store_row(response, row, x):
    for k in range(3):
        store8(response, ROOT + VECTORS * row + 8 * k, x[k])


@njit(cache=True, nogil=True)
def _turn_columns(gradients, at, pitch, width, response, B, force):
    """B = R U^T G V of eight points, a line of columns at a time, and force += sum_a (w d psi / dx_a) g_aa.

    Rows that the clamp has emptied are overwritten by the next one; returns how many there are.
    """
    to = 0
    for i in range(0, width, lanes_of(B)):
        f, to = load_line(force, i), i
        for p in range(8):
            s0, s1, s2, s3, s4, s5, s6, s7, s8 = _turned(gradients, at + 9 * p * pitch + i, pitch, response, p)
            f = f + _of(response, FORCE, p) * s0 + _of(response, FORCE + 8, p) * s4 + _of(response, FORCE + 16, p) * s8
            for k in range(3):
                r = ROOT + VECTORS * k
                row = _of(response, r, p) * s0 + _of(response, r + 8, p) * s4 + _of(response, r + 16, p) * s8
                store_line(B, to, row)
                to += pitch
            to = _store_pair(B, to, pitch, response, 0, p, s5, s7)
            to = _store_pair(B, to, pitch, response, 8, p, s6, s2)
            to = _store_pair(B, to, pitch, response, 16, p, s1, s3)
        store_line(force, i, f)
    return to // pitch


@inner(forceinline=True)
def _of(response, entry, p):
    return spread_line(response, entry + p)


@inner(forceinline=True)
def _store_pair(B, to, pitch, response, c, p, ab, ba):
    store_line(B, to, _of(response, PLUS + c, p) * (ab + ba))
    to += pitch if response[PLUS + c + p] > 0 else 0
    store_line(B, to, _of(response, MINUS + c, p) * (ab - ba))
    return to + (pitch if response[MINUS + c + p] > 0 else 0)


@njit(cache=True, nogil=True, forceinline=True)
def _turned(gradients, g, pitch, response, p):
    """U^T G V of one point, row by row."""
    m0, m1, m2 = _turned_column(gradients, g, pitch, response, p)
    m3, m4, m5 = _turned_column(gradients, g + pitch, pitch, response, p)
    m6, m7, m8 = _turned_column(gradients, g + 2 * pitch, pitch, response, p)
    s0, s1, s2 = _times_axes(m0, m3, m6, response, p)
    s3, s4, s5 = _times_axes(m1, m4, m7, response, p)
    s6, s7, s8 = _times_axes(m2, m5, m8, response, p)
    return s0, s1, s2, s3, s4, s5, s6, s7, s8


@inner(forceinline=True)
def _turned_column(gradients, g, pitch, response, p):
    """One column of U^T G: entries (0, j), (1, j), (2, j)."""
    a, b, c = load_line(gradients, g), load_line(gradients, g + 3 * pitch), load_line(gradients, g + 6 * pitch)
    u = TURN_U
    return (
        _of(response, u, p) * a + _of(response, u + 24, p) * b + _of(response, u + 48, p) * c,
        _of(response, u + 8, p) * a + _of(response, u + 32, p) * b + _of(response, u + 56, p) * c,
        _of(response, u + 16, p) * a + _of(response, u + 40, p) * b + _of(response, u + 64, p) * c,
    )


@inner(forceinline=True)
def _times_axes(a, b, c, response, p):
    """One row (a, b, c) of U^T G, times V."""
    v = TURN_V
    return (
        a * _of(response, v, p) + b * _of(response, v + 24, p) + c * _of(response, v + 48, p),
        a * _of(response, v + 8, p) + b * _of(response, v + 32, p) + c * _of(response, v + 56, p),
        a * _of(response, v + 16, p) + b * _of(response, v + 40, p) + c * _of(response, v + 64, p),
    )


def _add_general(parameters, points, workspace):
    weights, gradients, q, F, response = points.weights, points.gradients, workspace.q, workspace.F, workspace.response
    product, force, stiffness = workspace.product, workspace.force, workspace.stiffness
    one_F, one_P, one_D = workspace.one_F, workspace.one_P, workspace.one_D
    pitch, width, total = workspace.pitch, workspace.width, 0.0
    for first in range(0, points.used, 8):
        at = 9 * first * pitch
        deform8(gradients, at, pitch, q, F, 0)
        for lane in range(8):
            weight = weights[first + lane]
            for k in range(9):
                one_F[k // 3, k % 3] = F[8 * k + lane]
            total += weight * energy(parameters, first + lane, one_F)
            stress(parameters, first + lane, one_F, one_P)
            clamped_stress_derivative(parameters, first + lane, one_F, one_D)
            _store_answer(weight, one_P, one_D, response, lane)
        multiply_columns(gradients, at, pitch, width, response, product, force)
        add_lower_product(gradients, at, product, 0, 72, pitch, width, stiffness)
    return total


@njit(cache=True, nogil=True, forceinline=True)
def _store_answer(weight, P, D, response, lane):
    for k in range(9):
        response[8 * k + lane] = weight * P[k // 3, k % 3]
        for l in range(9):
            response[DERIVATIVE + MATRICES * k + 8 * l + lane] = weight * D[k, l]


@njit(cache=True, nogil=True)
def multiply_columns(gradients, at, pitch, width, response, H, force):
    """H = w dP/dF G of eight points, a line of columns at a time, and force += w G^T P."""
    for i in range(0, width, lanes_of(H)):
        f = load_line(force, i)
        for p in range(8):
            g = at + 9 * p * pitch + i
            g0, g1, g2, g3, g4, g5, g6, g7, g8 = _column(gradients, g, pitch)
            f = f + _row_times(response, 0, p, g0, g1, g2, g3, g4, g5, g6, g7, g8)
            for k in range(9):
                row = _row_times(response, DERIVATIVE + MATRICES * k, p, g0, g1, g2, g3, g4, g5, g6, g7, g8)
                store_line(H, (9 * p + k) * pitch + i, row)
        store_line(force, i, f)


@inner
def add_columns(gradients, at, pitch, width, stresses, force):
    """force = G^T P of eight points with nine octets of stresses, a line of columns at a time."""
    for i in range(0, width, lanes_of(force)):
        f = _row_times(stresses, 0, 0, *_column(gradients, at + i, pitch))
        for p in range(1, 8):
            f = f + _row_times(stresses, 0, p, *_column(gradients, at + 9 * p * pitch + i, pitch))
        store_line(force, i, f)


@inner(forceinline=True)
def _column(gradients, g, pitch):
    """Nine lines, one below the other."""
    return (
        load_line(gradients, g),
        load_line(gradients, g + pitch),
        load_line(gradients, g + 2 * pitch),
        load_line(gradients, g + 3 * pitch),
        load_line(gradients, g + 4 * pitch),
        load_line(gradients, g + 5 * pitch),
        load_line(gradients, g + 6 * pitch),
        load_line(gradients, g + 7 * pitch),
        load_line(gradients, g + 8 * pitch),
    )


@inner(forceinline=True)
def _row_times(response, row, p, g0, g1, g2, g3, g4, g5, g6, g7, g8):
    total = _of(response, row, p) * g0 + _of(response, row + 8, p) * g1 + _of(response, row + 16, p) * g2
    total = total + _of(response, row + 24, p) * g3 + _of(response, row + 32, p) * g4 + _of(response, row + 40, p) * g5
    return total + _of(response, row + 48, p) * g6 + _of(response, row + 56, p) * g7 + _of(response, row + 64, p) * g8
