"""Rolling and sliding: the force of a contact that lasts, made uneven by the roughness that passes below it.

f(t) = N(t) roughness h(s(t)),  s' = speed: h is a rough line of grains, read as fast as the surfaces pass each other,
so that what moves slowly sounds dull and softly, and what rests is silent.
"""

import numpy as np

from pliant.errors import Array

GRAINS = 1 << 15
FAST = 0.2  # [m/s]: below, roughness is felt in proportion to the speed


def profile(seed: int = 1) -> Array:
    """(GRAINS + 1,) heights of a line of grains without a mean, closed."""
    heights = np.random.default_rng(seed).standard_normal(GRAINS)
    heights -= heights.mean()
    return np.append(heights, heights[0])


def rubbed(force: Array, speed: Array, roughness: float, grain: float, step: float, heights: Array) -> Array:
    """(k,) what roughness adds to a force (k,) [N] at speeds (k,) [m/s], one a `step` [s]; grains are `grain` [m] long.

    A grain that passes within a sample is heard as its mean, so fast ones get softer, and nothing is folded back.
    """
    way = np.concatenate([[0.0], np.cumsum(speed) * step / grain])
    area = np.concatenate([[0.0], np.cumsum((heights[1:] + heights[:-1]) / 2)])
    lap, place = np.divmod(way, GRAINS)
    k = np.minimum(place.astype(np.int64), GRAINS - 1)
    t = place - k
    total = lap * area[-1] + area[k] + t * (heights[k] + t / 2 * (heights[k + 1] - heights[k]))
    passed = np.diff(way)
    mean = np.divide(np.diff(total), passed, out=np.zeros_like(passed), where=passed > 1e-12)
    return roughness * force * mean * np.minimum(speed / FAST, 1.0)
