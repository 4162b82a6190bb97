"""The three rows of an entry in a flat matrix: times coordinates, and their transpose times a force."""

import numpy as np

from pliant.numerics.inner import inner


@inner(fastmath={"contract", "reassoc", "nsz"})
def times_rows(matrix, at, size, q, first):
    """The three rows that begin at `at`, times q[first : first + size]."""
    # Unsigned, since an index that might be negative keeps the loop from being vectorised.
    row_x, columns, start = np.uint64(at), np.uint64(size), np.uint64(first)
    row_y, row_z = row_x + columns, row_x + columns + columns
    x, y, z = 0.0, 0.0, 0.0
    for k in range(columns):
        value = q[start + k]
        x += matrix[row_x + k] * value
        y += matrix[row_y + k] * value
        z += matrix[row_z + k] * value
    return x, y, z


@inner(fastmath={"contract", "reassoc", "nsz"})
def add_rows(matrix, at, size, x, y, z, out, first):
    """out[first : first + size] += the three rows, transposed, times (x, y, z)."""
    row_x, columns, start = np.uint64(at), np.uint64(size), np.uint64(first)
    row_y, row_z = row_x + columns, row_x + columns + columns
    for k in range(columns):
        out[start + k] += matrix[row_x + k] * x + matrix[row_y + k] * y + matrix[row_z + k] * z
