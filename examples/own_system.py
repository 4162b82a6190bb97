"""Bring a system of your own into scene files: a stiff block on a spring, registered as system = "sprung".

It swings at sqrt(k / m), which is counted from the run.
"""

from pathlib import Path

import numpy as np

import pliant as pl
from pliant.skin import Pose, plain_skin
from pliant.systems import State, System


class Sprung(System):
    """x = X + q,  m q'' = load - k q, by the exact rotation of (q, q' / omega)."""

    kind = "sprung"

    def __init__(self, solid, dt, stiffness):
        self._solid, self._dt, self.time, self._k = solid, dt, 0.0, stiffness
        self._m = solid.lumped_mass[::3].sum()
        self.q, self.v, self._load = np.zeros(3), np.zeros(3), np.zeros(3)
        self._body = plain_skin(self.mesh.vertices, self.mesh.surface, np.tile(np.eye(3), (self.mesh.vertex_count, 1)))

    body = property(lambda self: self._body)
    mesh = property(lambda self: self._solid.mesh)

    def step(self, count=1):
        omega, rest = np.sqrt(self._k / self._m), self._load / self._k
        c, s = np.cos(omega * count * self.dt), np.sin(omega * count * self.dt)
        q = self.q - rest
        self.q, self.v = rest + c * q + s / omega * self.v, c * self.v - s * omega * q
        self.time += count * self.dt

    def _push(self, vertices, forces):
        self._load = self._load + forces.sum(axis=0)

    def release(self):
        self._load = np.zeros(3)

    def pose(self):
        return Pose([(np.eye(3), np.zeros(3))], [self.q])

    def energy(self):
        return 0.5 * self._m * self.v @ self.v + 0.5 * self._k * self.q @ self.q

    def momentum(self):
        centre = self.mesh.vertices.mean(axis=0) + self.q
        return self._m * self.v, np.cross(centre, self._m * self.v)

    def state(self):
        return State(q=self.q, v=self.v, time=self.time)

    def restore(self, state):
        self.q, self.v, self.time = np.array(state["q"]), np.array(state["v"]), float(state["time"])


pl.register("system", "sprung", lambda solid, scene: Sprung(solid, scene.dt, stiffness=200.0))
Path("block.toml").write_text("""
system = "sprung"
dt = 0.01
duration = 10
[[part]]
shape = { name = "bar", size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }   # a litre of water, 1 kg
[[push]]
where = "x > -1"
force = [0, 20, 0]
until = 0.1
[[probe]]
name = "height"
where = "y > 0.049"
axis = "y"
""")
scene = pl.load_scene("block.toml")
track = scene.watch(scene.build())
times, height = np.array(track.times), np.array(track.values["height"])
upward = times[1:][(height[:-1] < 0) & (height[1:] >= 0)]
omega = 2 * np.pi / np.diff(upward).mean()
print(f"it swings at {omega:.3f} rad/s; sqrt(k / m) = {np.sqrt(200 / 1.0):.3f}")
assert abs(omega / np.sqrt(200 / 1.0) - 1) < 1e-2
