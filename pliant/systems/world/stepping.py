"""A step of a world: find contacts, bounce, fly, let contacts, joints and hands push, move ([MC15] 6, [GBF03] order).

All bodies, all steps in compiled code; it comes back early where there is no room for the contacts it found, or where a
body finds no solution, with everything as it was at the start of that small step.
"""

import numpy as np

from pliant.numerics.counting import borrowing
from pliant.numerics.opaque import part
from pliant.systems.world.accounting import account, account_for_bounces, account_for_systems
from pliant.systems.world.actuating import actuate
from pliant.systems.world.bones.muscles import pull
from pliant.systems.world.colliding import collide_in_turn
from pliant.systems.world.flight import (
    EULER,
    IN_FLIGHT,
    STRUCK,
    TOUCHED,
    arrange,
    fly,
    move,
    move_body,
)
from pliant.systems.world.hands import tie_hands
from pliant.systems.world.joints import (
    CLOSED,
    TURNS,
    couple_joints,
    gaps_of,
    solve_joints,
    tie_axes,
    tie_joints,
)
from pliant.systems.world.memory import forget, recall, remember
from pliant.systems.world.point_forces import gather
from pliant.systems.world.record import (
    ACTING,
    ACTUATORS,
    AHEAD,
    BEFORE,
    BOUNCED,
    CONTACTS,
    DONE,
    DT,
    FORCES,
    FOUND,
    GEOMETRY,
    HANDS,
    HINGES,
    JOINED,
    JOINTS,
    KEPT,
    LEVEL,
    MANNERS,
    MEMORY,
    MODELS,
    MOTION,
    MUSCLES,
    NEAR,
    NONE,
    PATHS,
    PRESSED,
    PROXIES,
    REACH,
    RULE,
    SETTINGS,
    SHOCK,
    SKINS,
    SLEEP,
    SLEEPING,
    SLIPPED,
    SLOP,
    SPACE,
    START,
    STATE,
    SURFACES,
    SWEEPS,
    TABLE,
    TIED,
    TIES,
    TIME,
    TOUCH,
    TOUCHED_AT,
    WHAT,
    WHY,
    WIND,
)
from pliant.systems.world.restraining import restrain
from pliant.systems.world.rows import clear, impulse_of
from pliant.systems.world.seeking import find, place, seek_contacts
from pliant.systems.world.shaping import to_world
from pliant.systems.world.shock import propagate
from pliant.systems.world.sleeping import idle, rest, rouse, settle_surfaces
from pliant.systems.world.sweeps import push, settle_ties, speeds, sweep, warm
from pliant.systems.world.tables import FREE, HELD, KINEMATIC, SYSTEM
from pliant.systems.world.touching import (
    aim_contact,
    begin_contact,
    can_move,
    contact_key,
    tie_bounces,
    tie_contact,
)

FINE, CROWDED, SINGULAR, LOST = range(4)
BOUNCES = 4  # times as many sweeps for bounces as for contacts
PASSED_ON = 16  # how often bounces follow on bounces in a small step
FAST = 4.0  # slops a step


@borrowing
def advance(world, count):
    """Small steps from settings.counts[START] to `count`; 0 where all went well, else it is told in `counts`.

    Args:
        world: address of a `WorldRecord`.
    """
    counts = part(world, SETTINGS).counts
    for step in range(counts[START], count):
        counts[DONE] = step
        if doze(world, step):
            continue
        if seek(world, step) or rebound(world, step) or glide(world, step):
            return 1
        if tie(world, step) or press(world, step) or land(world, step):
            return 1
    counts[DONE] = count
    return 0


# The stages of a small step. Where a world has systems, these act in between: each gives 0 where all went well, else
# why it did not, which is also told in counts[WHY], and counts[WHAT] tells whom that concerns.


@borrowing
def doze(world, _step):
    """Do all sleep through this small step?"""
    return int(part(world, SETTINGS).counts[SLEEPING] and idle(world))


@borrowing
def seek(world, step):
    """Find contacts."""
    counts = part(world, SETTINGS).counts
    _follow(world, step)
    counts[WHAT] = seek_contacts(world, step)
    counts[WHY] = CROWDED if counts[WHAT] > len(part(world, CONTACTS).gap) else FINE
    if counts[WHY] == FINE and counts[SLEEPING]:
        rouse(world)
    return counts[WHY]


@borrowing
def rebound(world, _step):
    """Contacts that bounce throw back."""
    counts, count = part(world, SETTINGS).counts, part(world, FOUND)[0]
    _mark(world, count)
    counts[WHAT] = -1
    counts[WHY] = FINE if _bounce(world, count) else SINGULAR
    return counts[WHY]


