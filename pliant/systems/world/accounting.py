"""Work in a small step of all that acts on bodies, for the watch of their energy."""

from pliant.numerics.counting import borrowing, borrowing_inlined
from pliant.numerics.opaque import part
from pliant.systems.energy_watch import add_work
from pliant.systems.world.record import (
    ACTING,
    DT,
    GEOMETRY,
    LEDGER,
    MODELS,
    MOTION,
    SETTINGS,
    STATE,
    TABLE,
    TIES,
    TOUCH,
)
from pliant.systems.world.restraining import push_all
from pliant.systems.world.rows import AXIS, CONTACT, HAND
from pliant.systems.world.shaping import to_axes
from pliant.systems.world.sweeps import speeds
from pliant.systems.world.tables import FREE, HELD, KINEMATIC, SYSTEM


@borrowing
def account(world):
    """Work in this step of weight, pushes, wind, hands, motors, kinematic bodies and what pushes contacts apart."""
    table, ties, motion, acting = part(world, TABLE), part(world, TIES), part(world, MOTION), part(world, ACTING)
    touch, geometry, dt = part(world, TOUCH), part(world, GEOMETRY), part(world, SETTINGS).numbers[DT]
    light, mass, models, state = geometry.light, geometry.mass, part(world, MODELS), part(world, STATE)
    y, work = motion.y, 0.0
    for b in range(len(table.model)):
        if table.kind[b] == SYSTEM:
            continue
        at, first, theta = table.first_y[b], table.first[b], motion.theta[b]
        to_axes(geometry.R[b], acting.gravity, touch.speed)
        if table.kind[b] == FREE:
            fell = 0.0 if motion.touched[b] else 0.5 * dt
            for i in range(3):
                force = acting.force[b, i] + mass[b] * acting.gravity[i]
                work += dt * (force * (y[at + i] - fell * light[b] * force) + acting.torque[b, i] * motion.spin[b, i])
        for l in range(table.first[b + 1] - first):
            weight = 0.0
            for i in range(3):
                weight += models.N[models.first_N[table.model[b]] + 3 * l + i] * touch.speed[i]
            work += dt * (acting.load[first + l] + weight) * (theta * y[at + 6 + l] + (1 - theta) * state.qd[first + l])
    for k in range(ties.made[0]):
        j, kind = ties.impulse[k], ties.kind[k]
        if not _moves(table, ties, k):
            continue
        if kind in (HAND, AXIS):
            speeds(table, ties, y, k, touch.speed)
            work += j[0] * touch.speed[0] + j[1] * touch.speed[1] + j[2] * touch.speed[2]
        elif kind == CONTACT and ties.target[k, 0] > 0:
            work += j[0] * ties.target[k, 0]
        work += _lent(table, ties, y, k)
    add_work(part(world, LEDGER), work)


@borrowing
def account_for_systems(world):
    """What systems do through the ties that there are."""
    table, ties, y, work = part(world, TABLE), part(world, TIES), part(world, MOTION).y, 0.0
    for k in range(ties.made[0]):
        if _moves(table, ties, k):
            work += _lent(table, ties, y, k)
    add_work(part(world, LEDGER), work)


@borrowing
def account_for_bounces(world):
    """What kinematic bodies and systems do through impulses that threw back: by the mean of their velocities."""
    table, ties, y, work = part(world, TABLE), part(world, TIES), part(world, MOTION).y, 0.0
    for sign in (-1.0, 1.0):  # after them, then before
        for k in range(ties.made[0]):
            if _moves(table, ties, k):
                work += 0.5 * _lent(table, ties, y, k)
        push_all(table, ties, y, sign)
    add_work(part(world, LEDGER), work)


@borrowing_inlined
def _moves(table, ties, k):
    """Does tie k act on a body that the ledger knows of? Systems keep their own."""
    count = 0
    for e in range(ties.start[k], ties.start[k + 1]):
        count += table.kind[ties.body[e]] <= HELD
    return count > 0


@borrowing_inlined
def _lent(table, ties, y, k):
    """What kinematic bodies and systems do through tie k: their velocity at it against the impulse that they take."""
    work = 0.0
    for e in range(ties.start[k], ties.start[k + 1]):
        b, at = ties.body[e], ties.at[e]
        if table.kind[b] in (KINEMATIC, SYSTEM):
            first, wide = table.first_y[b], table.wide[b]
            for i in range(3):
                for l in range(wide):
                    work -= ties.impulse[k, i] * ties.W[at + i * wide + l] * y[first + l]
    return work
