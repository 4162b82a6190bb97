"""Strike a tuning fork and write its tone as a .wav file.

Each prong is a cantilever, f = 1.8751^2 / (2 pi L^2) sqrt(E I / (rho A)); the yoke between them gives a little, so the
fork is some per cent lower.
"""

import numpy as np

import pliant as pl

PRONG, SIDE, GAP = 0.095, 0.005, 0.01  # [m]
YOUNG, DENSITY = 2.1e11, 7850

block = pl.shapes.bar((PRONG + 3 * SIDE, 2 * SIDE + GAP, SIDE), (22, 4, 1), kind="hex20")
x, y, _ = block.centroids.T
fork, _ = block.submesh(np.flatnonzero((x < 3 * SIDE) | (np.abs(y) > GAP / 2)))
solid = pl.Solid(fork, pl.Linear(YOUNG, 0.3, DENSITY), fixed="x < 1e-9")
sound = pl.Sound(solid, modes=12, damping=(3, 1e-8))

tips = f"x > {PRONG + 3 * SIDE - 1e-9} and abs(y) > {GAP / 2 + SIDE - 1e-9}"
sound.pluck(0.0, fork.select(f"{tips} and y < 0"), (0, 1, 0))  # pinched, and let go
sound.pluck(0.0, fork.select(f"{tips} and y > 0"), (0, -1, 0))
sound.write("fork.wav", seconds=1.5)

heard = sound.samples(1.5)[sound.rate // 2 :]
tone = np.fft.rfftfreq(len(heard), 1 / sound.rate)[np.argmax(np.abs(np.fft.rfft(heard * np.hanning(len(heard)))))]
prong = 1.8751**2 / (2 * np.pi * PRONG**2) * np.sqrt(YOUNG * SIDE**2 / 12 / DENSITY)
print(f"fork.wav sounds at {tone:.0f} Hz; a clamped prong would at {prong:.0f} Hz")
assert 0.93 < tone / prong < 1.0
