"""A clamped part that is steered to keyframes, by its own steps and their adjoint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pliant.control.adjoint import pull_back
from pliant.control.aims import Aim, aim_at
from pliant.control.keyframe import Keyframe, checked_kind, checked_pose, checked_targets
from pliant.control.smooth_body import Place, Rows, mass_points
from pliant.control.trajectory import Trajectory, check_steerable, simulate
from pliant.errors import ArgumentError, Array, Ids
from pliant.reduced import ReducedModel
from pliant.systems import Clamped


class SteeredPart:
    """See `Steered`; places are those of a body that neither moves nor turns."""

    def __init__(self, system: Clamped):
        check_steerable(system)
        self.system, self.model, self.dt = system, system.model, system.dt
        self.B = np.zeros((self.model.size, 0))

    def aim(self, keyframe: Keyframe, k: int) -> Aim:
        checked_kind(keyframe, k)
        if keyframe.position is not None or keyframe.rotation is not None:
            raise ArgumentError(f"keyframe {k} has a position or rotation, but the part is clamped; leave them out")
        masses = mass_points(self.model.inertia)
        masses = Rows(np.zeros(len(masses.c)), masses.Z)
        share = 1 / np.sqrt(self.model.inertia.mass)
        if keyframe.targets is None:
            pose = _still(checked_pose(keyframe, k, self.model.size))
            return Aim(masses, masses.place(pose), share, keyframe.weight, pose)
        ids, targets = checked_targets(keyframe, k, len(self.model.X))
        points = held_rows(self.model, ids)
        aim = aim_at(points, targets, keyframe.weight, _still(self.system.q), self.metric(np.inf))
        if keyframe.vertices is None:
            return Aim(masses, masses.place(aim.pose), share, keyframe.weight, aim.pose, aim.beyond)
        return aim

    @property
    def count(self) -> int:
        return self.B.shape[1]

    def metric(self, span: float) -> Array:
        return self.model.mass / span**2 + self.model.stiffness()

    def adopt(self, forces: Array | None, shapes: Array) -> Array:
        self.B = shapes if forces is None else self.model.U.T @ forces.reshape(len(self.model.U), -1)
        return self.B

    def lead(self, due: Sequence[int], aims: Sequence[Aim], steps: int, within: float) -> None:
        """It cannot fall, and needs none."""

    def run(self, controls: Array) -> Trajectory:
        return simulate(self.system, self.B, controls)

    def missed(self, motion: Trajectory, k: int, aim: Aim) -> Array:
        return aim.missed(_still(motion.q[k]))

    def slopes(self, motion: Trajectory, k: int, aim: Aim) -> dict[int, Array]:
        return {k: aim.slope(_still(motion.q[k]))[:, 6:]}

    def pull_back(self, motion: Trajectory, rows: Mapping[int, Array]) -> Array:
        return pull_back(motion, rows)

    def push(self, k: int, controls: Array) -> None:
        self.system.push_reduced(self.B @ controls)

    def moved_to(self, system: Clamped) -> SteeredPart:
        other = SteeredPart(system)
        if other.model.size != self.model.size:
            raise ArgumentError(
                f"the motion is of a part with {self.model.size} coordinates; this one has {other.model.size}"
            )
        other.B = self.B
        return other

    def off(self, aim: Aim) -> float:
        return float(np.linalg.norm(aim.missed(_still(self.system.q))))


def held_rows(model: ReducedModel, vertices: Ids) -> Rows:
    """Of vertices of a part that is fixed."""
    U = model.U.reshape(len(model.X), 3, model.size)[vertices]
    return Rows(np.zeros(len(vertices)), np.concatenate([model.X[vertices][:, :, None], U], axis=2))


def _still(q: Array) -> Place:
    return Place(np.zeros(3), np.eye(3), q)
