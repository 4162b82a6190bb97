"""Drop a spinning soft ring and write it as .glb, for Blender or a browser.

Whatever it does inside, its centre falls by g t^2 / 2.
"""

from pathlib import Path

import numpy as np

import pliant as pl

ring = pl.shapes.torus(0.3, 0.06, (3, 16))
solid = pl.Solid(ring, pl.StVK(young=2e5, poisson=0.4, density=1000))
labels = (np.arctan2(*ring.centroids[:, [2, 0]].T) // (np.pi / 2)).astype(int) + 2  # four quarters
system = pl.couple(solid, labels, 6, dt=0.01, damping=(0, 0.01), nonlinear=False)
system.launch(spin=(2, 5, 0))

weights = solid.lumped_mass[::3] / solid.lumped_mass[::3].sum()
start = weights @ system.vertices()
recording = pl.record(system, seconds=1.0, rate=30)
pl.write(recording, "ring.glb")

fallen = (start - weights @ system.vertices())[1]
print(f"ring.glb: {recording.frame_count} frames, {Path('ring.glb').stat().st_size / 1e3:.0f} kB; fell {fallen:.4f} m")
assert abs(fallen / (9.81 / 2) - 1) < 1e-6
