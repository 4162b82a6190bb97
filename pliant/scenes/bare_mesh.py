"""A scene for a bare mesh or surface file: what the file does not say is guessed, and said."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from pliant.errors import FileError, check_choice
from pliant.fem.solid import fixed_vertices
from pliant.mesh import Mesh, Surface, read_surface
from pliant.mesh.files.paths import existing_file
from pliant.mesh.files.reading import MESH_ENDINGS
from pliant.mesh.files.surface_files import SURFACE_ENDINGS
from pliant.mesh.pieces import chosen_pieces
from pliant.numerics.progress import Progress, report
from pliant.scenes.bare_character import as_character
from pliant.scenes.filling import filling_of
from pliant.scenes.part_building import labelled, read_cells
from pliant.scenes.reading import check_scene
from pliant.scenes.scene import AXES, Scene
from pliant.scenes.standing import ENDS, NOTHING, TURNS, checked_held, guessed_up, held_end
from pliant.scenes.stiffness import stiffness_of
from pliant.scenes.tables import RESERVED
from pliant.scenes.units import length_of_unit

LONGEST_NAME = 100  # characters of a part
SHOWN = 60  # characters of a selection that people read
SAID = 3  # bones that are named
CROWD, MODES_EACH, MOST_MODES = 4, 4, 60  # loose bodies, for which no basis of a few vectors can be chosen
OF_A_PART = ("labels", "label_names")
FREE_PARTS = 2  # of a body that nothing holds, at least: parts are what flies
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
    keep: str | None = None,
    floor: float | None = None,
    bones: dict[str, Any] | None = None,
    parting: dict[str, Any] | None = None,
    shape: Mesh | Surface | None = None,
    progress: Progress = None,
) -> Scene:
    """A scene for a bare mesh or surface file; the `notes` of the scene say what was assumed.

    Args:
        parts: it is cut into so many and assembled; 0: into as many as it has narrow places; None: it is one.
        scale: multiplies all lengths; without `unit`, metres a unit of the file.
        unit: of the file, "mm", "cm", "m" or "in"; None: guessed from the extent.
        up: "x", "y" or "z", the axis of the file that points up; None: y; of slender things their long axis;
            z of what has a flat foot along z alone.
        fixed: what is held, "feet", "top", "left", "right", "nothing", or a selection in metres along the axes of the
            file; None: its feet, the lowest few per cent.
        material: a preset of `pliant.scenes.presets`, such as "rubber", or the name of a law.
        young: [Pa]; None: so soft that it swings at about 2 Hz, but stands.
        poisson, density: Poisson's ratio and [kg/m^3]; None: of the preset, or 0.35 and 1000.
        keep: of several bodies in the file, "all", "bodies" without dust, or the "largest"; None: bodies.
        floor: height of the floor that is drawn [m]; None: under its feet, if those are held.
        bones: as `bones` of a part: it is a character in a world, that falls on a ground below it; nothing is held.
        parting: labels and label_names of the part, made by hand, and keys of the scene, such as system and tree.
        shape: what `read_bare` found in the file, where it is read already.
        progress: called with a stage and the fraction of it that is done.
    """
    file = Path(path)
    report(progress, "cells", 0.0)
    found = read_bare(file) if shape is None else shape
    whole = parts is None and parting is None and fixed != NOTHING  # shells cannot be cut, and what flies is cut
    cells = _cells(file, found, keep or "bodies", scale, unit, whole, progress)
    part, mesh = cells.part, cells.mesh
    axis = guessed_up(found.vertices) if up is None else check_choice("up", up, tuple(AXES))
    end = fixed or "feet"
    held = None if end == NOTHING else held_end(mesh, end, axis) if end in ENDS else checked_held(mesh, end)
    report(progress, "stiffness", 0.0)
    constants = {"young": young, "poisson": poisson, "density": density}
    at = held or held_end(mesh, "feet", axis)
    thin = None if "edge" in part else part.get("thickness")
    chosen = stiffness_of(mesh, at, material, constants, axis, thin, progress)
    part["material"] = chosen.table
    said = _times(chosen.frequency) | {"part": [part]}
    if bones is not None:
        said |= as_character(part, bones, mesh, axis, said["damping"])
    elif held is None:
        said |= {"system": "assembled", "gravity": [0.0, 0.0, 0.0]}
        part |= {"cut": max(FREE_PARTS, parts or 0)} if parting is None else {}
    elif parting is not None:
        part["fixed"] = held
    else:
        part["fixed"] = held
        said |= _kind(part, parts, mesh.components[0])
    if parting is not None:
        part |= {key: parting[key] for key in OF_A_PART}
        said |= {key: value for key, value in parting.items() if key not in OF_A_PART}
        mesh = labelled(mesh, part["labels"], part["label_names"])
    if axis != "y" and bones is None:
        said["body"] = [{"part": part["name"], "turn": list(TURNS[axis])}]
    if floor is None and end == "feet" and bones is None:
        floor = float(f"{mesh.vertices[:, AXES[axis]].min():.6g}")
    if floor is not None:
        said["floor"] = floor
    holding = _holding(mesh, held) if bones is None else _moved_by(bones)
    notes = (f"{cells.size}; {axis} is up; {holding}", chosen.said, *cells.said)
    return Scene(part["name"], check_scene(said, str(file)), file.parent, {part["name"]: mesh}, notes)


def _name(file: Path) -> str:
    """Of its part, from that of the file, without signs that selections use."""
    try:
        file.name.encode()
    except UnicodeEncodeError:
        raise FileError(f"{file} has a name that is not UTF-8, which no scene file can hold; rename it") from None
    letters = (letter if letter.isprintable() and letter not in RESERVED else "_" for letter in file.stem)
    return "".join(letters)[:LONGEST_NAME]


def read_bare(path: str | PathLike[str]) -> Mesh | Surface:
    """The cells of a mesh file, or the triangles of a surface file."""
    file = existing_file(path)
    if file.suffix.lower() not in (*SURFACE_ENDINGS, *MESH_ENDINGS):
        known = " ".join((*SURFACE_ENDINGS, *MESH_ENDINGS))
        raise FileError(
            f"{file} has the ending {file.suffix!r}, which is no mesh or surface format; use one of {known}"
        )
    return read_surface(file) if file.suffix.lower() in SURFACE_ENDINGS else read_cells(file, clip=True)


def _kind(part: dict[str, Any], parts: int | None, bodies: int) -> dict[str, Any]:
    """One part on a basis that is chosen for it, or several that are assembled; a crowd on modes of all its bodies."""
    if parts is None:
        part["basis"] = _modes_of_a_crowd(bodies) if bodies > CROWD else {"kind": "chosen"}
        return {"start": "equilibrium"}
    part |= {"cut": parts} if parts else {}
    return {"system": "assembled"}


def _modes_of_a_crowd(bodies: int) -> dict[str, Any]:
    """As many of each, so that every one can be pulled; of very many bodies the lowest of all."""
    if bodies > MOST_MODES:
        return {"kind": "modes", "size": MOST_MODES}
    return {"kind": "modes", "size": min(MODES_EACH, MOST_MODES // bodies), "each": True}


def _holding(mesh: Mesh, held: str | None) -> str:
    if held is None:
        return "nothing is held, and it has no weight"
    where = f", {held}" if len(held) <= SHOWN else ""
    return f"{len(fixed_vertices(mesh, held))} of {mesh.vertex_count} vertices are held{where}"


def _moved_by(bones: dict[str, Any]) -> str:
    still = [name for name, kind in bones.get("kinds", {}).items() if kind in ("static", "kinematic")]
    falls = f"of which {', '.join(still[:SAID])} stay{'s' * (len(still) == 1)}" if still else "and it falls"
    return f"{len(bones['names'])} bones move it, {falls}"


@dataclass(frozen=True, eq=False)
class _Cells:
    """The table of a part, its cells in metres, and sentences about size and cells."""

    part: dict[str, Any]
    mesh: Mesh
    size: str
    said: tuple[str, ...]


def _cells(
    file: Path, shape: Mesh | Surface, keep: str, scale: float | None, unit: str | None, whole: bool, progress: Progress
) -> _Cells:
    if isinstance(shape, Mesh):
        filling, mesh = None, shape
        part: dict[str, Any] = {"name": _name(file), "mesh": file.name, "clip": True, "keep": keep}
    else:
        filling = filling_of(shape, progress, whole)
        mesh = filling.mesh
        part = {"name": _name(file), "surface": file.name, **filling.table, "keep": keep}
        if filling.thin is None:
            part["skin"] = file.name
    length, size = length_of_unit(float(np.ptp(shape.bounds, axis=0).max()), scale, unit)
    kept, left_out = chosen_pieces(mesh, keep)
    count = kept.components[0]
    bodies = f" in {count} bodies that do not touch" if count > 1 else ""
    said = [f"{kept.cell_count} cells carry it{bodies}", *(filling.said(length) if filling else ()), left_out]
    if filling is not None and filling.thin is not None:
        part["thickness"] = float(f"{filling.thin * length:.3g}")
        said[0] = f"{kept.cell_count} triangles carry it{bodies}"
    if length != 1.0:
        part["scale"] = length
        kept = kept.moved_to(length * kept.vertices)
    return _Cells(part, kept, size, tuple(filter(None, said)))


def _times(frequency: float) -> dict[str, Any]:
    """Steps that resolve the first mode, and damping that lets it swing some ten times."""
    dt = float(np.clip(1 / (PERIOD_STEPS * frequency), *DT))
    beta = DAMPED / (np.pi * frequency)
    return {"dt": float(f"{dt:.2g}"), "damping": [0.0, float(f"{beta:.2g}")]}
