"""Seams from the cache: the same to the last bit, without a factorisation until a vertex is held."""

import numpy as np
import pytest

import pliant as pl
from pliant.systems.seams import parts as seams_parts

MESH = pl.shapes.bar((1, 0.2, 0.2), (8, 2, 2))
LABELS = np.minimum((3 * MESH.centroids[:, 0]).astype(np.int64), 2)
MIDDLE = int(np.linalg.norm(MESH.vertices - [0.5, 0, 0], axis=1).argmin())


def coupled(young=1e5, soft=2, fixed="x < 1e-9"):
    return pl.couple(pl.Solid(MESH, pl.StVK(young, 0.3, 500), fixed=fixed), LABELS, soft, 1, dt=0.01, nonlinear=False)


@pytest.fixture
def made(tmp_path, monkeypatch):
    """The domains that were factorised, in a cache of its own."""
    monkeypatch.setenv("PLIANT_CACHE", str(tmp_path))
    names, original = [], seams_parts.PartMatrices

    def counted(solid, domain, shared):
        names.append(domain.name)
        return original(solid, domain, shared)

    monkeypatch.setattr(seams_parts, "PartMatrices", counted)
    return names


def motion(system):
    """Positions under weight, then with a vertex held."""
    system.step(20)
    first = system.vertices()
    system.hold(MIDDLE, first[MIDDLE] + [0, 0.02, 0])
    system.step(20)
    return np.stack([first, system.vertices()])


@pytest.mark.parametrize("fixed", ["x < 1e-9", None])
def test_seams_from_the_cache_are_fresh_ones_bit_for_bit(made, fixed):
    systems = [coupled(fixed=fixed)]
    assert sorted(made) == ["part 0", "part 1", "part 2"]
    made.clear()
    systems.append(coupled(fixed=fixed))
    assert made == [], "nothing was factorised"
    fresh, again = (system.coupled for system in systems)
    for one, other in zip(fresh.columns, again.columns):
        for name in ("boundary", "U", "values", "K_bb", "M_bb", "M_bi"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    for one, other in zip((*fresh.turning, fresh.volumes, fresh.masses), (*again.turning, again.volumes, again.masses)):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(*(motion(system) for system in systems))
    assert made == ["part 1", "part 1"], "only the part of the held vertex, once in each"


def test_other_input_is_not_taken_from_the_cache(made):
    coupled()
    for change in ({"young": 2e5}, {"soft": 1}, {"fixed": None}):
        made.clear()
        coupled(**change)
        assert len(made) == 3
