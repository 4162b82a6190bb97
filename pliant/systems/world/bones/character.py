"""A character: bones that share a mesh, the joints between them, and the skin that they move together.

x_s = sum_k w_k (R_k (X + S_k q_k) + t_k)                                             [MC15] Eq. 42
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from pliant.basis import Basis, vibration_modes
from pliant.errors import ArgumentError, Array, Ids, check_choice, check_count, check_number
from pliant.fem import Solid
from pliant.mesh import Mesh
from pliant.mesh.bones import Armature, Rig, bone_weights
from pliant.mesh.bones.armature import hanging_on
from pliant.mesh.decimation import Proxy, decimate
from pliant.numerics.progress import Progress, report
from pliant.numerics.threads import in_threads
from pliant.reduced import ReducedModel, Rigid, reduce
from pliant.skin import Skin, SkinPart
from pliant.systems.saving import savable
from pliant.systems.world.bones.congruence import congruent_model, originals
from pliant.systems.world.bones.cutting import cut, share_of
from pliant.systems.world.bones.laying import hinged, joint_places
from pliant.systems.world.bones.motions import warn_of_gaps
from pliant.systems.world.bones.pairing import JOINED, joined_pairs
from pliant.systems.world.bones.sculpting import Poses, felt_poses, posed_modes, poses_of_bones
from pliant.systems.world.massless import Massless

KINDS = ("soft", "rigid", "kinematic", "static")


@dataclass(frozen=True, eq=False)
class Bone:
    """One bone of a character.

    Attributes:
        name: its own.
        kind: "soft", "rigid", "kinematic" or "static".
        model: its part, in the axes of the whole at rest.
        vertices: (v,) of the whole mesh that it has.
        weights: (v,) how much it moves them.
    """

    name: str
    kind: str
    model: ReducedModel | Rigid
    vertices: Ids
    weights: Array

    def __repr__(self) -> str:
        return f"Bone({self.name!r}, {self.kind}, {len(self.vertices)} vertices)"


@dataclass(frozen=True, eq=False)
class Character:
    """Bones, joints and skin; made by `pl.bones`, shared by all that are like it.

    Attributes:
        solid: the whole, unreduced.
        bones: in the order of their weights.
        joints: pairs of bones, each with the places (3, 3) [m] at rest that it keeps together; of hinges two.
        rig: joints of an artist, one a bone; None: there are none.
        axes: of those joints that are hinges: their numbers, and unit vectors (3,) at rest.
    """

    solid: Solid
    bones: tuple[Bone, ...]
    joints: tuple[tuple[int, int, Array], ...]
    rig: Armature | None = None
    axes: tuple[tuple[int, Array], ...] = ()

    def __repr__(self) -> str:
        return f"Character({len(self.bones)} bones, {len(self.joints)} joints, {self.solid.mesh.vertex_count} vertices)"

    @cached_property
    def skin(self) -> Skin:
        """Poses with a part for every bone -> all vertices of the mesh."""
        return Skin(self.solid.mesh.vertex_count, self.solid.mesh.surface, self._parts(0))

    @cached_property
    def armature(self) -> Armature:
        """Joints for files, one a bone: those of the artist, or where bones are joined to neighbours."""
        if self.rig is not None:
            return self.rig
        centres = np.array([bone.model.inertia.centre for bone in self.bones])
        masses = np.array([bone.model.inertia.mass for bone in self.bones])
        return hanging_on([bone.name for bone in self.bones], centres, masses, self.joints)

    def _parts(self, first: int) -> list[SkinPart]:
        """What bones move, of vertices that begin at `first`."""
        return [
            SkinPart(bone.vertices + first, bone.weights, bone.model.X, bone.model.U, reads=(k,))
            for k, bone in enumerate(self.bones)
        ]

    @cached_property
    def worn_by_bones(self) -> Skin:
        """Poses with a part for every bone, and one for the skin as a body -> their vertices, and those of the skin, of
        which alone the surface is drawn."""
        counts = [len(bone.vertices) for bone in self.bones]
        firsts, first = np.cumsum([0, *counts[:-1]]), sum(counts)
        hidden = [
            SkinPart(np.arange(count) + start, np.ones(count), bone.model.X, bone.model.U, reads=(k,))
            for k, (bone, count, start) in enumerate(zip(self.bones, counts, firsts))
        ]
        sizes = [*(bone.model.size for bone in self.bones), 0]
        mesh = self.solid.mesh
        return Skin(first + mesh.vertex_count, mesh.surface + first, [*hidden, *self._parts(first)], sizes)

    def skin_part(
        self, proxy: int | None = None, spacing: float | None = None, touching: float | None = None
    ) -> CharacterSkin:
        """What its skin is made of in worlds; instances that touch alike share it, see `CharacterSkin`."""
        wanted = proxy, spacing, touching
        if wanted not in self._skins:
            surface = self.solid.mesh.surface
            coarse = None
            if proxy is not None or spacing is not None:
                count = len(self.solid.mesh.surface_vertices) if proxy is None else proxy
                coarse = decimate(self.solid.mesh.vertices, surface, count, spacing)
            self._skins[wanted] = CharacterSkin(self, coarse, touching)
        return self._skins[wanted]

    @cached_property
    def _skins(self) -> dict[tuple[int | None, float | None, float | None], CharacterSkin]:
        return {}

    def number_of(self, bone: str | int) -> int:
        """Of a bone by name or number."""
        names = [each.name for each in self.bones]
        if bone in names:
            return names.index(str(bone))
        if isinstance(bone, str):
            raise ArgumentError(f"there is no bone {bone!r}; this character has {', '.join(names[:8])}")
        return check_count("bone", bone, at_least=0, at_most=len(names) - 1)


@dataclass(frozen=True, eq=False)
class CharacterSkin(Massless):
    """The skin of a character as a body of a world, which its bones move; it alone touches others.

    Attributes:
        character: whose it is.
        proxy: the coarser surface that touches; None: all of its surface does.
        touching: how near to each other places are at rest that never touch each other [m], where it touches itself; 0:
            as its triangles are large; None: it does not touch itself.
    """

    character: Character
    proxy: Proxy | None = None
    touching: float | None = None

    def __repr__(self) -> str:
        return f"CharacterSkin({self.character})"

    @property
    def mesh(self) -> Mesh:
        """Its cells."""
        return self.character.solid.mesh

    @property
    def X(self) -> Array:  # type: ignore[override]
        """Vertices (n, 3) at rest [m]."""
        return self.mesh.vertices

    @property
    def triangles(self) -> Ids:
        """What is drawn."""
        return self.mesh.surface

    @cached_property
    def most_bones(self) -> int:
        """How many of them move the corners of one triangle that touches."""
        moved = np.zeros((self.mesh.vertex_count, len(self.character.bones)), dtype=bool)
        for k, bone in enumerate(self.character.bones):
            moved[bone.vertices[bone.weights > 0], k] = True
        triangles = self.triangles if self.proxy is None else self.proxy.triangles
        return int(moved[triangles].any(axis=1).sum(axis=1).max())


for _kind in (Bone, Character, CharacterSkin, Proxy, Armature):
    savable(_kind)


def bones(
    solid: Solid,
    weights: ArrayLike,
    modes: int = 10,
    threshold: float = 0.05,
    kinds: Mapping[str, str] | None = None,
    poses: Poses | None = None,
    pose_stiffness: float = 1.0,
    spread: float = 0.5,
    names: Sequence[str] | None = None,
    basis: Callable[[Solid], Basis] | None = None,
    force: str = "linear",
    joints: Literal["skeleton", "all"] = "skeleton",
    rig: Rig | None = None,
    hinges: Mapping[tuple[str, str], ArrayLike] | None = None,
    progress: Progress = None,
) -> Character:
    """Cut a solid into bones by weights, reduce each, and lay out the joints between them.

    Args:
        weights: (n, k) of k bones on the vertices, or on those of the surface, as `pl.bone_weights` makes them.
        modes: free vibration modes of every soft bone.
        threshold: a bone keeps the cells that have a corner with more weight than this.
        kinds: of bones by name: "soft" (the default), "rigid", "kinematic" or "static".
        poses: sculpted places (s, n, 3) or (n, 3) of all vertices [m], or those of bones by name: every soft bone that
            one of them deforms gets it as a vector beside its modes.
        pose_stiffness: of them, over that of the material; less of it dents more easily.
        spread: of the points of a joint over the radius of its section; more of it holds more rigidly.
        names: of the bones; by default "bone 0", ...
        basis: makes the vectors of a soft bone from its solid; None: vibration modes.
        force: the reduced force of soft bones, as for `pl.reduce`.
        joints: between neighbours alone, or between all bones that overlap, which holds limbs that overlap in a trunk.
        rig: whose joints the bones are, in its order: they give their names, and files get them as the artist had them.
        hinges: axes (3,) at rest of pairs of bones, by name, that turn about them alone; `placed.joint(a, b)` has their
            motor and limits.
        progress: called with the stage and the fraction that is done.
    """
    if not isinstance(solid, Solid):
        raise ArgumentError(f"solid must be a pliant Solid; {type(solid).__name__} was given (use pl.Solid)")
    if not solid.has_inside:
        raise ArgumentError("a shell has no inside that bones could move; characters are made of a pl.Solid")
    shares = bone_weights(solid.mesh, np.asarray(weights, dtype=np.float64))
    labels = _labels(names if rig is None else _names_of(rig, names), shares.shape[1])
    wanted = _kinds(kinds, labels)
    limit = check_number("threshold", threshold, at_least=0, at_most=0.5)
    cuts = cut(solid.mesh, shares, limit, labels)
    wide = check_number("spread", spread, at_least=0, at_most=1)
    count = check_count("modes", modes)
    if poses is not None and basis is not None:
        raise ArgumentError("poses stand beside modes, and basis= makes all vectors itself; give one of the two")
    sculpted = {} if poses is None else poses_of_bones(poses, labels, solid.mesh.vertices)
    vectors = _vectors(solid, basis, sculpted, count, pose_stiffness)
    shared = [share_of(solid, cuts, k) for k in range(len(labels))]
    soft = [k for k, kind in enumerate(wanted) if kind == "soft"]

    def reduced(k: int) -> ReducedModel:
        return reduce(shared[k][0], vectors(*shared[k], labels[k]), force=force)

    plain = [k for k in soft if labels[k] not in sculpted] if force == "linear" and basis is None else []
    models = _reduced_bones([own for own, _ in shared], soft, plain, reduced, basis is None, progress)
    made = tuple(
        Bone(name, kind, models.get(k) or Rigid(own.mesh, own.material.density), vertices, cuts.weights[vertices, k])
        for k, (name, kind, (own, vertices)) in enumerate(zip(labels, wanted, shared))
    )
    pairs = joined_pairs(solid.mesh, cuts, check_choice("joints", joints, JOINED))
    moves = [bone.kind in ("soft", "rigid") for bone in made]
    held = tuple(
        (a, b, joint_places(solid.mesh, cuts, a, b, wide, (labels[a], labels[b])))
        for a, b in pairs
        if moves[a] or moves[b]
    )
    held, axes = hinged(held, labels, hinges or {})
    warn_of_gaps(made, held)
    return Character(solid, made, held, None if rig is None else rig.armature, axes)


def _vectors(
    solid: Solid, basis: Callable[[Solid], Basis] | None, sculpted: Mapping[str, Array], count: int, stiffness: float
) -> Callable[[Solid, Ids, str], Basis]:
    """What makes the vectors of a bone from its solid, its vertices and its name."""

    def vectors(own: Solid, vertices: Ids, name: str) -> Basis:
        if basis is not None:
            return basis(own)
        if name in sculpted:
            felt = felt_poses(own, vertices, sculpted[name], solid.mesh.vertices)
            if len(felt):
                return posed_modes(own, felt, count, stiffness)
        return Basis(vibration_modes(own, count).vectors)

    return vectors


def _names_of(rig: Rig, names: Sequence[str] | None) -> tuple[str, ...]:
    if not isinstance(rig, Rig):
        raise ArgumentError(f"rig must come from pl.read_rig; {type(rig).__name__} was given")
    if names is not None and tuple(names) != rig.names:
        raise ArgumentError("names and rig= were given, and are not alike; leave names out")
    return rig.names


def _labels(names: Sequence[str] | None, count: int) -> tuple[str, ...]:
    labels = tuple(f"bone {k}" for k in range(count)) if names is None else tuple(map(str, names))
    if len(labels) != count or len(set(labels)) < count:
        raise ArgumentError(f"names must be one a bone, all different; there are {count} bones and {len(labels)} names")
    return labels


def _kinds(kinds: Mapping[str, str] | None, labels: Sequence[str]) -> list[str]:
    given = dict(kinds or {})
    for name, kind in given.items():
        if name not in labels:
            raise ArgumentError(f"kinds names the bone {name!r}; this character has {', '.join(labels[:8])}")
        if kind not in KINDS:
            raise ArgumentError(f"the kind of {name} must be one of {', '.join(KINDS)}; {kind!r} was given")
    return [given.get(name, "soft") for name in labels]


def _reduced_bones(
    solids: Sequence[Solid],
    soft: Sequence[int],
    plain: Sequence[int],
    reduced: Callable[[int], ReducedModel],
    together: bool,
    progress: Progress,
) -> dict[int, ReducedModel]:
    """Models of soft bones by their numbers, made in threads; of plain ones those that are no copies of others.

    Args:
        together: may several be made at a time? A function of the caller's makes them one by one.
    """
    kin = dict(zip(plain, originals([solids[k] for k in plain])))
    firsts = [k for k in soft if k not in kin or kin[k][1] is None]
    models: dict[int, ReducedModel] = {}
    for k, model in zip(firsts, (in_threads if together else map)(reduced, firsts)):
        models[k] = model
        report(progress, "bones", len(models) / len(firsts))
    for k, (first, how) in kin.items():
        if how is not None:
            models[k] = congruent_model(models[plain[first]], solids[k], how) or reduced(k)
    return models
