"""Look at the stress in a bracket that carries a load, and write it for ParaView.

Bending stress is sigma = M y / I: at a cell whose centre is x from the wall and y above the middle of the bar,
F (L - x) y / I.
"""

import numpy as np

import pliant as pl
from pliant.export import von_mises_stress

LENGTH, HEIGHT, WIDTH, FORCE = 0.2, 0.02, 0.01, 50.0  # [m], [N]

mesh = pl.shapes.bar((LENGTH, HEIGHT, WIDTH), (20, 4, 2), kind="hex20")
aluminium = pl.Linear(young=7e10, poisson=0.33, density=2700)
bracket = pl.Solid(mesh, aluminium, fixed="x < 1e-9")
end = mesh.select(f"x > {LENGTH - 1e-9}")
load = np.zeros((mesh.vertex_count, 3))
load[end, 1] = -FORCE / len(end)
u = pl.solve_static(bracket, load).reshape(-1, 3)

stress = von_mises_stress(mesh, aluminium, u)
still = pl.Recording(mesh.surface, times=[0.0], positions=[mesh.vertices + u], mesh=mesh, material=aluminium)
pl.write(still, "bracket.vtu")  # with von_mises_stress on its cells

x, y, _ = mesh.centroids.T
outer = np.flatnonzero((np.abs(x - LENGTH / 4) < 0.006) & (y > 0.3 * HEIGHT))  # away from the wall and the load
beam = FORCE * (LENGTH - x[outer]) * y[outer] / (WIDTH * HEIGHT**3 / 12)
print(f"largest stress {stress.max() / 1e6:.1f} MPa in bracket.vtu")
print(f"at a quarter of the length {stress[outer].mean() / 1e6:.2f} MPa, M y / I = {beam.mean() / 1e6:.2f} MPa")
assert abs(stress[outer].mean() / beam.mean() - 1) < 0.02
