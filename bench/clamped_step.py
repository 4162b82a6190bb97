"""One implicit step of a reduced StVK body against the textbook way, and against the limits of the core.

Textbook, as in the C++ library of [SI05]: packed force coefficients over all monomials up to degree three and packed
stiffness coefficients over all up to degree two, one BLAS gemv each, and a LAPACK Cholesky solve. Both take one Newton
iteration from q + dt v with Rayleigh damping, inside compiled code, from the same tensors; the states they reach are
compared. Ours also watches its energy and its cells. Run it with OPENBLAS_NUM_THREADS=1.
"""

import ctypes
import time

import numpy as np
from numba import njit
from numba.extending import get_cython_function_address

from bench.timing import table
from pliant.numerics.simd16 import fma, load, store
from pliant.reduced.force import aligned, law_of, padded
from pliant.reduced.jet import quartic
from pliant.reduced.packing import coefficient_count, repeats
from pliant.reduced.strain import coefficients
from pliant.systems.clamped.guard import Guard
from pliant.systems.clamped.newmark import single_iterations, step_constants, step_workspace
from pliant.systems.energy_watch import energy_watch
from pliant.systems.strain_points import strain_points

SIZES = {4: 1.0, 8: 1.0, 12: 2.5, 20: 1.0, 30: 4.0, 60: 3.0}  # r, and the ratio asked for
DT, ALPHA, BETA = 0.01, 0.1, 0.001
AGREE = 1e-9


def _foreign(module: str, name: str, arguments: int):
    address = get_cython_function_address(f"scipy.linalg.{module}", name)
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * arguments)(address)


dgemv, dposv = _foreign("cython_blas", "dgemv", 11), _foreign("cython_lapack", "dposv", 8)


@njit(nogil=True)
def textbook_steps(count, forces, stiffnesses, constant, M, c, load, q, v, a, work):
    """`count` steps; forces (monomials, r), stiffnesses (r + m, m) and constant (m,), m = r(r+1)/2."""
    monomials, f, packed, A, C, b, ints, floats, letters = work
    r, m = len(q), len(constant)
    a1, a4, alpha, beta, dt = c
    for _ in range(count):
        for i in range(r):
            q[i] += dt * v[i]
        at = 0
        for i in range(r):
            monomials[at] = q[i]
            at += 1
        for i in range(r):
            for j in range(i, r):
                monomials[at] = q[i] * q[j]
                at += 1
        for i in range(r):
            for j in range(i, r):
                product = q[i] * q[j]
                for k in range(j, r):
                    monomials[at] = product * q[k]
                    at += 1
        ints[0], ints[1], ints[2], ints[3], ints[4] = r, at, 1, m, r + m
        dgemv(letters.ctypes, ints.ctypes, ints[1:].ctypes, floats.ctypes, forces.ctypes, ints.ctypes,
              monomials.ctypes, ints[2:].ctypes, floats[1:].ctypes, f.ctypes, ints[2:].ctypes)  # fmt: skip
        packed[:] = constant
        dgemv(letters.ctypes, ints[3:].ctypes, ints[4:].ctypes, floats.ctypes, stiffnesses.ctypes, ints[3:].ctypes,
              monomials.ctypes, ints[2:].ctypes, floats.ctypes, packed.ctypes, ints[2:].ctypes)  # fmt: skip
        at = 0
        for i in range(r):
            for j in range(i, r):
                A[i, j] = A[j, i] = packed[at]
                at += 1
        for i in range(r):
            for j in range(r):
                C[i, j] = alpha * M[i, j] + beta * A[i, j]
        for i in range(r):
            total = 0.0
            for j in range(r):
                total += C[i, j] * v[j] - M[i, j] * a[j]
            b[i] = load[i] - f[i] - total
        for i in range(r):
            for j in range(r):
                A[i, j] += a1 * M[i, j] + a4 * C[i, j]
        dposv(letters[1:].ctypes, ints.ctypes, ints[2:].ctypes, A.ctypes, ints.ctypes, b.ctypes, ints.ctypes,
              ints[5:].ctypes)  # fmt: skip
        for i in range(r):
            q[i], v[i], a[i] = q[i] + b[i], v[i] + a4 * b[i], a1 * b[i] - a[i]


