"""Cubic forces of parts that share boundary coordinates, laid out so that compiled loops take any number of parts.

z_i = (1, q[reads_i]),   W = sum_i W_i(z_i),   f = sum_i P_i^T f_i(z_i),   K = sum_i P_i^T K_i P_i

Every part keeps its jet in the rows of `reduced.force`; its table and work space are stretches of long arrays.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array, Ids
from pliant.numerics.counting import borrowing
from pliant.reduced import ReducedModel
from pliant.reduced.force import evaluate, lower_rows, pitch_of, slab
from pliant.reduced.jet import Quartic
from pliant.systems.strain_points import StrainPoints, StrainRule, fill_damping, strain_points

LINE = 8  # numbers: stretches begin at whole cache lines


class Jets(NamedTuple):
    """All parts, one after the other.

    Attributes:
        n: (d,) 1 + r.
        block: (d,) of `Quartic`.
        reads: which of q the coordinates of the parts are; reads_at (d + 1,).
        vectors_at, rows_at: (d + 1,) where z (pitch,) and rows (n * pitch,) begin.
        mass: rows of M. z: coordinates. jet: rows.
        before: rows of the jet where a step begins, then of its rate in the step. begun: (size,) which q it is of.
        table .. dots: of `Quartic`, with where they begin.
        damping: rows of D, the jet itself where K damps. strain: the points of D, none where K damps.
    """

    n: Ids
    block: Ids
    reads: Ids
    reads_at: Ids
    vectors_at: Ids
    rows_at: Ids
    table_at: Ids
    pairs_at: Ids
    partial_at: Ids
    mass: Array
    z: Array
    jet: Array
    before: Array
    table: Array
    pairs: Array
    packed: Array
    partial: Array
    rows: Array
    dots: Array
    begun: Array
    damping: Array
    strain: StrainPoints


def jets_of(models: Sequence[ReducedModel], reads: Sequence[Ids], rules: Sequence[StrainRule]) -> Jets:
    """Lay out the cubic forces of models whose coordinates are q[reads]; without rules, K damps."""
    forces = [model.force_law.compiled() for model in models]
    n = np.array([force.n for force in forces])
    pitch = np.array([pitch_of(int(k)) for k in n])
    vectors, rows, tables = starts_of(pitch), starts_of(n * pitch), starts_of([len(force.table) for force in forces])
    pairs, partials = (
        starts_of([len(force.pairs) for force in forces]),
        starts_of([len(force.partial) for force in forces]),
    )
    sizes = [rows[-1], vectors[-1], *[rows[-1]] * 2]
    work = slab([int(size) for size in sizes], np.float64)
    workspace = slab([int(x[-1]) for x in (tables, pairs, pairs, partials, rows, rows)], np.float64)
    for i, (model, force) in enumerate(zip(models, forces)):
        work[0][rows[i] : rows[i] + n[i] * pitch[i]] = lower_rows(model.mass, np.float64)
        workspace[0][tables[i] : tables[i] + len(force.table)] = force.table
    workspace.append(np.full(int(max(r.max() for r in reads)) + 1, np.nan))
    return Jets(
        n.astype(np.int64),
        np.array([force.block for force in forces], dtype=np.int64),
        np.concatenate(reads).astype(np.int64),
        np.concatenate([[0], np.cumsum([len(r) for r in reads])]).astype(np.int64),
        vectors,
        rows,
        tables,
        pairs,
        partials,
        *work,  # type: ignore[arg-type]
        *workspace,
        np.zeros_like(work[2]) if len(rules) else work[2],  # type: ignore[call-arg]
        strain_points(rules),
    )


def starts_of(lengths: Sequence[int] | Array) -> Ids:
    """(d + 1,) where stretches of these lengths begin, each at a whole cache line."""
    whole = [(int(length) + LINE - 1) // LINE * LINE for length in lengths]
    return np.concatenate([[0], np.cumsum(whole)]).astype(np.int64)


@borrowing
def evaluate_jets(jets, q, out):
    """The jets of all parts at q into `out`, rows as jets.jet."""
    for i in range(len(jets.n)):
        n = jets.n[i]
        gather(jets, i, q, 1.0, jets.z)
        z = stretch(jets.z, jets.vectors_at, i)
        pairs, packed = stretch(jets.pairs, jets.pairs_at, i), stretch(jets.packed, jets.pairs_at, i)
        first, last = jets.rows_at[i], jets.rows_at[i] + n * len(z)
        force = Quartic(
            n,
            jets.block[i],
            stretch(jets.table, jets.table_at, i),
            pairs,
            packed,
            stretch(jets.partial, jets.partial_at, i),
            jets.rows[first:last],
            jets.dots[first:last],
        )
        # The compiled function that models use as well, so that the kernels are not compiled a second time.
        evaluate(force, z, out[first:last])


@borrowing
def evaluate_damping(jets):
    """D of all parts where the jets were evaluated last, unless K damps."""
    if len(jets.strain.shear):
        for i in range(len(jets.n)):
            z, first = stretch(jets.z, jets.vectors_at, i), jets.rows_at[i]
            fill_damping(jets.strain, i, jets.n[i] - 1, z, jets.damping[first : first + jets.n[i] * len(z)])


@borrowing
def begin_jets(jets, q):
    """The jets at the start of a step into jets.before; they are there already where the last step ended at q."""
    same = True
    for j in range(len(q)):
        same = same and jets.begun[j] == q[j]
    if not same:
        evaluate_jets(jets, q, jets.before)


@borrowing
def end_jets(jets, q):
    """What was evaluated last is of the q that a step ends at."""
    for k in range(len(jets.jet)):
        jets.before[k] = jets.jet[k]
    for j in range(len(q)):
        jets.begun[j] = q[j]


@borrowing
def damps_by_stiffness(jets, beta):
    """Whether beta K v is what damps."""
    return beta > 0 and len(jets.strain.shear) == 0


@borrowing
def add_rate(jets, h, factor, iteration):
    """K += factor K', K' from the start of a step to where its first iteration is; only the path depends on it."""
    if iteration == 0:
        jets.begun[0] = np.nan
        for k in range(len(jets.jet)):
            jets.before[k] = (jets.jet[k] - jets.before[k]) / h
    for k in range(len(jets.jet)):
        jets.jet[k] += factor * jets.before[k]


@njit(inline="always")
def stretch(array, starts, i):
    """What part i has of a long array."""
    return array[starts[i] : starts[i + 1]]


@borrowing
def gather(jets, i, x, first, out):
    """out of part i = (first, x[reads_i])."""
    at, start, stop = jets.vectors_at[i], jets.reads_at[i], jets.reads_at[i + 1]
    out[at] = first
    for k in range(stop - start):
        out[at + 1 + k] = x[jets.reads[start + k]]
