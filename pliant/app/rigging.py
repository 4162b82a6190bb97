"""Bones that a person places in a bare mesh: a draft that grows click by click, and the table that a scene has of it.

Pages speak of places as the shape stands at its start, which may sag; the draft has them in units of the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.app.messages import ChangeBone
from pliant.app.reports import BoneFacts
from pliant.errors import ArgumentError, Array, check_count
from pliant.mesh.bones import Skeleton

if TYPE_CHECKING:
    from pliant.app.bare import BareMesh
    from pliant.app.stage import Stage

MOST_BONES, MOST_STROKES = 100, 200
AROUND = 8  # vertices whose mean shift is that of a place between them
DIGITS = 6


@dataclass(frozen=True)
class DraftBone:
    """One bone: its name, its kind, how far it reaches, and its ends in units of the file."""

    name: str
    ends: tuple[tuple[float, ...], ...]
    form: str = "soft"
    reach: float = 1.0


@dataclass(frozen=True)
class Stroke:
    """Dabs on the weights of a bone, by its number; places and radius in units of the file."""

    bone: int
    at: tuple[tuple[float, ...], ...]
    radius: float
    share: float


@dataclass(frozen=True)
class Draft:
    """All that is placed and painted.

    Attributes:
        before: the draft before the last change, to go back to.
    """

    bones: tuple[DraftBone, ...] = ()
    strokes: tuple[Stroke, ...] = ()
    before: Draft | None = None

    def __repr__(self) -> str:
        return f"Draft({len(self.bones)} bones, {len(self.strokes)} strokes)"

    def placed(self, ends: Array) -> Draft:
        """With one bone more, from (2, 3) ends."""
        if len(self.bones) >= MOST_BONES:
            raise ArgumentError(f"{MOST_BONES} bones are placed already; more are for scene files")
        return self._changed(bones=(*self.bones, DraftBone(self._free_name(), _rows(ends))))

    def found(self, skeleton: Skeleton) -> Draft:
        """With these bones instead."""
        made = tuple(DraftBone(f"bone {k}", _rows(ends)) for k, ends in enumerate(skeleton.ends[:MOST_BONES]))
        return self._changed(bones=made, strokes=())

    def changed(self, command: ChangeBone) -> Draft:
        """With another name, kind or reach of a bone."""
        old = self._bone(command.bone)
        said = command.model_dump(include={"name", "form", "reach"}, exclude_none=True)
        if said.get("name") in [bone.name for bone in self.bones if bone is not old]:
            raise ArgumentError(f"two bones cannot both be {said['name']!r}; take another name")
        bones = tuple(replace(bone, **said) if bone is old else bone for bone in self.bones)
        return self._changed(bones=bones)

    def painted(self, bone: int, at: Array, radius: float, share: float) -> Draft:
        """With one stroke more."""
        self._bone(bone)
        if len(self.strokes) >= MOST_STROKES:
            raise ArgumentError(f"{MOST_STROKES} strokes are painted already; undo some")
        return self._changed(strokes=(*self.strokes, Stroke(bone, _rows(at), radius, share)))

    def undone(self) -> Draft:
        """As before the last change."""
        if self.before is None:
            raise ArgumentError("no bone is placed that could be taken back")
        return self.before

    def table(self, unit: float, modes: int, weights: str) -> dict[str, Any]:
        """As a scene has it; `unit` is that of the file [m]."""
        if not self.bones:
            raise ArgumentError("no bone is placed; click two places of the shape for each, or let them be found")
        names = [bone.name for bone in self.bones]
        made: dict[str, Any] = {"ends": [_scaled(bone.ends, unit) for bone in self.bones], "names": names}
        made |= {"weights": weights, "modes": modes}
        kinds = {bone.name: bone.form for bone in self.bones if bone.form != "soft"}
        reach = {bone.name: bone.reach for bone in self.bones if bone.reach != 1}
        paint = [
            {
                "bone": names[stroke.bone],
                "at": _scaled(stroke.at, unit),
                "radius": unit * stroke.radius,
                "share": stroke.share,
            }
            for stroke in self.strokes
        ]
        return made | {key: value for key, value in (("kinds", kinds), ("reach", reach), ("paint", paint)) if value}

    def _bone(self, number: int) -> DraftBone:
        return self.bones[check_count("bone", number, at_least=0, at_most=len(self.bones) - 1)]

    def _changed(self, **changes: Any) -> Draft:
        return replace(self, before=self, **changes)

    def _free_name(self) -> str:
        taken = {bone.name for bone in self.bones}
        return next(name for name in (f"bone {k}" for k in range(len(taken) + 1)) if name not in taken)


def in_file(stage: Stage, mesh: BareMesh, points: Sequence[Sequence[float]]) -> Array:
    """Places (k, 3) of the shape at its start, in units of the file."""
    x = np.array(points, dtype=float)
    stand, scale, _ = _standing(mesh)
    return (x - _shift(stage, mesh, x, start=True) - stand.t) @ stand.R / scale


def bone_facts(stage: Stage, mesh: BareMesh) -> tuple[BoneFacts, ...]:
    """The bones of a draft, for pages: where they lie in the shape at its start [m]."""
    draft = mesh.draft
    if not draft.bones:
        return ()
    stand, scale, _ = _standing(mesh)
    places = stand.points(scale * np.array([bone.ends for bone in draft.bones]).reshape(-1, 3))
    places = (places + _shift(stage, mesh, places, start=False)).reshape(-1, 2, 3)
    painted = [stroke.bone for stroke in draft.strokes]
    return tuple(
        BoneFacts(bone.name, bone.form, bone.reach, _rows(ends), painted.count(k))
        for k, (bone, ends) in enumerate(zip(draft.bones, places))
    )


def _standing(mesh: BareMesh) -> tuple[Any, float, Array]:
    """Where the body stands, its scale, and its drawn vertices at rest in the world."""
    assert mesh.scene is not None, "it is opened before it is rigged"
    body = mesh.scene.bodies[0]
    return body.stand, body.part.scale, body.stand.points(body.part.scale * mesh.drawn)


def _shift(stage: Stage, mesh: BareMesh, x: Array, start: bool) -> Array:
    """How far places x (k, 3) are from where they were without weight: as the vertices around them.

    Args:
        start: are they of the shape at its start, or of it without weight?
    """
    if mesh.character:
        return np.zeros_like(x)
    rest = _standing(mesh)[2]
    known = stage.rest if start else rest
    distances = np.linalg.norm(x[:, None] - known, axis=2)
    near = np.argsort(distances, axis=1)[:, :AROUND]
    return (stage.rest - rest)[near].mean(axis=1)


def _rows(x: Array) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(f"{value:.{DIGITS}g}") for value in row) for row in x)


def _scaled(rows: Sequence[Sequence[float]], unit: float) -> list[list[float]]:
    return [[float(f"{unit * value:.{DIGITS}g}") for value in row] for row in rows]
