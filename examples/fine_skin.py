"""Let a coarse simulation carry a fine surface: draw and touch 6,000 triangles, step a few hundred cells.

The surface hangs in the cells. Where these are stretched evenly by the factor s, what is inside of it grows by s^3, to
rounding.
"""

import pliant as pl

fine = pl.shapes.torus(0.5, 0.15, (16, 96))
surface = pl.Surface(fine.vertices, fine.surface)  # yours: pl.read_surface("ring.obj")
cells = pl.voxelise(surface, resolution=14)
solid = pl.Solid(cells, pl.StVK(young=1e5, poisson=0.3, density=1000), fixed="x < -0.55")

model = pl.reduce(solid, pl.modal_basis(solid, modes=5, size=12))
system = pl.Clamped(model, dt=0.01, damping=(0, 0.02))
system.wear(surface)  # from now on this is what is drawn, pushed and held
system.step(20)
pl.write(pl.record(system, 0.05, rate=20), "ring.png")

hung = pl.embed(cells, surface.vertices)  # the same by itself, for any positions of the cells
worn = pl.Surface(hung.carry(1.1 * cells.vertices), surface.triangles)
print(f"{cells.cell_count} cells carry {len(surface.triangles)} triangles")
print(f"volume {surface.volume:.5f} m^3 becomes {worn.volume:.5f} m^3, by {worn.volume / surface.volume:.6f}")
assert abs(worn.volume / surface.volume / 1.1**3 - 1) < 1e-9
