"""Spoilt bytes, arrays and documents: what disks, editors and hostile people make of whole ones."""

import copy
from typing import Any

import numpy as np

WORDS = [b"-1", b"0", b"1e308", b"nan", b"-inf", b"99999999999", b"4294967296", b"\x00", b"\xff\xfe", b"{", b"]]", b'"']
WORDS += [b"# ", b"\n\n", b"*INCLUDE", b"$EndNodes", b"\x1b[31m", b"[/red]", "\u0661".encode(), b"9" * 5000]

VALUES = [
    None,
    True,
    -1,
    0,
    1,
    7,
    2**31,
    2**62,
    10**400,
    -0.5,
    1e-300,
    1e6,
    1e300,
    float("nan"),
    float("-inf"),
    "",
    "x",
]
VALUES += ["[/red]", "a" * 5000, [], {}, [0], [0, 0, 0], [1e300, 0, 0], [[]], ["x"], {"name": "x"}, {"x": {"x": {}}}]


def spoilt_bytes(random: np.random.Generator, content: bytes, others: list[bytes]) -> bytes:
    """One to four changes: bits, cuts, words, lines, pieces of other files."""
    data = bytearray(content)
    for _ in range(random.integers(1, 5)):
        data = CHANGES[random.integers(len(CHANGES))](random, data, others)
    return bytes(data)


def _place(random, data):
    return int(random.integers(len(data) + 1))


def _flip(random, data, _):
    for _ in range(random.integers(1, 9)):
        if data:
            data[random.integers(len(data))] ^= 1 << random.integers(8)
    return data


def _cut(random, data, _):
    return data[: _place(random, data)]


def _drop(random, data, _):
    begin = _place(random, data)
    return data[:begin] + data[begin + int(random.integers(1, 64)) :]


def _insert(random, data, _):
    at = _place(random, data)
    return data[:at] + WORDS[random.integers(len(WORDS))] + data[at:]


def _number(random, data, _):
    """A word that is a number becomes another."""
    words = bytes(data).split(b" ")
    numbers = [k for k, word in enumerate(words) if word.strip().replace(b".", b"").isdigit()]
    if numbers:
        words[numbers[random.integers(len(numbers))]] = WORDS[random.integers(len(WORDS))]
    return bytearray(b" ".join(words))


def _lines(random, data, _):
    """A line is doubled, lost, or goes elsewhere."""
    lines = bytes(data).split(b"\n")
    line = lines.pop(random.integers(len(lines)))
    for _ in range(random.integers(0, 3)):
        lines.insert(random.integers(len(lines) + 1), line)
    return bytearray(b"\n".join(lines))


def _splice(random, data, others):
    other = others[random.integers(len(others))]
    return data[: _place(random, data)] + other[_place(random, other) :]


CHANGES = (_flip, _cut, _drop, _insert, _number, _lines, _splice)


def spoilt_array(random: np.random.Generator, array: np.ndarray) -> np.ndarray:
    """Another length, order, type, or other numbers."""
    way = random.integers(6)
    if way == 0 and array.ndim and array.shape[0]:
        return array[:-1]
    if way == 1:
        return array[None]
    if way == 2 and array.size > 1:
        return np.concatenate([array.ravel(), array.ravel()])
    if way == 3 and array.dtype.kind in "fiu":
        return array.astype([np.float32, np.int32, np.uint8, np.float64, np.int64][random.integers(5)])
    if array.dtype.kind in "fi" and array.size:
        spoilt = np.array(array)
        wild = [np.nan, np.inf, -1e300, 1e300, 0.0] if array.dtype.kind == "f" else [-1, 2**62, 2**31, 0, 7]
        chosen = wild[random.integers(5)]
        spoilt.flat[random.integers(array.size)] = (
            chosen if array.dtype.kind == "f" else min(chosen, np.iinfo(array.dtype).max)
        )
        return spoilt
    return np.zeros(3)


def spoilt_document(random: np.random.Generator, document: dict[str, Any]) -> dict[str, Any]:
    """One to three changes: a value is lost, doubled, becomes another, or comes from elsewhere in the document."""
    spoilt = copy.deepcopy(document)
    for _ in range(random.integers(1, 4)):
        places = list(_places(spoilt))
        if not places:
            break
        parent, key = places[random.integers(len(places))]
        way = random.integers(6)
        if way == 0:
            del parent[key]
        elif way == 1 and isinstance(parent, list):
            parent.insert(key, copy.deepcopy(parent[key]))
        elif way == 2:
            other, there = places[random.integers(len(places))]
            parent[key] = copy.deepcopy(other[there])
        elif way == 3 and isinstance(parent[key], int | float) and abs(parent[key]) < 1e300:
            parent[key] = parent[key] * [-1, 0, 1e-6, 1.5, 1e3, 1e9][random.integers(6)]
        else:
            parent[key] = copy.deepcopy(VALUES[random.integers(len(VALUES))])
    return spoilt


def _places(tree: Any) -> Any:
    """Every (dictionary or list, key) of a tree."""
    keys = list(tree) if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ()
    for key in keys:
        yield tree, key
        yield from _places(tree[key])
