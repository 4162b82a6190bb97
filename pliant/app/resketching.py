"""A new basis from pulls, for systems of one reduced part."""

from dataclasses import dataclass

import numpy as np

from pliant.basis import sketch_basis
from pliant.errors import ArgumentError, Array
from pliant.numerics.progress import Report
from pliant.reduced import ReducedModel, reduce
from pliant.systems import System


@dataclass(frozen=True, eq=False)
class Resketched:
    """A system on a new basis, and what turns old coordinates into new ones (r_new, r_old)."""

    base: System
    projection: Array

    def __repr__(self) -> str:
        new, old = self.projection.shape
        return f"Resketched({old} to {new} vectors: {self.base})"


def can_sketch(system: System) -> bool:
    """Has it one reduced part, whose basis can be another?"""
    return "model" in system.settings


def check_sketchable(system: System) -> None:
    """A sentence where it has none."""
    if not can_sketch(system):
        raise ArgumentError("a sketch needs a reduced solid; this scene has none")


def resketched(base: System, loads: Array, progress: Report) -> Resketched:
    """`base` on a basis for these loads (s, n, 3) [N]: as many vectors as before, or as many as the pulls span."""
    check_sketchable(base)
    old: ReducedModel = base.settings["model"]
    solid = old.solid
    basis = sketch_basis(solid, loads, progress=progress)
    basis = basis.truncate(min(basis.size, old.size))
    model = reduce(solid, basis, old.force_law.kind, progress)
    return in_place_of(base, base.retuned(model=model))


def in_place_of(old: System, new: System) -> Resketched:
    """`new`, the same solid as `old` on another basis, to go on with from the same shape."""
    before, now = old.settings["model"], new.settings["model"]
    U, M = now.U, now.solid.mass
    return Resketched(new, np.linalg.solve(U.T @ (M @ U), U.T @ (M @ before.U)))
