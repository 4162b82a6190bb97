"""Sparse Cholesky and LDL^T by Intel's PARDISO, through the library that the package pypardiso finds.

pypardiso's own solver hashes or compares the whole matrix at every solve; here only its library handle is used.
"""

import ctypes
import os
import weakref
from functools import cache
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from pliant.errors import Array, Ids, MissingPackage, SingularMatrix
from pliant.numerics.sparse_factor import Factor

CHOLESKY, INDEFINITE = 2, -2  # PARDISO's mtype
ANALYSE, REFACTOR, SOLVE, RELEASE = 11, 22, 33, -1  # PARDISO's phase
OUT_OF_MEMORY = -2


@cache
def _load_library() -> Any:
    # By default MKL's idle threads spin for 0.2 s after each call and starve those of numpy.
    os.environ.setdefault("KMP_BLOCKTIME", "0")
    found = _installed_library()
    if found is not None:
        os.environ.setdefault("PYPARDISO_MKL_RT", found)
    try:
        from pypardiso import PyPardisoSolver

        return PyPardisoSolver().libmkl
    except (ImportError, OSError, AttributeError):
        return None


def _installed_library() -> str | None:
    """Where the package mkl put it; pypardiso would look at every file of the environment, for seconds, and twice."""
    try:
        places = [Path(file.locate()) for file in files("mkl") or () if "mkl_rt" in file.name]
    except PackageNotFoundError:
        return None
    return next((str(place) for place in places if place.is_file()), None)


def mkl_library(required: bool = False) -> Any:
    """MKL with its function `pardiso` declared, or None where it cannot be loaded."""
    library = _load_library()
    if library is None and required:
        raise MissingPackage("pypardiso", "fast", 'backend="pardiso"')
    return library


def factor_with_one_thread() -> None:
    """Factors made by the calling thread use one core from now on: for the workers of a pool, which share the cores."""
    library = _load_library()
    if library is not None:
        library.MKL_Set_Num_Threads_Local(1)


class PardisoFactor(Factor):
    """Upper triangle in zero-based CSR, METIS order, no iterative refinement inside (the interface does its own)."""

    def __init__(self, A: sp.csr_matrix, definite: bool, library: Any):
        self._library = library
        self._type = CHOLESKY if definite else INDEFINITE
        self._handle = np.zeros(64, dtype=np.int64)
        self._options = _options(definite)
        self._release = weakref.finalize(self, _release, library, self._handle, self._type, self._options, A.shape[0])
        super().__init__(A)

    def close(self) -> None:
        self._release()

    def _analyse(self, A: sp.csr_matrix) -> None:
        self._starts, self._columns, self._source = _upper_pattern(A)
        self._load(A)
        self._call(ANALYSE)

    def _refactor(self, A: sp.csr_matrix) -> None:
        self._load(A)
        self._call(REFACTOR)

    def _load(self, A: sp.csr_matrix) -> None:
        self._numbers = np.append(A.data, 0.0)[self._source]

    def _substitute(self, b: Array) -> Array:
        columns = np.asfortranarray(b)
        x = np.empty_like(columns)
        self._call(SOLVE, columns, x, 1 if b.ndim == 1 else b.shape[1])
        return x

    def _call(self, phase: int, b: Array | None = None, x: Array | None = None, count: int = 1) -> None:
        n = len(self._starts) - 1
        arrays = (self._numbers, self._starts, self._columns)
        code = _pardiso(self._library, self._handle, self._type, phase, n, arrays, count, self._options, b, x)
        if code == OUT_OF_MEMORY:
            raise MemoryError(f"PARDISO ran out of memory with {n} unknowns")
        if code != 0:
            kind = "not positive definite" if self._type == CHOLESKY else "singular"
            raise SingularMatrix(f"the matrix is {kind} (PARDISO code {code}); is a part of the body unsupported?")


def _options(definite: bool) -> np.ndarray:
    """PARDISO's iparm; numbers in comments are those of Intel's manual."""
    iparm = np.zeros(64, dtype=np.int32)
    iparm[0] = 1  # iparm(1): these values count, not the defaults
    iparm[1] = 2  # iparm(2): METIS nested dissection
    iparm[34] = 1  # iparm(35): zero-based indices
    if definite:
        iparm[23] = 1  # iparm(24): two-level factorisation, about a quarter faster on two cores
    else:
        iparm[9] = 8  # iparm(10): tiny pivots are replaced by 1e-8 |A|; refinement repairs the solution
        iparm[10] = iparm[12] = 1  # iparm(11), (13): scaling and weighted matching, for saddle points
        iparm[20] = 1  # iparm(21): Bunch-Kaufman pivots
    return iparm


def _upper_pattern(A: sp.csr_matrix) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row starts and columns of the upper triangle with a full diagonal, and where in [A.data, 0] its numbers are."""
    n = A.shape[0]
    rows = np.repeat(np.arange(n), np.diff(A.indptr))
    upper = np.flatnonzero(A.indices >= rows)
    missing = np.setdiff1d(np.arange(n), rows[A.indices == rows], assume_unique=True)
    rows, columns = np.append(rows[upper], missing), np.append(A.indices[upper], missing)
    source = np.append(upper, np.full(len(missing), A.nnz))
    if len(missing):
        order = np.lexsort((columns, rows))
        rows, columns, source = rows[order], columns[order], source[order]
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))])
    return starts.astype(np.int32), columns.astype(np.int32), source


def _pardiso(
    library: Any,
    handle: Ids,
    kind: int,
    phase: int,
    n: int,
    arrays: tuple[Any, Any, Any],
    count: int,
    options: Any,
    b: Array | None = None,
    x: Array | None = None,
) -> int:
    """pardiso(pt, maxfct, mnum, mtype, phase, n, a, ia, ja, perm, nrhs, iparm, msglvl, b, x, error) of MKL."""

    def number(value):
        return ctypes.byref(ctypes.c_int32(value))

    def pointer(array, kind=ctypes.c_int32):
        return None if array is None else array.ctypes.data_as(ctypes.POINTER(kind))

    error = ctypes.c_int32(0)
    a, starts, columns = arrays
    head = (pointer(handle, ctypes.c_int64), number(1), number(1), number(kind), number(phase), number(n))
    matrix = (pointer(a, ctypes.c_double), pointer(starts), pointer(columns), None)
    sides = (pointer(b, ctypes.c_double), pointer(x, ctypes.c_double))
    library.pardiso(*head, *matrix, number(count), pointer(options), number(0), *sides, ctypes.byref(error))
    return error.value


def _release(library: Any, handle: Ids, kind: int, options: Any, n: int) -> None:
    _pardiso(library, handle, kind, RELEASE, n, (None, None, None), 1, options)
