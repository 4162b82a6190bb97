"""The errors that the full model sees in what any columns do at rest under loads that they were not made for.

    U^T f(U q) = U^T load,   e = K(U q)^-1 (what the basis leaves of load - f(U q)),   `motion_error` of e

Columns need not be orthonormal, nor without rigid motions: only their span counts, and of a free solid what is left of
it beside its rigid motions.
"""

import numpy as np
import scipy.linalg as la

from pliant.basis.basis import Basis
from pliant.basis.borne import ITERATIONS, borne
from pliant.basis.galerkin import galerkin_static
from pliant.basis.indicator import mass_norm
from pliant.basis.learning import Learning
from pliant.basis.rigid import is_free, without_rigid
from pliant.basis.size_search import SUDDEN, SizeSearch, larger_error, motion_error
from pliant.basis.sudden import Sudden
from pliant.basis.typical_loads import SWINGING
from pliant.errors import Array, Diverged
from pliant.fem import Solid, inverted_share
from pliant.numerics.progress import Progress

LEADING = 80  # candidates that find out how much of a load is borne
DEPENDENT = 1e-10  # the square of a length below which what is left of unit columns is rounding


class HeldOut:
    """Loads that were held out, and the errors of columns under them.

    Args:
        loads: (3n, s) [N].
        states: (s, 3n) [m] about where the solid is at rest under them, where the search for it begins.
        allowed: (s,) how many times the error of the others each may have.
        sudden: loads whose vibrations are looked at as well, where they come at once.
    """

    def __init__(self, solid: Solid, loads: Array, states: Array, allowed: Array, sudden: Sudden | None = None):
        self.solid, self.loads, self._states, self._allowed = solid, loads, states.copy(), allowed
        self._sudden = sudden

    @property
    def reach(self) -> float:
        """The largest |u|_M [m sqrt(kg)] of a state at rest under them."""
        return max((mass_norm(self.solid, u) for u in self._states), default=np.inf)

    def errors(self, columns: Array) -> Array:
        """(s,) of columns (3n, r), over what is allowed, each begun at the state that was found last."""
        basis = Basis(spanning(self.solid, columns))
        at_rest = np.array([self._error(basis, number) for number in range(len(self._states))]) / self._allowed
        return at_rest if self._sudden is None else np.append(at_rest, self._sudden.errors(basis.vectors))

    def _error(self, basis: Basis, number: int) -> float:
        U, load = basis.vectors, self.loads[:, number]
        start = U.T @ (self.solid.mass @ self._states[number])
        try:
            q = galerkin_static(self.solid, U, load, start, ITERATIONS)
        except Diverged:
            return 1.0
        self._states[number] = U @ q
        return motion_error(self.solid, basis, q, load)


def borne_loads(learning: Learning, loads: Array) -> tuple[Array, Array]:
    """Of loads (3n, s) as much of each as is borne, and states (s, 3n) at rest under them."""
    solid, U = learning.solid, learning.candidates.basis(LEADING)
    found = [borne(solid, U, load, learning.response, learning.beyond) for load in loads.T]
    return _stacked(solid, [(load, U @ q) for load, q in filter(None, found)])


def sudden_loads(learning: Learning, loads: Array, states: Array) -> tuple[Array, Array]:
    """SUDDEN times loads (3n, s) that are borne at `states`, those that are borne still, and states at rest under them.

    So far go solids that a load comes upon at once. What is not borne turns cells inside out, or finds no rest.
    """
    solid, U = learning.solid, learning.candidates.basis(LEADING)
    kept = []
    for load, state in zip(SUDDEN * loads.T, states, strict=True):
        try:
            u = U @ galerkin_static(solid, U, load, SUDDEN * U.T @ (solid.mass @ state), ITERATIONS)
        except Diverged:
            continue
        if inverted_share(solid, u) == 0:
            kept.append((load, u))
    return _stacked(solid, kept)


def _stacked(solid: Solid, pairs: list[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Loads (3n, s) and states (s, 3n)."""
    loads, states = [load for load, _ in pairs], [u for _, u in pairs]
    return np.array(loads).reshape(-1, solid.dof_count).T, np.array(states).reshape(-1, solid.dof_count)


def held_out_error(solid: Solid, basis: Basis, progress: Progress = None) -> float:
    """Of a basis with U^T M U = I under loads that bend a solid by up to a tenth of its size, and twice as large."""
    learning = Learning(solid, modes=SWINGING, progress=progress)
    held_out = learning.held_out()
    loads, at_once = np.hstack([held_out, learning.weights]), held_out.shape[1]
    return SizeSearch(solid, basis, loads, learning.response, learning.beyond, at_once).worst(basis.size)


def small_errors(learning: Learning, columns: Array, loads: Array) -> Array:
    """(s,) of columns (3n, r) in the limit of small loads (3n, s), where K(0) is all that counts."""
    solid = learning.solid
    U, K = spanning(solid, columns), solid.stiffness()
    u = U @ la.solve(U.T @ (K @ U), U.T @ loads, assume_a="pos")
    rest = loads - K @ u
    e = learning.response.solve(rest - solid.mass @ (U @ (U.T @ rest)))
    return np.array([larger_error(solid, *each) for each in zip(u.T, e.T, loads.T, strict=True)])


def spanning(solid: Solid, columns: Array) -> Array:
    """U (3n, r'), U^T M U = I, with the span of columns (3n, r); of a free solid without its rigid motions."""
    Q = _orthonormal(solid, columns / np.sqrt(np.einsum("ij,ij->j", columns, solid.mass @ columns)))
    return _orthonormal(solid, without_rigid(solid, Q)) if is_free(solid) else Q


def _orthonormal(solid: Solid, A: Array) -> Array:
    """Of columns that are at most of unit length, those directions that are not small."""
    gram = A.T @ (solid.mass @ A)
    squares, V = la.eigh((gram + gram.T) / 2)
    kept = squares > DEPENDENT
    return A @ (V[:, kept] / np.sqrt(squares[kept]))
