"""Run a soft body inside a game loop: 60 frames a second, fixed steps, whatever time a frame took.

What is left of a frame that is no whole step goes to the next one. The board ends where a beam sags under its weight,
rho g A L^4 / (8 E I).
"""

import time

import numpy as np

import pliant as pl

LENGTH, SIDE, YOUNG, DENSITY, STEP = 1.0, 0.05, 1e8, 1000, 1 / 240

mesh = pl.shapes.bar((LENGTH, SIDE, SIDE), (12, 1, 1), kind="hex20")
solid = pl.Solid(mesh, pl.StVK(YOUNG, 0.3, DENSITY), fixed="x < 1e-9")
board = pl.Clamped(pl.reduce(solid, pl.modal_basis(solid, modes=5, size=12)), dt=STEP, damping=(4, 0.001))
screen = np.empty((mesh.vertex_count, 3))  # what the graphics card reads

random, due, slowest = np.random.default_rng(0), 0.0, 0.0
for _frame in range(300):
    due += random.uniform(0.8, 1.2) / 60  # a real loop asks the clock
    start = time.perf_counter()
    steps = int(due / STEP)
    board.step(steps)
    due -= steps * STEP
    board.vertices(out=screen)
    slowest = max(slowest, time.perf_counter() - start)

sag = -(screen - mesh.vertices)[mesh.select("x > 0.9999"), 1].mean()
beam = DENSITY * 9.81 * LENGTH**4 * 12 / (8 * YOUNG * SIDE**2)
print(f"slowest frame {1e3 * slowest:.2f} ms of 16.67; sag {sag:.4f} m, beam {beam:.4f} m")
assert abs(sag / beam - 1) < 0.03
