"""NumPy archives (.npz): everything in a recording as plain arrays, to compute with and to read back."""

from os import PathLike
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from pliant.errors import FileError
from pliant.export.pieces import part_frames
from pliant.export.recording import Recording
from pliant.fem import MATERIALS, Material
from pliant.mesh import Mesh
from pliant.mesh.files.paths import replacing
from pliant.skin import Pose, Skin, SkinPart

CONSTANTS = ("young", "poisson", "density")


def write_npz(recording: Recording, path: Path) -> None:
    """Write plain arrays that `numpy.load` reads without pickle.

    Always: times (f,), triangles (t, 3), name, claim. Without a skin: positions (f, n, 3). With one, for part 0, 1, ..:
    part0_rotations (f, 3, 3), part0_translations (f, 3), part0_coordinates (f, r), and what draws them: part0_vertices,
    part0_weights, part0_X, part0_U, part0_omega. With a mesh: mesh_vertices, mesh_cells, material, young, ...
    """
    arrays: dict[str, Any] = {name: getattr(recording, name) for name in ("times", "triangles", "name", "claim")}
    if recording.positions is not None:
        arrays["positions"] = recording.positions
    if recording.skin is not None:
        arrays["vertex_count"] = recording.skin.vertex_count
        for p, part in enumerate(recording.skin.parts):
            arrays |= {f"part{p}_{name}": value for name, value in _part_arrays(recording, p, part).items()}
    if recording.mesh is not None:
        arrays |= {"mesh_vertices": recording.mesh.vertices, "mesh_cells": recording.mesh.cells}
    if recording.material is not None:
        arrays["material"] = next(key for key, kind in MATERIALS.items() if isinstance(recording.material, kind))
        arrays |= {name: getattr(recording.material, name) for name in CONSTANTS}
    with replacing(path) as temporary:
        np.savez_compressed(temporary, **arrays)


def read_recording(path: str | PathLike[str]) -> Recording:
    """The recording that `write` put into an .npz file."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = dict(archive)
        return _recording(arrays)
    except FileNotFoundError:
        raise FileError(f"{path} does not exist; check the path") from None
    except (OSError, ValueError, KeyError, BadZipFile, EOFError) as error:
        raise FileError(f"{path} is not a recording, or damaged ({error}); write it again") from None


def _part_arrays(recording: Recording, p: int, part: SkinPart) -> dict[str, Any]:
    R, t = part_frames(recording, p)
    q = np.stack([pose.coordinates[p] for pose in recording.poses])
    drawing = {"vertices": part.vertices, "weights": part.weights, "X": part.X, "U": part.U}
    warping = {} if part.omega is None else {"omega": part.omega}
    return {"rotations": R, "translations": t, "coordinates": q} | drawing | warping


def _recording(arrays: dict[str, Any]) -> Recording:
    skin, poses = _skin_and_poses(arrays) if "vertex_count" in arrays else (None, ())
    return Recording(
        triangles=arrays["triangles"],
        times=arrays["times"],
        skin=skin,
        poses=poses,
        positions=arrays.get("positions"),
        mesh=Mesh(arrays["mesh_vertices"], arrays["mesh_cells"]) if "mesh_cells" in arrays else None,
        material=_material(arrays) if "material" in arrays else None,
        name=str(arrays["name"]),
        claim=str(arrays["claim"]),
    )


def _skin_and_poses(arrays: dict[str, Any]) -> tuple[Skin, tuple[Pose, ...]]:
    count = sum(name.endswith("_coordinates") for name in arrays)
    groups = [
        {name.partition("_")[2]: a for name, a in arrays.items() if name.startswith(f"part{p}_")} for p in range(count)
    ]
    parts = tuple(SkinPart(g["vertices"], g["weights"], g["X"], g["U"], g.get("omega")) for g in groups)
    poses = tuple(
        Pose(
            tuple((g["rotations"][k], g["translations"][k]) for g in groups),
            tuple(g["coordinates"][k] for g in groups),
        )
        for k in range(len(arrays["times"]))
    )
    return Skin(int(arrays["vertex_count"]), arrays["triangles"], parts), poses


def _material(arrays: dict[str, Any]) -> Material:
    return MATERIALS[str(arrays["material"])](*(arrays[name] for name in CONSTANTS))
