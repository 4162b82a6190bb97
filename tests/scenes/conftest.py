"""Gallery scenes, each built once a file of tests."""

import pytest

from pliant.scenes import load_scene


@pytest.fixture(scope="module")
def built():
    """A function from the name of a gallery scene to the scene and its system."""
    made = {}

    def get(name):
        if name not in made:
            scene = load_scene(name)
            made[name] = scene, scene.build()
        return made[name]

    return get
