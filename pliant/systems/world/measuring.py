"""Energy of bodies, and the spin of their frames, as they are."""

from pliant.numerics import rotation_from_quaternion_into
from pliant.numerics.counting import borrowing
from pliant.numerics.opaque import part
from pliant.systems.world.flight import law_at
from pliant.systems.world.record import ACTING, BEFORE, MODELS, SLEEP, SPACE, STATE, TABLE
from pliant.systems.world.shaping import shape_at, spin_in_axes, to_axes, to_world
from pliant.systems.world.tables import FREE, HELD


@borrowing
def spin_frames(models, table, state, spin, space):
    """Spin (b, 3) of the frames of bodies that fly, as they are."""
    for b in range(len(table.model)):
        if table.kind[b] != FREE:
            continue
        model, first, r = table.model[b], table.first[b], models.size[table.model[b]]
        shape_at(models, model, state.q[first : first + r], space.shape, False)
        rotation_from_quaternion_into(space.R, state.Q[b])
        to_axes(space.R, state.L[b], space.Lo)
        spin_in_axes(space.shape, r, space.Lo, state.qd[first : first + r], space.o)
        to_world(space.R, space.o, spin[b])


@borrowing
def energies_at(world, _count):
    """Kinetic, elastic and gravitational energy (b, 3) [J] of bodies that move, also of those that sleep, into `before`
    of the record (sheet 2)."""
    models, table, state, space = part(world, MODELS), part(world, TABLE), part(world, STATE), part(world, SPACE)
    gravity, kind, out = part(world, ACTING).gravity, part(world, SLEEP).kind, part(world, BEFORE)
    for b in range(len(table.model)):
        model, first = table.model[b], table.first[b]
        r = models.size[model]
        q, qd = state.q[first : first + r], state.qd[first : first + r]
        for i in range(3):
            out[b, i] = 0.0
        if kind[b] > HELD:
            continue
        shape, mass, R = space.shape, models.mass[model], space.R
        rotation_from_quaternion_into(R, state.Q[b])
        if kind[b] == FREE:
            shape_at(models, model, q, shape, True)
            to_axes(R, state.L[b], space.Lo)
            for i in range(3):
                out[b, 0] += 0.5 * mass * state.v[b, i] ** 2
                out[b, 2] -= mass * gravity[i] * state.t[b, i]
                for j in range(3):
                    out[b, 0] += 0.5 * space.Lo[i] * shape.inverse[i, j] * space.Lo[j]
        else:
            to_axes(R, gravity, space.o)
            for k in range(r):
                for i in range(3):
                    out[b, 2] -= models.N[models.first_N[model] + 3 * k + i] * space.o[i] * q[k]
            for i in range(r * r):
                shape.Mt[i] = models.M[models.first_M[model] + i]
        for k in range(r):
            for l in range(r):
                out[b, 0] += 0.5 * qd[k] * shape.Mt[k * r + l] * qd[l]
        if r > 0:
            law_at(models, model, q)
            out[b, 1] = models.jet[models.first_jet[model]]
    return 0
