"""Boundary-aware columns of one domain: its trace lifted inside, and internal modes that are zero on the boundary.

Phi_I = -K_II^-1 K_IB Phi_B                                  lift ([BA13] Eq. 3, 7)
V_1 = K_II^-1 (M_II Phi_I^R + M_IB Phi_B^R),  V_k+1 = K_II^-1 M_II V_k      inertia modes (Eq. 11 with its missing term)
K_II v = l M_II v                                            normal modes (Eq. 9)
Phi^PC = Z (E_C^T Z)^-1,  Z = K_II^-1 E_C                    compensating modes of held vertices (Eq. 19-20)

One factor of K_II serves all of them. Internal columns are Ritz-diagonalised: V^T M V = 1, V^T K V = diag(l), and with
the lift K_q = diag(K_bb, diag(l)), M_q = [[M_bb, M_bi], [M_ib, 1]] (maths sheet boundary-aware 2).
"""

from dataclasses import dataclass

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from pliant.basis.trace import Trace, rigid_fields
from pliant.errors import ArgumentError, Array, Ids, SingularMatrix
from pliant.fem import Solid
from pliant.mesh.domains import Domain
from pliant.numerics import Factor, factor, lowest_eigenpairs

ROUNDING = 1e-11  # eigenvalues of a Gram matrix below this part of the largest are noise
VANISHED = 1e-7  # of its norm: what is left of a column after two Gram-Schmidt passes; below this it is rounding


@dataclass(frozen=True, eq=False)
class PartColumns:
    """The reduced matrices of one domain, coordinates z = (boundary, internal).

    Attributes:
        boundary: (b,) which columns of the trace it uses.
        U: (3n_i, b + k) all columns, zero on fixed vertices.
        values: (k,) l, squared frequencies of the internal columns [1/s^2].
        K_bb, M_bb: (b, b). M_bi: (b, k).
    """

    boundary: Ids
    U: Array
    values: Array
    K_bb: Array
    M_bb: Array
    M_bi: Array

    @property
    def size(self) -> int:
        """b + k."""
        return self.U.shape[1]


class PartMatrices:
    """Stiffness, mass and the factor of K_II of one domain, in its own numbering.

    Attributes:
        domain: vertices and cells in the whole mesh.
        solid: the domain alone.
        inner: (i,) dofs of free vertices that no other domain has. outer: (o,) dofs of free shared vertices.
        factor: of K_II; None without inner vertices.
    """

    def __init__(self, solid: Solid, domain: Domain, shared: Ids):
        fixed = domain.local(np.intersect1d(solid.fixed, domain.vertices))
        self.domain = domain
        self.solid = Solid(domain.mesh, solid.material.of_cells(domain.cells), fixed=fixed if len(fixed) else None)
        meets = domain.local(np.setdiff1d(np.intersect1d(shared, domain.vertices), solid.fixed))
        self.outer = dofs_of(meets)
        self.inner = np.setdiff1d(self.solid.free, self.outer)
        self.K, self.M = self.solid.stiffness(), self.solid.mass
        self.M_II = self.M[self.inner][:, self.inner]
        self.K_II = self.K[self.inner][:, self.inner]
        self.factor: Factor | None = None
        if len(self.inner):
            try:
                self.factor = factor(self.K_II)
            except SingularMatrix:
                raise SingularMatrix(
                    f"{domain.name} can move rigidly while its interfaces stand still; it must share at least three "
                    "vertices that are not in line with other parts, or have fixed vertices"
                ) from None

    def solve(self, loads: Array) -> Array:
        """K_II^-1 loads (i, k)."""
        return np.empty(loads.shape) if self.factor is None else self.factor.solve(loads)


def dofs_of(vertices: Ids) -> Ids:
    """(3k,) the dofs of vertices (k,)."""
    return (3 * vertices[:, None] + np.arange(3)).ravel()


@dataclass(frozen=True, eq=False)
class InnerShapes:
    """What domains do inside, beside their modes.

    Attributes:
        displacements: (3n, s) [m] of the whole.
        count: of their leading directions, in energy, that every domain takes in.
    """

    displacements: Array
    count: int


def boundary_columns(
    part: PartMatrices, trace: Trace, kind: str, order: int, total: int | None, shapes: InnerShapes | None = None
) -> PartColumns:
    """All columns of one domain.

    Args:
        kind: of the internal columns, "inertia" or "normal".
        order: blocks of internal columns, each as large as the rigid trace of the domain, where `total` is None.
        total: columns of the domain, boundary and internal together.
        shapes: displacements that give more internal columns, beside those.
    """
    rows = trace.columns[dofs_of(part.domain.vertices)].tocsc()
    used = np.flatnonzero(np.diff(rows.indptr))
    Phi = rows[:, used].toarray()
    Phi[part.inner] = -part.solve(part.K[part.inner] @ Phi)
    rigid = Phi[:, trace.rigid[used]]
    start = rigid if rigid.shape[1] else _own_rigid_motions(part)
    wanted = order * start.shape[1] if total is None else total - len(used)
    if wanted < 0:
        raise ArgumentError(
            f"columns gives {total} to {part.domain.name}, whose boundary alone has {len(used)}; "
            "give more, or fewer soft columns"
        )
    wanted = min(wanted, len(part.inner))
    if wanted == 0:
        V = np.empty((len(part.inner), 0))
    elif kind == "normal":
        V = lowest_eigenpairs(part.K_II, part.M_II, wanted, inverse=part.factor)[1]
    else:
        V = _inertia_modes(part, (part.M @ start)[part.inner], wanted)
    if shapes is not None and len(part.inner):
        V = orthonormalised(part.M_II, V, _dearest(part, V, shapes))
    return _reduced(part, used, Phi, V)


