"""Linear static response to loads, in batches: K x = b, with inertia relief where nothing is fixed.

A free solid cannot carry a load at rest; it accelerates rigidly, and what strains it is the load less the inertia
forces of that acceleration. With the rigid modes R (3n, 6), R^T M R = I:

    [ K       M R ] [x]   [ (I - M R R^T) b ]
    [ (M R)^T  0  ] [m] = [        0        ]
"""

import numpy as np
from numpy.typing import ArrayLike

from pliant.basis.rigid import is_free, rigid_modes
from pliant.errors import Array
from pliant.fem import Solid
from pliant.numerics import BorderedFactor, Factor, factor
from pliant.numerics.progress import Progress, report

BATCH = 16  # right-hand sides solved together: enough for speed, and little memory


class StaticResponse:
    """The factored stiffness of a solid, at rest or about a displacement u (3n,).

    Attributes:
        factor: of the stiffness of the free dofs; None for a free solid, whose stiffness is singular.
    """

    def __init__(self, solid: Solid, u: ArrayLike | None = None):
        self.solid = solid
        self.factor: Factor | None = None
        K, at_rest = solid.free_matrix(solid.stiffness(u)), u is None
        self._rigid = rigid_modes(solid) if is_free(solid) else None
        if self._rigid is None:
            self.factor = factor(K, at_rest)
            self._inverse = self.factor.solve
        else:
            self._momenta = solid.mass @ self._rigid
            self._inverse = BorderedFactor(K, self._momenta, at_rest).solve

    def solve(self, loads: Array, progress: Progress = None, stage: str = "static response") -> Array:
        """x (3n, k) or (3n,) [m] for loads of that shape [N]; zero on fixed vertices, without rigid part."""
        columns = loads.reshape(len(loads), -1)
        x = np.zeros(columns.shape, order="F")
        for start in range(0, columns.shape[1], BATCH):
            batch = slice(start, start + BATCH)
            x[self.solid.free, batch] = self._inverse(self._self_equilibrated(columns[:, batch])[self.solid.free])
            report(progress, stage, min(1.0, batch.stop / columns.shape[1]))
        return x.reshape(loads.shape)

    def _self_equilibrated(self, b: Array) -> Array:
        return b if self._rigid is None else b - self._momenta @ (self._rigid.T @ b)
