"""The points that training has chosen so far: their columns, the normal equations, and non-negative weights.

min |sum_e w_e A_e - b| over the fitted rows,   w >= 0
"""

import numpy as np
from numpy.typing import NDArray

from pliant.errors import Array, Ids
from pliant.reduced.nnls import nnls_gram


class ChosenPoints:
    """Grows and shrinks in place: the columns are the bulk of what training moves through memory.

    Attributes:
        points: (k,).
        w: their weights (k,).
        left: b minus the weighted sum of the columns, in all rows.
    """

    def __init__(self, target: Array, fitted: int):
        self._target, self._fitted = target, fitted
        self._columns = np.empty((64, len(target)))
        self._gram, self._right = np.empty((0, 0)), np.empty(0)
        self.points, self.w, self.left = np.empty(0, dtype=np.int64), np.empty(0), target.copy()

    def __len__(self) -> int:
        return len(self.points)

    def add(self, points: Ids, columns: Array) -> None:
        """Take new points (j,) with columns (j, rows) in, weigh all anew, and let go of those without weight."""
        k, rows = len(self), slice(0, self._fitted)
        across = self._columns[:k, rows] @ columns[:, rows].T
        self._gram = np.block([[self._gram, across], [across.T, columns[:, rows] @ columns[:, rows].T]])
        self._right = np.concatenate([self._right, columns[:, rows] @ self._target[rows]])
        self.points = np.concatenate([self.points, points])
        if len(self) > len(self._columns):
            self._columns = np.concatenate([self._columns, np.empty_like(self._columns)])
        self._columns[k : len(self)] = columns
        self.w = nnls_gram(self._gram, self._right, np.concatenate([self.w, np.zeros(len(points))]))
        self._let_go(self.w > 0)
        self.left = self._target - self.w @ self._columns[: len(self)]

    def _let_go(self, kept: NDArray[np.bool_]) -> None:
        """Keep some; the last ones move to where others were."""
        count = int(kept.sum())
        order = np.arange(count)
        holes = np.flatnonzero(~kept[:count])
        order[holes] = count + np.flatnonzero(kept[count:])
        self._columns[holes] = self._columns[order[holes]]
        self.points, self.w, self._right = self.points[order], self.w[order], self._right[order]
        self._gram = self._gram[np.ix_(order, order)]
