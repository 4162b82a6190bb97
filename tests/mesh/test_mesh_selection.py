"""The selection language against numpy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pliant.errors import PliantError, SelectionError
from pliant.mesh import Mesh, shapes

BOX = shapes.box((2, 2, 2), (4, 4, 4))
x, y, z = BOX.vertices.T

CONDITIONS = {
    "x < 0.1": x < 0.1,
    "x >= 0.5 and abs(y) < 0.6": (x >= 0.5) & (np.abs(y) < 0.6),
    "x**2 + y**2 + z**2 <= 1": x**2 + y**2 + z**2 <= 1,
    "-0.5 <= x < z <= 1": (x >= -0.5) & (x < z) & (z <= 1),
    "not (x > 0 or y > 0)": ~((x > 0) | (y > 0)),
    "sqrt(x*x + z*z) / 2 > 0.4": np.hypot(x, z) / 2 > 0.4,
    "max(x, y, z) == 1": np.maximum(x, np.maximum(y, z)) == 1,
    "min(x, -y) != z": np.minimum(x, -y) != z,
    "sin(pi * x) > cos(pi * y)": np.sin(np.pi * x) > np.cos(np.pi * y),
    "1 / x > 1": np.divide(1, x, out=np.full_like(x, np.inf), where=x != 0) > 1,
    "1 < 2": np.ones(len(x), dtype=bool),
    "x > 7": np.zeros(len(x), dtype=bool),
}


@pytest.mark.parametrize("text", CONDITIONS)
def test_select_agrees_with_numpy(text):
    assert np.array_equal(BOX.select(text), np.flatnonzero(CONDITIONS[text]))


def test_select_finds_groups():
    mesh = Mesh(BOX.vertices, BOX.cells, {"mine": [3, 4, 80]}, {"some": [5]})
    assert np.array_equal(mesh.select('group("mine") and x < 10'), [3, 4, 80])
    assert np.array_equal(mesh.select_cells('group("some") or x > 9'), [5])


def test_select_cells_looks_at_centroids():
    assert np.array_equal(BOX.select_cells("x < 0"), np.flatnonzero(BOX.centroids[:, 0] < 0))


@given(st.text(max_size=60))
def test_any_text_selects_or_is_refused(text):
    try:
        ids = BOX.select(text)
    except SelectionError:
        return
    assert ids.dtype == np.int64


@given(
    st.lists(
        st.sampled_from(["x", "(", ")", "<", "1", "and", "not", "-", "**", ",", "abs", "group", '"a"', "."]),
        max_size=30,
    )
)
def test_any_words_select_or_are_refused(words):
    try:
        BOX.select(" ".join(words))
    except PliantError:
        return
