"""How hard a hand may pull at a soft body of a world: no harder than its cells bear, and no farther than it bends.

    F <= STRAIN / max_pairs |strain of a unit force|,     where it is held F <= m om^2 L / 4 or 2 m g

The strain is that of all pairs of vertices that share a cell, under a force that grows within about a period of the
first vibration, om, on a body that is free to move and to turn, or whose frame is held:

    (K + om^2 Mt) q = (U_v - N / m)^T f - G^T I^-1 (r x f)

where Mt = M - G^T I^-1 G is the mass that no motion of the frame takes (maths sheet momentum 2). What lifts the whole
would crush an ear.
"""

from weakref import WeakKeyDictionary

import numpy as np
import scipy.linalg as la
from scipy.sparse import triu

from pliant.errors import Array
from pliant.reduced import ReducedModel
from pliant.systems.gentleness import STRAIN, whole_bears

LINEAR = 1 / 3  # of what others bear: where it is turned, it swells
_FOUND: "WeakKeyDictionary[ReducedModel, SoftBearing]" = WeakKeyDictionary()


class SoftBearing:
    """What the cells of a part bear, wherever it is pulled.

    Attributes:
        stiff: the force [N] that bends it by about its own size where it is held.
    """

    def __init__(self, model: ReducedModel):
        held = len(model.fixed) > 0
        inertia = model.inertia if held else model.inertia.centred()
        mass = inertia.reduced_mass if held else inertia.moving_mass(np.zeros(model.size))
        stiffness = model.stiffness()
        square = float(la.eigvalsh(stiffness, mass, subset_by_index=(0, 0))[0])
        self._strains = _strain_rows(model) @ np.linalg.inv(stiffness + square * mass)
        self.stiff = whole_bears(model.inertia.mass, float(np.sqrt(square)), float(np.ptp(model.X, axis=0).max()), 0.0)
        self._turned = np.zeros((3, model.size)) if held else np.linalg.solve(inertia.J[0, 0], inertia.H[0, 1:].T)
        self._bears = STRAIN * (LINEAR if model.force_law.kind == "linear" else 1.0)

    def force(self, r: Array, S: Array) -> float:
        """The largest [N] in any direction, on a point at r (3,) with rows S (3, r), both as the body has them."""
        on_q = S - np.cross(r, np.eye(3)) @ self._turned
        largest = float(np.linalg.norm(self._strains @ on_q.T, axis=1).max(initial=0.0))
        return self._bears / largest if largest > 0 else np.inf


def bearing_of(model: ReducedModel) -> SoftBearing:
    """Found once."""
    if model not in _FOUND:
        _FOUND[model] = SoftBearing(model)
    return _FOUND[model]


def _strain_rows(model: ReducedModel) -> Array:
    """(p, r) the strain of pairs of vertices that share a cell, for each coordinate."""
    i, j = triu(model.mesh.vertex_adjacency).nonzero()
    way, U = model.X[j] - model.X[i], model.U.reshape(len(model.X), 3, model.size)
    return np.einsum("pa,par->pr", way, U[j] - U[i]) / np.sum(way**2, axis=1)[:, None]
