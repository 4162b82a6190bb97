"""The natural logarithm of eight positive numbers, to the last digit or so (the method of fdlibm).

x = m 2^e with m near 1,   s = (m - 1) / (m + 1),   ln m = 2 s + s (2/3 s^2 + 2/5 s^4 + ..)
"""

from numba import njit

from pliant.numerics.simd8 import split8, where_positive8

LN2 = 0.6931471805599453
# Coefficients of fdlibm (Sun Microsystems 1993): the series of the logarithm, economised to an error of 2^-58.
SERIES = (
    6.666666666666735130e-01,
    3.999999999940941908e-01,
    2.857142874366239149e-01,
    2.222219843214978396e-01,
    1.818357216161805012e-01,
    1.531383769920937332e-01,
    1.479819860511658591e-01,
)


@njit(cache=True, nogil=True, forceinline=True)
def log8(x):
    """ln x, lane by lane, for x above 1e-300."""
    m, e = split8(x)
    large = m - 1.4142135623730951
    m, e = where_positive8(large, 0.5 * m, m), where_positive8(large, e + 1.0, e)
    f = m - 1.0
    s = f / (f + 2.0)
    z = s * s
    w = SERIES[4] + z * (SERIES[5] + z * SERIES[6])
    w = SERIES[0] + z * (SERIES[1] + z * (SERIES[2] + z * (SERIES[3] + z * w)))
    # ln(1 + f) = f - s (f - z w): the leading term is exact
    return e * LN2 + (f - s * (f - z * w))
