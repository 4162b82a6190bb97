"""NumPy archives (.npz): everything in a recording as plain arrays, to compute with and to read back."""

from os import PathLike
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np

from pliant.errors import Array, FileError
from pliant.export.camera import Camera
from pliant.export.recording import Recording
from pliant.export.soundtrack import Soundtrack
from pliant.fem import Material
from pliant.mesh import Mesh
from pliant.mesh.bones import Armature
from pliant.mesh.files.paths import replacing
from pliant.reduced.material_names import material_called, name_in_files
from pliant.skin import Pose, Skin, SkinPart
from pliant.systems.rigged import Rigged

JOINTS = ("names", "parents", "places", "turns")
DENSEST, SMALL = 200, 1 << 28  # times as large as its file, or bytes: what unpacks to more is no recording
COMMON = ("young", "poisson", "density")  # constants that every material has; others are called constant_<name>


def write_npz(recording: Recording, path: Path) -> None:
    """Write plain arrays that `numpy.load` reads without pickle.

    Always: times (f,), triangles (t, 3), name, claim; colours (t, 3) where it is painted; camera (7,), eye, target and
    angle, where it has one; sound (k,) or (k, 2) and sound_rate, where it is heard. Without a skin: positions
    (f, n, 3). With one, for part 0, 1, ..: part0_rotations (f, 3, 3), part0_translations (f, 3), part0_coordinates
    (f, r), and what draws them: part0_vertices, part0_weights, part0_X, part0_U, part0_omega, and part0_reads where
    that is not the part itself; parts of the skin beyond those of the poses have only these. Of character 0, 1, ..:
    rig0_name, rig0_first (the number of the part of its first bone), rig0_names, rig0_parents, rig0_places, rig0_turns.
    With a mesh: mesh_vertices, mesh_cells, material, young, poisson, density, and constant_<name> of what else the
    material has.
    """
    arrays: dict[str, Any] = {name: getattr(recording, name) for name in ("times", "triangles", "name", "claim")}
    for name in ("positions", "colours"):
        if getattr(recording, name) is not None:
            arrays[name] = getattr(recording, name)
    if recording.camera is not None:
        arrays["camera"] = np.array([*recording.camera.eye, *recording.camera.target, recording.camera.angle])
    if recording.sound is not None:
        arrays |= {"sound": recording.sound.samples, "sound_rate": recording.sound.rate}
    if recording.skin is not None:
        arrays["vertex_count"] = recording.skin.vertex_count
        for i in range(recording.poses[0].part_count):
            arrays |= {f"part{i}_{name}": value for name, value in _pose_arrays(recording, i).items()}
        for p, part in enumerate(recording.skin.parts):
            arrays |= {f"part{p}_{name}": value for name, value in _part_arrays(part).items()}
    for i, rigged in enumerate(recording.rigs):
        arrays |= {f"rig{i}_{name}": getattr(rigged, name) for name in ("name", "first")}
        arrays |= {f"rig{i}_{name}": getattr(rigged.armature, name) for name in JOINTS}
    if recording.mesh is not None:
        arrays |= {"mesh_vertices": recording.mesh.vertices, "mesh_cells": recording.mesh.cells}
    if recording.material is not None:
        arrays["material"] = name_in_files(type(recording.material))
        arrays |= {_key(name): getattr(recording.material, name) for name in recording.material.constant_names()}
    with replacing(path) as temporary:
        np.savez_compressed(temporary, **arrays)


def read_recording(path: str | PathLike[str]) -> Recording:
    """The recording that `write` put into an .npz file."""
    try:
        _check_size(path)
        with np.load(path, allow_pickle=False) as archive:
            arrays = dict(archive)
        made = _recording(arrays, path)
        made.vertices(0)
        return made
    except FileError:
        raise
    except FileNotFoundError:
        raise FileError(f"{path} does not exist; check the path") from None
    except Exception as error:  # archives, arrays and what is made of them can be wrong in any way
        reason = " ".join(str(error).split())[:100] or type(error).__name__
        raise FileError(f"{path} is not a recording, or damaged ({reason}); write it again") from None


def _check_size(path: str | PathLike[str]) -> None:
    """Refuse an archive that unpacks to far more than it can mean."""
    with ZipFile(path) as archive:
        size = sum(entry.file_size for entry in archive.infolist())
    if size > DENSEST * Path(path).stat().st_size + SMALL:
        raise FileError(f"{path} would unpack to {size:.2g} bytes, which is no recording of its size; write it again")


