"""What a basis misses of the vibrations that a load sets going when it comes at once, in the limit of small motion.

    u(t) = sum_k psi_k p_k (1 - cos omega_k t),   p_k = psi_k . load / lambda_k,   error = max |u - u_U| / max |u|

over all vertices and a period, u_U being what the basis makes of it. At rest the high modes of a stout body are small;
a weight that comes at once sets those going that it reaches, and a basis holds them only if something asked for them.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy.linalg as la

from pliant.basis.vibration import Modes
from pliant.errors import Array, Ids
from pliant.fem import Solid

LOOKS = 128  # in a period of the first mode
HEARD = 0.25  # of the tolerance: modes that are missed by less do no harm


class Sudden(NamedTuple):
    """Loads (3n, s) [N] that come at once, and as many modes as they set going."""

    solid: Solid
    modes: Modes
    loads: Array

    def errors(self, U: Array) -> Array:
        """(s,) of a basis U (3n, r) with U^T M U = I, at most 1."""
        errors = [_longest(self.modes, missed) / _longest(self.modes, u) for u, missed in self._motions(U)]
        return np.minimum(errors, 1.0)

    def missed(self, U: Array, tolerance: float) -> Ids:
        """Numbers of the modes without which it does not meet a tolerance."""
        lengths = np.abs(self.modes.vectors).max(axis=0)
        found = np.zeros(self.modes.count, dtype=bool)
        for u, missed in self._motions(U):
            found |= lengths * np.abs(missed).max(axis=1) > HEARD * tolerance * _longest(self.modes, u)
        return np.flatnonzero(found)

    def _motions(self, U: Array) -> Iterator[tuple[Array, Array]]:
        """For each load modal coordinates (k, LOOKS) of the motion, and of what the basis misses of it."""
        values, W = la.eigh(U.T @ (self.solid.stiffness() @ U))
        own, (eigenvalues, Psi) = U @ W, (self.modes.eigenvalues, self.modes.vectors)
        times, across = np.linspace(0, 2 * np.pi / self.modes.frequencies[0], LOOKS), Psi.T @ (self.solid.mass @ own)
        swing, swing_own = (1 - np.cos(np.outer(np.sqrt(each), times)) for each in (eigenvalues, values))
        for load in self.loads.T:
            u = (Psi.T @ load / eigenvalues)[:, None] * swing
            yield u, u - across @ ((own.T @ load / values)[:, None] * swing_own)


def _longest(modes: Modes, coordinates: Array) -> float:
    """The largest displacement [m] of a vertex in a motion (k, LOOKS)."""
    nodal = (modes.vectors @ coordinates).reshape(-1, 3, LOOKS)
    return float(np.sqrt(np.einsum("vit,vit->vt", nodal, nodal).max()))
