"""x . y of vectors, in whatever order is fastest."""

from numba import njit


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def dot(x, y):
    total = 0.0
    for j in range(len(x)):
        total += x[j] * y[j]
    return total
