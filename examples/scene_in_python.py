"""Make a scene file in Python, with a probe and a check, then build it, watch it and verify it.

The check is physics: a ruler that is struck swings at 1.8751^2 sqrt(E I / (rho A L^4)) / 2 pi.
"""

from math import pi, sqrt
from pathlib import Path

import pliant as pl

LENGTH, THICK, YOUNG, DENSITY = 0.3, 0.003, 3e9, 1200
frequency = 1.8751**2 * sqrt(YOUNG * THICK**2 / 12 / DENSITY) / LENGTH**2 / (2 * pi)

Path("ruler.toml").write_text(f"""
title = "A ruler on the edge of a table"
dt = 0.0005
duration = 1.0
gravity = [0, 0, 0]

[[part]]
shape = {{ name = "bar", size = [{LENGTH}, {THICK}, 0.03], cells = [24, 1, 3] }}
order = 2
material = {{ young = {YOUNG}, poisson = 0.3, density = {DENSITY} }}
fixed = "x < 1e-9"
basis = {{ kind = "modal", modes = 3, size = 8 }}

[[push]]
where = "x > {LENGTH - 1e-6}"
force = [0, -0.05, 0]
until = 0.03

[[probe]]
name = "tip"
where = "x > {LENGTH - 1e-6}"
axis = "y"

[[check]]
probe = "tip"
measure = "frequency"
value = {frequency}
within = 0.03
""")

scene = pl.load_scene("ruler.toml")
(verdict,) = scene.verify(scene.watch(scene.build()))
print(f"{scene.title}: {verdict.found:.2f} Hz, the beam formula says {frequency:.2f} Hz")
assert abs(verdict.found / frequency - 1) < 0.03
