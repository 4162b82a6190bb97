"""A scene for a bare mesh or surface file: what the file does not say is guessed, and said."""

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from pliant.errors import check_choice
from pliant.fem.solid import fixed_vertices
from pliant.mesh import Mesh
from pliant.mesh.files.surface_files import SURFACE_ENDINGS
from pliant.numerics.progress import Progress, report
from pliant.scenes.part_building import build_mesh
from pliant.scenes.reading import check_scene
from pliant.scenes.scene import AXES, Scene
from pliant.scenes.standing import TURNS, feet, guessed_up
from pliant.scenes.stiffness import stiffness_of
from pliant.scenes.units import length_of_unit

EDGE = 0.04  # of the diagonal, for the tets of a surface
DAMPED = 0.03  # of critical damping, in the first mode
PERIOD_STEPS = 40  # at least
DT = (1e-4, 1e-3)  # [s], smallest and largest


def scene_of_mesh(
    path: str | PathLike[str],
    parts: int | None = None,
    *,
    scale: float | None = None,
    unit: str | None = None,
    up: str | None = None,
    fixed: str | None = None,
    material: str | None = None,
    young: float | None = None,
    poisson: float | None = None,
    density: float | None = None,
    progress: Progress = None,
) -> Scene:
    """A scene for a bare mesh or surface file; the `notes` of the scene say what was assumed.

    Args:
        parts: it is cut into so many and assembled; 0: into as many as it has narrow places; None: it is one.
        scale: multiplies all lengths; without `unit`, metres a unit of the file.
        unit: of the file, "mm", "cm", "m" or "in"; None: guessed from the extent.
        up: "x", "y" or "z", the axis of the file that points up; None: y, of slender things their long axis.
        fixed: vertices that are held, a selection in metres along the axes of the file; None: its feet, the lowest few
            per cent.
        material: a preset of `pliant.scenes.presets`, such as "rubber", or the name of a law.
        young: [Pa]; None: so soft that it swings at about 2 Hz, but stands.
        poisson, density: Poisson's ratio and [kg/m^3]; None: of the preset, or 0.35 and 1000.
        progress: called with a stage and the fraction of it that is done.
    """
    file = Path(path)
    report(progress, "cells", 0.0)
    part, mesh, size = _sized(file, scale, unit)
    axis = guessed_up(mesh.vertices) if up is None else check_choice("up", up, tuple(AXES))
    part["fixed"] = feet(mesh.vertices, axis) if fixed is None else fixed
    count = len(fixed_vertices(mesh, part["fixed"]))
    report(progress, "stiffness", 0.0)
    chosen = stiffness_of(mesh, part["fixed"], material, {"young": young, "poisson": poisson, "density": density})
    part["material"] = chosen.table
    said = _times(chosen.frequency) | {"part": [part]}
    if parts is None:
        part["basis"] = {"kind": "chosen"}
        said["start"] = "equilibrium"
    else:
        said["system"] = "assembled"
        part |= {"cut": parts} if parts else {}
    if axis != "y":
        said["body"] = [{"part": file.stem, "turn": list(TURNS[axis])}]
    held = f"{count} of {mesh.vertex_count} vertices are held, {part['fixed']}"
    notes = (f"{size}; {axis} is up; {held}", chosen.said)
    return Scene(file.stem, check_scene(said, str(file)), file.parent, {file.stem: mesh}, notes)


def _sized(file: Path, scale: float | None, unit: str | None) -> tuple[dict[str, Any], Mesh, str]:
    """The table of the part, its cells in metres, and a sentence about their size."""
    part: dict[str, Any] = {"name": file.stem, "mesh": file.name, "clip": True}
    if file.suffix.lower() in SURFACE_ENDINGS:
        part = {"name": file.stem, "surface": file.name, "edge": EDGE}
    mesh = build_mesh(check_scene({"part": [part]}, str(file)).part[0], file.parent)
    length, size = length_of_unit(float(np.ptp(mesh.vertices, axis=0).max()), scale, unit)
    if length == 1.0:
        return part, mesh, size
    scaled = Mesh(length * mesh.vertices, mesh.cells, mesh.vertex_groups, mesh.cell_groups)
    return part | {"scale": length}, scaled, size


def _times(frequency: float) -> dict[str, Any]:
    """Steps that resolve the first mode, and damping that lets it swing some ten times."""
    dt = float(np.clip(1 / (PERIOD_STEPS * frequency), *DT))
    beta = DAMPED / (np.pi * frequency)
    return {"dt": float(f"{dt:.2g}"), "damping": [0.0, float(f"{beta:.2g}")]}
