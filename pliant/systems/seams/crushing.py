"""What resists being crushed, in octets of points: the term of `FirmStVK` below a volume ratio J0.

    psi = k/3 (J0 - J)^3 / J0^2,   P = p cof F,   p = -k ((J0 - J) / J0)^2,   dP = p' (cof F : dF) cof F + p dcof F

F = [[a, b, c], [d, e, f], [g, h, l]]. Where no point of an octet is below J0, only J is found.
"""

from numba import njit

from pliant.numerics.simd8 import spread8, where_positive8


@njit(cache=True, nogil=True, forceinline=True)
def lack8(a, b, c, d, e, f, g, h, l, J0):
    """How much of J0 is missing, 1 - J / J0, and zero above."""
    lack = 1.0 - (a * (e * l - f * h) + b * (f * g - d * l) + c * (d * h - e * g)) / J0
    return where_positive8(lack, lack, spread8(0.0))


@njit(cache=True, nogil=True, forceinline=True)
def along8(c1, c2, c3, c4, c5, c6, c7, c8, c9, A, B, C, D, E, F, H, I, J):
    """cof F : dF, dF = [[A, B, C], [D, E, F], [H, I, J]]."""
    return c1 * A + c2 * B + c3 * C + c4 * D + c5 * E + c6 * F + c7 * H + c8 * I + c9 * J


@njit(cache=True, nogil=True, forceinline=True)
def cofactors8(a, b, c, d, e, f, g, h, l):
    """dJ / dF, nine components by rows."""
    return (
        e * l - f * h,
        f * g - d * l,
        d * h - e * g,
        c * h - b * l,
        a * l - c * g,
        b * g - a * h,
        b * f - c * e,
        c * d - a * f,
        a * e - b * d,
    )


@njit(cache=True, nogil=True, forceinline=True)
def cofactor_changes8(a, b, c, d, e, f, g, h, l, A, B, C, D, E, F, H, I, J):
    """The derivative of the cofactors along dF = [[A, B, C], [D, E, F], [H, I, J]]."""
    return (
        E * l + e * J - F * h - f * I,
        F * g + f * H - D * l - d * J,
        D * h + d * I - E * g - e * H,
        C * h + c * I - B * l - b * J,
        A * l + a * J - C * g - c * H,
        B * g + b * H - A * h - a * I,
        B * f + b * F - C * e - c * E,
        C * d + c * D - A * f - a * F,
        A * e + a * E - B * d - b * D,
    )