@borrowing
def glide(world, step):
    """Fly as if nothing touched."""
    numbers, counts = part(world, SETTINGS)
    time = numbers[TIME] + (step - counts[START]) * numbers[DT]
    arranged = _arrange(world, part(world, MOTION).theta)
    counts[WHY] = FINE if arranged and _fly(world, time, step) else LOST if arranged else SINGULAR
    return counts[WHY]


@borrowing
def tie(world, _step):
    """Rows of contacts and joints."""
    _tie(world, part(world, FOUND)[0])
    return FINE


@borrowing
def press(world, _step):
    """Let contacts, joints and hands push."""
    _push(world)
    return FINE


@borrowing
def land(world, step):
    """Close joints, and go to the end of the step."""
    counts, count = part(world, SETTINGS).counts, part(world, FOUND)[0]
    counts[WHY] = LOST
    if not _close_joints(world):
        return LOST
    account(world)
    if not _move(world):
        return LOST
    _arrive(world, step)
    _keep(world, count)
    counts[WHY] = FINE if _steady_joints(world) else SINGULAR
    rest(world, step)
    return counts[WHY]


@borrowing
def find_at(world, _count):
    """Contacts at the present places, for callers that take no step."""
    part(world, KEPT).clear[:] = 0.0
    place(world)
    return find(world, 1)


@borrowing
def settle_at(world, _count):
    """Surfaces of bodies that are about to sleep, for callers that take no step."""
    settle_surfaces(world)
    return 0


@borrowing
def arrange_at(world, _count):
    """Geometry and step matrices at the present places, for callers that take no step."""
    return int(_arrange(world, part(world, MOTION).theta))


@borrowing
def velocities_at(world, _count):
    """y of the present state, for callers that take no step."""
    _velocities(world)
    return 0


@borrowing
def _mark(world, count):
    """Which bodies are touched in this step, and their theta."""
    motion, contacts, reach = part(world, MOTION), part(world, CONTACTS), part(world, REACH)
    numbers, rule = part(world, SETTINGS).numbers, part(world, SETTINGS).counts[RULE]
    touched, theta, near = motion.touched, motion.theta, part(world, NEAR)
    for b in range(len(touched)):
        touched[b] = 0
    for c in range(count):
        if near[c]:
            touched[contacts.body[c, 0]] = 1
            if contacts.body[c, 1] >= 0:
                touched[contacts.body[c, 1]] = 1
    for pair in part(world, JOINTS).body:
        for side in range(2):
            if pair[side] >= 0:
                touched[pair[side]] = 1
    for b in part(world, HANDS).body:
        touched[b] = 1
    skins = part(world, SKINS)
    for s in range(len(touched)):
        for b in range(skins.first_bone[s], skins.first_bone[s] + skins.bones[s]):
            touched[b] = max(touched[b], touched[s])
    for b in range(len(touched)):
        fast = reach[b] > FAST * numbers[SLOP]
        theta[b] = STRUCK if rule == EULER or (touched[b] and fast) else TOUCHED if touched[b] else IN_FLIGHT


@borrowing
def _arrange(world, theta):
    """Geometry and step matrices; counts[WHAT]: the first body that has none."""
    numbers, counts = part(world, SETTINGS)
    models, table, state, geometry = part(world, MODELS), part(world, TABLE), part(world, STATE), part(world, GEOMETRY)
    counts[WHAT] = arrange(models, table, state, geometry, theta, numbers[DT], part(world, SPACE))
    return counts[WHAT] < 0


@borrowing
def _velocities(world):
    """y of the present state."""
    table, state, motion, inverse = (
        part(world, TABLE),
        part(world, STATE),
        part(world, MOTION),
        part(world, GEOMETRY).inverse,
    )
    y = motion.y
    for b in range(len(table.model)):
        if table.kind[b] == SYSTEM:
            continue
        at, first = table.first_y[b], table.first[b]
        for i in range(3):
            y[at + i] = state.v[b, i]
            y[at + 3 + i] = motion.spin[b, i] if table.kind[b] > HELD else 0.0
        if table.kind[b] == FREE:
            to_world(inverse[b], state.L[b], y[at + 3 : at + 6])
        for l in range(table.first[b + 1] - first):
            y[at + 6 + l] = state.qd[first + l]


@borrowing
def _spins(world):
    """Keep the spins of y, to see what becomes of them."""
    table, y, before = part(world, TABLE), part(world, MOTION).y, part(world, BEFORE)
    for b in range(len(table.model)):
        if table.kind[b] == FREE:
            for i in range(3):
                before[b, i] = y[table.first_y[b] + 3 + i]


