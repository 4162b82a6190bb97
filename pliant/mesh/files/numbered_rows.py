"""Tables of numbers whose rows begin with their own number, as .veg and TetGen files have them."""

from collections.abc import Sequence

import numpy as np

from pliant.errors import Array, FileError


def content_lines(text: str) -> list[str]:
    """Lines without comments, commas and blank lines."""
    stripped = (line.split("#", 1)[0].replace(",", " ").strip() for line in text.splitlines())
    return [line for line in stripped if line]


def header_counts(line: str, least: int, file: object) -> list[int]:
    """The whole numbers of a header line."""
    try:
        counts = [int(word) for word in line.split()]
    except ValueError:
        counts = []
    if len(counts) < least or min(counts) < 0:
        raise FileError(f"{file} should have {least} counts in the line {line[:60]!r}; it is damaged")
    return counts


def numbered_rows(lines: Sequence[str], count: int, columns: int, what: str, file: object) -> tuple[int, Array]:
    """The number of the first row, and the `count` rows with their `columns` numbers; further columns are dropped."""
    if len(lines) < count:
        raise FileError(f"{file} announces {count} {what} but has {len(lines)}; it is truncated: get or write it again")
    if count == 0:
        raise FileError(f"{file} announces no {what}; write a mesh that has some")
    try:
        table = np.loadtxt(lines[:count], ndmin=2, comments=None, usecols=range(columns + 1))
    except (ValueError, IndexError) as error:
        raise FileError(f"{file} has {what} that cannot be read ({error}); each needs {columns} numbers") from None
    first = 0 if table[0, 0] == 0 else 1
    if not np.array_equal(table[:, 0], np.arange(first, first + count)):
        raise FileError(f"{file} must number its {what} one after the other, from 0 or 1; write it again in order")
    return first, table[:, 1:]


def whole_numbers(table: Array, what: str, file: object) -> np.ndarray:
    """The table as integers."""
    if not (np.abs(table) < 2**53).all() or (table != np.floor(table)).any():
        raise FileError(f"{file} must give {what} as whole numbers; it is damaged")
    return table.astype(np.int64)
