"""What a reduced internal force is to compiled code: a named tuple, and one function chosen by its type.

All of W, f and K at q come as one array, the jet (n, pitch) with n = r + 1, a lower triangle, zero above the diagonal:

    jet[0, 0] = W [J],   jet[j, 0] = f_j,   L = jet[1:, 1:],   K = L + L^T

Coordinates come as z = (1, q) padded by zeros to whole lanes, so that its lanes and those of the jet's rows agree.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import DTypeLike

from pliant.errors import Array, Ids
from pliant.numerics.opaque import Opaque, opaque, read
from pliant.numerics.simd16 import WIDTH
from pliant.numerics.specialisation import specialised
from pliant.reduced.groups import Groups

PAGE = 4096


def jet_at(force, z, jet):
    """Write the jet (n * pitch,) of `force` at z (pitch,). Each force model supplies its own by `implements`."""
    raise NotImplementedError


@specialised
def evaluate(force, z, jet):
    """`jet_at` for callers that are not compiled."""
    jet_at(force, z, jet)


@specialised
def _read_jet(place, z, jet):
    jet_at(read(place), z, jet)


def law_of(force: Any, dtype: DTypeLike) -> Opaque:
    """A compiled force for loops that take any: `call(law, z, jet)` is `jet_at(force, z, jet)`. Keep the force."""
    return opaque(_read_jet, force, np.zeros(0, dtype), np.zeros(0, dtype))


def slab(sizes: Sequence[int], dtype: DTypeLike) -> list[Array]:
    """Zeros of these lengths, one after the other from the start of a memory page.

    Vectors that straddle two cache lines cost twice, and stores delay loads whose addresses agree modulo a page: arrays
    used together lie at fixed distances, so that speed does not depend on where the allocator puts them.
    """
    lengths = [(size * np.dtype(dtype).itemsize + 63) // 64 * 64 for size in sizes]
    workspace = np.zeros(sum(lengths) + PAGE, dtype=np.uint8)
    starts = -workspace.ctypes.data % PAGE + np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(int)
    return [workspace[start : start + length].view(dtype)[:size] for start, length, size in zip(starts, lengths, sizes)]


def aligned(size: int, dtype: DTypeLike) -> Array:
    """Zeros (size,) at the start of a memory page."""
    return slab([size], dtype)[0]


def pitch_of(n: int) -> int:
    """Length of z and of a jet's rows: n rounded up to whole lanes."""
    return (n + WIDTH - 1) // WIDTH * WIDTH


def padded(q: Array, first: float, dtype: DTypeLike) -> Array:
    """(first, q) padded by zeros to whole lanes, (pitch,)."""
    z = aligned(pitch_of(len(q) + 1), dtype)
    z[0], z[1 : len(q) + 1] = first, q
    return z


def lower_rows(K: Array, dtype: DTypeLike) -> Array:
    """A symmetric matrix (r, r) as rows (n * pitch,) of L, with K = L + L^T, row and column 0 empty."""
    n = len(K) + 1
    rows = aligned(n * pitch_of(n), dtype)
    rows.reshape(n, -1)[1:, 1:n] = np.tril(K) - 0.5 * np.diag(np.diag(K))
    return rows


class Force(ABC):
    """A reduced internal force. Immutable.

    Attributes:
        kind: its name in `reduce` and in files.
        lasting: whether K of `shared` is kept until another is wished for.
    """

    kind: ClassVar[str]
    lasting: ClassVar[bool] = False

    def __repr__(self) -> str:
        return f"{type(self).__name__}(r={self.size})"

    @property
    @abstractmethod
    def size(self) -> int:
        """r."""

    @abstractmethod
    def compiled(self, dtype: DTypeLike = np.float64) -> Any:
        """The named tuple that `jet_at` takes, with work space of its own."""

    def shared(self, renew: Ids, dtype: DTypeLike = np.float64) -> Any:
        """As `compiled`, for loops that iterate to convergence: K may be of an earlier state, where that is cheaper.

        Args:
            renew: (1,) not 0: the next K shall be of the moment; it then becomes 0.
        """
        return self.compiled(dtype)

    @abstractmethod
    def truncate(self, size: int) -> Force:
        """The force in the first `size` coordinates."""

    @abstractmethod
    def with_groups(self, groups: Groups) -> Force:
        """The force for other constants of the material groups."""

    @abstractmethod
    def arrays(self) -> dict[str, Array]:
        """What a file keeps of it."""

    def jet(self, q: Array) -> Array:
        """W, f and K at q as rows (n, n) of the jet."""
        n = self.size + 1
        rows = aligned(n * pitch_of(n), np.float64)
        evaluate(self._own_tuple(), padded(q, 1.0, np.float64), rows)
        return rows.reshape(n, -1)[:, :n]

    def _own_tuple(self) -> Any:
        """The compiled force of the calling thread: its work space must not be shared."""
        if not hasattr(self._threads, "force"):
            self._threads.force = self.compiled()
        return self._threads.force

    @cached_property
    def _threads(self) -> threading.local:
        return threading.local()
