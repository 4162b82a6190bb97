"""What a bare mesh is made of: what is said, and else so soft that it swings visibly, but stands.

    f1 = sqrt(E) f1(E = 1 Pa),   so   E = (f1 / f1(1 Pa))^2

A column of height L buckles under its own weight where w1^2 L / g is below 1.6, and a beam sags by L / 8 at 12: small
things swing faster than 2 Hz, or they would not stand.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from pliant.basis import vibration_modes
from pliant.fem import Solid
from pliant.mesh import Mesh
from pliant.scenes.part_building import build_material
from pliant.scenes.presets import material_named
from pliant.scenes.reading import check_scene
from pliant.scenes.schema import MaterialTable

GRAVITY = 9.81
TOY = 2.0  # [Hz]
STANDS = 12.0  # w1^2 L / g at least
BUCKLES = 1.6  # of a column
DIGITS = 3


@dataclass(frozen=True)
class Stiffness:
    """A material table, the first frequency [Hz] that it gives, and a sentence about both."""

    table: dict[str, Any]
    frequency: float
    said: str


def stiffness_of(mesh: Mesh, fixed: str, material: str | None, given: dict[str, float | None]) -> Stiffness:
    """From a preset or the name of a law, and constants that are given (young, poisson, density; None is not)."""
    table: dict[str, Any] = {} if material is None else {**material_named(material)}
    table |= {key: value for key, value in given.items() if value is not None}
    checked = _checked({"young": 1.0, **table})
    unit = _first_frequency(Solid(mesh, build_material(_checked({**table, "young": 1.0}), mesh), fixed=fixed))
    height = float(np.ptp(mesh.vertices, axis=0).max())
    if "young" in table:
        frequency, reason = unit * np.sqrt(checked.young), "it swings at"
    else:
        frequency, reason = max(TOY, np.sqrt(STANDS * GRAVITY / height) / (2 * np.pi)), "chosen so that it swings at"
        table["young"] = float(f"{(frequency / unit) ** 2:.{DIGITS}g}")
    name = checked.model if material is None else material
    shown = f"{name}, E = {_said_pressure(table['young'])}, nu = {checked.poisson:g}, {checked.density:g} kg/m^3"
    weak = (2 * np.pi * frequency) ** 2 * height / GRAVITY < BUCKLES
    warning = ", so soft that its weight may bend it to the ground" if weak else ""
    return Stiffness(table, float(frequency), f"{shown}; {reason} {frequency:.2g} Hz{warning}")


def _checked(table: dict[str, Any]) -> MaterialTable:
    return check_scene({"part": [{"shape": "bar", "material": table}]}, "the material").part[0].material


def _first_frequency(solid: Solid) -> float:
    return float(vibration_modes(solid, 1).frequencies[0]) / (2 * np.pi)


def _said_pressure(pascal: float) -> str:
    for factor, name in ((1e9, "GPa"), (1e6, "MPa"), (1e3, "kPa")):
        if pascal >= factor:
            return f"{pascal / factor:.3g} {name}"
    return f"{pascal:.3g} Pa"
