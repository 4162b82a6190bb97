"""Parts of a solid that move together in its lowest vibrations, each nearly as a rigid body.

    min  sum_i 1 / lambda_i  sum_c V_c | phi_i(c) - t_ip - w_ip x (X_c - X_p) |^2,   p the part of c

over parts and their motions (t, w) in every mode i, by Lloyd's iteration: motions that fit parts, then cells that fit
motions. Inspired by modal segmentation (Huang, Wicke, Adams, Guibas 2009).
"""

import numpy as np

from pliant.basis.vibration import vibration_modes
from pliant.errors import Array, Ids, check_count
from pliant.fem import Solid
from pliant.mesh.crumbs import merged, tidied

MODES_EACH = 1.5  # vibrations a part
FEWEST, MOST = 6, 40
ITERATIONS = 25
MORE = 1.5  # times as many clusters as parts, of which the smallest join others
LEAST = 0.004  # of the volume
RIDGE = 1e-9  # of the second moments: cells in a row have no inertia about it


def vibration_parts(solid: Solid, count: int) -> Ids:
    """(m,) a part number from 0 for every cell, so that parts move nearly rigidly in the lowest vibrations.

    Args:
        solid: held or free, of tets or hexes.
        count: parts, each face-connected.
    """
    mesh = solid.mesh
    check_count("count", count, at_least=mesh.components[0], at_most=mesh.cell_count)
    modes = vibration_modes(solid, int(np.clip(MODES_EACH * count, FEWEST, MOST)))
    U = modes.vectors.reshape(mesh.vertex_count, 3, -1)[mesh.cells].mean(axis=1)  # (m, 3, k)
    U = U / modes.frequencies
    labels = _seeded(mesh.centroids, U, mesh.volumes, round(MORE * count))
    for _ in range(ITERATIONS):
        error = np.stack(
            [_error(mesh.centroids, U, mesh.volumes, labels == part) for part in range(int(labels.max()) + 1)], axis=1
        )
        new = error.argmin(axis=1)
        if np.array_equal(new, labels):
            break
        labels = np.unique(new, return_inverse=True)[1].ravel()
    return merged(mesh, tidied(mesh, labels, LEAST), count)


def _seeded(X: Array, U: Array, V: Array, count: int) -> Ids:
    """Around cells each of which moves least as those before it do."""
    reach = np.linalg.norm(X - X.mean(axis=0), axis=1).max()
    near = np.full(len(X), np.inf)
    labels = np.zeros(len(X), dtype=np.int64)
    seed = int(np.einsum("mij,mij->m", U, U).argmin())
    for part in range(count):
        apart = ((U - U[seed]) ** 2).sum(axis=(1, 2)) / max((U**2).sum(axis=(1, 2)).mean(), 1e-300)
        apart = apart + ((X - X[seed]) ** 2).sum(axis=1) / reach**2
        closer = apart < near
        labels[closer], near = part, np.minimum(near, apart)
        seed = int((near * V).argmax())
    return np.unique(labels, return_inverse=True)[1].ravel()


def _error(X: Array, U: Array, V: Array, inside: Array) -> Array:
    """(m,) how far every cell moves from the best rigid motion of some, squared and summed over modes."""
    weight, centre = V[inside], np.average(X[inside], axis=0, weights=V[inside])
    r = X - centre
    t = np.average(U[inside], axis=0, weights=weight)  # (3, k)
    own = r[inside]
    moment = (
        weight[:, None, None] * (np.eye(3) * (own**2).sum(axis=1)[:, None, None] - own[:, :, None] * own[:, None])
    ).sum(axis=0)
    spin = np.einsum("m,mik->ik", weight, np.cross(own[:, :, None], U[inside] - t, axis=1))
    w = np.linalg.solve(moment + RIDGE * np.trace(moment) * np.eye(3) + 1e-300 * np.eye(3), spin)
    return ((U - t - np.cross(w[None], r[:, :, None], axis=1)) ** 2).sum(axis=(1, 2))
