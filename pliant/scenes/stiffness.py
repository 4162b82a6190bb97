"""What a bare mesh is made of: what is said, and else so soft that it swings visibly, but stands.

    f1 = sqrt(E) f1(E = 1 Pa),   so   E = (f1 / f1(1 Pa))^2

A column of height L buckles under its own weight where w1^2 L / g is below 1.6, and a beam sags by L / 8 at 12: small
things swing faster than 2 Hz, or they would not stand. What stands on a few cells must not crush them, either:

    E > |strain under its weight at E = 1 Pa| / CRUSHED,   of all pairs of vertices that share a cell
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import triu

from pliant.basis import vibration_modes
from pliant.basis.response import StaticResponse
from pliant.fem import Shell, Solid
from pliant.mesh import Mesh
from pliant.numerics.progress import Progress, report
from pliant.scenes.part_building import build_material
from pliant.scenes.presets import material_named
from pliant.scenes.reading import check_scene
from pliant.scenes.scene import AXES
from pliant.scenes.schema import MaterialTable

GRAVITY = 9.81
TOY = 2.0  # [Hz]
STANDS = 12.0  # w1^2 L / g at least
BUCKLES = 1.6  # of a column
CRUSHED = 1 / 8  # of the length of a pair of vertices
DIGITS = 3


@dataclass(frozen=True)
class Stiffness:
    """A material table, the first frequency [Hz] that it gives, and a sentence about both."""

    table: dict[str, Any]
    frequency: float
    said: str


def stiffness_of(
    mesh: Mesh,
    fixed: str,
    material: str | None,
    given: dict[str, float | None],
    up: str = "y",
    thickness: float | None = None,
    progress: Progress = None,
) -> Stiffness:
    """From a preset or the name of a law, and constants that are given (young, poisson, density; None is not).

    A mesh with a `thickness` [m] is a shell.
    """
    table: dict[str, Any] = {} if material is None else {**material_named(material)}
    table |= {key: value for key, value in given.items() if value is not None}
    checked = _checked({"young": 1.0, **table})
    soft = build_material(_checked({**table, "young": 1.0}), mesh)
    solid = Solid(mesh, soft, fixed=fixed) if thickness is None else Shell(mesh, soft, thickness, fixed=fixed)
    report(progress, "stiffness", 0.2)
    response = StaticResponse(solid)
    report(progress, "stiffness", 0.6)
    unit = float(vibration_modes(solid, 1, response=response).frequencies[0]) / (2 * np.pi)
    height = float(np.ptp(mesh.vertices, axis=0).max())
    if "young" in table:
        frequency, reason = unit * np.sqrt(checked.young), "it swings at"
    else:
        wanted = max(TOY, np.sqrt(STANDS * GRAVITY / height) / (2 * np.pi))
        borne = unit * np.sqrt(_strain_by_weight(solid, response, AXES[up]) / CRUSHED)
        frequency, reason = max(wanted, borne), "chosen so that it swings at"
        table["young"] = float(f"{(frequency / unit) ** 2:.{DIGITS}g}")
    name = checked.model if material is None else material
    shown = f"{name}, E = {_said_pressure(table['young'])}, nu = {checked.poisson:g}, {checked.density:g} kg/m^3"
    weak = (2 * np.pi * frequency) ** 2 * height / GRAVITY < BUCKLES
    warning = ", so soft that its weight may bend it to the ground" if weak else ""
    return Stiffness(table, float(frequency), f"{shown}; {reason} {frequency:.2g} Hz{warning}")


def _checked(table: dict[str, Any]) -> MaterialTable:
    return check_scene({"part": [{"shape": "bar", "material": table}]}, "the material").part[0].material


def _strain_by_weight(solid: Solid, response: StaticResponse, axis: int) -> float:
    """The largest of a pair of vertices, at E = 1 Pa."""
    X, weight = solid.mesh.vertices, np.zeros((solid.mesh.vertex_count, 3))
    weight[:, axis] = GRAVITY * solid.lumped_mass.reshape(-1, 3)[:, axis]
    u = response.solve(weight.ravel()).reshape(-1, 3)
    i, j = triu(solid.mesh.vertex_adjacency).nonzero()
    way = X[j] - X[i]
    return float(np.abs(np.sum((u[j] - u[i]) * way, axis=1) / np.sum(way**2, axis=1)).max())


def _said_pressure(pascal: float) -> str:
    for factor, name in ((1e9, "GPa"), (1e6, "MPa"), (1e3, "kPa")):
        if pascal >= factor:
            return f"{pascal / factor:.3g} {name}"
    return f"{pascal:.3g} Pa"