@borrowing
def _turn_on(world, L):
    """Add what spins have gained since `_spins` to angular momenta L (b, 3)."""
    table, y, before, I = part(world, TABLE), part(world, MOTION).y, part(world, BEFORE), part(world, GEOMETRY).I
    for b in range(len(table.model)):
        if table.kind[b] == FREE:
            at = table.first_y[b] + 3
            for i in range(3):
                for j in range(3):
                    L[b, i] += I[b, i, j] * (y[at + j] - before[b, j])


@borrowing
def _bounce(world, count):
    """Contacts that close throw back: the plain mass Mt answers, and the state gets the velocities after it.

    Those that close by what others have thrown at them follow, so that a row of balls hands a hit on to the last one.
    """
    manners, ties, tied = part(world, MANNERS), part(world, TIES), part(world, TIED)
    bounced = part(world, BOUNCED)
    for c in range(count):
        tied[c] = -1
        for i in range(3):
            bounced[c, i] = 0.0
    if count == 0 or (manners.bounces[0] == 0 and manners.cone[0] == 0):
        return True
    if not _arrange(world, part(world, NONE)):
        return False
    _velocities(world)
    _spins(world)
    table, state, y = part(world, TABLE), part(world, STATE), part(world, MOTION).y
    thrown, sweeps, speed = 0, BOUNCES * part(world, SETTINGS).counts[SWEEPS], part(world, TOUCH).speed
    while thrown < PASSED_ON and _tie_bounces(world, count) > 0:
        if manners.cone[0] == 0:
            sweep(table, ties, y, sweeps)
        else:
            collide_in_turn(table, ties, y, sweeps, speed)
        restrain(table, ties, y, sweeps, speed)
        if _others_help(table):
            account_for_bounces(world)
        for c in range(count):
            if tied[c] >= 0:
                impulse_of(ties, tied[c], speed)
                for i in range(3):
                    bounced[c, i] += speed[i]
        thrown += 1
    if thrown > 0:
        _turn_on(world, state.L)
        _adopt_velocities(world)
    return True


@borrowing
def _others_help(table):
    """Are there bodies whose motion the energy of the others does not know of?"""
    found = False
    for b in range(len(table.model)):
        found = found or table.kind[b] in (KINEMATIC, SYSTEM)
    return found


@borrowing
def _tie_bounces(world, count):
    """Ties of the contacts that close and throw back, with the velocities of y; how many."""
    ties, table, state = part(world, TIES), part(world, TABLE), part(world, STATE)
    surfaces, proxies, contacts = part(world, SURFACES), part(world, PROXIES), part(world, CONTACTS)
    geometry, touch, touched = part(world, GEOMETRY), part(world, TOUCH), part(world, TOUCHED_AT)
    near, skins, manners, tied = part(world, NEAR), part(world, SKINS), part(world, MANNERS), part(world, TIED)
    y, dt = part(world, MOTION).y, part(world, SETTINGS).numbers[DT]
    clear(ties)
    return tie_bounces(
        table,
        geometry,
        state,
        surfaces,
        proxies,
        contacts,
        count,
        near,
        touched,
        skins,
        manners,
        ties,
        tied,
        y,
        dt,
        touch,
    )


@borrowing
def _fly(world, time, step):
    """Velocities as if nothing touched, with ties of hands, which look at the velocities before."""
    numbers, counts = part(world, SETTINGS)
    table, state, geometry, acting = part(world, TABLE), part(world, STATE), part(world, GEOMETRY), part(world, ACTING)
    motion, ties, dt = part(world, MOTION), part(world, TIES), numbers[DT]
    gather(table, state, geometry, part(world, FORCES), part(world, WIND), time, acting)
    actuate(part(world, ACTUATORS), step, acting.load)
    pull(table, state, geometry, part(world, MUSCLES), step, acting)
    clear(ties)
    _velocities(world)
    tie_hands(table, geometry, state, part(world, HANDS), ties, motion.y, dt, part(world, TOUCH))
    models, space = part(world, MODELS), part(world, SPACE)
    counts[WHAT] = fly(models, table, state, geometry, acting, motion, counts[RULE], dt, space)
    return counts[WHAT] < 0


