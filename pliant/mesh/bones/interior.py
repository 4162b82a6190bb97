"""From the surface into the solid: harmonic on the graph of edges (maths sheet momentum 7).

With positive weights of edges the Laplacian has a maximum principle: what is in [0, 1] and sums to one on the surface
is and does so inside. A cotangent Laplacian of tets does not promise that.
"""

import numpy as np
import scipy.sparse as sp

from pliant.errors import Array, Ids
from pliant.mesh.mesh import Mesh
from pliant.numerics import factor


def into_interior(mesh: Mesh, given: Ids, values: Array) -> Array:
    """(n, k) on all vertices, from values (s, k) on some of them, of which every piece of the mesh has one."""
    edges = mesh.edges
    weights = 1 / np.linalg.norm(mesh.vertices[edges[:, 0]] - mesh.vertices[edges[:, 1]], axis=1)
    n, (a, b) = mesh.vertex_count, edges.T
    A = sp.coo_matrix((np.r_[weights, weights], (np.r_[a, b], np.r_[b, a])), shape=(n, n)).tocsr()
    L = sp.diags(np.asarray(A.sum(axis=1)).ravel()) - A
    inside = np.setdiff1d(np.arange(n), given)
    out = np.zeros((n, values.shape[1]))
    out[given] = values
    if len(inside):
        L = sp.csr_matrix(L)[inside]
        out[inside] = factor(sp.csr_matrix(L[:, inside])).solve(-(L[:, given] @ values))
    return out
