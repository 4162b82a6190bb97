"""What is watched of nonlinear seams: energy, over the whole motion and in every converged step, and cells inside out.

    gained = (T + V)+ - (T + V) - (load + load+) . (q+ - q) / 2

A step that gains more than GAIN of what there is to gain from is taken in halves. What still climbs, the watch reports.
"""

from typing import NamedTuple

import numpy as np

from pliant.errors import Array, Ids
from pliant.fem.material import implements
from pliant.numerics.counting import borrowing
from pliant.systems.energy_watch import FLOOR, add_work, balanced, begin, energy_watch
from pliant.systems.inversion import TOO_MANY
from pliant.systems.seams.inside_out import Cells, share_inside_out
from pliant.systems.seams.newton import measure, multiply_rows
from pliant.systems.seams.part_forces import Jets
from pliant.systems.seams.point_forces import PointForces

GAIN = 0.05
CHECKED = 16  # steps from one look of the watch to the next
FINE, GAINED, CRUSHED = range(3)


class Ledger(NamedTuple):
    """Attributes:
    watch: of `energy_watch`.
    level: (2,) T + V [J] where a step begins, and where it would end.
    load: (size,) at the end of the last step.
    q, v: (size,) at the end of the last call: other ones were written by somebody.
    good_q, good_v, good_a: (size,) at the last look that found nothing; good_h: (12,) momentum and wrench then.
    parts, good_parts: (d,) elastic energies [J], now and then.
    steps: (1,) since that look.
    cells: that may not be inside out.
    """

    watch: Array
    level: Array
    load: Array
    q: Array
    v: Array
    good_q: Array
    good_v: Array
    good_a: Array
    good_h: Array
    parts: Array
    good_parts: Array
    steps: Ids
    cells: Cells


def ledger(size: int, parts: int, floor: float, cells: Cells) -> Ledger:
    """For q (size,); floor: energies below it are rounding [J]."""
    load, q, v, good_q, good_v, good_a = np.zeros((6, size))
    q[:] = np.nan
    good_h, now, then, steps = np.zeros(12), np.zeros(parts), np.zeros(parts), np.zeros(1, dtype=np.int64)
    return Ledger(energy_watch(floor), np.zeros(2), load, q, v, good_q, good_v, good_a, good_h, now, then, steps, cells)


def part_energies(forces, out):
    """Elastic energies (d,) where the forces were measured last; each kind of forces has its own."""
    raise NotImplementedError


@implements(part_energies, Jets)
def _energies_of_jets(forces, out):
    for i in range(len(out)):
        out[i] = forces.jet[forces.rows_at[i]]


@implements(part_energies, PointForces)
def _energies_of_points(forces, out):
    for i in range(len(out)):
        out[i] = forces.energy[i]


@borrowing
def mechanical(forces, v, workspace, ledger):
    """T + V [J] for velocities v where the forces were measured last."""
    part_energies(forces, ledger.parts)
    energy = 0.0
    x, _, _, Mx = workspace.local
    for i in range(len(forces.n)):
        n, start = forces.n[i], forces.reads_at[i]
        for j in range(1, n):
            x[j] = v[forces.reads[start + j - 1]]
        multiply_rows(forces.mass, forces.rows_at[i], forces.vectors_at[i + 1] - forces.vectors_at[i], n, x, Mx)
        energy += ledger.parts[i]
        for j in range(1, n):
            energy += 0.5 * x[j] * Mx[j]
    return energy


@borrowing
def open_ledger(forces, workspace, ledger, kept, load, q, v, a):
    """Begin anew where somebody wrote the state since the last call."""
    same = True
    for j in range(len(q)):
        same = same and ledger.q[j] == q[j] and ledger.v[j] == v[j]
    if same:
        return
    measure(forces, q, v, a, 0.0, 0.0, 0.0, 0.0, False, workspace)
    ledger.level[0] = mechanical(forces, v, workspace, ledger)
    begin(ledger.watch, ledger.level[0])
    for j in range(len(q)):
        ledger.load[j] = load[j]
    note_good(ledger, kept, q, v, a)


@borrowing
def close_ledger(ledger, q, v):
    """A call ends at q, v."""
    for j in range(len(q)):
        ledger.q[j], ledger.v[j] = q[j], v[j]


@borrowing
def note_good(ledger, kept, q, v, a):
    """The watch found nothing here."""
    ledger.steps[0] = 0
    for j in range(len(q)):
        ledger.good_q[j], ledger.good_v[j], ledger.good_a[j] = q[j], v[j], a[j]
    for k in range(6):
        ledger.good_h[k], ledger.good_h[6 + k] = kept.h[k], kept.wrench[k]
    for i in range(len(ledger.parts)):
        ledger.good_parts[i] = ledger.parts[i]


@borrowing
def go_back(ledger, kept, q, v, a):
    """To where the watch found nothing last."""
    for j in range(len(q)):
        q[j], v[j], a[j] = ledger.good_q[j], ledger.good_v[j], ledger.good_a[j]
    for k in range(6):
        kept.h[k], kept.wrench[k] = ledger.good_h[k], ledger.good_h[6 + k]
    ledger.q[0] = np.nan


@borrowing
def work_of(ledger, load, q_from, q_to):
    """(load before + load) . (q_to - q_from) / 2 [J]."""
    work = 0.0
    for j in range(len(load)):
        work += 0.5 * (ledger.load[j] + load[j]) * (q_to[j] - q_from[j])
    return work


@borrowing
def gains(forces, workspace, ledger, trial, q):
    """Does the converged step from q to trial.q gain more than its work, by far? Its level becomes ledger.level[1]."""
    work = work_of(ledger, trial.load, q, trial.q)
    ledger.level[1] = mechanical(forces, trial.v, workspace, ledger)
    allowed = GAIN * (ledger.level[0] + abs(work)) + ledger.watch[FLOOR]
    return not ledger.level[1] - ledger.level[0] - work <= allowed


@borrowing
def book(ledger, load, q_from, q_to):
    """The work of an accepted step under `load`, and the load for the next."""
    add_work(ledger.watch, work_of(ledger, load, q_from, q_to))
    for j in range(len(load)):
        ledger.load[j] = load[j]


@borrowing
def look(forces, workspace, ledger, q, v):
    """What the watch finds, where the forces were measured last: FINE, GAINED or CRUSHED."""
    if not balanced(ledger.watch, mechanical(forces, v, workspace, ledger)):
        return GAINED
    return CRUSHED if share_inside_out(forces, ledger.cells, q) > TOO_MANY else FINE
