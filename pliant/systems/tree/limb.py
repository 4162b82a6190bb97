"""A limb: one instance of a part in a tree, where it stands and how it is turned and scaled ([LS11])."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pliant.errors import ArgumentError, Array, Ids, check_array, check_count, check_ids, check_number
from pliant.reduced import ReducedModel
from pliant.reduced.rigid import Rigid
from pliant.systems.saving import savable

ORTHONORMAL = 1e-9


@dataclass(frozen=True, eq=False)
class Limb:
    """A copy of `model` that stands on its parent; limbs that share a model are stepped together.

    At rest a point X of the model is at  position + scale rotation (X - origin).

    Attributes:
        model: the part, shared by all its instances.
        parent: number of the limb it stands on, smaller than its own; -1: the root.
        stands_on: (k, 3) boundary triangles of the parent's mesh, in the parent's vertex numbers; None: the root.
        rotation: (3, 3) the model's axes in the world at rest.
        scale: of all lengths of the model.
        origin: (3,) the point of the model that stands on the area centroid of `stands_on` [m].
        position: (3,) where `origin` is in the world, for the root; children are where they stand [m].
        stiffening: multiplies the frequencies; their forces by its square ([LS11] section 5).
        name: shown where it is spoken of.
    """

    model: ReducedModel | Rigid
    parent: int = -1
    stands_on: Ids | None = None
    rotation: Array = field(default_factory=lambda: np.eye(3))
    scale: float = 1.0
    origin: Array = field(default_factory=lambda: np.zeros(3))
    position: Array = field(default_factory=lambda: np.zeros(3))
    stiffening: float = 1.0
    name: str = ""

    def __repr__(self) -> str:
        where = "root" if self.parent < 0 else f"on limb {self.parent}"
        return f"Limb({self.name[:40]!r}, {self.model.size} coordinates, {where}, scale={self.scale:g})"

    def __post_init__(self) -> None:
        label = f"limb {self.name}" if self.name else "a limb"
        if not isinstance(self.model, ReducedModel | Rigid):
            raise ArgumentError(
                f"model of {label} must be a ReducedModel or Rigid; {type(self.model).__name__} was given"
            )
        R = check_array(f"rotation of {label}", self.rotation, (3, 3))
        if np.abs(R @ R.T - np.eye(3)).max() > ORTHONORMAL or np.linalg.det(R) < 0:
            raise ArgumentError(
                f"rotation of {label} must be a rotation matrix; its product with its transpose is not 1"
            )
        check_count(f"parent of {label}", self.parent, at_least=-1)
        if (self.stands_on is None) != (self.parent < 0):
            raise ArgumentError(f"{label} needs both a parent and the triangles it stands on, or neither for the root")
        check_number(f"scale of {label}", self.scale, above=0)
        check_number(f"stiffening of {label}", self.stiffening, above=0)
        for key in ("origin", "position"):
            object.__setattr__(self, key, check_array(f"{key} of {label}", getattr(self, key), (3,)))
        object.__setattr__(self, "rotation", R)


savable(Limb)


def check_limbs(limbs: list[Limb]) -> None:
    """One root, first; every other limb stands on triangles of one before it."""
    if strange := [limb for limb in limbs if not isinstance(limb, Limb)]:
        raise ArgumentError(
            f"limbs of a tree must be pliant Limbs; {type(strange[0]).__name__} was given (use pl.Limb)"
        )
    if not limbs or limbs[0].parent >= 0:
        raise ArgumentError("the first limb of a tree is its root; give it no parent")
    for number, limb in enumerate(limbs[1:], start=1):
        if not 0 <= limb.parent < number:
            raise ArgumentError(
                f"limb {number} {limb.name} stands on limb {limb.parent}; a parent must come before its children, "
                "and there is one root"
            )
        on = limbs[limb.parent].model
        check_ids(f"stands_on of limb {number} {limb.name}", np.unique(np.asarray(limb.stands_on)), len(on.X))
