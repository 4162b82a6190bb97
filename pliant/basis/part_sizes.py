"""How many of all coordinates each part of a solid gets.

    r_i = r log(n_i) / sum_j log(n_j)   ("log")   or   r n_i / sum_j n_j   ("proportional"),   n_i vertices

([LS11] section 5, where n_i counts elements), rounded down, the rest to the largest remainders, so that the sum is r
(maths sheet substructuring 2).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, Ids, PliantWarning, check_array, check_choice, check_count

RULES = ("log", "proportional")
SHORT = r"\d+ parts span less than their share"
WHOLE = 1e-12  # relative rounding of a share that is a whole number


def part_sizes(
    size: int,
    vertex_counts: ArrayLike,
    rule: str = "log",
    limits: ArrayLike | None = None,
    names: Sequence[str] | None = None,
) -> Ids:
    """Basis sizes (d,) that add up to `size`, at least one each.

    Args:
        size: r, coordinates of all parts together.
        vertex_counts: n_i (d,).
        rule: "log" or "proportional".
        limits: (d,) the most that each part can span; what is above it goes to the others, with a warning.
        names: of the parts, for the warning.
    """
    counts = check_array("vertex_counts", vertex_counts, (None,))
    weights = np.log(np.maximum(counts, 2)) if check_choice("rule", rule, RULES) == "log" else counts
    size = check_count("size", size)
    if size < len(counts):
        raise ArgumentError(f"size must be at least {len(counts)}, one a part that deforms; {size} was given")
    caps = (
        np.full(len(counts), size) if limits is None else np.minimum(check_array("limits", limits, counts.shape), size)
    )
    caps = caps.astype(np.int64)
    free = largest_remainders(size, weights, np.full(len(counts), size))
    sizes = largest_remainders(min(size, int(caps.sum())), weights, caps)
    if (short := np.flatnonzero(free > caps)).size:
        shown = ", ".join(f"{names[i] if names else f'part {i}'} ({caps[i]})" for i in short[:6])
        rest = "the others get the rest" if sizes.sum() == size else f"all together {sizes.sum()}"
        warnings.warn(f"{len(short)} parts span less than their share of {size}: {shown}; {rest}", PliantWarning, 3)
    return sizes


def largest_remainders(total: int, weights: Array, caps: Ids) -> Ids:
    """Whole numbers (d,) in proportion to weights, each from 1 to its cap, that add up to `total`."""
    share = _clipped_shares(total, weights, caps)
    sizes = np.floor(share).astype(np.int64)
    for part in np.argsort(sizes - share, kind="stable")[: total - sizes.sum()]:
        sizes[part] += 1
    return sizes


def _clipped_shares(total: int, weights: Array, caps: Ids) -> Array:
    """clip(c w, 1, caps) with the factor c for which they add up to `total`."""
    factors = np.sort(np.concatenate([1 / weights, caps / weights]))
    sums = [np.clip(factor * weights, 1, caps).sum() for factor in factors]
    factor = np.interp(total, sums, factors)  # the sum is linear between the bends
    share = np.clip(factor * weights, 1, caps)
    near = np.round(share)
    return np.where(np.abs(share - near) < WHOLE * near, near, share)
