"""Large systems send their frames in 16 bits, and say how far that is from the truth."""

import re

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from live_standins import Crowd
from live_viewing import SMALL_WINDOW, Viewer, served

from pliant.app import messages
from pliant.app.packing import HEADER, is_rounded, pack_geometry, pack_pose
from pliant.app.rounding import pose_error, pose_of, rounded_pose, rounded_vertices, vertices_error
from pliant.app.sources import SceneSource

CROWD = 500  # 29 kB a frame in float32
FLOAT32 = 5e-6  # what the page itself rounds, of places of up to 15 m
TINY = 2.0**-110  # less than any coordinate that is seen
SMALL = Crowd(count=30, links=2)


@settings(max_examples=25)
@given(time=st.floats(0, 100), size=st.floats(1e-6, 1e3))
def test_rounded_pose_is_near(time, size):
    """Half a step of every number: turns 2^-16 of a radius, places and coordinates 2^-16 of their range."""
    SMALL.time = time
    exact = SMALL.pose()
    scaled = type(exact).stacked(exact.rotations, size * exact.translations, size * exact.flat, exact.offsets)
    near = pose_of(rounded_pose(scaled), scaled.offsets)
    np.testing.assert_allclose(near.rotations, scaled.rotations, atol=2.0**-13)
    np.testing.assert_allclose(near.translations, scaled.translations, atol=2.0**-15 * size * 15)
    largest = np.repeat([np.abs(q).max(initial=0.0) for q in scaled.coordinates], np.diff(scaled.offsets))
    assert (np.abs(near.flat - scaled.flat) <= 2.0**-15 * largest + TINY).all()


def test_only_long_frames_are_rounded():
    small, large = pack_geometry(1, Crowd(count=300)), pack_geometry(1, Crowd(count=CROWD))
    assert (is_rounded(small), is_rounded(large)) == (False, True)
    crowd = Crowd(count=CROWD)
    exact = 4 * (12 * CROWD + len(crowd.pose().flat))
    assert len(pack_pose(large, 1, 0.0, crowd.pose())) - HEADER.size < 0.45 * exact


def test_page_shows_rounded_frames_as_near_as_it_says(browser):
    crowd = Crowd(count=CROWD)
    with served({"crowd": SceneSource(lambda _: crowd, "A crowd", "Large.")}) as (live, address):
        context = browser.new_context(viewport=SMALL_WINDOW)
        viewer = Viewer(context.new_page(), live, address).open()
        live.wait(lambda session: session.stage.system.time > 0.3)
        live.submit(messages.Pause())
        viewer.settle()
        truth = crowd.vertices()[np.array(viewer.page.evaluate("pliant.ids()"))]
        shown = np.array(viewer.page.evaluate("pliant.positions()")).reshape(-1, 3)
        off = np.linalg.norm(shown - truth, axis=1).max()
        assert FLOAT32 < off < 2 * pose_error(crowd.skin, crowd.pose())
        viewer.until(lambda: viewer.page.locator("#rounding").is_visible())
        assert re.fullmatch(r"Shapes are sent in 16 bits, true to [\d.]+ [µm]m\.", viewer.page.inner_text("#rounding"))
        assert viewer.page.locator("#phone").is_hidden(), "nobody else finds a server on loopback"
        check_vertices(viewer.page, truth)
        context.close()
        assert not viewer.errors


def check_vertices(page, x):
    """Systems without a basis send their vertices; the page makes the same of them."""
    told = list(rounded_vertices(x))
    script = """async ([bytes, count]) => {
        const { unroundVertices } = await import("./rounding.js");
        return Array.from(unroundVertices(Uint8Array.from(bytes).buffer, 0, count)); }"""
    found = np.array(page.evaluate(script, [told, len(x)])).reshape(-1, 3)
    assert np.linalg.norm(found - x, axis=1).max() <= vertices_error(x) + FLOAT32
