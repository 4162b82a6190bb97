"""Calibrate a digital twin: find the damping of a part from a measured ring-down.

Successive peaks of a free vibration fall by exp(-2 pi zeta), and zeta = beta omega / 2 for damping by stiffness. The
measurement is made here, by a part whose beta is known; the twin must find it again.
"""

import numpy as np

import pliant as pl

HIDDEN = 4e-4  # beta of the real part [s]

mesh = pl.shapes.bar((0.5, 0.02, 0.04), (16, 1, 2), kind="hex20")
solid = pl.Solid(mesh, pl.StVK(young=1e9, poisson=0.35, density=1200), fixed="x < 1e-9")
model = pl.reduce(solid, pl.modal_basis(solid, modes=4, size=8))
omega = pl.vibration_modes(solid, 1).frequencies[0]
tip = int(np.argmax(mesh.vertices[:, 0]))


def ring_down(beta: float) -> np.ndarray:
    """Heights of the tip after a static push of 1 N is let go."""
    system = pl.Clamped(model, dt=0.0005, damping=(0, beta), gravity=None)
    system.push([tip], (0, 1, 0))
    system.settle()
    system.release()
    track = []
    for _ in range(2000):
        system.step()
        track.append(system.vertices()[tip, 1] - mesh.vertices[tip, 1])
    return np.array(track)


track = ring_down(HIDDEN)
peaks = track[1:-1][(track[1:-1] > track[:-2]) & (track[1:-1] > track[2:]) & (track[1:-1] > 0)]
decrement = -np.polyfit(np.arange(len(peaks)), np.log(peaks), 1)[0]
beta = 2 * decrement / (2 * np.pi) / omega
print(f"{len(peaks)} peaks at {omega / (2 * np.pi):.2f} Hz: beta = {beta:.3e} s, hidden was {HIDDEN:.3e} s")
assert abs(beta / HIDDEN - 1) < 0.02
