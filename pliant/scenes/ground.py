"""The plane that a thing stands on: level, or leant by a little where its feet ask for that.

    height of X above it = -s X_axis - slopes . X_across,   s = -1 where down is against the axis, 1 where along

A thing stands on the facet of its convex hull that its centre is above.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from pliant.errors import Array

LEANING = np.cos(np.radians(15.0))
FLAT = 1e-9


@dataclass(frozen=True)
class Ground:
    """Where heights are measured from, but for a constant.

    Attributes:
        axis, sign: the axis that points down, and whether along (1) or against it (-1).
        slopes: of the ground, along the two other axes.
    """

    axis: int
    sign: int
    slopes: tuple[float, float] = (0.0, 0.0)

    def heights(self, X: Array) -> Array:
        """(n,) of X (n, 3)."""
        return -self.sign * X[:, self.axis] - self.across(X) @ np.array(self.slopes)

    def across(self, X: Array) -> Array:
        """(n, 2) of X (n, 3)."""
        return np.delete(X, self.axis, axis=1)

    def below(self, X: Array, level: float) -> Array:
        """(n,) which of X (n, 3) are below a level, which is a share of their height."""
        heights = self.heights(X)
        return heights <= heights.min() + level * np.ptp(heights)

    def selection(self, X: Array, level: float) -> str:
        """Those of X (n, 3) below a level, which is a share of their height."""
        heights = self.heights(X)
        low, size = float(heights.min()), float(np.ptp(heights))
        across = [name for number, name in enumerate("xyz") if number != self.axis]
        leant = [f" {'+-'[self.sign * c > 0]} {abs(c):.6g}*{name}" for c, name in zip(self.slopes, across) if c]
        relation = "<" if self.sign < 0 else ">"
        return f"{'xyz'[self.axis]} {relation} {said(-self.sign * (low + level * size), size)}{''.join(leant)}"

    def leant(self, X: Array) -> "Ground":
        """As the facet of the convex hull of X (n, 3) that their centre is above; itself where that is too steep."""
        try:
            facets = ConvexHull(X).equations
        except (QhullError, ValueError):
            return self
        down = self.sign * facets[:, self.axis]
        ways = np.where(down > FLAT, -(facets[:, :3] @ X.mean(axis=0) + facets[:, 3]) / np.maximum(down, FLAT), np.inf)
        facet = int(np.argmin(ways))
        if down[facet] < LEANING:
            return self
        one, other = np.delete(facets[facet, :3], self.axis) / down[facet]
        return Ground(self.axis, self.sign, (float(f"{one:.6g}"), float(f"{other:.6g}")))


def said(x: float, size: float) -> str:
    """With as many digits as tell apart what is a hundred thousandth of the size."""
    digits = 6 + max(0, int(np.ceil(np.log10(max(abs(x), size) / size))))
    return f"{x:.{digits}g}"
