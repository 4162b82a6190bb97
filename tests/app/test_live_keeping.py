"""What one takes away from the page: a film of what is seen, and the address for a phone."""

import json

import numpy as np
import pytest
from live_standins import SCENES
from live_viewing import SMALL_WINDOW, Viewer, served

from pliant.app import server as serving
from pliant.app.qr_code import picture_code, terminal_code

OTHERS = "http://192.0.2.7:8000/token/"
FINDER = np.pad(np.pad(np.ones((3, 3), dtype=bool), 1), 1, constant_values=True)  # ISO 18004: a corner of every code


@pytest.fixture(scope="module")
def page(browser):
    """Of a server that others on the network find."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(serving, "network_address", lambda address, host: OTHERS)
        with served({"bar": SCENES["bar"]}) as (live, address):
            context = browser.new_context(viewport=SMALL_WINDOW, accept_downloads=True)
            viewer = Viewer(context.new_page(), live, address).open()
            yield viewer
            context.close()
            assert not viewer.errors, f"the console says {viewer.errors}"


def test_film_shows_what_was_seen(page, tmp_path):
    reader = pytest.importorskip("imageio_ffmpeg", reason="looking into films needs the package imageio-ffmpeg")
    page.press("Film")
    page.until(lambda: page.page.evaluate("pliant.filming()") == "recording")
    page.page.wait_for_timeout(800)
    with page.page.expect_download() as download:
        page.page.locator("#film").click()
    film = tmp_path / download.value.suggested_filename
    download.value.save_as(film)
    frames = reader.read_frames(str(film))
    size = next(frames)["source_size"]
    seen = [np.frombuffer(frame, dtype=np.uint8) for frame in frames]
    assert size == (SMALL_WINDOW["width"], SMALL_WINDOW["height"])
    assert len(seen) > 5
    assert any((frame != seen[0]).any() for frame in seen), "it moves"


def test_page_offers_the_address_for_phones(page):
    told = json.loads(page.page.request.get(f"{page.address}phone.json").text())
    assert told == {"address": OTHERS, "code": picture_code(OTHERS)}
    page.press("On a phone")
    assert page.page.inner_text("#phone-address") == OTHERS
    assert page.page.locator("#phone-code").is_visible() == (told["code"] is not None)
    page.press("Close")


def test_code_in_a_terminal_has_its_three_corners():
    pytest.importorskip("segno", reason="codes need the package segno")
    lines = [line.removeprefix("\033[97;40m").removesuffix("\033[0m") for line in terminal_code(OTHERS).splitlines()]
    dark = np.array([[(c in " ▄", c in " ▀") for c in line] for line in lines]).transpose(0, 2, 1)
    dark = dark.reshape(-1, dark.shape[2])[2:, 2:-2]
    side = dark.shape[1]
    for row, column in ((0, 0), (0, side - 7), (side - 7, 0)):
        np.testing.assert_array_equal(dark[row : row + 7, column : column + 7], FINDER)
