"""What Hex8 with incompatible modes would give: small displacements only, modes eliminated cell by cell.

u = sum N_a u_a + (1 - x^2) a_1 + (1 - y^2) a_2 + (1 - z^2) a_3,   K = K_uu - K_ua K_aa^-1 K_au

Wilson et al. 1973; the slopes of the modes are taken at the centre (Taylor et al. 1976), for the patch test.
"""

import numpy as np
import scipy.sparse as sp

import pliant as pl
from bench.elements import CASES, Case, measured, traction
from bench.timing import table
from pliant.mesh.integration import gauss_cube
from pliant.mesh.shape_functions import jacobians, tabulated
from pliant.numerics import PatternSolver, lowest_eigenpairs


def strains(gradients: np.ndarray) -> np.ndarray:
    """Rows xx yy zz xy yz zx of the small strain of nodal displacements, (6, 3c)."""
    B = np.zeros((6, len(gradients), 3))
    for a, (x, y, z) in enumerate(gradients):
        B[:, a] = [[x, 0, 0], [0, y, 0], [0, 0, z], [y, x, 0], [0, z, y], [z, 0, x]]
    return B.reshape(6, -1)


def cell_stiffness(nodes: np.ndarray, D: np.ndarray) -> np.ndarray:
    """(24, 24) of one hex with nodes (8, 3)."""
    points, weights = gauss_cube(3)
    slopes, middle = tabulated(8, points)[1], jacobians(nodes[None], tabulated(8, np.zeros((1, 3)))[1])[0, 0]
    K = np.zeros((33, 33))
    for xi, weight, slope, J in zip(points, weights, slopes, jacobians(nodes[None], slopes)[0]):
        scale = np.linalg.det(middle) / np.linalg.det(J)
        modes = scale * np.diag(-2 * xi) @ np.linalg.inv(middle)
        B = np.hstack([strains(slope @ np.linalg.inv(J)), strains(modes)])
        K += weight * np.linalg.det(J) * B.T @ D @ B
    return K[:24, :24] - K[:24, 24:] @ np.linalg.solve(K[24:, 24:], K[24:, :24])


def stiffness(solid: pl.Solid) -> sp.csr_matrix:
    """(3n, 3n) of a solid of one material."""
    lam, mu = (float(constant[0]) for constant in solid.material.lame(1))
    D = np.diag([2 * mu] * 3 + [mu] * 3) + lam * np.outer([1, 1, 1, 0, 0, 0], [1, 1, 1, 0, 0, 0])
    blocks = np.array([cell_stiffness(nodes, D) for nodes in solid.elements.nodes])[solid.elements.blocks]
    dofs = (3 * solid.mesh.cells[:, :, None] + np.arange(3)).reshape(-1, 24)
    rows, columns = np.repeat(dofs, 24, axis=1), np.tile(dofs, (1, 24))
    return sp.coo_matrix((blocks.ravel(), (rows.ravel(), columns.ravel())), (solid.dof_count,) * 2).tocsr()


def error(case: Case, n: int, exact: float) -> float:
    """[%]."""
    mesh = case.mesh("hex", n)
    solid = pl.Solid(mesh, pl.StVK(*case.material, 1000.0), fixed="x < 1e-9")
    free = solid.free[solid.free % 3 != 2] if case.plane else solid.free
    K = stiffness(solid)[free][:, free]
    if case.force is None:
        found = np.sqrt(lowest_eigenpairs(K, solid.free_matrix(solid.mass), 1)[0][0]) / (2 * np.pi)
    else:
        load = traction(mesh, case.force)[free]
        found = load @ PatternSolver(definite=True).solve(K, load)
    return float(100 * (found / exact - 1))


def main() -> None:
    rows = []
    for case in CASES:
        exact = measured(case, case.mesh(*case.reference))
        for n in case.sizes["hex"]:
            mesh = case.mesh("hex", n)
            plain = 100 * (measured(case, mesh) / exact - 1)
            rows.append(
                {
                    "case": case.name,
                    "n": n,
                    "vertices": mesh.vertex_count,
                    "hex %": plain,
                    "modes %": error(case, n, exact),
                }
            )
    print(table(rows))


if __name__ == "__main__":
    main()
