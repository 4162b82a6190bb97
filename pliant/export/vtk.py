"""VTK files for ParaView: one frame (.vtu), or all of them with their times (.pvd)."""

import os
import shutil
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from pliant.errors import Array, FileError
from pliant.export.recording import Recording
from pliant.export.stress import von_mises_stress
from pliant.mesh.cell_kinds import KINDS
from pliant.mesh.files.paths import replacing, temporary_beside
from pliant.mesh.packages import imported


def write_vtu(recording: Recording, path: Path, time: float | None = None) -> None:
    """Write one frame: the volume where the recording has a mesh, otherwise the surface.

    Point data: displacement [m], velocity [m/s] by differences of the neighbouring frames. Cell data, where there is a
    material: von_mises_stress [Pa].

    Args:
        time: the nearest frame is written [s]; None: the last one.
    """
    frame = recording.frame_count - 1 if time is None else recording.frame_at(time)
    with replacing(path) as temporary:
        _write_frame(recording, frame, temporary)


def write_pvd(recording: Recording, path: Path) -> None:
    """Write all frames as .vtu files into the folder NAME_frames beside NAME.pvd, which lists them with their times."""
    folder = path.with_name(f"{path.stem}_frames")
    names = [f"{path.stem}_{k:05d}.vtu" for k in range(recording.frame_count)]
    rows = [
        f'<DataSet timestep="{time:.9g}" file={quoteattr(f"{folder.name}/{name}")}/>'
        for time, name in zip(recording.times, names)
    ]
    with replacing(path) as temporary:
        _write_folder(recording, folder, names)
        lines = ['<?xml version="1.0"?>', '<VTKFile type="Collection" version="0.1">', "<Collection>"]
        temporary.write_text("\n".join([*lines, *rows, "</Collection>", "</VTKFile>", ""]), encoding="utf-8")


def _write_folder(recording: Recording, folder: Path, names: list[str]) -> None:
    """All frames, in a folder that takes the place of an earlier one once it is whole."""
    if folder.exists() and not folder.is_dir():
        raise FileError(f"{folder} is in the way of a folder of frames; remove it or choose another name")
    fresh, old = (temporary_beside(folder) for _ in range(2))
    try:
        fresh.mkdir()
        for frame, name in enumerate(names):
            _write_frame(recording, frame, fresh / name)
        if folder.exists():
            os.replace(folder, old)
        os.replace(fresh, folder)
    finally:
        for leftover in (fresh, old):
            shutil.rmtree(leftover, ignore_errors=True)


def _write_frame(recording: Recording, frame: int, path: Path) -> None:
    meshio = imported("meshio", "writing .vtu files")
    x = recording.vertices(frame)
    u = x - recording.rest
    points = {"displacement": u, "velocity": _velocity(recording, frame)}
    meshio.Mesh(x, [_cells(recording)], point_data=points, cell_data=_cell_data(recording, u)).write(path)


def _cells(recording: Recording) -> tuple[str, Any]:
    if recording.mesh is None:
        return "triangle", recording.triangles
    return KINDS[recording.mesh.cells.shape[1]].meshio, recording.mesh.cells


def _cell_data(recording: Recording, u: Array) -> dict[str, list[Array]]:
    if recording.mesh is None or recording.material is None:
        return {}
    return {"von_mises_stress": [von_mises_stress(recording.mesh, recording.material, u)]}


def _velocity(recording: Recording, frame: int) -> Array:
    """Central differences, one-sided at the ends; zero where there is a single frame."""
    before, after = max(frame - 1, 0), min(frame + 1, recording.frame_count - 1)
    if before == after:
        return 0.0 * recording.rest
    return (recording.vertices(after) - recording.vertices(before)) / (recording.times[after] - recording.times[before])
