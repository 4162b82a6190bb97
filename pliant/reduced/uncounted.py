"""Vectors that nobody counted: how good they are is measured once, and said where it is not good.

Under loads that were held out, and twice as large, with the forces of the full model, as when a basis is chosen.
"""

import warnings

import numpy as np

from pliant.basis import Basis
from pliant.basis.held_out import held_out_error
from pliant.basis.size_report import GOOD
from pliant.errors import PliantWarning
from pliant.fem import Solid
from pliant.numerics.progress import Progress
from pliant.reduced.cache import cached_arrays

REMEDY = "leave the basis out, and pl.reduce chooses one for a tolerance, or count them yourself with size="


def warn_if_poor(solid: Solid, basis: Basis, progress: Progress = None, stacklevel: int = 2) -> None:
    """Say so in a warning where a basis errs by more than is good, unless somebody counted it, or nothing is held."""
    if basis.counted or not len(solid.fixed):
        return
    key = ["errors of vectors that nobody counted", solid, basis.vectors]
    found = cached_arrays(key, lambda: {"error": np.array([held_out_error(solid, basis, progress)])})
    if (error := float(found["error"][0])) > GOOD:
        said = f"{basis.size} vectors, which nobody counted, leave an estimated error of {error:.2g} under "
        said += "loads that bend the solid by a tenth of its size"
        warnings.warn(f"{said}; {REMEDY}", PliantWarning, stacklevel + 1)
