"""A basis from loads that a user sketched: static solutions, thinned, through a mass-PCA ([SI05] section 5.2)."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import ArrayLike

from pliant.basis.basis import Basis
from pliant.basis.columns import as_columns
from pliant.basis.mass_pca import mass_pca
from pliant.basis.response import StaticResponse
from pliant.errors import ArgumentError, Array, BasisError, Diverged, Ids, PliantWarning, check_count, check_number
from pliant.fem import Solid, solve_static
from pliant.numerics import factor_with_one_thread
from pliant.numerics.progress import Progress, report


def sketch_basis(
    solid: Solid,
    loads: ArrayLike,
    size: int | None = None,
    spacing: float = 0.05,
    workers: int | None = None,
    progress: Progress = None,
) -> Basis:
    """Mass-PCA of the static solutions of recorded loads.

    Args:
        loads: (3n, s), (s, 3n) or (s, n, 3) [N].
        size: r; None keeps every direction.
        spacing: loads whose linear responses, and then solutions that, are nearer to an earlier one than this part
            of the larger of the two (in the mass norm) are dropped. 0 keeps all.
        workers: threads that solve; None: one a core. The result does not depend on it.
        progress: called with a stage and the fraction of it that is done.

    Raises:
        BasisError: no load has a static solution, or the solutions span fewer than `size` directions.
    """
    spacing = check_number("spacing", spacing, at_least=0, at_most=1)
    forces = as_columns(solid, "loads", loads)
    if not len(solid.fixed):
        raise ArgumentError("a free solid carries no static load; give fixed= to Solid, or use pl.modal_basis")
    forces = forces[:, thinned(solid, StaticResponse(solid).solve(forces), spacing)]
    solutions = [u for u in _static_solutions(solid, forces, workers, progress) if u is not None]
    if lost := forces.shape[1] - len(solutions):
        warnings.warn(f"{lost} of {forces.shape[1]} loads have no static solution and are left out", PliantWarning, 2)
    if not solutions:
        raise BasisError("no load has a static solution; are they too large for the material?")
    u = np.stack(solutions, axis=1)
    return Basis(*mass_pca(solid, u[:, thinned(solid, u, spacing)], size))


def thinned(solid: Solid, columns: Array, spacing: float) -> Ids:
    """Which columns (3n, s) stay when each must keep its distance from all that stay before it; zeros never do."""
    G = columns.T @ (solid.mass @ columns)
    squares = np.diag(G)
    near = squares[:, None] + squares - 2 * G <= spacing**2 * np.maximum.outer(squares, squares)
    kept: list[int] = []
    for i in np.flatnonzero(squares > 0):
        if not near[i, kept].any():
            kept.append(int(i))
    return np.array(kept, dtype=np.int64)


def _static_solutions(solid: Solid, forces: Array, workers: int | None, progress: Progress) -> Iterator[Array | None]:
    """One solution a load, in order.

    Every solve starts from rest on one core, so none depends on which worker did what before. Threads are as quick
    as processes here: assembly and factorisation run outside Python's lock.
    """
    workers = None if workers is None else check_count("workers", workers)
    with ThreadPoolExecutor(workers or os.cpu_count(), initializer=factor_with_one_thread) as pool:
        for done, u in enumerate(pool.map(lambda load: _solve_or_none(solid, load), forces.T), 1):
            report(progress, "static solutions", done / forces.shape[1])
            yield u


def _solve_or_none(solid: Solid, load: Array) -> Array | None:
    try:
        return solve_static(solid, load)
    except Diverged:
        return None