def with_internal(part: PartMatrices, columns: PartColumns, V: Array) -> PartColumns:
    """The same boundary with other internal columns V (i, k), M-orthonormal."""
    b = len(columns.boundary)
    return _reduced(part, columns.boundary, columns.U[:, :b], V, columns.K_bb, columns.M_bb)


def compensating_modes(part: PartMatrices, vertices: Ids) -> Array:
    """Phi^PC (i, 3c): unit displacements of inner vertices (c,) of the domain, the boundary held, no load elsewhere."""
    rows = np.searchsorted(part.inner, dofs_of(vertices))
    E = np.zeros((len(part.inner), len(rows)))
    E[rows, np.arange(len(rows))] = 1.0
    Z = part.solve(E)
    return Z @ np.linalg.inv(Z[rows])


def orthonormalised(M: sp.csr_matrix, V: Array, more: Array) -> Array:
    """V (i, k), M-orthonormal, followed by the columns of `more` that are new, made M-orthonormal in two passes."""
    count = V.shape[1]
    made = np.empty((len(V), count + more.shape[1]), order="F")
    made[:, :count] = V
    for column in more.T:
        size = np.sqrt(column @ (M @ column))
        basis = made[:, :count]
        for _ in range(2):
            column = column - basis @ (basis.T @ (M @ column))
        rest = np.sqrt(column @ (M @ column))
        if rest > VANISHED * size:
            made[:, count] = column / rest
            count += 1
    return made[:, :count]


def _inertia_modes(part: PartMatrices, loads: Array, count: int) -> Array:
    """Whole blocks until there are `count` columns; of these the lowest Ritz vectors."""
    V, block = np.empty((len(loads), 0)), part.solve(loads)
    random = np.random.default_rng(0)
    while V.shape[1] < count:
        before = V.shape[1]
        V = orthonormalised(part.M_II, V, block)
        fresh = V[:, before:]
        # The Krylov space of symmetric starts can be exhausted early; then a random load opens it again.
        push = part.M_II @ fresh if fresh.shape[1] else random.standard_normal((len(loads), count - before))
        block = part.solve(push)
    return V @ la.eigh(V.T @ (part.K_II @ V))[1][:, :count] if V.shape[1] > count else V


def _dearest(part: PartMatrices, V: Array, shapes: InnerShapes) -> Array:
    """(i, k) what lift and V leave of shapes: the leading directions in the metric of K_II, dearest to miss."""
    own = shapes.displacements[dofs_of(part.domain.vertices)]
    rest = own[part.inner] + part.solve(part.K[part.inner][:, part.outer] @ own[part.outer])
    for _ in range(2):
        rest = rest - V @ (V.T @ (part.M_II @ rest))
    gram = rest.T @ (part.K_II @ rest)
    squares, Y = la.eigh((gram + gram.T) / 2)
    kept = np.flatnonzero(squares > ROUNDING * squares[-1])[::-1][: shapes.count]
    return rest @ (Y[:, kept] / np.sqrt(squares[kept]))


def _own_rigid_motions(part: PartMatrices) -> Array:
    X = part.domain.mesh.vertices
    motions = rigid_fields(X - X.mean(axis=0))
    motions[np.setdiff1d(np.arange(len(motions)), part.solid.free)] = 0.0
    return motions


def _reduced(
    part: PartMatrices, used: Ids, Phi: Array, V: Array, K_bb: Array | None = None, M_bb: Array | None = None
) -> PartColumns:
    values, Y = la.eigh(V.T @ (part.K_II @ V)) if V.shape[1] else (np.empty(0), np.empty((0, 0)))
    U = np.zeros((len(Phi), len(used) + len(values)))
    U[:, : len(used)] = Phi
    U[part.inner, len(used) :] = V @ Y
    if K_bb is None or M_bb is None:
        K_bb, M_bb = Phi.T @ (part.K @ Phi), Phi.T @ (part.M @ Phi)
        K_bb, M_bb = 0.5 * (K_bb + K_bb.T), 0.5 * (M_bb + M_bb.T)
    M_bi = (part.M @ Phi).T @ U[:, len(used) :]
    made = PartColumns(used, U, values, K_bb, M_bb, M_bi)
    for array in (used, U, values, K_bb, M_bb, M_bi):
        array.setflags(write=False)
    return made
