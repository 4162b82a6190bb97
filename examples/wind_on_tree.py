"""Let wind blow against a young tree and see how far it leans.

A steady wind drags at every square metre of surface with p = 1/2 rho_air c v^2. A straight stem of side b has the load
w = 4 b p a metre, so its top leans by w L^4 / (8 E I).
"""

import pliant as pl

HEIGHT, SIDE, YOUNG, SPEED, DRAG = 2.0, 0.05, 5e8, 8.0, 0.6

mesh = pl.shapes.bar((HEIGHT, SIDE, SIDE), (20, 2, 2), kind="tet10")
upright = pl.Mesh(mesh.vertices[:, [1, 0, 2]] * [-1, 1, 1], mesh.cells)  # along y
solid = pl.Solid(upright, pl.StVK(YOUNG, 0.3, 700), fixed="y < 1e-9")
labels = (upright.centroids[:, 1] // (HEIGHT / 4 + 1e-9)).astype(int)
tree = pl.substructure(solid, labels, size=48, attachment=True, dt=0.01, damping=(3, 0.01), gravity=None)

tree.wind = pl.Wind((SPEED, 0, 0), gust=0, drag=DRAG)
tree.step(1000)
top = upright.select(f"y > {HEIGHT - 1e-9}")
lean = (tree.vertices() - upright.vertices)[top, 0].mean()
load = 4 * SIDE * 0.5 * 1.2 * DRAG * SPEED**2
beam = load * HEIGHT**4 / (8 * YOUNG * SIDE**4 / 12)
print(f"{len(tree.limbs)} limbs lean by {1e3 * lean:.1f} mm in {SPEED} m/s; w L^4 / (8 E I) = {1e3 * beam:.1f} mm")
assert abs(lean / beam - 1) < 0.04
