"""Flights of one body without what keeps its momentum, to compare with ([MC15] Fig. 3; maths sheet momentum 3, 9).

    w_R = R I^-1 (R^T L - G q'),     Mt q'' = c + d + sum B_k f_k + G^T I^-1 (o x Lo + I' o) - f(q) - C q'

"uncorrected" leaves the frame the spin w_R = I_w^-1 L, as if q' carried none; "frozen-P" takes I and G of the
projection, in Mt, B and the term after it, from the shape at rest. Both are integrated by Runge and Kutta's rule of
fourth order, in Python, so that what goes wrong is the equation.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from pliant.errors import ArgumentError, Array, Ids
from pliant.numerics import quaternion_multiply, rotation_from_quaternion
from pliant.scenes.kinds.comparing import Method

if TYPE_CHECKING:
    from pliant.scenes.scene import Scene

Flaw = Literal["uncorrected", "frozen-P"]


def with_flaw(flaw: Flaw) -> Method:
    """The same flight, without what the paper corrects."""

    def change(scene: Scene) -> Scene:
        file = scene.file
        alone = file.system == "world" and len(scene.bodies) == 1 and not scene.bodies[0].part.rigid
        if not alone or file.ground or file.obstacle or file.joint or file.hold:
            raise ArgumentError(f"{flaw} is a way to fly, of one soft body in an empty world; {scene.name} is none")
        return replace(scene, studied=partial(Flight, flaw=flaw))

    return change


class Flight:
    """A world of one body, stepped here; it answers all else that a scene asks of a system.

    Attributes:
        time: [s].
        flaw: what is left out.
    """

    def __init__(self, world: Any, flaw: Flaw):
        [body] = world.bodies
        self._world, self._body, self.flaw, self.time = world, body, flaw, 0.0
        self._inertia = body.model.inertia.centred()
        own = body.model.inertia
        self._X = body.model.X - own.centre
        self._S = body.model.U.reshape(len(self._X), 3, -1) - own.N / own.mass
        self._rest = self._geometry(np.zeros(body.model.size))
        self._pushes: list[tuple[Ids, Array]] = []
        Q, w = world.state()["Q"][0], body.spin
        R = rotation_from_quaternion(Q)
        L = R @ self._geometry(body.q)[0] @ R.T @ w
        self._y = np.concatenate([body.centre, body.velocity, Q, L, body.q, body.v])

    def __repr__(self) -> str:
        return f"Flight({self._body.name!r}, {self.flaw}, t = {self.time:g} s)"

    def __getattr__(self, name: str) -> Any:
        return getattr(self._world, name)

    def push(self, vertices: Ids, forces: Array, on: str = "mesh") -> None:
        """World forces (3,) on vertices of the mesh."""
        del on
        self._pushes.append((np.asarray(vertices), np.asarray(forces)))

    def release(self) -> None:
        self._pushes = []

    def step(self, count: int = 1) -> None:
        h = self._world.dt
        for _ in range(count):
            k1 = self._rates(self._y)
            k2 = self._rates(self._y + h / 2 * k1)
            k3 = self._rates(self._y + h / 2 * k2)
            k4 = self._rates(self._y + h * k3)
            self._y = self._y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            self._y[6:10] /= np.linalg.norm(self._y[6:10])
            self.time += h
        x, _, Q, _, q, _ = self._parts(self._y)
        self._body.q = q
        self._body.rotation = rotation_from_quaternion(Q)
        self._body.position += x - self._body.centre

    def _parts(self, y: Array) -> tuple[Array, Array, Array, Array, Array, Array]:
        r = self._body.model.size
        return y[:3], y[3:6], y[6:10], y[10:13], y[13 : 13 + r], y[13 + r :]

    def _geometry(self, q: Array) -> tuple[Array, Array, Array]:
        """I (3, 3), G (3, r) and dI (r, 3, 3) of a shape."""
        z = np.concatenate([[1.0], q])
        dI = 2 * np.einsum("k,klab->lab", z, self._inertia.J[:, 1:])
        return np.einsum("k,l,klab->ab", z, z, self._inertia.J), np.einsum("k,kla->al", z, self._inertia.H[:, 1:]), dI

    def _frame_spin(self, inertia: Array, G: Array, Lo: Array, v: Array) -> Array:
        """o = R^T w_R."""
        o: Any = np.linalg.solve(inertia, Lo if self.flaw == "uncorrected" else Lo - G @ v)
        return o

    def _rates(self, y: Array) -> Array:
        _, velocity, Q, L, q, v = self._parts(y)
        R = rotation_from_quaternion(Q / np.linalg.norm(Q))
        inertia, G, dI = self._geometry(q)
        Lo = R.T @ L
        o = self._frame_spin(inertia, G, Lo, v)
        held, turned = self._rest[:2] if self.flaw == "frozen-P" else (inertia, G)
        taken = np.linalg.solve(held, turned)  # I^-1 G
        total, torque, load = self._loads(R, q)
        model, (alpha, beta) = self._body.model, self._body.damping
        inner = 0.5 * np.einsum("a,lab,b->l", o, dI, o) - 2 * np.einsum("k,a,kla->l", v, o, self._inertia.H[1:, 1:])
        spinning = np.cross(o, Lo) + np.einsum("l,lab,b->a", v, dI, o)
        mass = self._inertia.reduced_mass
        damped = alpha * (mass @ v) + beta * (model.stiffness(q) @ v)
        rhs = inner + load - taken.T @ (torque - spinning) - model.force(q) - damped
        acceleration = np.linalg.solve(mass - turned.T @ taken, rhs)
        turning = 0.5 * quaternion_multiply(np.concatenate([[0.0], R @ o]), Q)
        falling = total / self._inertia.mass + self._world.gravity
        return np.concatenate([velocity, falling, turning, R @ torque, v, acceleration])

    def _loads(self, R: Array, q: Array) -> tuple[Array, Array, Array]:
        """Force in the world, torque in the body's axes (3,), and S^T f (r,), of all pushes."""
        total, torque, load = np.zeros(3), np.zeros(3), np.zeros(len(q))
        for ids, given in self._pushes:
            f = np.broadcast_to(given, (len(ids), 3)) @ R
            p = self._X[ids] + self._S[ids] @ q
            total += R @ f.sum(axis=0)
            torque += np.cross(p, f).sum(axis=0)
            load += np.einsum("kar,ka->r", self._S[ids], f)
        return total, torque, load

    def momentum(self) -> tuple[Array, Array]:
        """That of the particles: linear (3,), and angular about the origin (3,)."""
        x, velocity, Q, L, q, v = self._parts(self._y)
        R, (inertia, G, _) = rotation_from_quaternion(Q), self._geometry(q)
        P = self._inertia.mass * velocity
        inner = inertia @ self._frame_spin(inertia, G, R.T @ L, v) + G @ v
        return P, np.cross(x, P) + R @ inner

    def energy(self) -> float:
        """Kinetic + elastic + gravitational [J], of the particles."""
        x, velocity, Q, L, q, v = self._parts(self._y)
        R, (inertia, G, _) = rotation_from_quaternion(Q), self._geometry(q)
        o, m = self._frame_spin(inertia, G, R.T @ L, v), self._inertia.mass
        moving = 0.5 * m * velocity @ velocity + 0.5 * o @ inertia @ o + o @ G @ v
        return float(
            moving + 0.5 * v @ self._inertia.reduced_mass @ v + self._body.model.energy(q) - m * self._world.gravity @ x
        )
