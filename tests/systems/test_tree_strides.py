"""Named places in the flat arrays of trees: blocks follow each other without a gap, and kernels use the names."""

import re
from pathlib import Path

import pytest

import pliant.systems.tree as tree
from pliant.numerics.simd8 import WIDTH
from pliant.numerics.simd8_matrices import MATRICES, VECTORS
from pliant.systems.tree import strides
from pliant.systems.tree.frames import FRAME, RELATIVE

LAYOUTS = sorted(path for path in Path(tree.__file__).parent.glob("*.py") if path.name != "strides.py")


def test_blocks_follow_each_other():
    assert (MATRICES, VECTORS) == (9 * WIDTH, 3 * WIDTH)
    assert (strides.MATRIX, strides.ANGULAR, strides.SPATIAL) == (MATRICES, VECTORS, 2 * VECTORS)
    inertia = (strides.COUPLING, strides.TURNING, strides.HANDED, WIDTH * strides.INERTIA)
    assert inertia == (MATRICES, 2 * MATRICES, 3 * MATRICES, 3 * MATRICES)
    lump = (strides.TORQUE, strides.MOMENT, strides.MASS, WIDTH * strides.LUMP)
    assert lump == (VECTORS, 2 * VECTORS, 3 * VECTORS, 3 * VECTORS + WIDTH)
    assert (strides.SAIL_ARM, strides.SAIL_ROWS, strides.SAIL_ROW) == (WIDTH, WIDTH + VECTORS, VECTORS)


def test_parents_are_gathered_behind_all_else():
    assert max(WIDTH * FRAME, WIDTH * RELATIVE, strides.HANDED + strides.SPATIAL) <= strides.GATHERED


@pytest.mark.parametrize("path", LAYOUTS, ids=lambda path: path.stem)
def test_kernels_say_strides_by_name(path):
    """No block of vectors or matrices is found by its number, but where a layout is said: NAMES = numbers."""
    lines = [line for line in path.read_text().splitlines() if not re.match(r"[A-Z_0-9]+(, [A-Z_0-9]+)* = ", line)]
    assert not re.search(r"[+*,\[] (72|144|216|512)\b|\b(72|144|216|512) [+*]", "\n".join(lines))
