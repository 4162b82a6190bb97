"""Shared by all tests: the real meshes where they are at hand, a browser, the slow marker, reproducible hypothesis."""

import shutil
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

SHARED_MESHES = Path(__file__).resolve().parents[2] / "shared" / "meshes"

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
# Software WebGL, no sandbox since the tests may run as root, and nothing that talks to other machines.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]

# These files begin first: were one of them the last, other processes of the suite would wait for it.
LONGEST = frozenset(
    {
        "test_assembling.py",
        "test_bare_meshes.py",
        "test_bare_viewing.py",
        "test_beam.py",
        "test_clamped_spoon.py",
        "test_docs.py",
        "test_estimated_errors.py",
        "test_examples.py",
        "test_foreign_types.py",
        "test_no_silent_failure.py",
        "test_nonlinear_seam_scenes.py",
        "test_rest.py",
        "test_seam_scenes.py",
        "test_seams_tolerance.py",
        "test_shapes.py",
        "test_solid.py",
    }
)

settings.register_profile("suite", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")


def pytest_addoption(parser):
    parser.addoption("--slow", action="store_true", help="also run the studies marked slow")


def pytest_collection_modifyitems(config, items):
    count = Counter(item.path for item in items)
    items.sort(key=lambda item: (item.path.name not in LONGEST, -count[item.path]))
    if not config.getoption("--slow"):
        for item in items:
            if "slow" in item.keywords:
                item.add_marker(pytest.mark.skip(reason="a slow study; run with --slow"))


@pytest.fixture(scope="session")
def real_mesh():
    """A function from a file name to its path among the real-world meshes; skips where the folder is missing."""

    def path(name: str) -> Path:
        if not SHARED_MESHES.is_dir():
            pytest.skip("the folder of real-world meshes is not beside the repository")
        return SHARED_MESHES / name

    return path


@pytest.fixture(scope="session")
def browser():
    """Headless Chromium; one for all tests, since two cannot run side by side in a process."""
    api = pytest.importorskip("playwright.sync_api", reason="the browser tests need the package playwright")
    if CHROMIUM is None:
        pytest.skip("the browser tests need chromium; on Debian: apt-get install chromium")
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(autouse=True)
def own_registers():
    """What a test or an example of the docs registers is gone after it."""
    from pliant.basis import BASES
    from pliant.fem import MATERIALS
    from pliant.scenes.kinds import SYSTEMS

    before = [(table, dict(table)) for table in (BASES, MATERIALS, SYSTEMS)]
    yield
    for table, kept in before:
        table.clear()
        table.update(kept)
