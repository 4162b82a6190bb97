"""Lift the tip of a board with a hand, read the force in the hand, and let go.

A beam that is bent by d at its end pulls with 3 E I d / L^3.
"""

import numpy as np

import pliant as pl

LENGTH, SIDE, YOUNG, LIFT = 1.0, 0.05, 1e8, 0.001

mesh = pl.shapes.bar((LENGTH, SIDE, SIDE), (12, 2, 2), kind="tet10")
solid = pl.Solid(mesh, pl.StVK(YOUNG, 0.3, 1000), fixed="x < 1e-9")
system = pl.Clamped(pl.reduce(solid, pl.modal_basis(solid, modes=6, size=16)), 0.002, damping=(5, 0.001), gravity=None)
tip = int(np.argmin(np.linalg.norm(mesh.vertices - [LENGTH, 0, 0], axis=1)))

hand = system.hold(tip, mesh.vertices[tip])
for height in np.linspace(0, LIFT, 20):
    hand.target = mesh.vertices[tip] + [0, height, 0]
    system.step(25)
system.step(500)
force = hand.force[1]
hand.release()
system.step(1500)

beam = 3 * YOUNG * SIDE**4 / 12 * LIFT / LENGTH**3
print(f"the hand pulled with {force:.3f} N, the beam formula says {beam:.3f} N")
print(f"let go, the tip is at {system.vertices()[tip, 1] - mesh.vertices[tip, 1]:+.1e} m")
assert abs(force / beam - 1) < 0.02
