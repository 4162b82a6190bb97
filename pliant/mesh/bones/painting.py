"""Weights of bones as a person changes them: how far bones reach, and dabs of a brush.

    reach:  w_k <- r_k w_k / sum_j r_j w_j
    dab:    w <- (1 - b) w + b w*,   b = (1 - d^2/radius^2)^2,   w*_k = share, w*_j = w_j (1 - share)/(1 - w_k)

Both keep weights in [0, 1], and their sum one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree

from pliant.errors import ArgumentError, Array, check_array, check_number

ALL = 1e-9  # of a vertex that a bone moves alone there is no other to give a share to


@dataclass(frozen=True, eq=False, init=False)
class Dab:
    """A stroke of a brush on weights.

    Attributes:
        bone: its name.
        at: (k, 3) places that the brush was at [m].
        radius: of the brush [m].
        share: of the bone in the middle of the brush; 1: it alone moves what is there, 0: others do.
    """

    bone: str
    at: Array
    radius: float
    share: float = 1.0

    def __init__(self, bone: str, at: ArrayLike, radius: float, share: float = 1.0):
        places = check_array(f"places of a dab for {bone}", np.atleast_2d(np.asarray(at, dtype=float)), (None, 3))
        wide = check_number(f"radius of a dab for {bone}", radius, above=0)
        part = check_number(f"share of a dab for {bone}", share, at_least=0, at_most=1)
        self.__dict__.update(bone=bone, at=places, radius=wide, share=part)

    def __repr__(self) -> str:
        return f"Dab({self.bone!r}, {len(self.at)} places, radius {self.radius:.4g} m, share {self.share:g})"


def painted(weights: Array, X: Array, names: Sequence[str], reach: Mapping[str, float], paint: Sequence[Dab]) -> Array:
    """Weights (s, k) of named bones on places X (s, 3), with their reach and then all dabs in a row."""
    factors = np.array([_reach(name, reach.get(name, 1.0)) for name in names])
    _check_known([*reach, *(dab.bone for dab in paint)], names)
    made = weights * factors
    made /= made.sum(axis=1, keepdims=True)
    for dab in paint:
        _dab(made, X, names.index(dab.bone), dab)
    return made


def _dab(w: Array, X: Array, k: int, dab: Dab) -> None:
    d = cKDTree(dab.at).query(X)[0] / dab.radius
    if not (d < 1).any():
        raise ArgumentError(
            f"a dab for {dab.bone} reaches no vertex: its brush of {dab.radius:.3g} m is {d.min() * dab.radius:.3g} m "
            "away from the surface; put it there, or make it wider"
        )
    b = np.clip(1 - d**2, 0, None) ** 2
    b[w[:, k] > 1 - ALL] *= dab.share == 1
    others = (1 - dab.share) / np.maximum(1 - w[:, k], ALL)
    wanted = w * others[:, None]
    wanted[:, k] = dab.share
    w += b[:, None] * (wanted - w)
    w /= w.sum(axis=1, keepdims=True)


def _reach(name: str, factor: float) -> float:
    return check_number(f"reach of {name}", factor, above=0, at_most=1e6)


def _check_known(given: Sequence[str], names: Sequence[str]) -> None:
    for name in given:
        if name not in names:
            raise ArgumentError(f"there is no bone {name!r} to paint or reach; bones are {', '.join(names[:8])}")
