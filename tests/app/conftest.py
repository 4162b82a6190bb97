"""A live session, a server on loopback, and a headless browser; each is started once a file or a run."""

import pytest
from live_standins import SCENES
from live_viewing import CHROMIUM, FLAGS, SMALL_WINDOW, Viewer, served


@pytest.fixture(scope="module")
def session_server():
    with served(SCENES) as pair:
        yield pair


@pytest.fixture(scope="session")
def browser():
    api = pytest.importorskip("playwright.sync_api", reason="the browser tests need the package playwright")
    if CHROMIUM is None:
        pytest.skip("the browser tests need chromium; on Debian: apt-get install chromium")
    with api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def viewer(browser, session_server):
    live, address = session_server
    context = browser.new_context(viewport=SMALL_WINDOW, accept_downloads=True)
    made = Viewer(context.new_page(), live, address)
    yield made
    context.close()
    assert not made.errors, f"the console says {made.errors}"
