"""A free body of a world that is steered to keyframes, by a smoothed model of it on the level grounds of that world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.interpolate import PchipInterpolator

from pliant.collide.fields import PLANE
from pliant.control.aims import Aim, aim_at
from pliant.control.keyframe import Keyframe, checked_frame, checked_kind, checked_pose, checked_targets
from pliant.control.smooth_body import Guide, Place, Rows, SmoothBody, SmoothRun, pull_back, run, vertex_rows
from pliant.control.smooth_ground import SmoothPlane
from pliant.errors import ArgumentError, Array
from pliant.systems.world.body import Body

SINKS, CREEPS = 3e-3, 5e-2  # of the diagonal of the body: d [m], and e [m] a second
LOW = 0.02  # of its height: what stands on the ground
FEW = 100  # vertices that are pushed for the same effect as all of them, besides one a coordinate
WEAK = 9.81  # [m/s^2] that ground bears at least


class SteeredBody:
    """See `Steered`; other bodies, obstacles and joints are not felt while it is looked for."""

    def __init__(self, body: Body):
        if body.kind != "free" or not body.model.size:
            raise ArgumentError(
                f"{body.name} is {body.kind}; keyframes are for free bodies that deform, or clamped parts"
            )
        self.body, self.system = body, body._there
        self.model: Any = body.model
        self.dt = self.system.dt
        self._all = np.arange(len(self.model.X), dtype=np.int64)
        self._patterns = np.zeros((len(self._all), 3, 0))
        self._few = np.linspace(0, len(self._all) - 1, min(len(self._all), FEW + self.model.size)).astype(np.int64)
        self._guide: Guide | None = None
        self._made: SmoothBody | None = None

    @property
    def count(self) -> int:
        return self._patterns.shape[2]

    @property
    def smooth(self) -> SmoothBody:
        """With the controls that were adopted."""
        if self._made is None:
            touching = self.system._shape_of(self.model).ids
            self._made = SmoothBody(
                self.model, self.dt, self.system.gravity, self.body.damping, self._planes(), self._all, self._patterns,
                touching, self._guide,
            )  # fmt: skip
        return self._made

    def _planes(self) -> tuple[SmoothPlane, ...]:
        """Of a stiffness that bears the weight on the lowest vertices, sunk by about SINKS of the body."""
        diagonal = float(np.linalg.norm(np.ptp(self.model.X, axis=0)))
        depth, slow = SINKS * diagonal, CREEPS * diagonal
        weight = self.model.inertia.mass * max(float(np.linalg.norm(self.system.gravity)), WEAK)
        x, planes = self.body.vertices(), []
        for field, friction, _ in self.system._fields:
            if field.kind == PLANE:
                n = field.R[:, 1]
                heights = x @ n
                low = max(3, int(np.sum(heights < heights.min() + LOW * np.ptp(heights))))
                stiffness = weight / (low * depth * np.log(2))
                mu = float(np.sqrt(friction * self.body.friction))
                planes.append(SmoothPlane(n, float(n @ field.t), mu, stiffness, depth, slow))
        return tuple(planes)

    def aim(self, keyframe: Keyframe, k: int) -> Aim:
        checked_kind(keyframe, k)
        if keyframe.state is not None:
            raise ArgumentError(f"keyframe {k} has the state of a system; of a body take Keyframe.of(body, time)")
        masses, share = self.smooth.masses, 1 / np.sqrt(self.model.inertia.mass)
        if keyframe.targets is None:
            q = checked_pose(keyframe, k, self.model.size)
            pose = self._placed(*checked_frame(keyframe, k, self.body.position, self.body.rotation), q)
            return Aim(masses, masses.place(pose), share, keyframe.weight, pose)
        ids, targets = checked_targets(keyframe, k, len(self.model.X))
        aim = aim_at(vertex_rows(self.model, ids), targets, keyframe.weight, self._now(), self.metric(1.0))
        if keyframe.vertices is None:
            return Aim(masses, masses.place(aim.pose), share, keyframe.weight, aim.pose, aim.beyond)
        return aim

    def _placed(self, position: Array, rotation: Array, q: Array) -> Place:
        inertia = self.model.inertia
        return Place(position + rotation @ (inertia.centre + inertia.N @ q / inertia.mass), rotation, q)

    def metric(self, span: float) -> Array:
        J = self._at_rest(mass=True)
        metric = J.T @ J / span**2
        metric[6:, 6:] += self.model.stiffness()
        return metric

    def adopt(self, forces: Array | None, shapes: Array) -> Array:
        J = self._at_rest(mass=False)
        if forces is None:  # the least vertex forces that do just this
            forces = (J @ np.linalg.solve(J.T @ J, shapes)).reshape(len(self._all), 3, -1)
        self._patterns, self._made = forces, None
        return J.T @ forces.reshape(3 * len(self._all), -1)

    def _at_rest(self, mass: bool) -> Array:
        rest = Place(np.zeros(3), np.eye(3), np.zeros(self.model.size))
        rows = self.smooth.masses if mass else vertex_rows(self.model, self._all)
        J = rows.jacobian(rest, rows.arms(rest))
        return J.reshape(-1, J.shape[2])

    def lead(self, due: Sequence[int], aims: Sequence[Aim], steps: int, within: float) -> None:
        masses = self.smooth.masses
        way = [self._now(), *(aim.pose for aim in aims)]
        times = np.array([0, *due, max(steps, due[-1]) + 1])
        places = np.stack([masses.place(y) for y in [*way, way[-1]]])
        curve = PchipInterpolator(times[:-1] if times[-1] == times[-2] else times, places)
        stiffness = (2 * np.pi / within) ** 2 if within else 0.0
        self._guide = Guide(curve(np.arange(steps + 1) + 0.5), stiffness, 2 * np.sqrt(stiffness))
        self._made = None

    def run(self, controls: Array) -> SmoothRun:
        return run(self.smooth, self._now(), self._rates(), controls)

    def missed(self, motion: SmoothRun, k: int, aim: Aim) -> Array:
        return aim.missed(motion.places[k - 1], motion.places[k])

    def slopes(self, motion: SmoothRun, k: int, aim: Aim) -> dict[int, Array]:
        ends = {k - 1: 0.5 * aim.slope(motion.places[k - 1])} if k > 1 else {}
        return ends | {k: 0.5 * aim.slope(motion.places[k])}

    def pull_back(self, motion: SmoothRun, rows: Mapping[int, Array]) -> Array:
        return pull_back(motion, rows)

    def push(self, k: int, controls: Array) -> None:
        """Of all vertex forces that do to the coordinates what is wanted, the least on a few of them."""
        smooth, y, rates = self.smooth, self._now(), self._rates()
        wanted = smooth.applied(y, controls)[0] @ controls
        if self._guide is not None:
            wanted += self._spring_force(smooth.masses, y, rates, k)
        rows = vertex_rows(self.model, self._few)
        J = rows.jacobian(y, rows.arms(y)).reshape(3 * len(self._few), -1)
        self.body.push(self._few, (J @ np.linalg.solve(J.T @ J, wanted)).reshape(-1, 3))

    def _spring_force(self, masses: Rows, y: Place, rates: Array, k: int) -> Array:
        """(6 + r,) of the guide, as at the end of the step that comes, to first order."""
        assert self._guide is not None, "there are springs where they are asked for"
        path, stiffness, drag = self._guide
        ahead, dt = min(k + 1, len(path) - 1), self.dt
        J = masses.jacobian(y, masses.arms(y))
        u = J @ rates
        wanted = path[ahead] - 0.5 * (path[ahead] - path[ahead - 1])  # at the end of the step
        speed = (path[ahead] - path[ahead - 1]) / dt
        pull = stiffness * (wanted - masses.place(y) - dt * u) + drag * (speed - u)
        return np.einsum("pin,pi->n", J, pull) / (1 + dt * drag + dt**2 * stiffness)

    def moved_to(self, system: Body) -> SteeredBody:
        other = SteeredBody(system)
        if other.model.size != self.model.size:
            raise ArgumentError(
                f"the motion is of a body with {self.model.size} coordinates; {system.name} has {other.model.size}"
            )
        other._patterns, other._guide, other._made = self._patterns, self._guide, self._made
        return other

    def off(self, aim: Aim) -> float:
        return float(np.linalg.norm(aim.missed(self._now())))

    def _now(self) -> Place:
        return self._placed(self.body.position, self.body.rotation, self.body.q.copy())

    def _rates(self) -> Array:
        """(6 + r,): velocity, spin of the frame R I^-1 (R^T L - G q'), q'."""
        body, inertia = self.body, self.model.inertia.centred()
        z, R = np.concatenate([[1.0], body.q]), body.rotation
        I = np.einsum("k,l,klab->ab", z, z, inertia.J)
        G = np.einsum("k,kla->al", z, inertia.H[:, 1:])
        return np.concatenate([body.velocity, body.spin - R @ np.linalg.solve(I, G @ body.v), body.v])
