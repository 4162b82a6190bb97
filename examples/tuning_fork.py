"""Strike a tuning fork and write its tone as a .wav file.

Each prong is a cantilever, f = 1.8751^2 / (2 pi L^2) sqrt(E I / (rho A)); the yoke between them gives a little, so the
fork is some per cent lower.
"""

import wave

import numpy as np

import pliant as pl

PRONG, SIDE, GAP, RATE = 0.095, 0.005, 0.01, 44100  # [m], [1/s]
YOUNG, DENSITY = 2.1e11, 7850

block = pl.shapes.bar((PRONG + 3 * SIDE, 2 * SIDE + GAP, SIDE), (22, 4, 1), kind="hex20")
x, y, _ = block.centroids.T
fork, _ = block.submesh(np.flatnonzero((x < 3 * SIDE) | (np.abs(y) > GAP / 2)))
solid = pl.Solid(fork, pl.Linear(YOUNG, 0.3, DENSITY), fixed="x < 1e-9")
model = pl.reduce(solid, pl.Basis(pl.vibration_modes(solid, 12).vectors))
system = pl.Clamped(model, dt=1 / RATE, damping=(3, 1e-8), gravity=None, integrator="exact")

tips = f"x > {PRONG + 3 * SIDE - 1e-9} and abs(y) > {GAP / 2 + SIDE - 1e-9}"
left, right = fork.select(f"{tips} and y < 0"), fork.select(f"{tips} and y > 0")
system.push(left, (0, 1, 0))  # pinched, and let go
system.push(right, (0, -1, 0))
system.settle()
system.release()
sound = np.empty(RATE)  # a second
for k in range(RATE):
    system.step()
    sound[k] = system.v @ model.U.reshape(-1, 3, model.size)[left[0], 1]
with wave.open("fork.wav", "wb") as file:
    file.setparams((1, 2, RATE, 0, "NONE", ""))
    file.writeframes((32767 * sound / np.abs(sound).max()).astype("<i2").tobytes())

tone = np.fft.rfftfreq(RATE, 1 / RATE)[np.argmax(np.abs(np.fft.rfft(sound * np.hanning(RATE))))]
prong = 1.8751**2 / (2 * np.pi * PRONG**2) * np.sqrt(YOUNG * SIDE**2 / 12 / DENSITY)
print(f"fork.wav sounds at {tone:.0f} Hz; a clamped prong would at {prong:.0f} Hz")
assert 0.93 < tone / prong < 1.0
