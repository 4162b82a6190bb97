"""Colours between the eye and the light: sRGB as people give it, linear RGB as renderers add it up."""

import numpy as np

from pliant.errors import Array


def linear(srgb: Array) -> Array:
    """sRGB from 0 to 1 as linear light."""
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def encoded(light: Array) -> Array:
    """Linear light, clipped, as sRGB bytes."""
    clipped = np.clip(light, 0.0, 1.0)
    values = np.where(clipped <= 0.0031308, 12.92 * clipped, 1.055 * clipped ** (1 / 2.4) - 0.055)
    return np.round(255 * values).astype(np.uint8)