@borrowing
def _tie(world, count):
    """Joints and contacts become ties, behind the hands."""
    numbers = part(world, SETTINGS).numbers
    table, state, geometry, ties = part(world, TABLE), part(world, STATE), part(world, GEOMETRY), part(world, TIES)
    touch, tied, memory = part(world, TOUCH), part(world, TIED), part(world, MEMORY)
    surfaces, proxies, contacts = part(world, SURFACES), part(world, PROXIES), part(world, CONTACTS)
    manners, touched, near = part(world, MANNERS), part(world, TOUCHED_AT), part(world, NEAR)
    skins = part(world, SKINS)
    y, start = part(world, MOTION).y, np.int64(0)  # a literal would be a type of its own
    tie_joints(table, geometry, state, part(world, JOINTS), touched, ties, y, numbers[DT], start, touch)
    tie_axes(table, geometry, part(world, HINGES), ties, numbers[DT], touch)
    for c in range(count):
        tied[c] = -1
        if not near[c] or not can_move(table, contacts, c):
            continue
        tied[c] = tie_contact(
            table, geometry, state, surfaces, proxies, contacts, touched, skins, manners, ties, c, touch
        )
        if tied[c] >= 0:
            aim_contact(contacts, manners, ties, tied[c], c, numbers[DT], numbers[SLOP])
            begin_contact(ties, tied[c], memory, contact_key(contacts, c, len(table.model)))


@borrowing
def _push(world):
    """Sweeps; spins that have changed become angular momentum."""
    ties, table, motion = part(world, TIES), part(world, TABLE), part(world, MOTION)
    if ties.made[0] > 0:
        _spins(world)
        warm(table, ties, motion.y)
        counts = part(world, SETTINGS).counts
        settle_ties(table, ties, motion.y, counts[SWEEPS])
        if counts[SHOCK]:
            propagate(table, ties, motion.y, part(world, LEVEL), counts[SWEEPS])
        _turn_on(world, motion.L)


@borrowing
def _close_joints(world):
    """Impulses that close the gaps of joints at the end of the step; is every step there to be taken?"""
    joints, ties, table, motion = part(world, JOINTS), part(world, TIES), part(world, TABLE), part(world, MOTION)
    if len(joints.body) == 0:
        return True
    numbers, counts = part(world, SETTINGS)
    models, state, ahead, geometry = part(world, MODELS), part(world, STATE), part(world, AHEAD), part(world, GEOMETRY)
    acting, space, joined, dt = part(world, ACTING), part(world, SPACE), part(world, JOINED), numbers[DT]
    first = len(part(world, HANDS).body)
    for k in range(len(joints.body)):
        for i in range(3):
            joints.impulse[k, i] = ties.impulse[first + k, i]
    couple_joints(table, ties, first, joints)
    for _ in range(TURNS):
        for b in joined:
            if table.kind[b] <= HELD and not move_body(
                models, table, state, ahead, geometry, acting, motion, b, counts[RULE], dt, space
            ):
                counts[WHAT] = b
                return False
        if gaps_of(table, ahead, joints, motion.y, dt) <= CLOSED * joints.size:
            break
        _pull_joints(world, first, motion.L)
    return True


@borrowing
def _pull_joints(world, first, L):
    """Let T^-1 f act on the joints; spins become angular momenta L."""
    joints, ties, table, y = part(world, JOINTS), part(world, TIES), part(world, TABLE), part(world, MOTION).y
    solve_joints(joints)
    _spins(world)
    for k in range(len(joints.body)):
        j0, j1, j2 = joints.f[3 * k], joints.f[3 * k + 1], joints.f[3 * k + 2]
        push(table, ties, y, first + k, j0, j1, j2)
        ties.impulse[first + k, 0] += j0
        ties.impulse[first + k, 1] += j1
        ties.impulse[first + k, 2] += j2
    _turn_on(world, L)


@borrowing
def _steady_joints(world):
    """Velocities of joined points become the same, by the plain mass, where the step has led."""
    joints, ties, table, motion = part(world, JOINTS), part(world, TIES), part(world, TABLE), part(world, MOTION)
    if len(joints.body) == 0:
        return True
    if not _arrange(world, part(world, NONE)):
        return False
    state, geometry, dt, touch = (
        part(world, STATE),
        part(world, GEOMETRY),
        part(world, SETTINGS).numbers[DT],
        part(world, TOUCH),
    )
    _velocities(world)
    clear(ties)
    tie_joints(table, geometry, state, joints, part(world, TOUCHED_AT), ties, motion.y, dt, np.int64(1), touch)
    couple_joints(table, ties, 0, joints)
    for k in range(len(joints.body)):
        speeds(table, ties, motion.y, k, touch.speed)
        for i in range(3):
            joints.f[3 * k + i] = -touch.speed[i]
    _pull_joints(world, 0, state.L)
    for k in range(len(joints.body)):
        for i in range(3):
            joints.steady[k, i] = joints.f[3 * k + i]
            ties.impulse[k, i] = joints.f[3 * k + i]
    account_for_systems(world)
    _adopt_velocities(world)
    return True


