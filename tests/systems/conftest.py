"""What several files of tests of systems share."""

import pytest


@pytest.fixture(scope="module")
def own_cache(tmp_path_factory):
    """Models are built anew, whatever the user's cache holds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLIANT_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield
