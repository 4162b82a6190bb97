"""A step of a world: find contacts, bounce, fly, let contacts, joints and hands push, move ([MC15] 6, [GBF03] order).

All bodies, all steps in compiled code; it comes back early where there is no room for the contacts it found, or where a
body finds no solution, with everything as it was at the start of that small step.
"""

import numpy as np

from pliant.collide import (
    begin_refreshing,
    choose,
    drop_marked,
    find_field_contacts,
    find_more_contacts,
    refit,
    refresh_contacts,
)
from pliant.numerics.counting import borrowing, borrowing_inlined
from pliant.numerics.opaque import part
from pliant.systems.energy_watch import add_work
from pliant.systems.world.actuating import actuate
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
from pliant.systems.world.memory import forget, remember
from pliant.systems.world.point_forces import gather
from pliant.systems.world.proxies import place_surfaces
from pliant.systems.world.record import (
    ACTING,
    ACTUATORS,
    AHEAD,
    BEFORE,
    BOUNCED,
    CONTACTS,
    DONE,
    DT,
    FIELDS,
    FORCES,
    FOUND,
    GEOMETRY,
    HANDS,
    HINGES,
    JOINED,
    JOINTS,
    LEDGER,
    LEVEL,
    MANNERS,
    MARGINS,
    MAY_TOUCH,
    MAY_TOUCH_FIELDS,
    MEMORY,
    MODELS,
    MOTION,
    NEAR,
    NONE,
    PATHS,
    PLACES,
    PRESSED,
    PROXIES,
    REACH,
    RULE,
    SETTINGS,
    SHOCK,
    SLACK,
    SLIPPED,
    SLOP,
    SPACE,
    SPENT,
    START,
    STATE,
    SUBSTEPS,
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
from pliant.systems.world.rows import AXIS, CONTACT, HAND, clear, impulse_of
from pliant.systems.world.shaping import to_axes, to_world
from pliant.systems.world.shock import propagate
from pliant.systems.world.sweeps import push, settle_ties, speeds, sweep, warm
from pliant.systems.world.tables import FREE, HELD, KINEMATIC, SYSTEM
from pliant.systems.world.touching import (
    aim_contact,
    begin_contact,
    contact_key,
    tie_bounces,
    tie_contact,
)

FINE, CROWDED, SINGULAR, LOST = range(4)
BOUNCES = 4  # times as many sweeps for bounces as for contacts
FAST = 4.0  # slops a step
MOST = 24  # contacts of a pair
ALIKE = 0.25  # slops: depths that count as the same
SPARE = 1.25  # of how far bodies get until contacts are found again: they may gain speed


@borrowing
def advance(world, count):
    """Small steps from settings.counts[START] to `count`; 0 where all went well, else it is told in `counts`.

    Args:
        world: address of a `WorldRecord`.
    """
    counts = part(world, SETTINGS).counts
    for step in range(counts[START], count):
        counts[DONE] = step
        if seek(world, step) or rebound(world, step) or glide(world, step) or meet(world, step):
            return 1
    counts[DONE] = count
    return 0


# The four stages of a small step. Where a world has systems, these act in between: each gives 0 where all went well,
# else why it did not, which is also told in counts[WHY], and counts[WHAT] tells whom that concerns.


@borrowing
def seek(world, step):
    """Find contacts."""
    counts = part(world, SETTINGS).counts
    _follow(world, step)
    _place(world)
    left = counts[SUBSTEPS] - step % counts[SUBSTEPS]
    counts[WHAT] = _find_again(world, left) if left < counts[SUBSTEPS] else _find(world, left)
    counts[WHY] = CROWDED if counts[WHAT] > len(part(world, CONTACTS).gap) else FINE
    if counts[WHY] == FINE:
        slack, reach, contacts = part(world, SETTINGS).numbers[SLACK], part(world, REACH), part(world, CONTACTS)
        choose(contacts, counts[WHAT], MOST, reach, 2 * slack, ALIKE * slack, part(world, NEAR))
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
def meet(world, step):
    """Let contacts, joints and hands push, and go to the end of the step."""
    counts, count = part(world, SETTINGS).counts, part(world, FOUND)[0]
    counts[WHY] = LOST
    _tie(world, count)
    _push(world)
    if not _close_joints(world):
        return LOST
    _account(world)
    if not _move(world):
        return LOST
    _arrive(world, step)
    _keep(world, count)
    counts[WHY] = FINE if _steady_joints(world) else SINGULAR
    return counts[WHY]


@borrowing
def find_at(world, _count):
    """Contacts at the present places, for callers that take no step."""
    _place(world)
    return _find(world, 1)


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
def _place(world):
    """Surfaces where they are, and how far they get in a small step."""
    table, state, x, reach = part(world, TABLE), part(world, STATE), part(world, PLACES), part(world, REACH)
    dt, gravity = part(world, SETTINGS).numbers[DT], part(world, ACTING).gravity
    place_surfaces(table, part(world, PROXIES), state, part(world, MOTION).spin, dt, gravity, x, reach)


@borrowing
def _find(world, ahead):
    """Contacts for so many small steps ahead; more than there is room for: how many."""
    part(world, SURFACES).again[:] = 1
    return _find_marked(world, ahead, np.int64(0))


@borrowing
def _find_again(world, ahead):
    """The contacts of the last small step where they are now; those of bodies that get farther than these were found
    for, anew."""
    surfaces, contacts, found = part(world, SURFACES), part(world, CONTACTS), part(world, FOUND)
    reach, margins, spent = part(world, REACH), part(world, MARGINS), part(world, SPENT)
    marked = 0
    for b in range(len(reach)):
        spent[b] += reach[b]
        surfaces.again[b] = spent[b] > margins[b]
        marked += surfaces.again[b]
    count = drop_marked(surfaces, contacts, found[0]) if marked > 0 else found[0]
    refresh_contacts(surfaces, part(world, PLACES), contacts, count)
    return _find_marked(world, ahead, count) if marked > 0 else count


@borrowing
def _find_marked(world, ahead, first):
    """Contacts of bodies that are to be looked at again, behind the first ones."""
    numbers, contacts, found = part(world, SETTINGS).numbers, part(world, CONTACTS), part(world, FOUND)
    surfaces, x, reach = part(world, SURFACES), part(world, PLACES), part(world, REACH)
    margins, spent, fields = part(world, MARGINS), part(world, SPENT), part(world, FIELDS)
    for b in range(len(reach)):
        if surfaces.again[b]:
            spent[b] = reach[b]
            margins[b] = numbers[SLACK] + (1.0 if ahead == 1 else SPARE * ahead) * reach[b]
    refit(surfaces, x)
    count = find_more_contacts(surfaces, x, margins, part(world, MAY_TOUCH), contacts, first)
    may_touch = part(world, MAY_TOUCH_FIELDS)
    count = find_field_contacts(surfaces, x, margins, fields, may_touch, contacts, count)
    if count <= len(contacts.gap):
        begin_refreshing(surfaces, x, contacts, first, count)
    found[0] = count
    return count


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
    """Contacts that close throw back: the plain mass Mt answers, and the state gets the velocities after it."""
    manners, ties, tied = part(world, MANNERS), part(world, TIES), part(world, TIED)
    bounced = part(world, BOUNCED)
    for c in range(count):
        tied[c] = -1
        for i in range(3):
            bounced[c, i] = 0.0
    if count == 0 or manners.bounces[0] == 0:
        return True
    if not _arrange(world, part(world, NONE)):
        return False
    _velocities(world)
    clear(ties)
    numbers, counts = part(world, SETTINGS)
    table, state, y = part(world, TABLE), part(world, STATE), part(world, MOTION).y
    surfaces, proxies, contacts = part(world, SURFACES), part(world, PROXIES), part(world, CONTACTS)
    geometry, touch, touched, dt = part(world, GEOMETRY), part(world, TOUCH), part(world, TOUCHED_AT), numbers[DT]
    near = part(world, NEAR)
    tie_bounces(
        table, geometry, state, surfaces, proxies, contacts, count, near, touched, manners, ties, tied, y, dt, touch
    )
    if ties.made[0] == 0:
        return True
    _spins(world)
    sweep(table, ties, y, BOUNCES * counts[SWEEPS])
    for c in range(count):
        impulse_of(ties, tied[c], bounced[c])
    _turn_on(world, state.L)
    _adopt_velocities(world)
    return True


@borrowing
def _fly(world, time, step):
    """Velocities as if nothing touched, with ties of hands, which look at the velocities before."""
    numbers, counts = part(world, SETTINGS)
    table, state, geometry, acting = part(world, TABLE), part(world, STATE), part(world, GEOMETRY), part(world, ACTING)
    motion, ties, dt = part(world, MOTION), part(world, TIES), numbers[DT]
    gather(table, state, geometry, part(world, FORCES), part(world, WIND), time, acting)
    actuate(part(world, ACTUATORS), step, acting.load)
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
    tie_joints(table, geometry, state, part(world, JOINTS), ties, numbers[DT], touch)
    tie_axes(table, geometry, part(world, HINGES), ties, numbers[DT], touch)
    for c in range(count):
        tied[c] = -1
        if not near[c]:
            continue
        tied[c] = tie_contact(table, geometry, state, surfaces, proxies, contacts, touched, manners, ties, c, touch)
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
            if not move_body(models, table, state, ahead, geometry, acting, motion, b, counts[RULE], dt, space):
                counts[WHAT] = b
                return False
        if gaps_of(table, ahead, joints, -1 / dt) <= CLOSED * joints.size:
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
    tie_joints(table, geometry, state, joints, ties, dt, touch)
    couple_joints(table, ties, 0, joints)
    for k in range(len(joints.body)):
        speeds(table, ties, motion.y, k, touch.speed)
        for i in range(3):
            joints.f[3 * k + i] = -touch.speed[i]
    _pull_joints(world, 0, state.L)
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
def _account(world):
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
    forget(memory)
    table, y, pressed, slipped = part(world, TABLE), part(world, MOTION).y, part(world, PRESSED), part(world, SLIPPED)
    for c in range(count):
        k = tied[c]
        impulse_of(ties, k, pressed[c])
        if k < 0 or ties.impulse[k, 0] <= 0:
            continue
        speeds(table, ties, y, k, j)
        slipped[c] = np.sqrt(j[1] ** 2 + j[2] ** 2)
        remember(memory, contact_key(contacts, c, len(table.model)), pressed[c])


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
