"""Contacts that were found become ties of bodies: rows, friction, and the speed at which they may close.

gap g > 0:   u_n >= -g/dt  (speculative)        depth d > 0:   u_n >= min(RATIO max(0, d - slop)/dt, FASTEST)
"""

from typing import NamedTuple

import numpy as np

from pliant.errors import Array, Ids
from pliant.numerics.counting import borrowing, borrowing_inlined
from pliant.systems.world.bones.skin_table import CORNERS
from pliant.systems.world.bones.skinned import add_skin_point, let_yield
from pliant.systems.world.memory import recall
from pliant.systems.world.proxies import point_rows
from pliant.systems.world.rows import CONTACT, add_entry, add_point, begin_tie, drop_tie, end_tie, frame_about
from pliant.systems.world.sweeps import speeds
from pliant.systems.world.tables import HELD, SKIN, SYSTEM

RATIO, FASTEST = 0.2, 0.5  # Baumgarte's share of the depth a step, and [m/s]
FOLDED = 0.02  # [m/s] the same of a skin in itself, where bones are bent more than they can be, which takes much work
SLOW = 0.05  # [m/s] below which nothing bounces
CONES = ("impulse", "velocity")  # what friction bounds where bodies hit each other


class Manners(NamedTuple):
    """How bodies touch each other and obstacles.

    Attributes:
        friction, restitution: (b, b + f) of pairs, those with fields behind those of bodies.
        bounces: (1,) does anything? cone: (1,) of collisions, see `CONES`.
        velocity: (f, 6) of fields, linear and angular about their origin; origin: (f, 3).
    """

    friction: Array
    restitution: Array
    bounces: Ids
    cone: Ids
    velocity: Array
    origin: Array


class TouchSpace(NamedTuple):
    """Work space for one tie; `world` are the axes of the world."""

    world: Array
    axes: Array
    rows: Array
    ids: Array
    weights: Array
    speed: Array
    x: Array
    middle: Array


def touch_space(r: int) -> TouchSpace:
    """For bodies of up to r coordinates."""
    vectors = (np.zeros(CORNERS), np.zeros(3), np.zeros((2, 3)), np.zeros(3))
    return TouchSpace(np.eye(3), np.zeros((3, 3)), np.zeros(3 * r), np.zeros(CORNERS, np.int64), *vectors)


@borrowing_inlined
def contact_key(contacts, c, bodies):
    """One number for the pair and the point of a contact."""
    a, b, fields = contacts.body[c, 0], contacts.body[c, 1], 1 << 12
    return ((a * (bodies + fields) + b + fields) << 24) + contacts.sample[c]


@borrowing
def _partner(manners, b):
    """The column of a body, or of field -1 - b."""
    return b if b >= 0 else len(manners.friction) - 1 - b


@borrowing_inlined
def tie_contact(table, geometry, state, surfaces, proxies, contacts, touched, skins, manners, ties, c, space):
    """The tie of contact c without its target; its number, or -1 where nothing can move."""
    a, b = contacts.body[c, 0], contacts.body[c, 1]
    frame_about(contacts.normal[c], space.axes)
    k = begin_tie(ties, CONTACT, contacts.point[c], space.axes)
    ties.friction[k] = manners.friction[a, _partner(manners, b)]
    if a == b:
        _tie_itself(table, geometry, state, surfaces, contacts, skins, ties, k, c, space)
    elif table.kind[a] == SYSTEM:
        add_point(table, touched, ties, k, a, touched.point[c, 0], 1.0)
    else:
        sample = surfaces.shape_sample[surfaces.shape[a]] + contacts.sample[c]
        w = surfaces.sample_weights[sample]
        space.ids[0], space.ids[1] = surfaces.sample_ends[sample, 0], surfaces.sample_ends[sample, 1]
        space.weights[0], space.weights[1] = 1 - w, w
        _add_mean(table, geometry, state, proxies, skins, ties, k, a, 2, space, 1.0)
    if b >= 0 and b != a and table.kind[b] == SYSTEM:
        add_point(table, touched, ties, k, b, touched.point[c, 1], -1.0)
    elif b >= 0 and b != a:
        triangle = surfaces.shape_triangle[surfaces.shape[b]] + contacts.triangle[c]
        for i in range(3):
            space.ids[i] = surfaces.triangles[triangle, i]
            space.weights[i] = contacts.barycentric[c, i]
        _add_mean(table, geometry, state, proxies, skins, ties, k, b, 3, space, -1.0)
    if not end_tie(ties, k):
        drop_tie(ties, k)
        return -1
    return k


