"""From a part with bones to a character; its weights come from the cache where they are there."""

from pathlib import Path

import numpy as np

from pliant.errors import Array, SceneError
from pliant.fem import Solid
from pliant.mesh import Mesh, read_mesh
from pliant.mesh.bones import Dab, Skeleton, bone_weights, curve_skeleton, read_rig, read_skeleton
from pliant.mesh.bones.clip import Clip
from pliant.numerics.progress import Progress, report
from pliant.reduced.cache import cached_arrays
from pliant.scenes.bone_tables import BonesTable, DentTable
from pliant.systems.world.bones import Character, bones


def build_character(wanted: BonesTable, solid: Solid, scale: float, folder: Path, progress: Progress) -> Character:
    """The bones of a solid as a scene file asks for them; files are in `folder`, and scaled as the mesh was."""
    report(progress, "weights", 0.0)
    if wanted.rigged:
        rig, names = read_rig(folder / wanted.weights), None
        weights = rig.weights_on(solid.mesh)
    else:
        rig, skeleton = None, _skeleton(wanted, solid.mesh, scale, folder)
        weights, names = _weights(solid, skeleton, wanted), skeleton.names
    return bones(
        solid,
        weights,
        modes=wanted.modes,
        threshold=wanted.threshold,
        kinds=wanted.kinds,
        spread=wanted.spread,
        names=names,
        joints=wanted.joints,
        rig=rig,
        poses=[_pose(each, solid.mesh, scale, folder) for each in wanted.poses] or None,
        pose_stiffness=wanted.pose_stiffness,
        progress=progress,
    )


def _pose(wanted: str | DentTable, mesh: Mesh, scale: float, folder: Path) -> Array:
    """Sculpted places (n, 3) of all vertices."""
    if isinstance(wanted, str):
        return scale * read_mesh(folder / wanted).vertices
    distance = np.linalg.norm(mesh.vertices - wanted.at, axis=1) / wanted.radius
    if not (distance < 1).any():
        raise SceneError(f"the pose at {list(wanted.at)} moves no vertex; put it on the mesh, or make it wider")
    return mesh.vertices + np.clip(1 - distance**2, 0, None)[:, None] ** 2 * np.array(wanted.push)


def clip_of(wanted: BonesTable | None, name: str, folder: Path) -> Clip:
    """A clip of the rig that the bones of a part are from."""
    if wanted is None or not wanted.rigged:
        raise SceneError(f"the clip {name!r} needs bones of a rig: weights of a .glb file; or give the drive a path")
    clips = read_rig(folder / wanted.weights).clips
    if name not in clips:
        raise SceneError(f"{wanted.weights} has no clip {name!r}; it has {', '.join(clips) or 'none'}")
    return clips[name]


def _skeleton(wanted: BonesTable, mesh: Mesh, scale: float, folder: Path) -> Skeleton:
    if wanted.skeleton is not None:
        read = read_skeleton(folder / wanted.skeleton)
        return Skeleton(scale * read.ends, wanted.names or read.names)
    if wanted.count is not None:
        return Skeleton(curve_skeleton(mesh, wanted.count or None).ends, wanted.names)
    ends = [each if isinstance(each[0], tuple) else (each, each) for each in wanted.ends or ()]
    return Skeleton(np.array(ends, dtype=np.float64), wanted.names)


def _weights(solid: Solid, skeleton: Skeleton, wanted: BonesTable) -> Array:
    paint = [Dab(each.bone, each.at, each.radius, each.share) for each in wanted.paint]
    parts = ["bone weights", solid.mesh, skeleton.ends, wanted.weights]
    if wanted.reach or paint:
        strokes = [part for dab in paint for part in (dab.bone, dab.at, dab.radius, dab.share)]
        parts += [*skeleton.names, *(part for pair in wanted.reach.items() for part in pair), *strokes]
    return cached_arrays(
        parts,
        lambda: {"weights": bone_weights(solid.mesh, skeleton, wanted.weights, reach=wanted.reach, paint=paint)},  # type: ignore[arg-type]
        rooms=("numerics", "mesh"),
    )["weights"]
