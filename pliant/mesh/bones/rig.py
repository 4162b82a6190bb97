"""A rigged character in a .glb file: its surface, joints, weights and clips."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from pliant.errors import ArgumentError, Array, FileError, Ids, PliantError, check_array
from pliant.mesh.bones.armature import Armature
from pliant.mesh.bones.clip import LINEAR, SPLINE, STEP, Clip, Nodes, Track
from pliant.mesh.bones.weights import bone_weights
from pliant.mesh.files.glb_reading import GlbReader
from pliant.mesh.mesh import Mesh
from pliant.mesh.surface import Surface

FITS = 0.1  # of the size of the surface: how far the ends of a mesh may be from its own
TRIANGLES = 4
MOST_JOINTS = 1000  # weights are a table of vertices and joints
PATHS = ("translation", "rotation", "scale")


@dataclass(frozen=True, eq=False)
class Rig:
    """What an artist made of a character; read by `pl.read_rig`.

    Attributes:
        surface: its skin, as it stands at rest in the file.
        armature: the joints that move it, at rest.
        weights: (v, k) on the vertices of the surface.
        clips: motions of the joints, by name.
    """

    surface: Surface
    armature: Armature
    weights: Array
    clips: dict[str, Clip]

    def __repr__(self) -> str:
        return f"Rig({len(self.names)} joints, {len(self.surface.vertices)} vertices, {len(self.clips)} clips)"

    @property
    def names(self) -> tuple[str, ...]:
        """(k,) of the joints."""
        return self.armature.names

    @property
    def places(self) -> Array:
        """(k, 3) where the joints are at rest [m]."""
        return self.armature.places

    def weights_on(self, mesh: Mesh) -> Array:
        """Weights (n, k) on the vertices of a mesh of the same character, as for `pl.bones`."""
        if not isinstance(mesh, Mesh):
            raise ArgumentError(f"mesh must be a pliant Mesh; {type(mesh).__name__} was given (use pl.tetrahedralise)")
        own, given = (np.array([x.min(axis=0), x.max(axis=0)]) for x in (self.surface.vertices, mesh.vertices))
        size, off = float((own[1] - own[0]).max()), float(np.abs(own - given).max())
        if off > FITS * size:
            raise ArgumentError(
                f"the mesh does not fit the rig: their ends are {off:.3g} m apart, and the rig is {size:.3g} m large; "
                "mesh the surface of the rig, rig.surface"
            )
        return bone_weights(mesh, self.weights, on=self.surface)


def read_rig(path: str | PathLike[str]) -> Rig:
    """The first skinned character of a .glb file."""
    file = GlbReader(path)
    try:
        return _rig(file)
    except PliantError:
        raise
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError) as why:
        raise FileError(f"{file.name} is no whole glTF file: {why}") from None


def _rig(file: GlbReader) -> Rig:
    """What a document says that may be wrong in any way."""
    nodes = _nodes(file)
    skinned = [node for node in file.entries("nodes") if "skin" in node and "mesh" in node]
    if not skinned:
        raise FileError(f"{file.name} has no skinned mesh; rig it first, or read its surface by pl.read_surface")
    number = skinned[0]["skin"]
    skin = file.entry("skins", number)
    joints = [file.number("nodes", joint) for joint in skin["joints"]]
    if len(joints) > MOST_JOINTS:
        raise FileError(f"{file.name} has {len(joints)} joints; at most {MOST_JOINTS} are read")
    meshes = [file.entry("meshes", node["mesh"]) for node in skinned if node["skin"] == number]
    labels = _labels(file, joints)
    rest = nodes.placed()
    binds = _binds(file, skin, len(joints))
    parts = [_part(file, primitive, len(joints)) for mesh in meshes for primitive in mesh["primitives"]]
    surface, weights = _joined(file, [part for part in parts if part is not None], rest[joints] @ binds)
    used = np.flatnonzero(weights.max(axis=0) > 0)
    names = tuple(labels[k] for k in used)
    clips = _clips(file, nodes, names, tuple(joints[k] for k in used))
    return Rig(surface, _armature(nodes, rest, names, [joints[k] for k in used]), weights[:, used], clips)


def _nodes(file: GlbReader) -> Nodes:
    entries = file.entries("nodes")
    parents = np.full(len(entries), -1, dtype=np.int64)
    for k, entry in enumerate(entries):
        for child in entry.get("children", []):
            parents[file.number("nodes", child)] = k
    usual = {"translation": [0, 0, 0], "rotation": [0, 0, 0, 1], "scale": [1, 1, 1]}
    translation, rotation, scale = (
        check_array(
            f"{name} of nodes", [entry.get(name, usual[name]) for entry in entries], (None, len(usual[name])), FileError
        )
        for name in PATHS
    )
    matrices = {
        k: check_array("matrix of a node", entry["matrix"], (16,), FileError).reshape(4, 4).T
        for k, entry in enumerate(entries)
        if "matrix" in entry
    }
    return Nodes(parents, translation, rotation, scale, matrices)


def _armature(nodes: Nodes, rest: Array, names: tuple[str, ...], joints: list[int]) -> Armature:
    """Joints that move something, each on the next of them that it hangs below; their axes without scales."""
    parents = np.full(len(joints), -1, dtype=np.int64)
    places = {joint: k for k, joint in enumerate(joints)}
    for k, joint in enumerate(joints):
        above = int(nodes.parents[joint])
        while above >= 0 and above not in places:
            above = int(nodes.parents[above])
        parents[k] = places.get(above, -1)
    U, _, Vt = np.linalg.svd(rest[joints][:, :3, :3])
    turns = U @ Vt
    turns[np.linalg.det(turns) < 0] *= -1  # a mirrored joint
    return Armature(names, parents, rest[joints][:, :3, 3], turns)


def _labels(file: GlbReader, joints: list[int]) -> list[str]:
    found: list[str] = []
    for joint in joints:
        label = str(file.entries("nodes")[joint].get("name", f"joint {joint}"))
        found.append(label if label not in found else f"{label} {joint}")
    return found


def _binds(file: GlbReader, skin: dict[str, Any], count: int) -> Array:
    """(k, 4, 4) from where vertices are written to the axes of every joint."""
    if "inverseBindMatrices" not in skin:
        return np.tile(np.eye(4), (count, 1, 1))
    return file.array(skin["inverseBindMatrices"])[:count].reshape(count, 4, 4).transpose(0, 2, 1)


def _part(file: GlbReader, primitive: dict[str, Any], count: int) -> tuple[Array, Ids, Array] | None:
    """Vertices, triangles and weights (v, k) of a part of a mesh; None: it is no skinned triangles."""
    own = primitive["attributes"]
    if primitive.get("mode", TRIANGLES) != TRIANGLES or "JOINTS_0" not in own:
        return None
    x = file.array(own["POSITION"]).reshape(-1, 3)
    triangles = file.array(primitive["indices"]) if "indices" in primitive else np.arange(len(x), dtype=float)
    if triangles.max(initial=0) >= len(x) or triangles.min(initial=0) < 0:
        raise FileError(f"{file.name} names vertex {triangles.max():.0f} of {len(x)}; export it again")
    weights, k = np.zeros((len(x), count)), 0
    while f"JOINTS_{k}" in own:
        joints, shares = file.array(own[f"JOINTS_{k}"]).astype(np.int64), file.array(own[f"WEIGHTS_{k}"])
        if joints.max(initial=0) >= count or joints.min(initial=0) < 0:
            raise FileError(f"{file.name} names joint {joints.max()} of {count}; export it again")
        np.add.at(weights, (np.arange(len(x))[:, None], joints), shares)
        k += 1
    return x, triangles.astype(np.int64).reshape(-1, 3), weights


def _joined(file: GlbReader, parts: list[tuple[Array, Ids, Array]], rest: Array) -> tuple[Surface, Array]:
    """One surface as it stands at rest, where vertices that are one place are one, and its weights."""
    if not parts:
        raise FileError(f"{file.name} has no triangles that joints move; skin its mesh")
    first = np.cumsum([0, *(len(x) for x, _, _ in parts)])
    x, weights = np.concatenate([part[0] for part in parts]), np.concatenate([part[2] for part in parts])
    triangles = np.concatenate([rows + start for (_, rows, _), start in zip(parts, first)])
    total = weights.sum(axis=1, keepdims=True)
    if weights.min() < 0 or not (total > 0).all():
        raise FileError(f"vertex {int(total.argmin())} of {file.name} hangs on no joint; weight it")
    weights /= total
    x = np.einsum("vk,kij,vj->vi", weights, rest[:, :3], np.column_stack([x, np.ones(len(x))]))
    places, number = np.unique(x, axis=0, return_inverse=True)
    of = np.zeros(len(places), dtype=np.int64)
    of[number.ravel()] = np.arange(len(x))
    rows = number.ravel()[triangles]
    whole = (rows != np.roll(rows, 1, axis=1)).all(axis=1)
    return Surface(places, rows[whole]), weights[of]


def _clips(file: GlbReader, nodes: Nodes, names: tuple[str, ...], numbers: tuple[int, ...]) -> dict[str, Clip]:
    clips: dict[str, Clip] = {}
    for k, entry in enumerate(file.entries("animations")):
        name = str(entry.get("name", f"clip {k}"))
        tracks = []
        for channel in entry.get("channels", []):
            target, sampler = channel["target"], entry["samplers"][channel["sampler"]]
            way = sampler.get("interpolation", LINEAR)
            if target.get("path") in PATHS and "node" in target and way in (LINEAR, STEP, SPLINE):
                tracks.append(_track(file, target, sampler, way))
        duration = max((float(track.times[-1]) for track in tracks), default=0.0)
        clips[name] = Clip(name, duration, names, numbers, nodes, tuple(tracks))
    return clips


def _track(file: GlbReader, target: dict[str, Any], sampler: dict[str, Any], way: str) -> Track:
    times, values = file.array(sampler["input"]).ravel(), file.array(sampler["output"])
    shape = (len(times) * (3 if way == SPLINE else 1), 4 if target["path"] == "rotation" else 3)
    if not len(times) or (np.diff(times) < 0).any() or values.shape != shape:
        raise FileError(
            f"{file.name} has keyframes that are none: times must rise, each with its value; bake them again"
        )
    return Track(file.number("nodes", target["node"]), target["path"], times, values, way)
