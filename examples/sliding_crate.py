"""Throw a soft crate over the floor: where it stops, and what the floor does to it on the way.

Friction takes mu g off its speed, so it slides v^2 / (2 mu g), whatever it weighs and however it trembles.
"""

import pliant as pl

SPEED, FRICTION, G = 3.0, 0.4, 9.81

mesh = pl.shapes.bar((0.6, 0.3, 0.4), (4, 2, 3))
solid = pl.Solid(mesh, pl.Linear(young=5e6, poisson=0.3, density=300))  # nothing is fixed: it flies
crate = pl.reduce(solid, pl.Basis(pl.vibration_modes(solid, 8).vectors), force="linear")

world = pl.World(dt=0.005)
world.ground(height=0, friction=FRICTION)
body = world.add(crate, position=(0, 0.15, 0), velocity=(SPEED, 0, 0), friction=FRICTION, damping=(0, 0.002))
start = body.centre
world.step(100)
drag = -world.force_between(body)[0]
while body.velocity[0] > 1e-3:
    world.step(10)

way, formula = (body.centre - start)[0], SPEED**2 / (2 * FRICTION * G)
print(f"it slid {way:.3f} m, formula {formula:.3f} m; the floor held it back by {drag:.0f} N on the way")
assert abs(way / formula - 1) < 0.01
