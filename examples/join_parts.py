"""Join two posts and a beam to a portal with seams, and push it sideways.

It stands on two feet, so no tree could be made of it. With posts of height h, a beam as long and as stiff as a post,
and clamped feet, its top gives by 5 F h^3 / (84 E I).
"""

import numpy as np

import pliant as pl

SIDE, HEIGHT, YOUNG, FORCE = 0.02, 0.5, 1e9, 4.0  # height of the centre line of the beam [m], [Pa], [N]

span = HEIGHT + SIDE
wall = pl.shapes.bar((span, HEIGHT + SIDE / 2, SIDE), (26, 25, 1), kind="hex20")
x, y, _ = wall.centroids.T
floor, roof = wall.bounds[:, 1]
portal, cells = wall.submesh(np.flatnonzero((x < SIDE) | (x > span - SIDE) | (y > roof - SIDE)))
solid = pl.Solid(portal, pl.StVK(YOUNG, 0.3, 1000), fixed=f"y < {floor + 1e-9}")

x, y, _ = portal.centroids.T
labels = np.where(y > roof - SIDE, 2, (x > span / 2).astype(int))  # left post, right post, beam
system = pl.couple(solid, labels, soft=6, dt=0.005, damping=(10, 0.001), gravity=None, nonlinear=False)

corner = portal.select(f"x < 1e-9 and y > {roof - SIDE - 1e-9}")
system.push(corner, (FORCE / len(corner), 0, 0))
system.step(600)
sway = (system.vertices() - portal.vertices)[corner, 0].mean()
frame = 5 * FORCE * HEIGHT**3 / (84 * YOUNG * SIDE**4 / 12)
print(f"{system.size} coordinates; it gives by {1e3 * sway:.3f} mm, the frame formula says {1e3 * frame:.3f} mm")
assert abs(sway / frame - 1) < 0.05
