"""A live session and a server on loopback, started once a file, and a page that shows it."""

import pytest
from live_standins import SCENES
from live_viewing import SMALL_WINDOW, Viewer, served


@pytest.fixture(scope="module")
def session_server():
    with served(SCENES) as pair:
        yield pair


@pytest.fixture
def viewer(browser, session_server):
    live, address = session_server
    context = browser.new_context(viewport=SMALL_WINDOW, accept_downloads=True)
    context.add_init_script("localStorage.setItem('pliant-dragged', 'yes')")  # no hint that moves in pictures
    made = Viewer(context.new_page(), live, address)
    yield made
    context.close()
    assert not made.errors, f"the console says {made.errors}"