def random_quartic(r: int) -> np.ndarray:
    """Coefficients of the energy of a random sum of squares of strains, so W is never negative."""
    n, rng = r + 1, np.random.default_rng(r)
    m = n * (n + 1) // 2
    B = rng.standard_normal((min(2 * m, 600), m)) * 0.3
    quadratic = [j * (j + 1) // 2 for j in range(n)]
    B[:, quadratic] *= 20.0
    B[:, 0] = 0.0
    return coefficients(B.T @ B / len(B), n, np.empty(coefficient_count(n)))


@njit
def _tensor(c, starts, i, j, k, l):
    """The fully symmetric tensor of the homogeneous quartic at any indices."""
    for _ in range(3):
        i, j = min(i, j), max(i, j)
        j, k = min(j, k), max(j, k)
        k, l = min(k, l), max(k, l)
    return c[starts[k, l] + j * (j + 1) // 2 + i] * repeats(i, j, k, l)


@njit
def textbook_tables(c, r):
    """Force, stiffness and constant tables of the textbook from the quartic."""
    n, m = r + 1, r * (r + 1) // 2
    starts = np.zeros((n, n), dtype=np.int64)
    at = 0
    for k in range(n):
        for l in range(k, n):
            starts[k, l] = at
            at += (k + 1) * (k + 2) // 2
    forces = np.empty((r + m + r * (r + 1) * (r + 2) // 6, r))
    stiffnesses, constant = np.empty((r + m, m)), np.empty(m)
    for i in range(r):
        for s in range(r):
            forces[i, s] = _tensor(c, starts, 0, 0, i + 1, s + 1) / 2
    pair, triple = 0, r + m
    for i in range(r):
        for j in range(i, r):
            half = 0.5 if i == j else 1.0
            constant[pair] = _tensor(c, starts, 0, 0, i + 1, j + 1) / 2
            for s in range(r):
                forces[r + pair, s] = half * _tensor(c, starts, 0, i + 1, j + 1, s + 1)
                stiffnesses[s, pair] = _tensor(c, starts, 0, i + 1, j + 1, s + 1)
            other = 0
            for k in range(r):
                for l in range(k, r):
                    stiffnesses[r + pair, other] = half * _tensor(c, starts, i + 1, j + 1, k + 1, l + 1)
                    other += 1
            for k in range(j, r):
                for s in range(r):
                    value = _tensor(c, starts, i + 1, j + 1, k + 1, s + 1)
                    forces[triple, s] = value / repeats(-1, i, j, k)
                triple += 1
            pair += 1
    return forces, stiffnesses, constant


class Textbook:
    def __init__(self, c: np.ndarray, r: int):
        self.tables = textbook_tables(c, r)
        self.M, self.load, self.constants = (
            np.eye(r),
            np.ones(r),
            tuple(step_constants(DT, ALPHA, BETA, np.float64)),
        )
        self.q, self.v, self.a = 0.1 * np.random.default_rng(1).standard_normal(r), np.zeros(r), np.zeros(r)
        sizes = (len(self.tables[0]), r, len(self.tables[2]))
        room = [np.zeros(size) for size in sizes] + [np.zeros((r, r)), np.zeros((r, r)), np.zeros(r)]
        letters = np.frombuffer(b"NU" + bytes(6), np.uint8).copy()
        self.work = (*room, np.zeros(8, np.int32), np.array([1.0, 0.0]), letters)

    def step(self, count: int) -> None:
        textbook_steps(count, *self.tables, self.M, self.constants, self.load, self.q, self.v, self.a, self.work)


class Ours:
    def __init__(self, c: np.ndarray, r: int, dtype: type):
        self.force, self.work = quartic(c, r + 1, np.dtype(dtype)), step_workspace(np.eye(r), dtype, strain_points([]))
        self.law = law_of(self.force, dtype)
        self.constants, self.load = step_constants(DT, ALPHA, BETA, dtype), padded(np.ones(r), 0, dtype)
        start = 0.1 * np.random.default_rng(1).standard_normal(r)
        self.state, self.limit = (
            (padded(start, 1, dtype), *(padded(np.zeros(r), 0, dtype) for _ in range(2))),
            dtype(1e9),
        )
        self.q = self.state[0][1 : r + 1]
        kept, cells = np.zeros((5, len(self.load)), dtype), 64
        slopes = np.random.default_rng(2).standard_normal((r, 9 * cells))
        room = (slopes, cells, np.zeros(9 * cells))
        watch = (energy_watch(np.inf), np.zeros(1), np.zeros(5, np.int64), kept, kept.copy())
        self.guard = Guard(*watch, np.eye(r, dtype=dtype), cells, np.inf, *room)

    def step(self, count: int) -> None:
        arguments = (self.load, self.constants, self.limit, *self.state, self.work, self.guard, count)
        assert single_iterations(self.law, *arguments) == count

    @property
    def bytes(self) -> int:
        return self.force.table.nbytes

    @property
    def multiply_adds(self) -> float:
        """Of the contraction and the elimination, padding not counted."""
        n = self.force.n
        pairs, triples = n * (n + 1) / 2, n * (n + 1) * (n + 2) / 6
        contraction = 3 * coefficient_count(n) + 3 * triples if self.force.block else pairs**2
        return contraction + n**3 / 6 + 4 * n**2


@njit
def _multiply_add(count, x):
    a, b = load(x, 0), load(x, 16)
    s, t, u, v = load(x, 32), load(x, 48), load(x, 64), load(x, 80)
    for _ in range(count):
        s, t, u, v = fma(s, a, b), fma(t, a, b), fma(u, a, b), fma(v, a, b)
    store(x, 0, fma(s, t, fma(u, v, a)))


@njit
def _read(count, x):
    s = t = u = v = load(x, 0)
    for _ in range(count):
        for i in range(0, len(x) - 63, 64):
            s, t = fma(s, s, load(x, i)), fma(t, t, load(x, i + 16))
            u, v = fma(u, u, load(x, i + 32)), fma(v, v, load(x, i + 48))
    store(x, 0, fma(s, t, fma(u, v, s)))


def multiply_add_rate(dtype: type) -> float:
    """Multiply-adds a second of the core, from registers."""
    x = aligned(128, dtype)
    return 10_000 * 64 / _best(lambda: _multiply_add(10_000, x))


def read_rate(size: int) -> float:
    """Bytes a second that the core reads again and again from an array of `size` bytes."""
    x = aligned(max(size // 8, 1024), np.float64)
    count = max(1, 2_000_000 // x.nbytes)
    return count * x.nbytes / _best(lambda: _read(count, x))


def _best(run, rounds: int = 15) -> float:
    run()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def race(r: int, rounds: int = 120) -> dict[str, object]:
    """One row of the table: best times of a step, contestants taking turns."""
    c = random_quartic(r)
    runners = {"textbook": Textbook(c, r), "ours": Ours(c, r, np.float64), "float32": Ours(c, r, np.float32)}
    for runner in runners.values():
        runner.step(3)
    gap = np.abs(runners["ours"].q - runners["textbook"].q).max() / np.abs(runners["textbook"].q).max()
    assert gap < AGREE, f"r = {r}: the two steps differ by {gap:.1e}"
    count = max(8, 60_000 // r**2)
    best = dict.fromkeys(runners, float("inf"))
    for _ in range(rounds if r < 60 else rounds // 3):
        for name, runner in runners.items():
            start = time.perf_counter()
            runner.step(count)
            best[name] = min(best[name], (time.perf_counter() - start) / count)
    ours = runners["ours"]
    return {
        "r": r,
        "textbook us": 1e6 * best["textbook"],
        "ours us": 1e6 * best["ours"],
        "ratio": best["textbook"] / best["ours"],
        "asked": SIZES[r],
        "float32 us": 1e6 * best["float32"],
        "ratio 32": best["textbook"] / best["float32"],
        "% of memory limit": 100 * ours.bytes / read_rate(ours.bytes) / best["ours"],
        "% of arithmetic limit": 100 * ours.multiply_adds / multiply_add_rate(np.float64) / best["ours"],
    }


def main() -> None:
    rates = [multiply_add_rate(dtype) / 1e9 for dtype in (np.float64, np.float32)]
    reads = [read_rate(size) / 1e9 for size in (16_000, 400_000, 5_000_000)]
    print(f"core: {rates[0]:.0f} / {rates[1]:.0f} G multiply-adds a second in float64 / float32;", end=" ")
    print(f"reads {reads[0]:.0f} / {reads[1]:.0f} / {reads[2]:.0f} GB/s from 16 kB / 400 kB / 5 MB")
    print(table([race(r) for r in SIZES]))
    print("asked of float32: 6 at r = 30, against the float64 textbook")


if __name__ == "__main__":
    main()
