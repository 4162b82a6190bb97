"""From a solid and a basis to a reduced model at the push of a button."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pliant.basis import Basis, check_fits
from pliant.basis.chosen import MOST
from pliant.errors import ArgumentError, Array, check_choice
from pliant.fem import FirmStVK, Linear, Shell, Solid, StVK
from pliant.fem.inversion import resisting
from pliant.numerics.progress import Progress
from pliant.reduced.cells import CellForce, single
from pliant.reduced.choosing import chosen_model
from pliant.reduced.cubic import cubic_force
from pliant.reduced.force import Force
from pliant.reduced.force_costs import quicker, quicker_firm
from pliant.reduced.groups import Groups, groups_of
from pliant.reduced.inertia import grams
from pliant.reduced.linear import linear_force
from pliant.reduced.model import ReducedModel
from pliant.reduced.training import cubature_force
from pliant.reduced.uncounted import warn_if_poor

FORCES = ("auto", "cubic", "cells", "cubature", "linear")


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
            that nobody counted, `pl.modal_basis(solid)`, is measured, with a warning where it errs by more than 0.05;
            so is one whose `size` was counted, in small motion alone.
        force: "cubic" (exact, StVK: a table), "cells" (exact, StVK and FirmStVK: no table, all cells are visited),
            "cubature" (any material), "linear" (small motion); "auto": linear for Linear, for StVK cubic up to 80 basis
            vectors and beyond that the quicker of cubic and cells, cubature for the others. Where a basis is chosen,
            FirmStVK has the quicker of cubature and cells; and where its loads turn cells of StVK inside out the model
            is one of FirmStVK. A jet of cubic forces takes 14 us with
            30 vectors, 0.2 ms with 60, 4 ms with 100, 15 ms with 140. Forces of 6000 cells take 0.3 ms with 140
            vectors, and their stiffness 3 ms, once a step, or with damping by it in every iteration.
        progress: called with the stage and the fraction that is done.
        tolerance: without a basis: relative displacement error of a motion, over a period, as the error indicator
            estimates it under loads that were held out; None: 0.02. One that is asked for, without `most`, is refused
            where twice as much cannot be had either. With a basis: as `force_tolerance`.
        loads: without a basis: those that will act, (3n, s), (s, 3n) or (s, n, 3) [N]; None: weight, and pulls at the
            extremities.
        most: without a basis: vectors that are allowed, None: 200 for StVK and FirmStVK, whose forces are exact, else
            80, or 140 for a tolerance below 0.02; a warning says where they do not suffice.
        force_tolerance: for cubature: relative force error on the training states.
        training: for cubature: `samples`, `points` (most allowed), `seed`.

    Raises:
        BasisError: the tolerance that was asked for cannot be had; the message says what was reached.
    """
    if not isinstance(solid, Solid):
        raise ArgumentError(f"solid must be a pliant Solid; {type(solid).__name__} was given")
    largest = MOST if most is None else most
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

    def build_chosen(basis: Basis) -> ReducedModel:
        kind = _chosen(solid, basis.size, force)
        if force == "auto" and not training and type(solid.material) is FirmStVK:
            kind = quicker_firm(solid, basis.size)
        return _model(solid, Basis(single(basis.vectors)) if kind == "cells" else basis, kind, progress, training)

    def build_firm() -> ReducedModel:
        return reduce(resisting(solid), None, force, progress, tolerance, loads, most)

    if basis is None:
        frail = type(solid.material) is StVK and solid.has_inside
        firm = build_firm if force == "auto" and frail else None
        return chosen_model(solid, tolerance, loads, most, [force, training], build_chosen, progress, firm)
    if kind != "linear":  # which is for small motion, and asked for
        warn_if_poor(solid, basis, progress)
    return _model(solid, basis, kind, progress, training)


def _model(solid: Solid, basis: Basis, kind: str, progress: Progress, training: dict) -> ReducedModel:
    U, groups = np.ascontiguousarray(check_fits(solid, basis).vectors), groups_of(solid)
    return ReducedModel(
        X=solid.mesh.vertices,
        U=U,
        cells=solid.mesh.cells,
        fixed=solid.fixed,
        material_law=type(solid.material),
        groups=groups,
        force_law=_force(kind, solid, np.ascontiguousarray(basis.elastic_vectors), groups, progress, training),
        unit_grams=grams(solid, U, groups),
        thickness=solid.thickness if isinstance(solid, Shell) else None,
        hinged=solid.hinged if isinstance(solid, Shell) else None,
    )


def _chosen(solid: Solid, size: int, force: str) -> str:
    if isinstance(solid, Shell):
        if force not in ("auto", "cubic", "linear"):
            raise ArgumentError(f"forces of shells are 'cubic' or 'linear'; {force!r} was given")
        return "linear" if force == "linear" or isinstance(solid.material, Linear) else "cubic"
    if force == "auto":
        polynomial = {StVK: quicker(solid, size), Linear: "linear"}
        return polynomial.get(type(solid.material), "cubature")
    laws = {"cubic": (StVK,), "cells": (StVK, FirmStVK)}.get(force, ())
    if laws and type(solid.material) not in laws:
        names = " and ".join(law.__name__ for law in laws)
        raise ArgumentError(f"{force} forces are for {names}; {type(solid.material).__name__} needs force='cubature'")
    return force


def _force(kind: str, solid: Solid, U: Array, groups: Groups, progress: Progress, training: dict) -> Force:
    if kind == "cubic":
        return cubic_force(solid, U, groups, progress)
    if kind == "cells":
        return CellForce(solid, U)
    if kind == "linear":
        return linear_force(solid, U, groups)
    return cubature_force(solid, U, groups, progress, **training)
