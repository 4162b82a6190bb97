"""Colours between the eye and the light: sRGB as people give it, linear RGB as renderers add it up."""

import numpy as np
from numpy.typing import NDArray

from pliant.errors import Array

LEVELS = 65535  # of light, 20 for each step between the darkest bytes


def linear(srgb: Array) -> Array:
    """sRGB from 0 to 1 as linear light."""
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def encoded(light: Array) -> NDArray[np.uint8]:
    """Linear light, clipped, as sRGB bytes."""
    return _BYTES[(LEVELS * np.clip(light, 0.0, 1.0) + 0.5).astype(np.uint16)]


def _bytes() -> NDArray[np.uint8]:
    """sRGB bytes of all levels of light."""
    light = np.arange(LEVELS + 1) / LEVELS
    values = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    return np.round(255 * values).astype(np.uint8)


_BYTES = _bytes()
