"""Write the mode shapes of a plate as .vtu files for ParaView, and check their order against the beam.

The second bending frequency of a cantilever is (4.6941 / 1.8751)^2 = 6.267 times the first.
"""

import numpy as np

import pliant as pl

mesh = pl.shapes.bar((0.3, 0.005, 0.02), (20, 1, 2), kind="hex20")
steel = pl.StVK(young=2.1e11, poisson=0.3, density=7850)
solid = pl.Solid(mesh, steel, fixed="x < 1e-9")
modes = pl.vibration_modes(solid, 6)
shapes = modes.vectors.T.reshape(modes.count, -1, 3)

for number, shape in enumerate(shapes):
    largest = np.linalg.norm(shape, axis=1).max()
    deflected = mesh.vertices + 0.03 * shape / largest  # 3 cm, to be seen
    still = pl.Recording(mesh.surface, times=[0.0], positions=[deflected], mesh=mesh)
    pl.write(still, f"mode_{number}.vtu")  # has the displacement as point data: Warp By Vector
    print(f"mode_{number}.vtu  {modes.frequencies[number] / (2 * np.pi):8.1f} Hz")

flatwise = [k for k, shape in enumerate(shapes) if np.abs(shape[:, 1]).max() > 0.9 * np.abs(shape).max()]
ratio = modes.frequencies[flatwise[1]] / modes.frequencies[flatwise[0]]
print(f"second over first bending frequency: {ratio:.3f}")
assert abs(ratio / (4.6941 / 1.8751) ** 2 - 1) < 0.01
