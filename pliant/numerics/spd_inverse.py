"""Inverses of small symmetric positive definite matrices, in rows of whole lanes.

A product with A^-1 waits for nothing: at ten unknowns three of them cost a tenth of three substitutions, and A^-1
itself about what its factor does. Rows are padded by zeros to `pitch`, a multiple of sixteen.
"""

from pliant.numerics.cholesky import cholesky
from pliant.numerics.inner import inner
from pliant.numerics.simd16 import WIDTH, fma, load, spread, store


@inner
def invert_spd(A, n, at, inverse):
    """Write A^-1 of A (n, n) as rows (n * pitch,) into `inverse` from `at` on; A becomes its factor.

    Returns:
        False if A is not positive definite; `inverse` is then left alone.
    """
    if not cholesky(A):
        return False
    pitch = (n + WIDTH - 1) // WIDTH * WIDTH
    for k in range(n):
        for first in range(0, pitch, WIDTH):
            store(inverse, at + k * pitch + first, spread(0.0))
        inverse[at + k * pitch + k] = 1.0
    for k in range(n):
        row, scale = at + k * pitch, spread(A[k, k])
        for first in range(0, k + 1, WIDTH):
            done = fma(load(inverse, row + first), scale, spread(0.0))
            store(inverse, row + first, done)
            for i in range(k + 1, n):
                place = at + i * pitch + first
                store(inverse, place, fma(done, spread(-A[k, i]), load(inverse, place)))
    for k in range(n - 1, -1, -1):
        row = at + k * pitch
        for first in range(0, pitch, WIDTH):
            rest = load(inverse, row + first)
            for i in range(k + 1, n):
                rest = fma(load(inverse, at + i * pitch + first), spread(-A[k, i]), rest)
            store(inverse, row + first, fma(rest, spread(A[k, k]), spread(0.0)))
    return True


@inner(forceinline=True)
def times_inverse(inverse, at, n, b, out):
    """out[:n] = A^-1 b[:n], after `invert_spd`; out has room for whole lanes."""
    pitch = (n + WIDTH - 1) // WIDTH * WIDTH
    for first in range(0, pitch, WIDTH):
        total = spread(0.0)
        for k in range(n):
            total = fma(load(inverse, at + k * pitch + first), spread(b[k]), total)
        store(out, first, total)


@inner(forceinline=True)
def rows_times_inverse(inverse, at, n, W, V, place, wide):
    """V_i[:n] = A^-1 W_i[:n] for three rows of flat arrays, `wide` apart from `place` on.

    Lanes are stored from the last to the first, row by row: what spills over a row comes before what belongs there, and
    behind the last one up to fifteen numbers are lost, which nobody may have written yet.
    """
    pitch = (n + WIDTH - 1) // WIDTH * WIDTH
    w0, w1, w2 = W[place : place + n], W[place + wide : place + wide + n], W[place + 2 * wide : place + 2 * wide + n]
    for first in range(pitch - WIDTH, -1, -WIDTH):
        a, b, c = spread(0.0), spread(0.0), spread(0.0)
        for k in range(n):
            row = load(inverse, at + k * pitch + first)
            a, b, c = fma(row, spread(w0[k]), a), fma(row, spread(w1[k]), b), fma(row, spread(w2[k]), c)
        store(V, place + first, a)
        store(V, place + wide + first, b)
        store(V, place + 2 * wide + first, c)