@borrowing
def _adopt_velocities(world):
    """The state gets v and q' of y."""
    table, state, y = part(world, TABLE), part(world, STATE), part(world, MOTION).y
    for b in range(len(table.model)):
        if table.kind[b] <= HELD:
            at, first = table.first_y[b], table.first[b]
            for i in range(3):
                state.v[b, i] = y[at + i]
            for l in range(table.first[b + 1] - first):
                state.qd[first + l] = y[at + 6 + l]


@borrowing
def _move(world):
    """To the end of the step."""
    numbers, counts = part(world, SETTINGS)
    models, table, state, geometry = part(world, MODELS), part(world, TABLE), part(world, STATE), part(world, GEOMETRY)
    acting, motion, space = part(world, ACTING), part(world, MOTION), part(world, SPACE)
    counts[WHAT] = move(models, table, state, geometry, acting, motion, counts[RULE], numbers[DT], space)
    return counts[WHAT] < 0


@borrowing
def _keep(world, count):
    """Impulses for the next step: of hands, joints and contacts, in the world."""
    ties, hands, joints, memory = part(world, TIES), part(world, HANDS), part(world, JOINTS), part(world, MEMORY)
    contacts, tied, j = part(world, CONTACTS), part(world, TIED), part(world, TOUCH).speed
    for h in range(len(hands.body)):
        for i in range(3):
            hands.impulse[h, i] = ties.impulse[h, i]
    for k in range(len(joints.body)):
        for i in range(3):
            joints.total[k, i] = ties.impulse[len(hands.body) + k, i]
    hinges, first = part(world, HINGES), len(hands.body) + len(joints.body)
    for k in range(len(hinges.body)):
        hinges.impulse[k, 0], hinges.impulse[k, 1] = ties.impulse[first + 2 * k, 0], ties.impulse[first + 2 * k + 1, 0]
    table, y, pressed, slipped = part(world, TABLE), part(world, MOTION).y, part(world, PRESSED), part(world, SLIPPED)
    _recall_sleepers(world, count)
    forget(memory)
    for c in range(count):
        k = tied[c]
        if k >= 0:
            impulse_of(ties, k, pressed[c])
        if k < 0 or ties.impulse[k, 0] <= 0:
            slipped[c] = 0.0
        else:
            speeds(table, ties, y, k, j)
            slipped[c] = np.sqrt(j[1] ** 2 + j[2] ** 2)
        if pressed[c, 0] != 0 or pressed[c, 1] != 0 or pressed[c, 2] != 0:
            remember(memory, contact_key(contacts, c, len(table.model)), pressed[c])


@borrowing
def _recall_sleepers(world, count):
    """What contacts without a tie press: nothing, but for those of bodies that sleep, which go on as they did."""
    contacts, tied, memory, pressed = (
        part(world, CONTACTS),
        part(world, TIED),
        part(world, MEMORY),
        part(world, PRESSED),
    )
    table, kind, near = part(world, TABLE), part(world, SLEEP).kind, part(world, NEAR)
    for c in range(count):
        a, b = contacts.body[c, 0], contacts.body[c, 1]
        sleeps = table.kind[a] != kind[a] or (b >= 0 and table.kind[b] != kind[b])
        at = recall(memory, contact_key(contacts, c, len(table.model))) if tied[c] < 0 and near[c] and sleeps else -1
        for i in range(3):
            pressed[c, i] = memory.impulses[at, i] if at >= 0 else 0.0


@borrowing
def _follow(world, step):
    """Velocities of kinematic bodies through a small step, and where it takes them."""
    paths, state, ahead, spin = part(world, PATHS), part(world, STATE), part(world, AHEAD), part(world, MOTION).spin
    dt = part(world, SETTINGS).numbers[DT]
    for k in range(len(paths.body)):
        b = paths.body[k]
        for i in range(3):
            state.t[b, i], ahead.t[b, i] = paths.t[step, k, i], paths.t[step + 1, k, i]
            state.v[b, i] = (ahead.t[b, i] - state.t[b, i]) / dt
            spin[b, i] = paths.spin[step, k, i]
        for i in range(4):
            state.Q[b, i], ahead.Q[b, i] = paths.Q[step, k, i], paths.Q[step + 1, k, i]


@borrowing
def _arrive(world, step):
    """Kinematic bodies at the end of a small step."""
    paths, state = part(world, PATHS), part(world, STATE)
    for k in range(len(paths.body)):
        b = paths.body[k]
        for i in range(3):
            state.t[b, i] = paths.t[step + 1, k, i]
        for i in range(4):
            state.Q[b, i] = paths.Q[step + 1, k, i]
