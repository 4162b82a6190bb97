"""Save a simulation in mid-motion, resume it in another process or on another day, and go on to the last bit."""

import numpy as np

import pliant as pl

solid = pl.Solid(pl.shapes.bar((1, 0.1, 0.1), (12, 2, 2)), pl.StVK(1e6, 0.3, 1000), fixed="x < 1e-9")
system = pl.Clamped(pl.reduce(solid, pl.modal_basis(solid, modes=5, size=12)), dt=0.005, damping=(0, 0.002))
system.push(solid.mesh.select("x > 0.99"), (0, 0, 2))
system.step(100)
system.save("half_way.state")

again = pl.resume("half_way.state")
for run in (system, again):
    run.step(300)
difference = np.abs(again.vertices() - system.vertices()).max()
print(f"at t = {again.time:.2f} s the two differ by {difference} m")
assert difference == 0.0
