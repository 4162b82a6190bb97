"""The vibration modes that the viewer can show, of systems with one basis or none."""

from dataclasses import dataclass

import numpy as np
import scipy.linalg

from pliant.basis import vibration_modes
from pliant.errors import ArgumentError, Array
from pliant.fem import Solid
from pliant.reduced import ReducedModel
from pliant.systems import System

MODES = 10
TOO_MANY = 60_000  # unknowns: beyond this, modes take longer than a person waits


@dataclass(frozen=True)
class Vibrations:
    """Vibration modes about the rest shape.

    Attributes:
        frequencies: (k,) [Hz], lowest first.
        coordinates: (k, r) what each adds to the coordinates of the first part.
    """

    frequencies: Array
    coordinates: Array

    def __repr__(self) -> str:
        lowest = f", lowest {self.frequencies[0]:.4g} Hz" if len(self.frequencies) else ""
        return f"Vibrations({len(self.frequencies)} modes{lowest})"


NO_VIBRATIONS = Vibrations(np.empty(0), np.empty((0, 0)))


def vibrations_of(system: System) -> Vibrations:
    """Its modes, where they are cheap to find."""
    if "model" in system.settings:
        return _reduced(system.settings["model"])
    try:
        # Without a basis the coordinates are the displacements.
        return _unreduced(system.solid) if system.body is None else NO_VIBRATIONS
    except ArgumentError:  # no one solid
        return NO_VIBRATIONS


def _reduced(model: ReducedModel) -> Vibrations:
    eigenvalues, vectors = scipy.linalg.eigh(model.stiffness(), model.mass)
    return Vibrations(np.sqrt(np.maximum(eigenvalues, 0)) / (2 * np.pi), vectors.T)


def _unreduced(solid: Solid) -> Vibrations:
    if solid.dof_count > TOO_MANY:
        return NO_VIBRATIONS
    modes = vibration_modes(solid, min(MODES, len(solid.free) - 6))
    return Vibrations(modes.frequencies / (2 * np.pi), modes.vectors.T)
