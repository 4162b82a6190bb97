"""Newmark steps of domains that share interface coordinates, condensed onto these (maths sheet boundary-aware 3).

A = M + dt/2 C + dt^2/4 K is a block arrow whose internal blocks are diagonal, a = 1 + dt/2 (alpha + beta l) + dt^2/4 l:

    S = sum_i P^T (A_bb - Z_i A_ib) P,  Z_i = A_bi / a_i         factored once
    r_B -= Z_i r_i;   x_B = S^-1 r_B;   x_i = (r_i - A_ib x_B) / a_i
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array, Ids, SingularMatrix
from pliant.numerics import cholesky, cholesky_solve
from pliant.systems.seams.parts import CoupledParts


class Arrow(NamedTuple):
    """The reduced matrices of all domains, one after the other.

    Attributes:
        boundary: which of q the boundary coordinates of the domains are.
        firsts: (d + 1,) where those of each domain begin in `boundary`.
        inner: (d + 1,) where the internal coordinates of each domain begin in q.
        squares, products: (d,) where K_bb and M_bb (b, b), and M_bi (b, k), of each domain begin.
        values: (size,) l of internal coordinates, 0 for others.
    """

    boundary: Ids
    firsts: Ids
    inner: Ids
    squares: Ids
    products: Ids
    K_bb: Array
    M_bb: Array
    M_bi: Array
    values: Array


class Condensed(NamedTuple):
    """What a step and damping make of an `Arrow`: the factor of S (b, b), a (size,), and scale, A_bi = scale M_bi."""

    S: Array
    a: Array
    scale: float
    alpha: float
    beta: float
    dt: float


def arrow(coupled: CoupledParts) -> Arrow:
    """Pack the matrices of all domains."""
    columns = coupled.columns
    b = np.array([len(c.boundary) for c in columns])
    k = np.array([len(c.values) for c in columns])

    def starts(sizes):
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    values = np.zeros(coupled.size)
    values[coupled.trace.size :] = np.concatenate([c.values for c in columns])
    return Arrow(
        np.concatenate([c.boundary for c in columns]).astype(np.int64),
        starts(b),
        coupled.internal.astype(np.int64),
        starts(b * b),
        starts(b * k),
        np.concatenate([c.K_bb.ravel() for c in columns]),
        np.concatenate([c.M_bb.ravel() for c in columns]),
        np.concatenate([c.M_bi.ravel() for c in columns]),
        values,
    )


def condensed(coupled: CoupledParts, dt: float, alpha: float, beta: float) -> Condensed:
    """Factor A for a step `dt` and damping alpha M + beta K."""
    b = coupled.trace.size
    S, a = np.zeros((b, b)), np.ones(coupled.size)
    mass_factor, stiffness_factor = 1 + 0.5 * dt * alpha, 0.5 * dt * beta + 0.25 * dt * dt
    for i, c in enumerate(coupled.columns):
        own = mass_factor + stiffness_factor * c.values
        a[coupled.internal[i] : coupled.internal[i + 1]] = own
        block = (
            mass_factor * c.M_bb + stiffness_factor * c.K_bb - (mass_factor * c.M_bi / own) @ (mass_factor * c.M_bi.T)
        )
        S[np.ix_(c.boundary, c.boundary)] += block
    if not cholesky(S):
        raise SingularMatrix("the interface matrix is singular; are two columns of the trace the same?")
    return Condensed(S, a, mass_factor, float(alpha), float(beta), float(dt))


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def add_forces(arrow, alpha, beta, q, v, sign, r):
    """r += sign (K (q + beta v) + alpha M v)."""
    for i in range(len(arrow.firsts) - 1):
        first, b = arrow.firsts[i], arrow.firsts[i + 1] - arrow.firsts[i]
        inner, k = arrow.inner[i], arrow.inner[i + 1] - arrow.inner[i]
        for row in range(b):
            total, at, own = 0.0, arrow.squares[i] + row * b, arrow.boundary[first + row]
            for column in range(b):
                place = arrow.boundary[first + column]
                total += arrow.K_bb[at + column] * (q[place] + beta * v[place])
                total += alpha * arrow.M_bb[at + column] * v[place]
            at = arrow.products[i] + row * k
            speed = sign * alpha * v[own]
            for column in range(k):
                total += alpha * arrow.M_bi[at + column] * v[inner + column]
            for column in range(k):
                r[inner + column] += arrow.M_bi[at + column] * speed
            r[own] += sign * total
        for j in range(inner, inner + k):
            r[j] += sign * (arrow.values[j] * (q[j] + beta * v[j]) + alpha * v[j])


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def mechanical(arrow, q, v):
    """v.M v/2 + q.K q/2 [J]."""
    total = 0.0
    for i in range(len(arrow.firsts) - 1):
        first, b = arrow.firsts[i], arrow.firsts[i + 1] - arrow.firsts[i]
        inner, k = arrow.inner[i], arrow.inner[i + 1] - arrow.inner[i]
        for row in range(b):
            own, at = arrow.boundary[first + row], arrow.squares[i] + row * b
            force, momentum = 0.0, 0.0
            for column in range(b):
                place = arrow.boundary[first + column]
                force += arrow.K_bb[at + column] * q[place]
                momentum += arrow.M_bb[at + column] * v[place]
            at = arrow.products[i] + row * k
            for column in range(k):
                momentum += 2 * arrow.M_bi[at + column] * v[inner + column]
            total += 0.5 * (q[own] * force + v[own] * momentum)
        for j in range(inner, inner + k):
            total += 0.5 * (arrow.values[j] * q[j] * q[j] + v[j] * v[j])
    return total


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def solve_arrow(arrow, factors, r):
    """Overwrite r (size,) by A^-1 r."""
    for i in range(len(arrow.firsts) - 1):
        first, b = arrow.firsts[i], arrow.firsts[i + 1] - arrow.firsts[i]
        inner, k = arrow.inner[i], arrow.inner[i + 1] - arrow.inner[i]
        for j in range(inner, inner + k):
            r[j] /= factors.a[j]
        for row in range(b):
            total, at = 0.0, arrow.products[i] + row * k
            for column in range(k):
                total += arrow.M_bi[at + column] * r[inner + column]
            r[arrow.boundary[first + row]] -= factors.scale * total
    cholesky_solve(factors.S, r[: len(factors.S)])
    for i in range(len(arrow.firsts) - 1):
        first, b = arrow.firsts[i], arrow.firsts[i + 1] - arrow.firsts[i]
        inner, k = arrow.inner[i], arrow.inner[i + 1] - arrow.inner[i]
        for row in range(b):
            at, x = arrow.products[i] + row * k, factors.scale * r[arrow.boundary[first + row]]
            for column in range(k):
                r[inner + column] -= arrow.M_bi[at + column] * x / factors.a[inner + column]


@njit(cache=True, nogil=True)
def predict(dt, q, v, a):
    """q += dt v + dt^2/4 a and v += dt/2 a, in place."""
    for j in range(len(q)):
        q[j] += dt * v[j] + 0.25 * dt * dt * a[j]
        v[j] += 0.5 * dt * a[j]


@njit(cache=True, nogil=True)
def correct(dt, q, v, a):
    """q += dt^2/4 a and v += dt/2 a, with the new acceleration."""
    for j in range(len(q)):
        q[j] += 0.25 * dt * dt * a[j]
        v[j] += 0.5 * dt * a[j]
