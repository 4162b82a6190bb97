"""Grow a plant from two .obj files of your own, a stem and a leaf, with 30 leaves.

Every leaf is an instance: it is filled with cells and reduced once. Nothing takes energy out of this plant, so what a
gust gave it must stay in it.
"""

from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

import pliant as pl

LEAVES, HEIGHT, THICK = 30, 0.6, 0.02  # [m]

stem = pl.shapes.cylinder(THICK, HEIGHT, (4, 12))  # along y, which goes up
leaf = pl.shapes.bar((0.2, 0.01, 0.06), (8, 1, 3))
for name, piece in {"stem.obj": stem, "leaf.obj": leaf}.items():  # yours come from a modelling program
    pl.Surface(piece.vertices, piece.surface).write(name)

foot = stem.vertices[:, 1].min()
scene = f"""
system = "tree"
dt = 0.001
damping = [0, 0]
gravity = [0, 0, 0]
[[part]]
name = "stem"
surface = "stem.obj"
voxels = 30
fixed = "y < {foot + 0.01}"
material = {{ young = 5e7, density = 600 }}
basis = {{ size = 8 }}
[[part]]
name = "leaf"
surface = "leaf.obj"
voxels = 16
fixed = "x < 0.001"
material = {{ young = 5e6, density = 300 }}
basis = {{ size = 6 }}
[[place]]
part = "stem"
"""
for k in range(LEAVES):
    azimuth = np.radians(137.5 * k)  # the angle at which leaves follow each other on a stem
    at = np.array([THICK * np.cos(azimuth), foot + HEIGHT * (0.25 + 0.7 * k / LEAVES), THICK * np.sin(azimuth)])
    turn = (Rotation.from_rotvec([0, -azimuth, 0]) * Rotation.from_rotvec([0, 0, 0.5])).as_rotvec(degrees=True)
    scene += f'[[place]]\npart = "leaf"\non = "stem"\nradius = 0.02\nat = {at.tolist()}\nturn = {turn.tolist()}\n'
Path("plant.toml").write_text(scene)

plant = pl.load_scene("plant.toml").build()
plant.wind = pl.Wind((4, 0, 1))
plant.step(500)
plant.wind = None
blown = plant.energy()
plant.step(2000)
print(f"{len(plant.limbs)} limbs of {len({limb.model for limb in plant.limbs})} pieces: {plant.size} coordinates")
print(f"energy {1e3 * blown:.3f} mJ after the gust, {1e3 * plant.energy():.3f} mJ two seconds later")
assert abs(plant.energy() / blown - 1) < 0.02
