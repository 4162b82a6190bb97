"""Loads that buckle a solid are halved until it bears them: a column under its own weight, after Greenhill."""

import numpy as np

import pliant as pl
from pliant.basis.borne import BEYOND, borne
from pliant.basis.response import StaticResponse

YOUNG, DENSITY, SIDE = 1e6, 1000.0, 0.05
CRITICAL = 7.837 * YOUNG * SIDE**2 / (12 * DENSITY)  # [m/s^2], of a column of 1 m: rho A g L^3 = 7.837 E I


def column():
    mesh = pl.shapes.bar((1.0, SIDE, SIDE), (12, 1, 1), kind="tet10")
    return pl.Solid(mesh, pl.StVK(YOUNG, 0.3, DENSITY), fixed="x < 1e-9")


def test_a_column_bears_what_does_not_buckle_it():
    """Leaning by a hundredth of the weight it bends 1 / (1 - g / g_critical) times as far as the linear one."""
    solid = column()
    response = StaticResponse(solid)
    U = pl.modal_basis(solid, modes=8, size=24).vectors
    for times, share in ((0.4, 1.0), (3.2, 1 / 8), (12.8, None)):
        weight = solid.gravity_load(times * CRITICAL * np.array([-1.0, 0.01, 0.0]))
        found = borne(solid, U, weight, response)
        if share is None:
            assert found is None
            continue
        np.testing.assert_allclose(found[0], share * weight, rtol=1e-12)
        bent = np.linalg.norm(found[1]) / np.sqrt(response.solve(found[0]) @ solid.mass @ response.solve(found[0]))
        assert 1 / (1 - 0.4) * 0.9 < bent < BEYOND


def test_loads_that_turn_cells_inside_out_are_halved_where_it_shall_stay_whole():
    """A column that is pressed to the part l of its height: F = E A l (1 - l^2) / 2, at most E A / 27^0.5."""
    mesh = pl.shapes.box((1, 1, 1), (2, 2, 2))
    solid = pl.Solid(mesh, pl.StVK(YOUNG, 0.0, DENSITY), fixed=f"y < {-0.5 + 1e-9}")
    top, u = mesh.select("y > 0.499"), np.zeros((mesh.vertex_count, 3))
    u[:, 1] = -(mesh.vertices[:, 1] + 0.5)
    U = u.reshape(-1, 1) / np.sqrt(u.ravel() @ solid.mass @ u.ravel())
    load = np.zeros_like(u)
    load[top, 1] = -1.5 * YOUNG / np.sqrt(27) / len(top)
    for whole, share in ((False, 1.0), (True, 0.5)):
        found, q = borne(solid, U, load.ravel(), StaticResponse(solid), np.inf, whole)
        np.testing.assert_allclose(found, share * load.ravel())
        assert (pl.inverted_share(solid, U @ q) > 0) == (not whole)
