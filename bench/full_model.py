"""The unreduced model: StVK assembly and an implicit step against scikit-fem, and the cost per cell as meshes grow."""

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import spsolve

import pliant as pl
from bench.timing import best_times, table
from pliant.systems.newmark import newmark

MATERIAL = pl.StVK(young=2e8, poisson=0.3, density=1000)
DT, TOLERANCE = 0.002, 1e-9


class Reference:
    """The same bar in scikit-fem: P1 tets, one quadrature point, its own assembly and scipy's sparse solver."""

    def __init__(self, mesh: pl.Mesh):
        import skfem
        from skfem.helpers import ddot, eye, mul, trace, transpose

        lam, mu = (float(c[0]) for c in MATERIAL.lame(1))
        grid = skfem.MeshTet(mesh.vertices.T.copy(), mesh.cells.T.copy())
        self.basis = skfem.Basis(grid, skfem.ElementVector(skfem.ElementTetP1()), intorder=1)
        quadratic = self.basis.with_element(skfem.ElementVector(skfem.ElementTetP1()))
        self.order = self.basis.nodal_dofs.T.ravel()  # vertex-major, as ours
        self.free = self.basis.complement_dofs(self.basis.get_dofs(lambda x: x[0] < 1e-9))

        def second_piola(E):
            return lam * eye(trace(E), 3) + 2 * mu * E

        def kinematics(w):
            F = eye(1.0 + 0 * w["u"].grad[0, 0], 3) + w["u"].grad
            return F, second_piola(0.5 * (mul(transpose(F), F) - eye(1.0 + 0 * F[0, 0], 3)))

        def strain(F, H):
            A = mul(transpose(F), H)
            return 0.5 * (A + transpose(A))

        @skfem.BilinearForm
        def stiffness(u, v, w):
            F, S = kinematics(w)
            return ddot(mul(u.grad, S), v.grad) + ddot(second_piola(strain(F, u.grad)), strain(F, v.grad))

        @skfem.LinearForm
        def force(v, w):
            F, S = kinematics(w)
            return ddot(mul(F, S), v.grad)

        @skfem.BilinearForm
        def mass(u, v, _w):
            return 1000.0 * (u[0] * v[0] + u[1] * v[1] + u[2] * v[2])

        self._stiffness, self._force = stiffness, force
        exact = skfem.Basis(grid, quadratic.elem, intorder=2)
        self.mass = mass.assemble(exact)

    def tangent(self, u: np.ndarray) -> tuple[np.ndarray, sp.csr_matrix]:
        state = self.basis.interpolate(u)
        return self._force.assemble(self.basis, u=state), self._stiffness.assemble(self.basis, u=state)

    def step(self, u: np.ndarray, v: np.ndarray, a: np.ndarray, load: np.ndarray) -> np.ndarray:
        """Newmark to the same tolerance from the same first guess."""
        c, M, free, new = newmark(DT), self.mass, self.free, u + DT * v
        while True:
            f, K = self.tangent(new)
            inertia = M @ (c.a1 * (new - u) - c.a2 * v - c.a3 * a)
            r = (load - f - inertia)[free]
            if np.linalg.norm(r) <= TOLERANCE * max(np.linalg.norm(term[free]) for term in (load, f, inertia)):
                return new
            new = new.copy()
            new[free] += spsolve((c.a1 * M + K)[free][:, free].tocsc(), r)


def against_scikit_fem() -> None:
    mesh = pl.shapes.bar((1, 0.1, 0.1), (24, 6, 6))
    solid = pl.Solid(mesh, MATERIAL, fixed="x < 1e-9")
    reference = Reference(mesh)
    u = np.zeros((mesh.vertex_count, 3))
    u[:, 1] = 0.1 * mesh.vertices[:, 0] ** 2
    u = u.ravel()
    theirs = np.zeros_like(u)
    theirs[reference.order] = u
    force, K = solid.tangent(u)
    force_theirs, K_theirs = reference.tangent(theirs)
    agree = np.abs(force_theirs[reference.order] - force).max() / np.abs(force).max()
    agree_K = np.abs((K_theirs[reference.order][:, reference.order] - K).data).max() / np.abs(K.data).max()
    full = pl.Full(solid, DT, gravity=(0, -9.81, 0))
    load = np.zeros_like(u)
    load[reference.order] = solid.gravity_load((0, -9.81, 0))
    zero = np.zeros_like(u)

    def our_step() -> np.ndarray:
        full.restore({"u": zero, "v": zero, "a": zero, "time": 0.0})
        full.step()
        return full.u

    same = np.abs(reference.step(zero, zero, zero, load)[reference.order] - our_step()).max() / np.abs(our_step()).max()
    times = best_times(
        {
            "assembly scikit-fem": lambda: reference.tangent(theirs),
            "assembly pliant": lambda: solid.tangent(u),
            "step scikit-fem": lambda: reference.step(zero, zero, zero, load),
            "step pliant": our_step,
        },
        rounds=5,
    )
    rows = []
    for what, wanted, gap in (("assembly", 20, max(agree, agree_K)), ("step", 8, same)):
        a, b = times[f"{what} scikit-fem"], times[f"{what} pliant"]
        rows.append(
            {"what": what, "scikit-fem ms": 1e3 * a, "pliant ms": 1e3 * b, "ratio": a / b, "asked": wanted, "gap": gap}
        )
    print(f"StVK bar, {mesh.cell_count} tets; gap is the largest relative difference of the results")
    print(table(rows))


def cost_per_cell() -> None:
    solids, states = {}, {}
    for cells in ((24, 6, 6), (48, 8, 8), (96, 12, 12), (135, 16, 16)):
        solid = pl.Solid(pl.shapes.bar((1, 0.1, 0.1), cells), MATERIAL)
        solids[solid.mesh.cell_count] = solid
        states[solid.mesh.cell_count] = 1e-3 * np.random.default_rng(0).standard_normal(solid.dof_count)
    times = best_times({str(m): lambda m=m: solids[m].tangent(states[m]) for m in solids}, rounds=7)
    smallest = min(times[str(m)] / m for m in solids)
    rows = [
        {"tets": m, "force + stiffness ms": 1e3 * times[str(m)], "us per tet": 1e6 * times[str(m)] / m,
         "over the least": times[str(m)] / m / smallest}
        for m in solids
    ]  # fmt: skip
    print("\nCost per cell (asked: within 1.25)")
    print(table(rows))


def main() -> None:
    against_scikit_fem()
    cost_per_cell()
