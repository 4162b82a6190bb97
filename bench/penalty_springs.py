"""Spring coupling between parts with modes of their own, the baseline of [BA13], against shared interface coordinates.

    V = sum_i q_i K_i q_i / 2 + k/2 sum over pairs of copies |U_i q_i - U_j q_j|^2

Soft springs gape, stiff ones lock: the traces of free modes do not fit each other, so stiff springs forbid more than
the gap. Solved implicitly as a whole they have no step limit; with the neighbours' positions of the step before, as in
loosely coupled codes, the longest stable step shrinks as the springs stiffen.
"""

import numpy as np
import scipy.linalg as la

import pliant as pl
from bench.timing import table
from pliant.errors import Array
from pliant.mesh.domains import domains_of
from pliant.numerics import lowest_eigenpairs

MODES = 12  # a part, rigid motions included
GRAVITY = (0.0, 0.0, -9.8)
ALPHA, BETA = 0.5, 0.08  # damping of the parts, as in Fig. 7; without any, lagging is unstable at every step
# Spring [N/m] -> gap/L, sag over the true one, longest stable step [s] of the maths sheet boundary-aware 9.
SHEET = {1e4: (0.30, 2.2, 7e-3), 1e6: (0.0053, 0.84, 2.4e-4), 1e8: (0.0012, 0.51, 2.5e-6)}
SHIFT = -1.0  # [1/s^2] below the rigid modes of free parts
STEADY = 1 + 1e-9  # growth of a step that counts as stable
FINENESS = 1.1  # ratio of the steps tried
LONG = 0.3  # [s] a step that seams take


def bar() -> pl.Solid:
    """The bar of [BA13] Fig. 7."""
    return pl.Solid(pl.shapes.bar((1, 0.1, 0.1), (24, 3, 3)), pl.StVK(1.2e6, 0.4), fixed="x < 1e-9")


class Springs:
    """Parts of the bar with their own modes, all coordinates one after the other.

    Attributes:
        values: (s,) squared frequencies; the mass is one.
        load: (s,) gravity.
        gaps: (3p, s) from the coordinates to U_i q_i - U_j q_j of every pair of copies.
        tip: (s,) to the mean height of the tip.
    """

    def __init__(self, solid: pl.Solid, labels: Array):
        domains = domains_of(solid.mesh, labels)
        values, load, rows = [], [], np.zeros((domains.count, 3 * solid.mesh.vertex_count, MODES * domains.count))
        for i, domain in enumerate(domains.parts):
            fixed = domain.local(np.intersect1d(solid.fixed, domain.vertices))
            part = pl.Solid(domain.mesh, solid.material, fixed=fixed)
            K, M = part.free_matrix(part.stiffness()), part.free_matrix(part.mass)
            squares, shapes = lowest_eigenpairs(K, M, MODES, SHIFT)
            dofs = (3 * domain.vertices[:, None] + np.arange(3)).ravel()
            own = slice(MODES * i, MODES * (i + 1))
            rows[i, dofs[part.free], own] = shapes
            values.append(np.maximum(squares, 0.0))
            load.append(rows[i, dofs, own].T @ part.gravity_load(GRAVITY))
        self.values, self.load, self.count = np.concatenate(values), np.concatenate(load), domains.count
        pairs = [(i, j, np.unique(triangles)) for (i, j), triangles in domains.interfaces.items()]
        self.gaps = np.vstack([(rows[i] - rows[j])[(3 * ids[:, None] + np.arange(3)).ravel()] for i, j, ids in pairs])
        self.tip = rows[-1, 3 * solid.mesh.select("x > 0.999") + 2].mean(axis=0)

    def at_rest(self, k: float) -> tuple[float, float]:
        """Largest gap and height of the tip [m] under gravity."""
        q = np.linalg.solve(np.diag(self.values) + k * self.gaps.T @ self.gaps, self.load)
        return float(np.linalg.norm((self.gaps @ q).reshape(-1, 3), axis=1).max()), float(self.tip @ q)

    def growth(self, k: float, dt: float) -> float:
        """Largest growth of a Newmark step in which every part sees the neighbours where they were."""
        s, springs = len(self.values), k * self.gaps.T @ self.gaps
        own = la.block_diag(*(springs[i : i + MODES, i : i + MODES] for i in range(0, s, MODES)))
        K, C = np.diag(self.values) + own, np.diag(ALPHA + BETA * self.values)
        solve = np.linalg.inv(np.eye(s) + dt / 2 * C + dt * dt / 4 * K)
        one, none = np.eye(s), np.zeros((s, s))
        q, v = np.hstack([one, dt * one, dt * dt / 4 * one]), np.hstack([none, one, dt / 2 * one])
        a = solve @ (-K @ q - C @ v - np.hstack([springs - own, none, none]))
        step = np.vstack([q + dt * dt / 4 * a, v + dt / 2 * a, a])
        return float(np.abs(np.linalg.eigvals(step)).max())

    def longest_step(self, k: float) -> float:
        """Longest step [s] below which all steps tried are stable."""
        dt = 1e-7
        while dt < 1 and self.growth(k, dt * FINENESS) < STEADY:
            dt *= FINENESS
        return dt


def true_sag(solid: pl.Solid) -> float:
    """Height of the tip of the unreduced linear bar [m]."""
    linear = pl.Solid(solid.mesh, pl.Linear(1.2e6, 0.4), fixed=solid.fixed)
    u = pl.solve_static(linear, linear.gravity_load(GRAVITY)).reshape(-1, 3)
    return float(u[solid.mesh.select("x > 0.999"), 2].mean())


def seams_at_rest(solid: pl.Solid, labels: Array) -> tuple[int, float, float]:
    """Columns of the parts, largest gap and height of the tip [m] after 2000 steps of LONG, unwarped."""
    system = pl.couple(
        solid, labels, 1, columns=14, dt=LONG, gravity=GRAVITY, damping=(1.0, 1.0), projection="none", nonlinear=False
    )
    system.step(2000)
    coupled, gap = system.coupled, 0.0
    u = coupled.displacement(system.q)
    for domain, columns, places in zip(coupled.domains.parts, coupled.columns, coupled.places):
        own = (columns.U @ system.q[places]).reshape(-1, 3)
        gap = max(gap, float(np.linalg.norm(own - u[domain.vertices], axis=1).max()))
    return sum(c.size for c in coupled.columns), gap, float(u[solid.mesh.select("x > 0.999"), 2].mean())


def main() -> None:
    solid = bar()
    labels = np.minimum((3 * solid.mesh.centroids[:, 0]).astype(int), 2)
    springs, sag = Springs(solid, labels), true_sag(solid)
    rows: list[dict[str, object]] = []
    for k, sheet in SHEET.items():
        gap, height = springs.at_rest(k)
        found = (gap, height / sag, springs.longest_step(k))
        names = ("gap/L", "sag/true", "longest step s")
        rows.append({"spring N/m": k, **{n: f"{f:.2g} ({s:.2g})" for n, f, s in zip(names, found, sheet)}})
    columns, gap, height = seams_at_rest(solid, labels)
    rows.append({"spring N/m": f"seams, {columns} columns", "gap/L": f"{gap:.2g} (0)",
                 "sag/true": f"{height / sag:.3f} (0.980)", "longest step s": f"{LONG} and more ({LONG})"})  # fmt: skip
    print("beside the figures of the maths sheet in brackets, whose springs and bar are not given in full")
    print(table(rows))


if __name__ == "__main__":
    main()
