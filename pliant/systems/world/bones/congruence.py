"""Bones that are copies of each other but for a rotation, a mirror and a translation share what one of them took.

    x'_pi(v) = G x_v + c    =>    U'_pi(v) = G U_v,    the same frequencies and reduced forces

Integrals over a bone follow from those of the other. Where a bone is shifted alone, it also has the same array U.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial import cKDTree

from pliant.errors import Array, Ids
from pliant.fem import Solid
from pliant.reduced import ReducedModel
from pliant.reduced.groups import groups_of

SAME = 1e-9  # of the size of a bone: how far vertices may be off; of their value: constants of cells
TRIALS = 400  # frames that are tried


@dataclass(frozen=True, eq=False)
class Congruence:
    """From one bone to another: G (3, 3) with determinant 1 or -1, c (3,), and where vertices (v,) of the first go."""

    G: Array
    c: Array
    order: Ids

    @property
    def shifts(self) -> bool:
        """Is it a translation alone, with vertices in the same order?"""
        return bool(np.abs(self.G - np.eye(3)).max() < SAME and np.array_equal(self.order, np.arange(len(self.order))))


def originals(solids: Sequence[Solid]) -> list[tuple[int, Congruence | None]]:
    """Of each solid the first one that it is a copy of, and how; itself and None where there is no other before it."""
    found: list[tuple[int, Congruence | None]] = []
    for k, own in enumerate(solids):
        firsts = (i for i, (first, _) in enumerate(found) if first == i)
        likenesses = ((i, congruence_of(solids[i], own)) for i in firsts)
        found.append(next(((i, how) for i, how in likenesses if how is not None), (k, None)))
    return found


def congruence_of(first: Solid, second: Solid) -> Congruence | None:
    """How to lay one bone on another, with the same material in the same cells; None: it cannot be done."""
    a, b = first.mesh, second.mesh
    if a.kind != b.kind or a.cells.shape != b.cells.shape or a.vertex_count != b.vertex_count:
        return None
    if len(first.fixed) or len(second.fixed) or type(first.material) is not type(second.material):
        return None
    size = float(np.ptp(a.vertices, axis=0).max())
    x, y = (mesh.vertices - mesh.vertices.mean(axis=0) for mesh in (a, b))
    r, s = (np.linalg.norm(places, axis=1) for places in (x, y))
    if np.abs(np.sort(r) - np.sort(s)).max() > SAME * size:
        return None
    tree = cKDTree(y)
    for G in _maps(x, y, r, s, SAME * size):
        distance, order = tree.query(x @ G.T)
        if distance.max() < SAME * size and len(np.unique(order)) == len(order) and _same_cells(first, second, order):
            return Congruence(G, b.vertices.mean(axis=0) - G @ a.vertices.mean(axis=0), order)
    return None


def congruent_model(model: ReducedModel, own: Solid, how: Congruence) -> ReducedModel | None:
    """The model of a bone from that of another one; None where materials are grouped otherwise."""
    groups = groups_of(own)
    known = model.groups.constants
    if any(not np.allclose(values, known[name], rtol=SAME, atol=0) for name, values in groups.constants.items()):
        return None
    U = model.U
    if not how.shifts:
        U = np.empty_like(model.U).reshape(-1, 3, model.size)
        U[how.order] = np.einsum("ij,vjl->vil", how.G, model.U.reshape(-1, 3, model.size))
        U = U.reshape(model.U.shape)
        U.setflags(write=False)
    T = np.eye(4 + 3 * model.size)
    T[1:4, 0], T[1:4, 1:4] = how.c, how.G
    T[4:, 4:] = np.kron(np.eye(model.size), how.G)
    grams = T @ model.unit_grams @ T.T
    grams.setflags(write=False)
    return replace(model, X=own.mesh.vertices, U=U, cells=own.mesh.cells, groups=groups, unit_grams=grams)


def _maps(x: Array, y: Array, r: Array, s: Array, near: float) -> Iterator[Array]:
    """Orthogonal maps G that take two places of x (v, 3), about the origin, to two of y as far from it and apart."""
    yield np.eye(3)
    p = int(np.argmax(r))
    across = np.linalg.norm(np.cross(x, x[p]), axis=1)
    q = int(np.argmax(across))
    if across[q] <= near * r[p]:
        return
    frame, tried = _frame(x[p], x[q]), 1
    for i in np.flatnonzero(np.abs(s - r[p]) < near):
        apart = np.abs(np.linalg.norm(y - y[i], axis=1) - np.linalg.norm(x[q] - x[p])) < near
        for j in np.flatnonzero(apart & (np.abs(s - r[q]) < near)):
            other = _frame(y[i], y[j])
            for side in (1.0, -1.0):
                if tried >= TRIALS:
                    return
                tried += 1
                yield other * [1.0, 1.0, side] @ frame.T


def _frame(a: Array, b: Array) -> Array:
    """Orthonormal axes in columns: along a, along b beside it, and across both."""
    first = a / np.linalg.norm(a)
    second = b - (b @ first) * first
    second /= np.linalg.norm(second)
    return np.column_stack([first, second, np.cross(first, second)])


def _same_cells(first: Solid, second: Solid, order: Ids) -> bool:
    """Do vertices that go to `order` take all cells to cells with the same constants?"""
    moved, there = np.sort(order[first.mesh.cells], axis=1), np.sort(second.mesh.cells, axis=1)
    a, b = np.lexsort(moved.T), np.lexsort(there.T)
    if not np.array_equal(moved[a], there[b]):
        return False
    m = first.mesh.cell_count
    constants = (
        (first.material.per_cell(name, m)[a], second.material.per_cell(name, m)[b])
        for name in first.material.constant_names()
    )
    return all(np.allclose(own, other, rtol=SAME, atol=0) for own, other in constants)
