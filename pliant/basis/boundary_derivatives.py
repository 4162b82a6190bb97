"""Columns of one domain that bends and turns far: its affine trace lifted inside, and internal columns for curvature.

Phi_I = -K_II^-1 K_IB Phi_B
"""

import numpy as np
import scipy.linalg as la

from pliant.basis.boundary import PartMatrices, dofs_of, orthonormalised
from pliant.basis.trace import Trace, rigid_fields
from pliant.errors import Array, Ids

OPT = dict(ns=10, nint=0, norm=True, elastic=1.0, aff_fixed=True, base_aff=False, inertia=0)


def traced(part: PartMatrices, trace: Trace) -> tuple[Ids, Array]:
    rows = trace.columns[dofs_of(part.domain.vertices)].tocsc()
    used = np.flatnonzero(np.diff(rows.indptr))
    return used, rows[:, used].toarray()


def nonlinear_columns(part: PartMatrices, Phi: Array, derivatives: int) -> Array:
    """U (3n_i, b + k)"""
    Phi = Phi.copy()
    Phi[part.inner] = -part.solve(part.K[part.inner] @ Phi)
    M, K = part.M_II, part.K_II
    X = part.domain.mesh.vertices
    n3 = len(Phi)
    d = X - X.mean(axis=0)
    own = np.einsum("kf,ab->kafb", np.column_stack([np.ones(len(d)), d]), np.eye(3)).reshape(n3, -1)
    free = np.zeros(n3, bool)
    free[part.solid.free] = True
    own[~free] = 0
    held = not free.all()
    C = np.empty((len(part.inner), 0))
    if not held or OPT["aff_fixed"]:
        ownI = own[part.inner] + part.solve(part.K[part.inner][:, part.outer] @ own[part.outer])
        size = np.sqrt(np.einsum("ij,ij->j", own[part.inner], M @ own[part.inner]))
        G = (ownI / size).T @ (M @ (ownI / size))
        w, Y = la.eigh(G)
        C = (ownI / size) @ Y[:, w > 1e-8]
        C = orthonormalised(M, np.empty((len(C), 0)), C)
    V = np.empty((len(part.inner), 0))
    if OPT["inertia"]:
        rigid = rigid_fields(d)
        rigid[~free] = 0
        V = part.solve((part.M @ rigid)[part.inner])[:, : OPT["inertia"]]
    base = Phi

    def wide(V):
        full = np.zeros((n3, V.shape[1]))
        full[part.inner] = V
        return full

    if V.shape[1]:
        base = np.hstack([base, wide(V)])
    if OPT["base_aff"] and C.shape[1]:
        base = np.hstack([base, wide(C)])
    base = base / np.sqrt(np.einsum("ij,ij->j", base, part.M @ base))
    Kb, Mb = base.T @ (part.K @ base), base.T @ (part.M @ base)
    lam, Y = la.eigh(Kb, Mb)
    dirs = base @ Y
    rigid = lam < 1e-8 * lam[-1]
    first = lam[~rigid].min()
    m = min(len(lam), OPT["ns"])
    dirs, lam, rigid = dirs[:, :m], lam[:m], rigid[:m]
    # amplitude: rigid unit rotation 1 rad-ish ; elastic falls with lam
    amp = np.where(rigid, 1.0, OPT["elastic"] * first / np.maximum(lam, first))
    D = -part.solve(part.solid.curvatures(dirs)[part.inner])
    i, j = np.triu_indices(m)
    w = amp[i] * amp[j]
    if OPT["norm"]:
        nm = np.sqrt(np.maximum(np.einsum("ij,ij->j", D, M @ D), 1e-300))
        w = np.where(nm > 1e-9 * nm.max(), w / nm, 0)
    D = D * w
    inner = orthonormalised(M, C, V)
    D = D - inner @ (inner.T @ (M @ D))
    D = D - inner @ (inner.T @ (M @ D))
    G = D.T @ (M @ D)
    w, Y = la.eigh(G)
    k = min(derivatives, int((w > 1e-12 * w[-1]).sum()))
    inner = orthonormalised(M, inner, D @ Y[:, ::-1][:, :k])
    return np.hstack([Phi, wide(inner)])
