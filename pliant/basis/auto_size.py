"""The smallest leading part of a basis that meets a tolerance on the error indicator."""

from collections.abc import Iterator

import numpy as np

from pliant.basis.basis import Basis
from pliant.basis.galerkin import galerkin_static
from pliant.basis.indicator import residual
from pliant.basis.vibration import Modes
from pliant.errors import Array, BasisError, Diverged
from pliant.fem import Solid
from pliant.numerics.progress import Progress, report

AMPLITUDE = 0.2  # of the diagonal of the bounding box: the linear deflection under the trial load of the first mode
TESTED = 3  # modes whose loads are tried


def smallest_size(solid: Solid, basis: Basis, modes: Modes, tolerance: float, progress: Progress = None) -> int:
    """The least r whose first r vectors keep the indicator (`residual`) under `tolerance` for all `trial_loads`.

    The sizes are bisected, so a smaller one that meets the tolerance by chance may be missed.

    Raises:
        BasisError: even the whole basis does not meet it.
    """
    search = _Search(solid, basis, trial_loads(solid, modes))
    if (worst := max(search.indicators(basis.size))) > tolerance:
        raise BasisError(
            f"all {basis.size} vectors leave an error indicator of {worst:.2g}, above {tolerance:g}; use more modes"
        )
    failing, meeting = 0, basis.size
    while meeting - failing > 1:
        report(progress, "basis size", 1 - np.log(meeting - failing) / np.log(basis.size))
        middle = (failing + meeting) // 2
        meets = all(indicator <= tolerance for indicator in search.indicators(middle))
        failing, meeting = (failing, middle) if meets else (middle, meeting)
    report(progress, "basis size", 1.0)
    return meeting


def trial_loads(solid: Solid, modes: Modes) -> Array:
    """Loads (3n, 2 min(k, 3) + 1): both signs of M psi_i lambda_i for the lowest modes, and their sum.

    The first bends the solid by a fifth of its size, were it linear; all do the same linear work.
    """
    count = min(TESTED, modes.count)
    Psi, values = modes.vectors[:, :count], modes.eigenvalues[:count]
    deflection = np.linalg.norm(Psi[:, 0].reshape(-1, 3), axis=1).max()
    work = AMPLITUDE * np.linalg.norm(np.ptp(solid.mesh.vertices, axis=0)) / deflection * np.sqrt(values[0])
    loads = (solid.mass @ Psi) * np.sqrt(values) * work
    return np.hstack([loads, -loads, loads.sum(axis=1, keepdims=True) / np.sqrt(count)])


class _Search:
    """Reduced equilibria under the trial loads; each starts from the last one of a larger basis."""

    def __init__(self, solid: Solid, basis: Basis, loads: Array):
        self.solid, self.basis, self.loads = solid, basis, loads
        self.starts: list[Array | None] = [None] * loads.shape[1]

    def indicators(self, size: int) -> Iterator[float]:
        """Of the first `size` vectors, one a load; 1 where the basis finds no equilibrium."""
        return (self._indicator(size, number) for number in range(self.loads.shape[1]))

    def _indicator(self, size: int, number: int) -> float:
        part, start, load = self.basis.truncate(size), self.starts[number], self.loads[:, number]
        try:
            q = galerkin_static(self.solid, part.vectors, load, None if start is None else start[:size])
        except Diverged:
            return 1.0
        if start is None:
            self.starts[number] = q
        return residual(self.solid, part, q, load)
