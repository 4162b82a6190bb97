"""Find Young's modulus of a printed sample from the frequency at which it rings.

Frequencies go with the square root of E, so one solve with a guess is enough: E = guess (measured / computed)^2. The
beam formula omega = 1.8751^2 sqrt(E I / (rho A L^4)), turned round, gives the same from the measurement alone.
"""

import numpy as np

import pliant as pl

LENGTH, WIDTH, THICK, DENSITY = 0.12, 0.015, 0.004, 1240  # a strip of PLA in a vice [m], [kg/m^3]
MEASURED = 78.0  # [Hz]
GUESS = 1e9  # [Pa]

mesh = pl.shapes.bar((LENGTH, THICK, WIDTH), (24, 1, 2), kind="hex20")
sample = pl.Solid(mesh, pl.StVK(young=GUESS, poisson=0.35, density=DENSITY), fixed="x < 1e-9")
computed = pl.vibration_modes(sample, 1).frequencies[0] / (2 * np.pi)
young = GUESS * (MEASURED / computed) ** 2

beam = (2 * np.pi * MEASURED / 1.8751**2) ** 2 * DENSITY * LENGTH**4 * 12 / THICK**2
print(f"E = {young / 1e9:.3f} GPa from the solid, {beam / 1e9:.3f} GPa from the beam formula")
assert abs(young / beam - 1) < 0.03  # the solid knows that a vice keeps the strip from narrowing
