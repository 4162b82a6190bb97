"""Poke a soft organ with a fingertip and print its force-displacement curve.

The organ stores what the finger gives: the area under the curve, the integral of F dx, is its elastic energy.
"""

import numpy as np

import pliant as pl

organ = pl.shapes.sphere(0.05, 6)  # 10 cm across
tissue = pl.StVK(young=5e3, poisson=0.45, density=1050)
solid = pl.Solid(organ, tissue, fixed="y < -0.03")
top = int(np.argmax(organ.vertices[:, 1]))

fingers = np.zeros((organ.vertex_count, 3))
fingers[top, 1] = -0.2  # what will act: the basis learns from it
model = pl.reduce(solid, pl.sketch_basis(solid, [s * fingers for s in (0.25, 0.5, 1, 2)], size=4))
system = pl.Clamped(model, dt=0.005, damping=(0, 0.05), gravity=None)

depths, forces = np.linspace(0, 0.01, 11), []
for depth in depths:
    hand = system.hold(top, organ.vertices[top] - [0, depth, 0])
    system.step(300)  # 1.5 s: it comes to rest
    forces.append(-hand.force[1])
    print(f"{1e3 * depth:5.1f} mm {1e3 * forces[-1]:8.2f} mN")

work = np.trapezoid(forces, depths)
print(f"work of the finger {1e6 * work:.2f} uJ, elastic energy {1e6 * system.energy():.2f} uJ")
assert abs(work / system.energy() - 1) < 0.01
