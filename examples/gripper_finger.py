"""Bend a soft gripper finger with a tendon.

The tendon runs through rings along the top of the finger and is pulled with the tension T. Each ring feels what the
tendon loses in direction there; together that is a moment T e along the whole finger, which turns it by

    angle = T e x / (E I)   at x from its base
"""

import numpy as np

import pliant as pl

LENGTH, SIDE, TENSION, YOUNG = 0.1, 0.02, 3.0, 1e6  # [m], [m], [N], [Pa]

mesh = pl.shapes.bar((LENGTH, SIDE, SIDE), (10, 2, 2), kind="tet10")
silicone = pl.StVK(young=YOUNG, poisson=0.3, density=1100)
solid = pl.Solid(mesh, silicone, fixed="x < 1e-9")
top = mesh.select(f"y > {SIDE / 2 - 1e-9} and abs(z) < 1e-9")
rings = top[np.argsort(mesh.vertices[top, 0])][::2]  # one a centimetre, from the base to the tip
across = mesh.select(f"abs(x - {0.8 * LENGTH}) < 1e-9 and abs(z) < 1e-9")
low, high = across[np.argsort(mesh.vertices[across, 1])][[0, -1]]

pulled = np.zeros((mesh.vertex_count, 3))
pulled[rings[-1], 0] = -TENSION
finger = pl.reduce(solid, loads=[pulled])  # as many shapes as this load needs
system = pl.Clamped(finger, dt=0.002, damping=(5, 0.02), gravity=None)


def pull(tension: float) -> None:
    """Push every ring with the tension of the two pieces of tendon that meet there."""
    pieces = np.diff(system.vertices()[rings], axis=0)
    pieces *= tension / np.linalg.norm(pieces, axis=1, keepdims=True)
    system.release()
    system.push(rings[:-1], pieces)
    system.push(rings[1:], -pieces)


for step in range(600):
    pull(TENSION * min(1.0, step / 200))
    system.step()

up = system.vertices()[high] - system.vertices()[low]
angle = np.arctan2(-up[0], up[1])
expected = TENSION * (SIDE / 2) * 0.8 * LENGTH / (YOUNG * SIDE**4 / 12)
print(f"it turned by {np.degrees(angle):.2f} degrees at 0.8 L; T e x / (E I) = {np.degrees(expected):.2f}")
assert abs(angle / expected - 1) < 0.03
