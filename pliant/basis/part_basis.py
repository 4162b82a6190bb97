"""The basis of one part of a tree: exactly as many vectors as it was given, from however many modes that takes."""

from collections.abc import Sequence

import numpy as np

from pliant.basis.attachment import attachment_modes, in_order
from pliant.basis.basis import Basis, check_solid
from pliant.basis.modal import modal_basis
from pliant.basis.vibration import RIGID, vibration_modes
from pliant.errors import BasisError, Ids, check_count
from pliant.fem import Solid
from pliant.numerics.progress import Progress


def part_basis(
    solid: Solid,
    size: int,
    modes: int | None = None,
    interfaces: Sequence[Ids] = (),
    progress: Progress = None,
    share: float = 1.0,
) -> Basis:
    """`size` vectors: attachment modes of the interfaces first, then vibration modes and derivatives by importance.

    Args:
        modes: k; None: size // 2 + 1. A small or symmetric part, which they do not span enough in, takes more.
        interfaces: vertices of each place where another part stands and that is to have attachment modes.
        share: of the vectors, what attachment modes may take at most; more are thinned by a mass-PCA.
    """
    capacity = span_limit(check_solid(solid).mesh.vertex_count, len(solid.fixed))
    size = check_count("size", size, at_most=capacity)
    k = min(capacity, size // 2 + 1 if modes is None else check_count("modes", modes))
    basis = _spanning(solid, size, k, capacity, progress)
    if not interfaces:
        return basis
    first = attachment_modes(solid, interfaces, max(1, int(share * size)))
    return Basis(in_order(solid, np.hstack([first, basis.vectors]), size), frequencies=basis.frequencies)


def span_limit(vertex_count: int, fixed_count: int) -> int:
    """The most vectors that a basis of a solid can have: its free dofs, less six if nothing holds it."""
    return 3 * (vertex_count - fixed_count) - (RIGID if fixed_count == 0 else 0)


def _spanning(solid: Solid, size: int, modes: int, capacity: int, progress: Progress) -> Basis:
    while modes < capacity:
        try:
            return modal_basis(solid, modes, size, progress=progress).truncate(size)  # measured as part of a whole
        except BasisError:
            modes = min(capacity, modes + max(1, modes // 2))
    full = vibration_modes(solid, capacity)
    return Basis(full.vectors[:, :size], frequencies=full.frequencies)
