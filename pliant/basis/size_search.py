"""The smallest leading part of a basis that meets a tolerance under given loads, and what was measured on the way."""

import numpy as np

from pliant.basis.basis import Basis
from pliant.basis.borne import BEYOND, ITERATIONS, borne
from pliant.basis.galerkin import galerkin_static
from pliant.basis.indicator import correction, mass_norm
from pliant.basis.response import StaticResponse
from pliant.basis.size_report import GRACE, SizeReport
from pliant.basis.sudden import Sudden
from pliant.errors import Array, Diverged
from pliant.fem import Solid, inverted_share
from pliant.numerics.progress import Progress, report

LEAST, STEP = 6, 1.2  # sizes that are tried lie so far apart
SUDDEN = 2.0  # times as far as it rests goes a solid that a load comes upon at once
TINY = float(np.finfo(float).tiny)


class SizeSearch:
    """Equilibria of leading parts of a basis under loads, and the errors that the full model sees in them.

    Args:
        at_once: how many of the loads, the first ones, come at once: they take a solid SUDDEN times as far. Nobody
            asked for them, so they are lessened where they turn cells inside out.
        sudden: loads whose vibrations are looked at as well, where they come at once.

    Attributes:
        loads: (3n, s), as much of each as is `borne`; then SUDDEN times as much of those that come at once, where that
            is borne still.
    """

    def __init__(
        self,
        solid: Solid,
        basis: Basis,
        loads: Array,
        response: StaticResponse,
        beyond: float = BEYOND,
        at_once: int = 0,
        sudden: Sudden | None = None,
    ):
        self.solid, self.basis = solid, basis
        U = basis.vectors
        found = [borne(solid, U, load, response, beyond, number < at_once) for number, load in enumerate(loads.T)]
        near = [pair for pair in found if pair is not None]
        doubled = [self._farther(*pair, response, beyond) for pair in found[:at_once] if pair is not None]
        far = [pair for pair in doubled if pair is not None]
        kept = near + far
        self.loads = np.stack([load for load, _ in kept], axis=1) if kept else loads[:, :0]
        self._near, self._starts, self._sudden = len(near), [q for _, q in kept], sudden
        self._measured: dict[int, Array] = {}

    @property
    def states(self) -> Array:
        """(s, 3n) equilibria of the whole basis under the loads."""
        return np.array([self.basis.vectors @ q for q in self._starts]).reshape(-1, self.solid.dof_count)

    def smallest(
        self, tolerance: float, progress: Progress = None, least: int = 0, grace: float = GRACE, spare: int = 0
    ) -> SizeReport:
        """The least of the sizes tried that meets it, or the whole basis.

        Args:
            least: vectors that it shall have, where the basis has as many.
            grace: tolerances that are allowed where loads come at once.
            spare: how many sizes more it shall be, where the basis has as many.
        """
        sizes = [size for size in _ladder(self.basis.size) if size >= min(least, self.basis.size)]
        failing, meeting = -1, len(sizes) - 1
        if self.worst(sizes[-1], grace) <= tolerance:
            while meeting - failing > 1:
                middle = (failing + meeting) // 2
                meets = self.worst(sizes[middle], grace) <= tolerance
                failing, meeting = (failing, middle) if meets else (middle, meeting)
                report(progress, "basis size", 1 - (meeting - failing) / len(sizes))
        meeting = min(meeting + spare, len(sizes) - 1)
        at_once = self.errors(sizes[meeting])[self._near :]
        far = at_once[: len(self._starts) - self._near]
        report(progress, "basis size", 1.0)
        tried, near = sorted(self._measured), slice(self._near)
        errors = np.stack([self._measured[size][near] for size in tried])
        reach = max((float(np.linalg.norm(q)) for q in self._starts[near]), default=np.inf)
        worst = {"sudden": float(at_once.max(initial=0.0)), "far": float(far.max(initial=0.0))}
        return SizeReport(sizes[meeting], tolerance, np.array(tried), errors, reach, **worst)

    def worst(self, size: int, grace: float = GRACE) -> float:
        """The largest error of the first `size` vectors; what is allowed more counts less."""
        errors = self.errors(size)
        return float(max(errors[: self._near].max(initial=0.0), errors[self._near :].max(initial=0.0) / grace))

    def _farther(
        self, load: Array, start: Array, response: StaticResponse, beyond: float
    ) -> tuple[Array, Array] | None:
        """SUDDEN times a load, and its equilibrium; None: it is not borne, or turns cells inside out."""
        U, linear = self.basis.vectors, mass_norm(self.solid, response.solve(load))
        try:
            q = galerkin_static(self.solid, U, SUDDEN * load, SUDDEN * start, ITERATIONS)
        except Diverged:
            return None
        whole = inverted_share(self.solid, U @ q) == 0 and np.linalg.norm(q) <= beyond * SUDDEN * linear
        return (SUDDEN * load, q) if whole else None

    def errors(self, size: int) -> Array:
        """Of the first `size` vectors: near, and of what comes at once, far and in vibrations."""
        if size not in self._measured:
            pairs = zip(self.loads.T, self._starts, strict=True)
            at_rest = [self._error(size, load, q) for load, q in pairs]
            quick = np.empty(0) if self._sudden is None else self._sudden.errors(self.basis.vectors[:, :size])
            self._measured[size] = np.concatenate([at_rest, quick])
        return self._measured[size]

    def _error(self, size: int, load: Array, start: Array) -> float:
        part = self.basis.truncate(size)
        try:
            q = galerkin_static(self.solid, part.vectors, load, start[:size], ITERATIONS)
        except Diverged:
            return 1.0
        return motion_error(self.solid, part, q, load)


def motion_error(solid: Solid, basis: Basis, q: Array, load: Array) -> float:
    """The larger of pi |e|_M / |U q|_M and |load . e| / |load . (U q + e)|, at most 1; e is the `correction`.

    A basis that is too stiff by a part d moves too little by d under a load, and swings too fast by d / 2: after one
    period it is out of phase by pi d. The second is the error where the load takes hold, which has little mass.
    """
    if (e := correction(solid, basis, q, load)) is None:
        return 1.0
    return larger_error(solid, basis.vectors @ q, e, load)


def larger_error(solid: Solid, u: Array, e: Array, load: Array) -> float:
    """As `motion_error`, of a displacement u that lacks e (3n,)."""
    drift = np.pi * mass_norm(solid, e) / (mass_norm(solid, u) or TINY)
    give = float(abs(load @ e) / (abs(load @ (u + e)) or TINY))
    return min(1.0, max(drift, give))


def _ladder(most: int) -> list[int]:
    """Sizes up to `most`, each about STEP times the one before."""
    sizes = [most]
    while sizes[0] / STEP >= LEAST:
        sizes.insert(0, min(sizes[0] - 1, round(sizes[0] / STEP)))
    return sizes
