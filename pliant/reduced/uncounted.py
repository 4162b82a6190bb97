"""Vectors that were not chosen for a tolerance: what was measured of them is said where it is not good.

Those that nobody counted are measured once, under loads that were held out, and twice as large, with the forces of the
full model, as when a basis is chosen. Of those that somebody counted the error in small motion is known.
"""

import warnings

import numpy as np

from pliant.basis import Basis
from pliant.basis.held_out import held_out_error
from pliant.basis.size_report import GOOD
from pliant.errors import CrudeBasis, PliantWarning
from pliant.fem import Solid
from pliant.numerics.progress import Progress
from pliant.reduced.cache import cached_arrays

CHOOSE = "leave the basis out, and pl.reduce chooses one for a tolerance"
AS_IT_IS = "who wants it so ignores warnings of pliant.errors.CrudeBasis"


def warn_if_poor(solid: Solid, basis: Basis, progress: Progress = None, stacklevel: int = 2) -> None:
    """Say so in a warning where a basis errs by more than is good, unless nothing is held."""
    if not basis.counted and len(solid.fixed):
        key = ["errors of vectors that nobody counted", solid, basis.vectors]
        found = cached_arrays(key, lambda: {"error": np.array([held_out_error(solid, basis, progress)])})
        if (error := float(found["error"][0])) > GOOD:
            said = f"{basis.size} vectors, which nobody counted, leave an estimated error of {error:.2g} under "
            said += f"loads that bend the solid by a tenth of its size; {CHOOSE}, or count them yourself with size="
            warnings.warn(said, PliantWarning, stacklevel + 1)
    elif basis.small_error is not None and basis.small_error > GOOD:
        said = f"{basis.size} vectors leave an error of {basis.small_error:.2g} in small motion already, under "
        said += f"slanting pulls and weight; {CHOOSE}, or take more modes; {AS_IT_IS}"
        warnings.warn(said, CrudeBasis, stacklevel + 1)
