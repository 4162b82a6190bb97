"""Throw a soft book that tumbles for ten seconds without losing its angular momentum.

Nothing holds it, so linear and angular momentum stay what they are, though it wobbles, bends and is damped.
"""

import numpy as np

import pliant as pl

book = pl.shapes.bar((0.2, 0.03, 0.14), (8, 1, 6))
solid = pl.Solid(book, pl.FirmStVK(young=1e5, poisson=0.3, density=600))
labels = (book.centroids[:, 0] > 0.1).astype(int)
system = pl.couple_nonlinear(solid, labels, soft=4, derivatives=20, dt=0.005, damping=(0, 0.02), gravity=None)
system.launch(velocity=(0.5, 1, 0), spin=(0.02, 0.02, 8))

_, before = system.momentum()
energy = system.energy()
system.step(2000)
_, after = system.momentum()
drift = np.linalg.norm(after - before) / np.linalg.norm(before)
print(f"L = {np.round(1e3 * after, 6)} g m^2/s, drift {drift:.1e}; energy {energy:.4f} -> {system.energy():.4f} J")
assert drift < 1e-9
