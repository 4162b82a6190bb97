"""Linear vibration modes, K psi = lambda M psi ([MR12] Eq. 1), of clamped and of free solids."""

from dataclasses import dataclass

import numpy as np

from pliant.basis.basis import check_solid
from pliant.basis.response import StaticResponse
from pliant.basis.rigid import is_free, without_rigid
from pliant.errors import Array, BasisError, check_count
from pliant.fem import Solid
from pliant.numerics import lowest_eigenpairs
from pliant.numerics.progress import Progress, report

RIGID = 6
SHIFT = 1e-6  # of max(diag K) / max(diag M): a free stiffness is singular, so the shift must be below zero
ZERO = 1e-4  # of the shift: eigenvalues under this belong to motions without strain


@dataclass(frozen=True, eq=False)
class Modes:
    """Elastic vibration modes, lowest first; Psi^T M Psi = I, zero on fixed vertices.

    Attributes:
        eigenvalues: lambda (k,) [1/s^2].
        vectors: Psi (3n, k).
    """

    eigenvalues: Array
    vectors: Array

    def __repr__(self) -> str:
        f = self.frequencies / (2 * np.pi)
        span = f", {f[0]:.4g} to {f[-1]:.4g} Hz" if len(f) else ""
        return f"Modes({self.count} of {len(self.vectors) // 3} vertices{span})"

    @property
    def frequencies(self) -> Array:
        """omega = sqrt(lambda) (k,) [rad/s]."""
        return np.sqrt(self.eigenvalues)

    @property
    def count(self) -> int:
        """k."""
        return len(self.eigenvalues)


def vibration_modes(
    solid: Solid, count: int, progress: Progress = None, response: StaticResponse | None = None
) -> Modes:
    """The `count` lowest elastic modes about the rest shape; a free solid's six rigid ones are left out.

    Args:
        count: k.
        progress: called with a stage and the fraction of it that is done.
        response: of this solid at rest, if there is one already; a clamped solid then needs no other factorisation.

    Raises:
        SingularMatrix: the fixed vertices do not hold the whole solid.
        BasisError: a free solid falls into several pieces.
    """
    free = is_free(check_solid(solid))
    count = check_count("count", count, at_most=len(solid.free) - RIGID * free)
    report(progress, "vibration modes", 0.0)
    K, M = solid.free_matrix(solid.stiffness()), solid.free_matrix(solid.mass)
    shift = -SHIFT * K.diagonal().max() / M.diagonal().max() if free else 0.0
    inverse = None if response is None else response.factor
    eigenvalues, X = lowest_eigenpairs(K, M, count + RIGID * free, shift, inverse=inverse)
    if free:
        eigenvalues, X = _elastic(solid, eigenvalues, X, -ZERO * shift)
    vectors = np.zeros((solid.dof_count, count))
    vectors[solid.free] = X
    eigenvalues.flags.writeable = vectors.flags.writeable = False
    report(progress, "vibration modes", 1.0)
    return Modes(eigenvalues, vectors)


def _elastic(solid: Solid, eigenvalues: Array, X: Array, zero: float) -> tuple[Array, Array]:
    """Drop the six rigid pairs, whose vectors the eigensolver mixes, and what is left of them in the others."""
    if (loose := int((eigenvalues < zero).sum())) > RIGID:
        raise BasisError(f"the free solid has {loose} motions without strain, not 6; does it fall into pieces?")
    X = without_rigid(solid, X[:, RIGID:])
    return eigenvalues[RIGID:], X / np.sqrt(np.einsum("ij,ij->j", X, solid.mass @ X))
