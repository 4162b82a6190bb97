"""What was measured when the size of a basis was chosen: error over size."""

import warnings
from dataclasses import dataclass
from typing import Self

import numpy as np

from pliant.errors import Array, Ids, PliantWarning
from pliant.fem import Material
from pliant.fem.inversion import against_crushing

GOOD = 0.05  # where nobody counted: errors above are warned of
GRACE = 2.0  # tolerances that are allowed twice as far away
WITHIN, BEYOND = 2.5, 4.0  # tolerances, and times `reach`, up to which motion is trusted
FINE, FINE_WITHIN, FINE_BEYOND = 0.02, 2.0, 3.0  # below this tolerance: 2 % are promised for 0.01, and 5 % for 0.02


@dataclass(frozen=True, eq=False, repr=False)
class SizeReport:
    """Estimated errors of the sizes that were tried.

    Attributes:
        size: that was chosen.
        tolerance: that was asked for.
        sizes: that were measured (k,), rising.
        errors: relative error of every size under every held-out load (k, s); 1: no equilibrium was found.
        reach: the largest |U q|_M [m sqrt(kg)] under those loads: what lies far beyond was not measured.
        sudden: the largest error of the chosen size where loads that come at once take the solid, twice as far, and in
            the vibrations that they set going.
        inverted: share of the volume that the states it was grown and measured on turn inside out, at most.
        far: the largest error of the chosen size at rest under loads twice as large.
    """

    size: int
    tolerance: float
    sizes: Ids
    errors: Array
    reach: float = np.inf
    inverted: float = 0.0
    sudden: float = 0.0
    far: float = 0.0

    @property
    def trusted(self) -> float:
        """|U q|_M up to which motion errs by WITHIN tolerances at most: errors grow about as motion does."""
        within, beyond = (FINE_WITHIN, FINE_BEYOND) if self.tolerance < FINE else (WITHIN, BEYOND)
        at_reach = 0.5 * self.far if self.far > 0 else self.error
        times = within * self.tolerance / at_reach if at_reach > 0 else beyond
        return self.reach * min(beyond, max(1.0, times))

    @property
    def error(self) -> float:
        """The largest error of the chosen size."""
        return float(self.worst[np.searchsorted(self.sizes, self.size)])

    @property
    def reached(self) -> float:
        """The tolerance that is met: `error`, and a GRACE-th of `sudden`, are within it."""
        return max(self.error, self.sudden / GRACE)

    @property
    def meets(self) -> bool:
        """The tolerance, and GRACE times it where loads go that come at once."""
        return self.reached <= self.tolerance

    @property
    def far_off(self) -> bool:
        """Whether GRACE times the tolerance is not met either: what was asked for cannot be had."""
        return self.reached > GRACE * self.tolerance

    @property
    def worst(self) -> Array:
        """The largest error of every size (k,)."""
        return self.errors.max(axis=1, initial=0.0)

    def warn_if_crushed(self, law: type[Material], stacklevel: int = 2) -> None:
        """Say so in a warning where the loads turn cells inside out."""
        if self.inverted > 0:
            warnings.warn(
                f"the loads that the basis was chosen for turn {self.inverted:.2g} of the volume inside out; "
                f"{against_crushing(law)}",
                PliantWarning,
                stacklevel + 1,
            )

    def warn_if_short(self, stacklevel: int = 2, remedy: str = "cut the solid into parts") -> None:
        """Say so in a warning where the tolerance is not met, and what to do: last of all the remedy."""
        if self.meets:
            return
        if self.error > self.tolerance:
            said = f"{self.size} vectors leave an estimated error of {self.error:.2g}, above the tolerance of "
            said += f"{self.tolerance:g}"
        else:
            said = f"{self.size} vectors are within {self.tolerance:g} under the loads that they were measured with, "
            said += f"and leave an estimated error of {self.sudden:.2g} where loads come at once, and go twice as far"
        said += f"; allow more with most=, give the loads= that act, or {remedy}"
        warnings.warn(said, PliantWarning, stacklevel + 1)

    def arrays(self) -> dict[str, Array]:
        """For files."""
        asked = np.array([self.size, self.tolerance, self.reach, self.inverted, self.sudden, self.far])
        return {"asked": asked, "sizes": self.sizes, "errors": self.errors}

    @classmethod
    def of_arrays(cls, arrays: dict[str, Array]) -> Self:
        """As it was when `arrays` were made of it."""
        size, tolerance, *others = arrays["asked"].tolist()
        return cls(int(size), tolerance, arrays["sizes"].astype(np.int64), arrays["errors"], *others)

    def __repr__(self) -> str:
        return f"SizeReport({self.size} vectors, error {self.error:.2g}, tolerance {self.tolerance:g})"

    def __str__(self) -> str:
        rows = [f"{size:7d}  {100 * worst:5.2f} %" for size, worst in zip(self.sizes, self.worst, strict=True)]
        return "\n".join(["vectors  largest error", *rows])
