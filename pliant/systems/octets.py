"""Deformation of eight points at once: F, F' and strains, from gradients by octet, coordinate, component, point."""

from numba import njit

from pliant.numerics.inner import inner
from pliant.numerics.simd8 import WIDTH, load8, spread8, store8

CHUNK = 9 * WIDTH  # numbers of a coordinate in an octet of points


@njit(cache=True, nogil=True, forceinline=True)
def moved(G, at, r, x):
    """G x of an octet, nine components."""
    a = b = c = d = e = f = g = h = l = spread8(0.0)
    for k in range(r):
        here, value = at + k * CHUNK, spread8(x[k])
        a += value * load8(G, here)
        b += value * load8(G, here + 8)
        c += value * load8(G, here + 16)
        d += value * load8(G, here + 24)
        e += value * load8(G, here + 32)
        f += value * load8(G, here + 40)
        g += value * load8(G, here + 48)
        h += value * load8(G, here + 56)
        l += value * load8(G, here + 64)
    return a, b, c, d, e, f, g, h, l


@inner(forceinline=True)
def moved_both(G, at, r, x, y):
    """G x and G y of an octet in one pass."""
    a = b = c = d = e = f = g = h = l = spread8(0.0)
    A = B = C = D = E = F = H = I = J = spread8(0.0)
    for k in range(r):
        here, one, two = at + k * CHUNK, spread8(x[k]), spread8(y[k])
        G1, G2, G3 = load8(G, here), load8(G, here + 8), load8(G, here + 16)
        a, b, c = a + one * G1, b + one * G2, c + one * G3
        A, B, C = A + two * G1, B + two * G2, C + two * G3
        G1, G2, G3 = load8(G, here + 24), load8(G, here + 32), load8(G, here + 40)
        d, e, f = d + one * G1, e + one * G2, f + one * G3
        D, E, F = D + two * G1, E + two * G2, F + two * G3
        G1, G2, G3 = load8(G, here + 48), load8(G, here + 56), load8(G, here + 64)
        g, h, l = g + one * G1, h + one * G2, l + one * G3
        H, I, J = H + two * G1, I + two * G2, J + two * G3
    return (a, b, c, d, e, f, g, h, l), (A, B, C, D, E, F, H, I, J)


@njit(cache=True, nogil=True, forceinline=True)
def strain_of(a, b, c, d, e, f, g, h, l):
    """E = (F^T F - I) / 2 as xx, yy, zz, yz, xz, xy, F = [[a, b, c], [d, e, f], [g, h, l]]."""
    return (
        0.5 * (a * a + d * d + g * g - 1.0),
        0.5 * (b * b + e * e + h * h - 1.0),
        0.5 * (c * c + f * f + l * l - 1.0),
        0.5 * (b * c + e * f + h * l),
        0.5 * (a * c + d * f + g * l),
        0.5 * (a * b + d * e + g * h),
    )


@inner(forceinline=True)
def rate_of(a, b, c, d, e, f, g, h, l, A, B, C, D, E, F, H, I, J):
    """sym(F^T F') as xx, yy, zz, yz, xz, xy, F' = [[A, B, C], [D, E, F], [H, I, J]]."""
    return (
        a * A + d * D + g * H,
        b * B + e * E + h * I,
        c * C + f * F + l * J,
        0.5 * (b * C + e * F + h * J + c * B + f * E + l * I),
        0.5 * (a * C + d * F + g * J + c * A + f * D + l * H),
        0.5 * (a * B + d * E + g * I + b * A + e * D + h * H),
    )


@inner(forceinline=True)
def add_back(G, at, r, lanes, p1, p2, p3, p4, p5, p6, p7, p8, p9):
    """G^T P of an octet added to `lanes`, a sum of eight for every coordinate."""
    for k in range(r):
        x = at + k * CHUNK
        one = load8(lanes, WIDTH * k) + p1 * load8(G, x) + p4 * load8(G, x + 24) + p7 * load8(G, x + 48)
        two = p2 * load8(G, x + 8) + p5 * load8(G, x + 32) + p8 * load8(G, x + 56)
        three = p3 * load8(G, x + 16) + p6 * load8(G, x + 40) + p9 * load8(G, x + 64)
        store8(lanes, WIDTH * k, one + two + three)
