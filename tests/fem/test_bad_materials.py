"""Materials that cannot be: each refused in one sentence that names the constant and the fix."""

import numpy as np
import pytest

import pliant as pl
from pliant.errors import MaterialError, PliantError
from pliant.fem import MATERIALS

MESH = pl.shapes.bar((1.0, 0.4, 0.3), (3, 2, 1))

BAD_CONSTANTS = [
    ({"young": 0.0}, "young must be above 0; 0 was given"),
    ({"young": -2e5}, "young must be above 0"),
    ({"young": np.nan}, "young .* must be finite"),
    ({"young": np.inf}, "young .* must be finite"),
    ({"young": "stiff"}, "young .* array of numbers"),
    ({"young": None}, "young"),
    ({"young": [[1.0, 2.0]]}, "young must be one number or a flat array"),
    ({"young": []}, "young must be one number or a flat array"),
    ({"young": [1e5, -1e5]}, "for cell 1"),
    ({"poisson": 0.5}, "poisson must be above -1 and below 0.5; 0.5 was given .*0.49"),
    ({"poisson": 0.7}, "poisson must be above -1 and below 0.5"),
    ({"poisson": -1.0}, "poisson must be above -1"),
    ({"poisson": np.nan}, "poisson .* must be finite"),
    ({"density": 0.0}, "density must be above 0; 0 was given .*kg/m"),
    ({"density": -1000.0}, "density must be above 0"),
    ({"density": [1.0, np.inf]}, "density .* must be finite; .* index"),
    ({"density": {}}, "density"),
]


@pytest.mark.parametrize(("constants", "message"), BAD_CONSTANTS, ids=[str(bad) for bad, _ in BAD_CONSTANTS])
@pytest.mark.parametrize("name", MATERIALS)
def test_bad_constants_are_refused(name, constants, message):
    with pytest.raises(MaterialError, match=message):
        MATERIALS[name](**{"young": 1e5, "poisson": 0.3, "density": 1000, **constants})


@pytest.mark.parametrize("constant", ["young", "poisson", "density"])
def test_wrong_number_of_cells_is_refused(constant):
    material = pl.StVK(**{"young": 1e5, "poisson": 0.3, "density": 1000, constant: np.full(7, 0.3)})
    with pytest.raises(MaterialError, match=f"{constant} has 7 values but the mesh has 36 cells"):
        pl.Solid(MESH, material)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"mesh": "bar"}, "mesh must be a pliant Mesh"),
        ({"material": "steel"}, "material must be one such as"),
        ({"material": pl.StVK}, "material must be one such as"),
        ({"fixed": "x < -1"}, "selects no vertex; the mesh spans x 0 to 1"),
        ({"fixed": [0, 99]}, "fixed must lie between 0 and 23; 99"),
        ({"fixed": [[0, 1]]}, "fixed must be a flat list"),
        ({"fixed": np.ones(24, dtype=bool)}, "fixed holds every vertex"),
    ],
    ids=str,
)
def test_bad_solids_are_refused(arguments, message):
    with pytest.raises(PliantError, match=message):
        pl.Solid(**{"mesh": MESH, "material": pl.StVK(1e5, 0.3), **arguments})


@pytest.mark.parametrize("method", ["energy", "force", "stiffness"])
@pytest.mark.parametrize("u", [np.zeros(3), np.zeros((24, 2)), np.full(72, np.nan), "rest", [[0.0]], {}], ids=repr)
def test_bad_displacements_are_refused(method, u):
    solid = pl.Solid(MESH, pl.StVK(1e5, 0.3))
    with pytest.raises(PliantError, match="u must"):
        getattr(solid, method)(u)


def test_materials_cannot_be_changed_behind_the_back_of_a_solid():
    given = np.full(36, 1e5)
    material = pl.StVK(given, 0.3)
    given[0] = -1.0
    assert material.young[0] == 1e5
    with pytest.raises(ValueError, match="read-only"):
        material.young[0] = 2.0
    with pytest.raises(AttributeError):
        material.poisson = 0.6
