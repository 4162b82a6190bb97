"""What moves a system by itself: patches that are pushed, and muscles that pull two patches together.

    patch    f_v = u F / k                     on its k vertices, F fixed in the world
    muscle   f_v = u p e / k_a,  -u p e / k_b    on those of a and of b, e from the middle of a to that of b

|u| <= 1, so that F and p are the most that an actuator does. The forces of a muscle cancel, and
are on one line, where its ends will be after the step, as far as their velocities tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, Ids, check_array, check_ids, check_number
from pliant.skin import Points
from pliant.systems import System

NOWHERE = 1e-9  # of the extent of a muscle: ends that are nearer pull nowhere


@dataclass(frozen=True, eq=False)
class Patch:
    """Vertices of the mesh (k,) that are pushed by a total force (3,) [N] of the world, at most."""

    vertices: ArrayLike
    force: ArrayLike

    def __post_init__(self) -> None:
        object.__setattr__(self, "vertices", _some("vertices of a patch", self.vertices))
        force = check_array("force of a patch", self.force, (3,)).copy()
        if not force.any():
            raise ArgumentError("the force of a patch is zero, so it can move nothing; give the largest it has [N]")
        object.__setattr__(self, "force", force)

    def __repr__(self) -> str:
        return f"Patch({len(self.ids)} vertices, {np.linalg.norm(np.asarray(self.force)):.3g} N)"

    @property
    def ids(self) -> Ids:
        """(k,) vertices that it acts on."""
        return np.asarray(self.vertices)

    def forces(self, x: Array) -> Array:
        """(k, 3) [N] on its vertices, which are at x (k, 3), at u = 1."""
        return np.tile(np.asarray(self.force) / len(x), (len(x), 1))


@dataclass(frozen=True, eq=False)
class Muscle:
    """Two sets of vertices of the mesh that are pulled together, by `pull` [N] at most, or pushed apart."""

    vertices: ArrayLike
    to: ArrayLike
    pull: float

    def __post_init__(self) -> None:
        for name in ("vertices", "to"):
            object.__setattr__(self, name, _some(f"{name} of a muscle", getattr(self, name)))
        object.__setattr__(self, "pull", check_number("pull of a muscle", self.pull, above=0))

    def __repr__(self) -> str:
        return f"Muscle({len(np.asarray(self.vertices))} and {len(np.asarray(self.to))} vertices, {self.pull:.3g} N)"

    @cached_property
    def ids(self) -> Ids:
        """(k,) vertices that it acts on: those of one end, then those of the other."""
        return np.concatenate([np.asarray(self.vertices), np.asarray(self.to)])

    def forces(self, x: Array) -> Array:
        """(k, 3) [N] on its vertices, which are at x (k, 3), at u = 1."""
        a = len(np.asarray(self.vertices))
        way = x[a:].mean(axis=0) - x[:a].mean(axis=0)
        length = float(np.linalg.norm(way))
        if length <= NOWHERE * float(np.ptp(x, axis=0).max()):
            return np.zeros_like(x)
        pull = self.pull / length * way
        return np.concatenate([np.tile(pull / a, (a, 1)), np.tile(-pull / (len(x) - a), (len(x) - a, 1))])


Actuator = Patch | Muscle


class Actuation:
    """All actuators of a system."""

    def __init__(self, system: System, actuators: Sequence[Actuator]):
        given = list(actuators)
        if not given:
            raise ArgumentError("actuators are missing; give pliant.control.Patch or Muscle")
        X = system.vertices("mesh")
        for each in given:
            if not isinstance(each, Patch | Muscle):
                raise ArgumentError(f"an actuator is a Patch or a Muscle; {type(each).__name__} was given")
            check_ids("vertices of an actuator", each.ids, len(X))
            if not each.forces(X[each.ids]).any():
                raise ArgumentError(
                    "both ends of a muscle have the same middle, so it pulls nowhere; take other vertices"
                )
        self.actuators = tuple(given)
        self._ids, places = np.unique(np.concatenate([each.ids for each in given]), return_inverse=True)
        self._own = np.split(places, np.cumsum([len(each.ids) for each in given])[:-1])

    def __len__(self) -> int:
        return len(self.actuators)

    def points(self, system: System) -> Points:
        """The p material points that any of them acts on."""
        return system.points(self._ids, "mesh")

    def patterns(self, system: System) -> Array:
        """(c, p, 3) forces of each at u = 1 [N], as the system will be after the next step."""
        points, pose = self.points(system), system.pose()
        x = points.place(pose) + system.dt * points.velocity(pose, system.rates())
        found = np.zeros((len(self), len(x), 3))
        for pattern, own, actuator in zip(found, self._own, self.actuators):
            np.add.at(pattern, own, actuator.forces(x[own]))
        return found

    def push(self, system: System, u: Array) -> None:
        """Add their forces at u (c,) to what pushes the system."""
        if u.any():
            system.push(self._ids, np.einsum("c,cpi->pi", u, self.patterns(system)), on="mesh")


def _some(name: str, ids: ArrayLike) -> Ids:
    found = np.unique(np.atleast_1d(np.asarray(ids)))
    if not found.size or found.dtype.kind not in "iu":
        raise ArgumentError(f"{name} must be numbers of at least one vertex; {found.size} were given")
    return found
