"""Compare eight dampings at once, over threads, with one call that steps them all.

Free vibration at omega loses amplitude as exp(-zeta omega t), with zeta = alpha / (2 omega) for damping by mass; so the
energy that is left after t is E exp(-alpha t), and the slope of its logarithm over alpha is -t.
"""

import numpy as np

import pliant as pl

SECONDS, STEP = 1.0, 0.0005

mesh = pl.shapes.bar((0.5, 0.02, 0.04), (12, 1, 2), kind="hex20")
solid = pl.Solid(mesh, pl.StVK(young=1e9, poisson=0.35, density=1200), fixed="x < 1e-9")
model = pl.reduce(solid, pl.Basis(pl.vibration_modes(solid, 3).vectors), force="linear")

alphas = np.linspace(0, 3.5, 8)
family = [pl.Clamped(model, STEP, damping=(alpha, 0), gravity=None) for alpha in alphas]
for each in family:
    each.push(mesh.select("x > 0.4999"), (0, 0.2, 0))
    each.settle()
    each.release()

before = [each.energy() for each in family]
pl.step_all(family, round(SECONDS / STEP))  # on all cores: compiled loops let go of the interpreter
left = np.array([each.energy() for each in family]) / before

slope = np.polyfit(alphas, np.log(left), 1)[0]
for alpha, share in zip(alphas, left):
    print(f"alpha = {alpha:.1f} /s leaves {share:6.1%} of the energy")
print(f"slope {slope:.4f} s of {-SECONDS} s")
assert abs(slope / -SECONDS - 1) < 0.01
