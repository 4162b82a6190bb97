"""The wind of a scene."""

import numpy as np

from pliant.scenes.schema import SceneFile
from pliant.systems.wind import Wind


def wind_of(scene: SceneFile) -> Wind | None:
    """None where a scene has no wind."""
    wanted = scene.wind
    if wanted is None:
        return None
    return Wind(np.array(wanted.velocity), wanted.gust, wanted.length, wanted.seed, wanted.drag)
