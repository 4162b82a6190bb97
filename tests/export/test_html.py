"""The page plays offline in a real browser: right vertices, a picture that moves, no requests, no errors."""

import dataclasses

import numpy as np
import pytest
from recordings import FLOAT32, KINDS, assert_same_triangles, beside_obstacles, copies, made_up

from pliant.export import write


@pytest.fixture
def opened(browser, tmp_path):
    """A function from a recording to its page, the messages of its console, and its requests."""
    pages = []

    def open_page(recording):
        write(recording, tmp_path / "a.html")
        page, errors, requests = browser.new_page(viewport={"width": 240, "height": 180}), [], []
        pages.append(page)
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto((tmp_path / "a.html").as_uri())
        return page, errors, requests

    yield open_page
    for page in pages:
        page.close()


def scrub(page, frame):
    page.evaluate(
        "k => { const s = document.getElementById('scrub'); s.value = k; s.dispatchEvent(new Event('input')); }", frame
    )
    page.wait_for_function("k => document.getElementById('scrub').value === String(k)", arg=frame)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


@pytest.mark.parametrize("kind", [*KINDS, "copies", "obstacles"])
def test_page_places_vertices_to_float32(opened, kind):
    others = {"copies": copies, "obstacles": beside_obstacles}
    recording = others[kind]() if kind in others else made_up(kind)
    page, errors, _ = opened(recording)
    x = np.array(
        page.evaluate("recording.times.reduce((all, _, k) => [...all, Array.from(positionsAt(recording, k))], [])")
    )
    triangles = np.array(page.evaluate("Array.from(recording.triangles)")).reshape(-1, 3)
    assert_same_triangles(
        x.reshape(recording.frame_count, -1, 3)[:, triangles], recording, FLOAT32 * (4 if kind == "copies" else 1)
    )
    assert not errors


def test_page_plays_turns_and_asks_nothing_of_the_network(opened):
    page, errors, requests = opened(made_up("tree"))
    scrub(page, 0)
    first = page.screenshot()
    scrub(page, 4)
    last = page.screenshot()
    assert first != last
    page.mouse.move(120, 70)
    page.mouse.down()
    page.mouse.move(180, 80)
    page.mouse.up()
    scrub(page, 4)
    assert page.screenshot() != last
    page.keyboard.press("Space")
    page.wait_for_function("document.getElementById('play').getAttribute('aria-label') === 'Pause'")
    assert not errors
    assert len(requests) == 1


def test_names_cannot_break_out_of_the_page(opened):
    evil = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">$title"
    page, errors, _ = opened(dataclasses.replace(made_up("one part"), name=evil, claim=evil))
    assert page.title() == evil
    assert page.text_content("h1") == evil
    assert not errors
