"""The momentum of free nonlinear seams, kept to rounding: P and L are state, and velocities follow them.

    P = J_P v,  L = J_L(q) v = int rho x x x',   h += dt/2 (outside wrench at both ends of the step)
    v += Z (J Z)^-1 (h - J v),   Z: velocities e_k and e_k x A(q) X, which the columns span; A the affine fit of x

Newmark's mean acceleration keeps P alone. L would drift by the error of the step, which is of second order, and where
the body bends, since the columns do not span e_k x x there. For the same reason M Z is not J^T then, and keeping L does
some work: 1e-4 of that of a turned interface, whatever dt is. (Without it energy agrees with work to second order:
6.7e-5, 1.7e-5 and 4.3e-6 of it as dt is halved.) The wrench of a load f is J M^-1 f: its power on what the columns have
of a rigid motion.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array, Ids
from pliant.numerics.dot import dot
from pliant.systems.seams.fronts import Fronts, eliminate_again, solve_again
from pliant.systems.seams.nonlinear_parts import NonlinearParts


class MomentumConstants(NamedTuple):
    """Attributes:
    N: (3, size) of P. H: the tensors (3, 1 + r, r) of L of the parts, flat, from H_at on; reads, reads_at: theirs.
    shifts: (3, size) coordinates of e_k. fields: (3, 3, size) of X_b e_a. fit: (3, 3, size) of A - 1.
    """

    N: Array
    H: Array
    H_at: Ids
    reads: Ids
    reads_at: Ids
    shifts: Array
    fields: Array
    fit: Array


class MomentumWorkspace(NamedTuple):
    """load, answer: (size,) a load and M^-1 of it. mass: a factor of M. J, Z: (6, size).

    z, row: (1 + r,) and (r,) of the largest part.
    """

    load: Array
    answer: Array
    mass: Fronts
    J: Array
    Z: Array
    z: Array
    row: Array


class KeptMomentum(NamedTuple):
    """Attributes:
    free: whether it flies.
    h, wrench: P, L (6,) of the body and the outside force and torque on it at the end of the last step; state.
    """

    free: bool
    constants: MomentumConstants
    h: Array
    wrench: Array
    work: MomentumWorkspace


def kept_momentum(parts: NonlinearParts, mass: Fronts) -> KeptMomentum:
    """At rest; mass: a factor of M."""
    free, size = not len(parts.solid.fixed), parts.size
    N, tensors = np.zeros((3, size)), [np.empty(0)] * len(parts.models)
    shifts, fields, fit = np.zeros((3, size)), np.zeros((3, 3, size)), np.zeros((3, 3, size))
    if free:
        for model, places in zip(parts.models, parts.places):
            N[:, places] += model.inertia.N
        tensors = [model.inertia.H[:, 1:].transpose(2, 0, 1).ravel() for model in parts.models]
        shifts, fields, fit = _affine(parts, mass)
    lengths = np.cumsum([0, *(len(tensor) for tensor in tensors)])
    reads_at = np.cumsum([0, *(len(places) for places in parts.places)])
    largest = max(len(places) for places in parts.places)
    reads = np.concatenate(parts.places).astype(np.int64)
    numbers = (np.concatenate(tensors), lengths.astype(np.int64), reads, reads_at.astype(np.int64))
    constants = MomentumConstants(N, *numbers, shifts, fields, fit)
    load, answer, J, Z = np.zeros(size), np.zeros(size), np.zeros((6, size)), np.zeros((6, size))
    work = MomentumWorkspace(load, answer, mass, J, Z, np.zeros(largest + 1), np.zeros(largest))
    return KeptMomentum(free, constants, np.zeros(6), np.zeros(6), work)


def _affine(parts: NonlinearParts, mass: Fronts) -> tuple[Array, Array, Array]:
    """`shifts`, `fields` and `fit`; X from the centre of mass."""
    solid = parts.solid
    masses, X = solid.lumped_mass[::3], solid.mesh.vertices
    arms = X - masses @ X / masses.sum()
    scalars = np.column_stack([np.ones(len(X)), arms])
    loads = np.zeros((parts.size, 4, 3))
    for domain, model, places in zip(parts.domains.parts, parts.models, parts.places):
        local = np.einsum("kf,ab->kafb", scalars[domain.vertices], np.eye(3)).reshape(-1, 12)
        loads[places] += (model.U.T @ (model.solid.mass @ local)).reshape(-1, 4, 3)
    coordinates = solve_again(mass, loads.reshape(-1, 12)).reshape(-1, 4, 3)
    spread = np.einsum("if,ig->fg", coordinates[:, 1:, 0], loads[:, 1:, 0])
    fit = np.einsum("ifa,fb->abi", loads[:, 1:], np.linalg.inv(spread))
    return coordinates[:, 0].T.copy(), coordinates[:, 1:].transpose(2, 1, 0).copy(), np.ascontiguousarray(fit)


@njit(cache=True, nogil=True)
def keep_momentum(kept, load, dt, q, v):
    """h after a step that ends at q under `load` (size,), and v that carries it."""
    _measure(kept, q)
    _answer(kept, load)
    for k in range(6):
        pull = dot(kept.work.J[k], kept.work.answer)
        kept.h[k] += 0.5 * dt * (kept.wrench[k] + pull)
        kept.wrench[k] = pull
    _adjust(kept, v)


@njit(cache=True, nogil=True)
def carry_momentum(kept, q, v):
    """Change v so that it carries h at q."""
    _measure(kept, q)
    _adjust(kept, v)


@njit(cache=True, nogil=True)
def _answer(kept, load):
    """M^-1 load, which is as before while the load is."""
    work, same = kept.work, True
    for j in range(len(load)):
        same = same and work.load[j] == load[j]
    if same:
        return
    for j in range(len(load)):
        work.load[j] = work.answer[j] = load[j]
    eliminate_again(work.mass, work.answer)


@njit(cache=True, nogil=True)
def _measure(kept, q):
    """J and Z at q."""
    constants, J, Z, size = kept.constants, kept.work.J, kept.work.Z, len(q)
    for k in range(3):
        for j in range(size):
            J[k, j], J[3 + k, j], Z[k, j] = constants.N[k, j], 0.0, constants.shifts[k, j]
    for i in range(len(constants.reads_at) - 1):
        _add_angular(kept, i, q)
    A = _fitted(kept, q)
    for axis in range(3):
        for j in range(size):
            Z[3 + axis, j] = _turned(kept, A, axis, j)


@njit(cache=True, nogil=True)
def _fitted(kept, q):
    """A(q)."""
    A = np.eye(3)
    for a in range(3):
        for b in range(3):
            A[a, b] += dot(kept.constants.fit[a, b], q)
    return A


@njit(cache=True, nogil=True)
def _turned(kept, A, axis, j):
    """The coordinate j of e_axis x A X."""
    a, b, total, fields = (axis + 1) % 3, (axis + 2) % 3, 0.0, kept.constants.fields
    for f in range(3):
        total += A[a, f] * fields[b, f, j] - A[b, f] * fields[a, f, j]
    return total


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def _add_angular(kept, i, q):
    """What one part adds to J_L: sum_k z_k H_k."""
    constants = kept.constants
    start, r = constants.reads_at[i], constants.reads_at[i + 1] - constants.reads_at[i]
    z, row = kept.work.z, kept.work.row
    z[0] = 1.0
    for k in range(r):
        z[k + 1] = q[constants.reads[start + k]]
    for axis in range(3):
        for l in range(r):
            row[l] = 0.0
        for k in range(r + 1):
            at, scale = constants.H_at[i] + (axis * (r + 1) + k) * r, z[k]
            tensor = constants.H[at : at + r]
            for l in range(r):
                row[l] += scale * tensor[l]
        for l in range(r):
            kept.work.J[3 + axis, constants.reads[start + l]] += row[l]


@njit(cache=True, nogil=True)
def _adjust(kept, v):
    """v += Z (J Z)^-1 (h - J v)."""
    J, Z, gap = kept.work.J, kept.work.Z, np.empty(6)
    for k in range(6):
        gap[k] = kept.h[k] - dot(J[k], v)
    shares = np.linalg.solve(_square(kept), gap)
    for k in range(6):
        for j in range(len(v)):
            v[j] += Z[k, j] * shares[k]


@njit(cache=True, nogil=True)
def _square(kept):
    """J Z (6, 6)."""
    square = np.empty((6, 6))
    for k in range(6):
        for m in range(6):
            square[k, m] = dot(kept.work.J[k], kept.work.Z[m])
    return square