@borrowing
def _tie_itself(table, geometry, state, surfaces, contacts, skins, ties, k, c, space):
    """Both sides of tie k are of one skin: a point of an edge, and one of a triangle on the other side."""
    s = contacts.body[c, 0]
    sample = surfaces.shape_sample[surfaces.shape[s]] + contacts.sample[c]
    triangle = surfaces.shape_triangle[surfaces.shape[s]] + contacts.triangle[c]
    w = surfaces.sample_weights[sample]
    for i in range(2):
        space.ids[i], space.weights[i] = surfaces.sample_ends[sample, i], w if i == 1 else 1 - w
    for i in range(3):
        space.ids[2 + i], space.weights[2 + i] = surfaces.triangles[triangle, i], -contacts.barycentric[c, i]
    add_skin_point(table, geometry, state, skins, ties, k, s, space.ids, space.weights, 5, 2, space.rows)
    let_yield(geometry, ties, k)


@borrowing_inlined
def _add_mean(table, geometry, state, proxies, skins, ties, k, b, count, space, sign):
    """Tie k acts on the weighted mean of `count` surface vertices of body b."""
    if table.kind[b] == SKIN:
        for i in range(count):
            space.weights[i] *= sign
        add_skin_point(table, geometry, state, skins, ties, k, b, space.ids, space.weights, count, count, space.rows)
    else:
        point_rows(table, proxies, b, space.ids, space.weights, count, space.rows)
        add_entry(table, geometry, state.t, ties, k, b, space.rows, sign)


@borrowing_inlined
def aim_contact(contacts, manners, ties, k, c, dt, slop):
    """The speed at which a contact may close, and that of a moving obstacle."""
    gap, b = contacts.gap[c], contacts.body[c, 1]
    fastest = FOLDED if b == contacts.body[c, 0] else FASTEST
    ties.target[k, 0] = -gap / dt if gap > 0 else min(RATIO * max(0.0, -gap - slop) / dt, fastest)
    if b < 0:
        _add_field_velocity(manners, contacts.point[c], -1 - b, ties, k)


@borrowing
def _add_field_velocity(manners, x, f, ties, k):
    v, o = manners.velocity[f], manners.origin[f]
    a0, a1, a2 = x[0] - o[0], x[1] - o[1], x[2] - o[2]
    u0 = v[0] + v[4] * a2 - v[5] * a1
    u1 = v[1] + v[5] * a0 - v[3] * a2
    u2 = v[2] + v[3] * a1 - v[4] * a0
    for i in range(3):
        ties.target[k, i] += ties.axes[k, i, 0] * u0 + ties.axes[k, i, 1] * u1 + ties.axes[k, i, 2] * u2


@borrowing_inlined
def begin_contact(ties, k, memory, key):
    """Begin with the impulse of the last step, as far as the cone allows."""
    at = recall(memory, key)
    if at < 0:
        return
    j, axes = memory.impulses[at], ties.axes[k]
    n = max(0.0, axes[0, 0] * j[0] + axes[0, 1] * j[1] + axes[0, 2] * j[2])
    t1 = axes[1, 0] * j[0] + axes[1, 1] * j[1] + axes[1, 2] * j[2]
    t2 = axes[2, 0] * j[0] + axes[2, 1] * j[1] + axes[2, 2] * j[2]
    size, bound = np.sqrt(t1 * t1 + t2 * t2), ties.friction[k] * n
    if size > bound:
        t1, t2 = t1 * bound / size, t2 * bound / size
    ties.impulse[k, 0], ties.impulse[k, 1], ties.impulse[k, 2] = n, t1, t2


@borrowing_inlined
def can_move(table, contacts, c):
    """Does anything that contact c is between move?"""
    a, b = contacts.body[c, 0], contacts.body[c, 1]
    moves = table.kind[a] <= HELD or table.kind[a] >= SYSTEM
    return moves or (b >= 0 and (table.kind[b] <= HELD or table.kind[b] >= SYSTEM))


@borrowing
def tie_bounces(
    table, geometry, state, surfaces, proxies, contacts, count, near, touched, skins, manners, ties, tied, y, dt, space
):
    """Ties of the contacts that close in this step and bounce, or collide by a cone of their own, with targets -e u_n,
    which `least` remembers, and velocities before in `extra`; how many."""
    for c in range(count):
        tied[c] = -1
        a, b = contacts.body[c, 0], contacts.body[c, 1]
        e = manners.restitution[a, _partner(manners, b)]
        if not near[c] or (e <= 0 and manners.cone[0] == 0) or not can_move(table, contacts, c):
            continue
        k = tie_contact(table, geometry, state, surfaces, proxies, contacts, touched, skins, manners, ties, c, space)
        if k < 0:
            continue
        if b < 0:
            _add_field_velocity(manners, contacts.point[c], -1 - b, ties, k)
        speeds(table, ties, y, k, space.speed)
        closing = space.speed[0] - ties.target[k, 0]
        if closing > -SLOW or contacts.gap[c] + dt * closing > 0:
            drop_tie(ties, k)
        else:
            tied[c] = k
            for i in range(3):
                ties.extra[k, i] = space.speed[i] - ties.target[k, i]
            ties.least[k] = e * closing
            ties.target[k, 0] -= ties.least[k]
    return ties.made[0]
