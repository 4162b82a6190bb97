"""Objects stand on their shadow: a floor where there is one, none where they float."""

import io

import numpy as np
import pytest
from live_standins import RUBBER, clamped_bar, coupled_bar
from live_viewing import SMALL_WINDOW, Viewer, served
from PIL import Image

import pliant as pl
from pliant.app import messages
from pliant.app.sources import SceneSource
from pliant.systems import Clamped

FOOT = 0.3  # [m] height of the post's foot
SUN = np.array([-0.35, 1.0, 0.45])  # where the light of the page comes from
ALONG = (0.35, 0.5, 0.7)  # of the post, from its foot: what casts the shadow that is looked at; below, it hides it
SHADE = 0.8  # of the light on the floor


def post(progress=None):
    mesh = pl.shapes.bar((0.12, 1.0, 0.12), (2, 8, 2))
    up = np.array([0, FOOT - mesh.vertices[:, 1].min(), 0])
    mesh = pl.Mesh(mesh.vertices + up, mesh.cells)
    solid = pl.Solid(mesh, RUBBER, fixed=f"y < {FOOT + 1e-9}")
    return Clamped(pl.reduce(solid, pl.modal_basis(solid, modes=3, size=6)), 5e-3, damping=(0.5, 1e-3))


def afloat(progress=None):
    return coupled_bar(fixed=False, gravity=None)


SCENES = {
    "stands": SceneSource(post),
    "floats": SceneSource(afloat),
    "hangs": SceneSource(clamped_bar),
    "falls": SceneSource(afloat, ground=-0.7, grounded=True),
}
FLOORS = {"stands": FOOT, "floats": None, "falls": -0.7}


@pytest.fixture(scope="module")
def page(browser):
    with served(SCENES) as (live, address):
        context = browser.new_context(viewport=SMALL_WINDOW)
        yield Viewer(context.new_page(), live, address).open()
        context.close()


def shown(page, name):
    page.live.submit(messages.SwitchScene(name=name))
    page.until(lambda: page.session.stage.name == name)
    page.catch_up()
    return page.page.evaluate("pliant.floor()")


@pytest.mark.parametrize("name", FLOORS)
def test_floor_is_where_a_body_stands_and_none_where_it_floats(page, name):
    assert shown(page, name) == pytest.approx(FLOORS[name])


def brightness(picture, page, x, z):
    """Of the floor there, as the page shows it."""
    column, row = page.page.evaluate("point => pliant.screenAt(point)", [x, FOOT, z])
    return picture[round(row) - 1 : round(row) + 2, round(column) - 1 : round(column) + 2].mean()


def test_what_stands_stands_on_its_shadow(page):
    """The shadow goes out from the foot, away from the light; beside it the floor is bright."""
    shown(page, "stands")
    page.page.wait_for_timeout(300)  # the newest frame is drawn
    picture = np.asarray(Image.open(io.BytesIO(page.page.screenshot())).convert("L"), dtype=float)
    for height in ALONG:
        x, _, z = -height * SUN / SUN[1]
        shade = brightness(picture, page, x, z) / brightness(picture, page, x, -z)
        assert shade == pytest.approx(SHADE, abs=0.1)


def test_what_hangs_in_the_air_has_a_floor_below_it(page):
    floor = shown(page, "hangs")
    assert floor < page.session.stage.rest[:, 1].min()
