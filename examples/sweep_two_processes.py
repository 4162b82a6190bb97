"""Sweep a design on two processes: how does the first frequency of a strut go with its thickness?

Of a slender strut it is proportional to the thickness, so the slope in a double logarithmic plot is one.
"""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np

import pliant as pl


def first_frequency(thickness: float) -> float:
    """Of a strut of nylon, 20 cm long [Hz]."""
    mesh = pl.shapes.bar((0.2, thickness, 0.02), (16, 1, 1), kind="hex20")
    solid = pl.Solid(mesh, pl.StVK(young=2e9, poisson=0.4, density=1150), fixed="x < 1e-9")
    return float(pl.vibration_modes(solid, 1).frequencies[0] / (2 * np.pi))


if __name__ == "__main__":  # the two processes read this file as well
    thicknesses = [0.002, 0.003, 0.004, 0.006, 0.008]
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        frequencies = list(pool.map(first_frequency, thicknesses))
    for thickness, frequency in zip(thicknesses, frequencies):
        print(f"{1e3 * thickness:4.1f} mm  {frequency:6.2f} Hz")
    slope = np.polyfit(np.log(thicknesses), np.log(frequencies), 1)[0]
    print(f"frequency ~ thickness^{slope:.3f}")
    assert abs(slope - 1) < 0.01
