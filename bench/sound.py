"""Modal sound: a thousand modes on one core against real time, linear and driven; nonlinear sound; a whole scene."""

import time

import numpy as np

import pliant as pl
from bench.timing import table
from pliant.sound.bank import Bank

RATE, MODES, ROUNDS = 44100, 1000, 9
ASKED = 50.0  # times real time


def main() -> None:
    frequencies = np.geomspace(50, 20000, MODES)
    bank = Bank((2 * np.pi * frequencies) ** 2, 1 + 1e-4 * frequencies, 1 / RATE)
    ones, none = np.ones(MODES), np.zeros(MODES)
    force = np.ones((1, RATE // 10))

    def free() -> float:
        bank.z, bank.Y = bank.displaced(ones.copy())
        bank.ring(ones, none, np.zeros(RATE))
        return 1.0

    def driven() -> float:
        bank.drive(ones[None], force, ones, none, np.zeros(RATE // 10))
        return 0.1

    rows = [
        {"what": "1,000 modes that ring", "times real time": _quickest(free), "asked": ASKED},
        {"what": "1,000 modes under a force", "times real time": _quickest(driven), "asked": 1.0},
        {"what": "plate, 30 cubic coordinates", "times real time": _quickest(_plate()), "asked": 1.0},
    ]
    print(table(rows))


def _plate():
    side = 0.2
    mesh = pl.shapes.bar((side, 0.001, side), (24, 1, 24), kind="hex11")
    rim = f"x < 1e-6 or x > {side - 1e-6} or abs(z) > {side / 2 - 1e-6}"
    solid = pl.Solid(mesh, pl.StVK(2.1e11, 0.3, 7850), fixed=rim)
    gong = pl.NonlinearSound(solid, modes=10, size=30)
    gong.strike(0.0, int(np.argmin(np.linalg.norm(mesh.vertices - [0.09, 0, 0.01], axis=1))), 0.05, duration=1e-3)

    def run() -> float:
        gong.samples(0.2)
        return 0.2

    return run


def _quickest(run) -> float:
    """Seconds of sound a second of processor, the best of some rounds."""
    run()
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        span = run()
        best = min(best, (time.process_time() - start) / span)
    return 1 / best
