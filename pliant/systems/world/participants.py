"""Systems that take part in a world, through the contract of all systems: points, rows W, responses V = A^-1 W^T.

To the solver a system is its touched points: y are their velocities, D = W V what impulses on them do to these, however
many coordinates there are behind. Within a small step it

    is seen at its start   W, V, D, and the velocities u there
    predicts               a step as if nothing touched it:  u -> u_free
    is corrected           y += D j in the sweeps; then V j on its own unknowns, and sum j, sum x_c x j on its momentum

Impulses act at the points x_c that partners share, so that momentum is exact. What they change moves its coordinates
along for half of the step, as forces do that act through all of it, or for all of it, where something fast hits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pliant.collide import CollisionShape
from pliant.errors import Array, Diverged, Ids
from pliant.skin import Points, Pose, Rates
from pliant.skin.points import mixed_points
from pliant.systems.world.record import DT, SLOP, WorldRecord
from pliant.systems.world.stepping import FAST
from pliant.systems.world.system_body import SystemBody

THROUGH, AT_ONCE, BEFORE = 0.5, 1.0, 0.0  # of a step: for how long coordinates follow an impulse


class JoinedPlace(NamedTuple):
    """A point of a system that a joint holds.

    Attributes:
        row, side: where it stands in the table of joints.
        ids, shares: vertices of its mesh, and their weights.
    """

    row: int
    side: int
    ids: Ids
    shares: Array


class Participant:
    """One system through small steps.

    Args:
        number: of its body.
        shape: its surface as others touch it.
    """

    def __init__(self, body: SystemBody, number: int, shape: CollisionShape):
        self.body, self.number, self.shape = body, number, shape
        self._surface = body.system.points(shape.ids, "mesh")
        self._ids = np.empty(0, dtype=np.int64)
        self._joined: Sequence[JoinedPlace] = ()
        self._rows = self._sides = np.empty(0, dtype=np.int64)

    def join(self, joined: Sequence[JoinedPlace]) -> None:
        """What joints hold of it."""
        self._joined = joined
        self._rows = np.array([each.row for each in joined], dtype=np.int64)
        self._sides = np.array([each.side for each in joined], dtype=np.int64)

    @property
    def touched(self) -> bool:
        """In this small step, or joined?"""
        return len(self._ids) + len(self._joined) > 0

    def place(self, made: WorldRecord) -> None:
        """Its surface, and how far it may get in a step."""
        system = self.body.system
        pose, rates = self._seen = system.pose(), system.rates()
        if self._surface.offsets[-1] != len(pose.flat):
            self._surface = system.points(self.shape.ids, "mesh")
        first, count = made.surfaces.first_vertex[self.number], len(self.shape.ids)
        made.x[first : first + count] = self.body.out(self._surface.place(pose))
        u = self._surface.velocity(pose, rates) @ self.body.rotation.T
        made.u[first : first + count] = u
        fastest = np.sqrt((u**2).sum(axis=1).max(initial=0.0))
        dt = made.settings.numbers[DT]
        made.reach[self.number] = dt * (fastest + dt * float(np.linalg.norm(made.acting.gravity)))

    def look(self, made: WorldRecord) -> None:
        """Which of its points are touched, those of contacts, then those of joints: W and V of these, in the world."""
        count, contacts, point = int(made.found[0]), made.contacts, made.touched_at.point
        bodies = contacts.body[:count]
        self._ids, side = np.nonzero((bodies == self.number) & (made.near[:count, None] > 0))
        self._count = len(self._ids) + len(self._joined)
        point[self._ids, side] = np.arange(len(self._ids))
        made.joints.point[self._rows, self._sides] = len(self._ids) + np.arange(len(self._joined))
        self._sign = np.where(np.concatenate([side, self._sides]) == 0, 1.0, -1.0)
        made.table.wide[self.number] = 3 * self._count
        if not self.touched:
            return
        system, R = self.body.system, self.body.rotation
        self._points = self._touched_points(made, side)
        W, self._V = system.rows(self._points), system.response(self._points)
        D = (W @ self._V).reshape(self._count, 3, self._count, 3)
        self.D = np.einsum("ab,kblc,dc->kald", R, D, R).reshape(3 * self._count, -1)
        self._x = contacts.point[self._ids].copy()
        self._tell_velocities(made, *self._seen)
        if len(self._joined):
            made.joints.X[self._rows, self._sides] = self._joined_places(self._seen[0])

    def _touched_points(self, made: WorldRecord, side: Ids) -> Points:
        """Means of the ends of edges, of the corners of triangles, or of what a joint holds."""
        contacts, shape = made.contacts, self.shape
        corners, shares = [], []
        for c, which in zip(self._ids, side):
            if which == 0:
                w = float(shape.sample_weights[contacts.sample[c]])
                corners.append(shape.ids[shape.sample_ends[contacts.sample[c]]])
                shares.append(np.array([1 - w, w]))
            else:
                corners.append(shape.ids[shape.triangles[contacts.triangle[c]]])
                shares.append(contacts.barycentric[c])
        for each in self._joined:
            corners.append(each.ids)
            shares.append(each.shares)
        ends = np.cumsum([len(each) for each in corners])
        return mixed_points(self.body.system.points(np.concatenate(corners), "mesh"), ends, np.concatenate(shares))

    def _joined_places(self, pose: Pose) -> Array:
        """(k, 3) of the points that joints hold, in the world."""
        return self.body.out(self._points.place(pose)[len(self._ids) :])

    def _tell_velocities(self, made: WorldRecord, pose: Pose, rates: Rates) -> None:
        """Those of its touched points."""
        first = made.table.first_y[self.number]
        u = self._points.velocity(pose, rates) @ self.body.rotation.T
        made.motion.y[first : first + 3 * self._count] = u.ravel()

    def bounce(self, made: WorldRecord) -> None:
        """Impulses before the step, where contacts throw back."""
        if made.bounced[self._ids].any():
            none = np.zeros((len(self._joined), 3))
            self._take(made.bounced[self._ids], none, none, BEFORE)

    def predict(self, made: WorldRecord) -> None:
        """A step as if nothing touched it."""
        system = self.body.system
        try:
            system.predict()
        except Diverged as why:
            raise Diverged(f"{self.body.name}: {why}", why.time, why.residual, why.part or self.body.name) from why
        if self.touched:
            pose = system.pose()
            self._tell_velocities(made, pose, system.rates())
            if len(self._joined):
                first = made.table.first_y[self.number] + 3 * len(self._ids)
                u = made.motion.y[first : first + 3 * len(self._joined)].reshape(-1, 3)
                free = self._joined_places(pose) - made.settings.numbers[DT] * u
                made.joints.free[self._rows, self._sides] = free

    def correct(self, made: WorldRecord) -> None:
        """Impulses inside the step just taken."""
        if not self.touched:
            return
        numbers, joints = made.settings.numbers, made.joints
        others = made.contacts.body[self._ids].ravel()
        fastest = made.reach[others[others >= 0]].max(initial=0.0)
        at_once = len(self._joined) > 0 or fastest > FAST * numbers[SLOP]
        total, where = joints.total[self._rows], joints.where[0, self._rows]
        self._take(made.pressed[self._ids], total, where, AT_ONCE if at_once else THROUGH)
        if len(self._joined):
            self._take(np.zeros((len(self._ids), 3)), joints.steady[self._rows], joints.where[1, self._rows], BEFORE)

    def _take(self, pressed: Array, pulled: Array, where: Array, share: float) -> None:
        """Impulses of contacts, and of joints at these places."""
        j = np.concatenate([pressed, pulled]) * self._sign[:, None]
        if not j.any():
            return
        R, x = self.body.rotation, self.body.into(np.concatenate([self._x, where]))
        own = j @ R
        momentum = np.concatenate([own.sum(axis=0), np.cross(x, own).sum(axis=0)])
        self.body.system._correct(self._V @ own.ravel(), momentum, share)
