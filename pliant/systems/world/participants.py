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

import numpy as np

from pliant.collide import CollisionShape
from pliant.errors import Array, Diverged, Ids
from pliant.skin import Points, Pose, Rates
from pliant.skin.points import mixed_points
from pliant.systems.world.record import DT, SLOP, WorldRecord
from pliant.systems.world.stepping import FAST
from pliant.systems.world.system_body import SystemBody

THROUGH, AT_ONCE, BEFORE = 0.5, 1.0, 0.0  # of a step: for how long coordinates follow an impulse


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

    @property
    def touched(self) -> bool:
        """In this small step?"""
        return len(self._ids) > 0

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
        """Which of its points are touched: W and V of these, in the world."""
        count, contacts, point = int(made.found[0]), made.contacts, made.touched_at.point
        bodies = contacts.body[:count]
        self._ids, side = np.nonzero((bodies == self.number) & (made.near[:count, None] > 0))
        point[self._ids, side] = np.arange(len(self._ids))
        self._sign = np.where(side == 0, 1.0, -1.0)
        made.table.wide[self.number] = 3 * len(self._ids)
        if not self.touched:
            return
        system, R = self.body.system, self.body.rotation
        self._points = self._touched_points(made, side)
        W, self._V = system.rows(self._points), system.response(self._points)
        D = (W @ self._V).reshape(len(self._ids), 3, len(self._ids), 3)
        self.D = np.einsum("ab,kblc,dc->kald", R, D, R).reshape(3 * len(self._ids), -1)
        self._x = contacts.point[self._ids].copy()
        self._tell_velocities(made, *self._seen)

    def _touched_points(self, made: WorldRecord, side: Ids) -> Points:
        """Means of the ends of edges, or of the corners of triangles."""
        contacts, shape = made.contacts, self.shape
        corners, shares = [], []
        for c, which in zip(self._ids, side):
            if which == 0:
                w = float(shape.sample_weights[contacts.sample[c]])
                corners.append(shape.sample_ends[contacts.sample[c]])
                shares.append(np.array([1 - w, w]))
            else:
                corners.append(shape.triangles[contacts.triangle[c]])
                shares.append(contacts.barycentric[c])
        ids = shape.ids[np.concatenate(corners)]
        ends = np.cumsum([len(each) for each in corners])
        return mixed_points(self.body.system.points(ids, "mesh"), ends, np.concatenate(shares))

    def _tell_velocities(self, made: WorldRecord, pose: Pose, rates: Rates) -> None:
        """Those of its touched points."""
        first = made.table.first_y[self.number]
        u = self._points.velocity(pose, rates) @ self.body.rotation.T
        made.motion.y[first : first + 3 * len(self._ids)] = u.ravel()

    def bounce(self, made: WorldRecord) -> None:
        """Impulses before the step, where contacts throw back."""
        if not self.touched or not (made.tied[self._ids] >= 0).any():
            return
        self._take(made.bounced, BEFORE)

    def predict(self, made: WorldRecord) -> None:
        """A step as if nothing touched it."""
        try:
            self.body.system.predict()
        except Diverged as why:
            raise Diverged(f"{self.body.name}: {why}", why.time, why.residual, why.part or self.body.name) from why
        if self.touched:
            self._tell_velocities(made, self.body.system.pose(), self.body.system.rates())

    def correct(self, made: WorldRecord) -> None:
        """Impulses inside the step just taken."""
        if not self.touched:
            return
        numbers = made.settings.numbers
        others = made.contacts.body[self._ids].ravel()
        fastest = made.reach[others[others >= 0]].max()
        self._take(made.pressed, AT_ONCE if fastest > FAST * numbers[SLOP] else THROUGH)

    def _take(self, impulses: Array, share: float) -> None:
        j = impulses[self._ids] * self._sign[:, None]
        if not j.any():
            return
        R, x = self.body.rotation, self.body.into(self._x)
        own = j @ R
        momentum = np.concatenate([own.sum(axis=0), np.cross(x, own).sum(axis=0)])
        self.body.system._correct(self._V @ own.ravel(), momentum, share)
