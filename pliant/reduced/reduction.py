"""From a solid and a basis to a reduced model at the push of a button."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pliant.basis import Basis, check_fits
from pliant.basis.chosen import MOST
from pliant.errors import ArgumentError, Array, check_choice
from pliant.fem import Linear, Solid, StVK
from pliant.numerics.progress import Progress
from pliant.reduced.choosing import chosen_model
from pliant.reduced.cubic import cubic_force
from pliant.reduced.force import Force
from pliant.reduced.groups import Groups, groups_of
from pliant.reduced.inertia import grams
from pliant.reduced.linear import linear_force
from pliant.reduced.model import ReducedModel
from pliant.reduced.training import cubature_force
from pliant.reduced.uncounted import warn_if_poor

FORCES = ("auto", "cubic", "cubature", "linear")

# Measured in one run, a jet: cubic 14 us, 0.2 ms and 4 ms at r = 30, 60 and 100 (n^4 / 24 coefficients of 0.3 ns each,
# 0.9 once they leave the caches), 15 ms at 140; cubature with 8 r points 85 us, 0.5 ms and 1.8 ms (0.2 to 0.4 ns r^2 a
# point), and its training at 140 takes many times the 40 s of cubic coefficients.
CUBIC_UP_TO = 140


def reduce(
    solid: Solid,
    basis: Basis | None = None,
    force: str = "auto",
    progress: Progress = None,
    tolerance: float | None = None,
    loads: ArrayLike | None = None,
    most: int | None = None,
    force_tolerance: float | None = None,
    **training: Any,
) -> ReducedModel:
    """The reduced model of a solid.

    Args:
        basis: u = U q; None: the smallest one found that meets `tolerance`, and the model has a `report` of it. One
            that nobody counted, `pl.modal_basis(solid)`, is measured, with a warning where it errs by more than 0.05.
        force: "cubic" (exact, StVK), "cubature" (any material), "linear" (small motion);
            "auto": linear for Linear, cubic for StVK up to 140 basis vectors, cubature for the others. Cubic is exact
            and quicker up to about 80 vectors (14 us at 30, 0.2 ms at 60, 4 ms at 100, 15 ms at 140); cubature errs by
            about half a per cent and grows with the cube of the vectors (85 us, 0.5 and 1.8 ms), but trains for
            minutes, so it is taken where there is no other way.
        progress: called with the stage and the fraction that is done.
        tolerance: without a basis: relative displacement error of a motion, over a period, as the error indicator
            estimates it under loads that were held out; None: 0.02. One that is asked for, without `most`, is refused
            where twice as much cannot be had either. With a basis: as `force_tolerance`.
        loads: without a basis: those that will act, (3n, s), (s, 3n) or (s, n, 3) [N]; None: weight, and pulls at the
            extremities.
        most: without a basis: vectors that are allowed, None: 80, or 140 for a tolerance below 0.02; a warning says
            where they do not suffice.
        force_tolerance: for cubature: relative force error on the training states.
        training: for cubature: `samples`, `points` (most allowed), `seed`.

    Raises:
        BasisError: the tolerance that was asked for cannot be had; the message says what was reached.
    """
    if not isinstance(solid, Solid):
        raise ArgumentError(f"solid must be a pliant Solid; {type(solid).__name__} was given")
    largest = MOST[-1] if most is None else most
    size = largest if basis is None else check_fits(solid, basis).size
    kind = _chosen(solid, size, check_choice("force", force, FORCES))
    if basis is not None:
        if loads is not None:
            raise ArgumentError("loads choose a basis, and one was given; leave out basis=, or loads=")
        force_tolerance = tolerance if force_tolerance is None else force_tolerance
    if force_tolerance is not None:
        training = {"tolerance": force_tolerance, **training}
    if training and kind != "cubature":
        raise ArgumentError(f"{', '.join(training)} belong to cubature forces; this force is {kind}")

    def build(basis: Basis) -> ReducedModel:
        return _model(solid, basis, kind, progress, training)

    if basis is None:
        return chosen_model(solid, tolerance, loads, most, [kind, training], build, progress)
    if kind != "linear":  # which is for small motion, and asked for
        warn_if_poor(solid, basis, progress)
    return build(basis)


def _model(solid: Solid, basis: Basis, kind: str, progress: Progress, training: dict) -> ReducedModel:
    U, groups = np.ascontiguousarray(check_fits(solid, basis).vectors), groups_of(solid)
    return ReducedModel(
        X=solid.mesh.vertices,
        U=U,
        cells=solid.mesh.cells,
        fixed=solid.fixed,
        material_law=type(solid.material),
        groups=groups,
        force_law=_force(kind, solid, U, groups, progress, training),
        unit_grams=grams(solid, U, groups),
    )


def _chosen(solid: Solid, size: int, force: str) -> str:
    if force == "auto":
        polynomial = {StVK: "cubic" if size <= CUBIC_UP_TO else "cubature", Linear: "linear"}
        return polynomial.get(type(solid.material), "cubature")
    if force == "cubic" and type(solid.material) is not StVK:
        raise ArgumentError(f"cubic forces are for StVK; {type(solid.material).__name__} needs force='cubature'")
    return force


def _force(kind: str, solid: Solid, U: Array, groups: Groups, progress: Progress, training: dict) -> Force:
    if kind == "cubic":
        return cubic_force(solid, U, groups, progress)
    if kind == "linear":
        return linear_force(solid, U, groups)
    return cubature_force(solid, U, groups, progress, **training)