def _pose_arrays(recording: Recording, i: int) -> dict[str, Any]:
    poses, (first, last) = recording.poses, recording.poses[0].offsets[i : i + 2]
    return {
        "rotations": np.stack([pose.rotations[i] for pose in poses]),
        "translations": np.stack([pose.translations[i] for pose in poses]),
        "coordinates": np.stack([pose.flat[first:last] for pose in poses]),
    }


def _part_arrays(part: SkinPart) -> dict[str, Any]:
    optional = {"omega": part.omega, "reads": None if part.reads is None else np.array(part.reads)}
    given = {name: value for name, value in optional.items() if value is not None}
    return {"vertices": part.vertices, "weights": part.weights, "X": part.X, "U": part.U} | given


def _recording(arrays: dict[str, Any], path: str | PathLike[str]) -> Recording:
    skin, poses = _skin_and_poses(arrays) if "vertex_count" in arrays else (None, ())
    return Recording(
        triangles=arrays["triangles"],
        times=arrays["times"],
        skin=skin,
        poses=poses,
        positions=arrays.get("positions"),
        mesh=Mesh(arrays["mesh_vertices"], arrays["mesh_cells"]) if "mesh_cells" in arrays else None,
        material=_material(arrays, path) if "material" in arrays else None,
        colours=arrays.get("colours"),
        name=str(arrays["name"]),
        claim=str(arrays["claim"]),
        camera=_camera(arrays["camera"]) if "camera" in arrays else None,
        sound=Soundtrack(arrays["sound"], int(arrays["sound_rate"])) if "sound" in arrays else None,
        rigs=_rigs(arrays),
    )


def _rigs(arrays: dict[str, Any]) -> tuple[Rigged, ...]:
    found: list[Rigged] = []
    while f"rig{len(found)}_first" in arrays:
        own = {name: arrays[f"rig{len(found)}_{name}"] for name in ("name", "first", *JOINTS)}
        names = tuple(map(str, own["names"]))
        armature = Armature(names, *(own[name].reshape(len(names), *own[name].shape[1:]) for name in JOINTS[1:]))
        found.append(Rigged(str(own["name"]), int(own["first"]), armature))
    return tuple(found)


def _skin_and_poses(arrays: dict[str, Any]) -> tuple[Skin, tuple[Pose, ...]]:
    groups: dict[int, dict[str, Any]] = {}
    for name, array in arrays.items():
        part, _, what = name.partition("_")
        if part.startswith("part") and part[4:].isdigit():
            groups.setdefault(int(part[4:]), {})[what] = array
    found = [groups[p] for p in range(len(groups))]
    moving = [g for g in found if "coordinates" in g]
    parts = tuple(SkinPart(g["vertices"], g["weights"], g["X"], g["U"], g.get("omega"), _reads(g)) for g in found)
    sizes = [g["coordinates"].shape[1] for g in moving]
    stacks = [np.stack([g[name] for g in moving], axis=1) for name in ("rotations", "translations")]
    flat = np.concatenate([g["coordinates"] for g in moving], axis=1)
    drawn = sum(len(g["vertices"]) for g in found)
    if not 0 < int(arrays["vertex_count"]) <= drawn:
        raise ValueError(f"{int(arrays['vertex_count'])} vertices are said to be there, and {drawn} are drawn")
    skin = Skin(int(arrays["vertex_count"]), arrays["triangles"], parts, sizes)
    return skin, tuple(Pose.stacked(R, t, q, skin.offsets) for R, t, q in zip(*stacks, flat))


def _camera(numbers: Array) -> Camera:
    eye, target = (tuple(map(float, point)) for point in (numbers[:3], numbers[3:6]))
    return Camera(eye, target, float(numbers[6]))  # type: ignore[arg-type]


def _reads(group: dict[str, Any]) -> tuple[int, ...] | None:
    return tuple(group["reads"].tolist()) if "reads" in group else None


def _key(constant: str) -> str:
    return constant if constant in COMMON else f"constant_{constant}"


def _material(arrays: dict[str, Any], path: str | PathLike[str]) -> Material:
    kind = material_called(str(arrays["material"]), path)
    return kind(**{name: arrays[_key(name)] for name in kind.constant_names()})
