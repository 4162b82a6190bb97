"""Contacts of a small step: found where bodies stray too far from where they were found last, and followed elsewhere.

Which contacts count is chosen in every small step anew.
"""

import numpy as np

from pliant.collide import (
    begin_refreshing,
    choose,
    drop_marked,
    find_field_contacts,
    find_more_contacts,
    find_self_contacts,
    rate_contacts,
    refresh_contacts,
)
from pliant.collide.flows import SHARE, fit_flow, keep_points
from pliant.collide.refitting import refit_one
from pliant.numerics.counting import borrowing
from pliant.numerics.opaque import part
from pliant.systems.world.bones.culling import allow, is_clear
from pliant.systems.world.bones.skinned import keep_bones, place_points, place_skins, stray_of_skin
from pliant.systems.world.keeping import (
    SMALL_STEP,
    STEP,
    begin_keeping,
    gained,
    go_on,
    horizon,
    lay_aside,
    needs,
    own_reach,
    stray,
    take_back,
)
from pliant.systems.world.proxies import place_surfaces
from pliant.systems.world.record import (
    ACTING,
    CONTACTS,
    DT,
    FIELDS,
    FOUND,
    KEPT,
    MAY_TOUCH,
    MAY_TOUCH_FIELDS,
    MOTION,
    NEAR,
    PLACES,
    PROXIES,
    REACH,
    SELVES,
    SETTINGS,
    SKINS,
    SLACK,
    SLEEP,
    SPEEDS,
    SPHERES,
    STATE,
    SUBSTEPS,
    SURFACES,
    TABLE,
    WIDE,
    WIDEST,
)
from pliant.systems.world.tables import SKIN

MOST = 24  # contacts of a pair
ALIKE = 0.25  # slops: depths that count as the same


@borrowing
def seek_contacts(world, step):
    """Contacts of a small step, and which of them count; how many there are, also where there is no room for them."""
    counts, contacts, found = part(world, SETTINGS).counts, part(world, CONTACTS), part(world, FOUND)
    place(world)
    left = counts[SUBSTEPS] - step % counts[SUBSTEPS]
    marked = _mark_strays(world, left == counts[SUBSTEPS])
    surfaces, x = part(world, SURFACES), part(world, PLACES)
    count = found[0] if marked == 0 else drop_marked(surfaces, contacts, found[0])
    refresh_contacts(surfaces, x, contacts, count)
    if marked > 0:
        _see_depths(world)
        count = _find_marked(world, left, count, True)
    if count <= len(contacts.gap):
        _choose(world, count)
    return count


@borrowing
def place(world):
    """Surfaces where they are, and how far they get in a small step."""
    table, state, x, u = part(world, TABLE), part(world, STATE), part(world, PLACES), part(world, SPEEDS)
    dt, gravity, spin = part(world, SETTINGS).numbers[DT], part(world, ACTING).gravity, part(world, MOTION).spin
    reach, widest, awake = part(world, REACH), part(world, WIDEST), part(world, SLEEP).kind
    place_surfaces(table, awake, part(world, PROXIES), state, spin, dt, gravity, x, u, reach, widest)
    first_x, clear, proxies = part(world, SURFACES).first_vertex, part(world, KEPT).clear, part(world, PROXIES)
    place_skins(
        table, awake, part(world, SKINS), proxies, clear, state, spin, dt, gravity, first_x, x, u, reach, widest
    )


@borrowing
def find(world, ahead):
    """All contacts for so many small steps ahead; more than there is room for: how many."""
    surfaces = part(world, SURFACES)
    surfaces.again[:], surfaces.known[:] = 1, np.inf
    return _find_marked(world, ahead, part(world, FOUND)[0] * 0, False)


@borrowing
def _mark_strays(world, begins):
    """Mark bodies whose contacts do no longer; how many. `begins`: is it the first small step?"""
    table, state, kept, again = part(world, TABLE), part(world, STATE), part(world, KEPT), part(world, SURFACES).again
    proxies, reach, widest = part(world, PROXIES), part(world, REACH), part(world, WIDEST)
    numbers, sleep, skins, marked = part(world, SETTINGS).numbers, part(world, SLEEP), part(world, SKINS), 0
    dt = numbers[DT]
    for b in range(len(reach)):
        again[b] = 0
        if sleep.kind[b] != table.kind[b] or skins.skin[b] >= 0:
            continue
        if table.kind[b] == SKIN:
            kept.spent[b] = stray_of_skin(table, proxies, skins, state, kept, b, widest)
        else:
            kept.spent[b] = stray(table, proxies, state, kept, b, widest[b])
        needed = needs(state, kept, b, reach[b], dt) + numbers[SLACK]
        due = kept.restless[b] == SMALL_STEP or (begins and kept.restless[b] == STEP)
        again[b] = due or not needed <= kept.margins[b]
        marked += again[b]
    return marked


@borrowing
def _see_depths(world):
    """What is known of how deep points can be: as they were when contacts were found, and how far bodies got since,
    which was never farther off their ways than the margins."""
    surfaces, kept = part(world, SURFACES), part(world, KEPT)
    for b in range(len(kept.time)):
        surfaces.known[b] = surfaces.deep[b] if kept.margins[b] > 0 else np.inf
        surfaces.strayed[b], surfaces.strays[b], surfaces.age[b] = kept.spent[b], kept.margins[b], kept.time[b]
        for i in range(3):
            surfaces.going[b, i] = kept.v[b, i]


@borrowing
def _find_marked(world, left, first, culls):
    """Contacts of bodies that are to be looked at again, behind the first ones; `culls`: none of clear skins."""
    numbers, contacts, found = part(world, SETTINGS).numbers, part(world, CONTACTS), part(world, FOUND)
    table, state, kept, reach = part(world, TABLE), part(world, STATE), part(world, KEPT), part(world, REACH)
    surfaces, x, fields, wide = part(world, SURFACES), part(world, PLACES), part(world, FIELDS), part(world, WIDE)
    dt, ahead = numbers[DT], horizon(surfaces.again, reach, part(world, WIDEST), left)
    lay_aside(kept)
    for b in range(len(reach)):
        if surfaces.again[b]:
            begin_keeping(table, state, kept, b, reach[b], left, ahead, dt, numbers[SLACK])
            surfaces.deep[b], surfaces.brief[b] = 0.0, culls and ahead == 1 and kept.restless[b] > 0
            if table.kind[b] == SKIN:
                keep_bones(table, part(world, SKINS), state, kept, b)
        wide[b] = kept.margins[b] + kept.spent[b]  # what has strayed already may come back
        for i in range(3):
            surfaces.ways[b, i] = ahead * dt * kept.v[b, i]
    for b in range(len(reach)):
        if kept.clear[b] == 0:
            refit_one(surfaces, x, b)
    _look_around(world, culls)
    _see_flows(world)
    u, allowed = part(world, SPEEDS), part(world, MAY_TOUCH)
    count = find_more_contacts(surfaces, x, u, dt, wide, allowed, contacts, first)
    may_touch = part(world, MAY_TOUCH_FIELDS)
    count = find_field_contacts(surfaces, x, wide, fields, may_touch, contacts, count)
    count = find_self_contacts(surfaces, part(world, SELVES), x, wide, contacts, count)
    found[0] = count
    if count <= len(contacts.gap):
        begin_refreshing(surfaces, x, contacts, first, count)
        for b in range(len(reach)):
            keep_points(surfaces, x, b, kept.clear[b] > 0)
    else:
        _forget_marked(world, first)
    return count


@borrowing
def _see_flows(world):
    """How bodies move."""
    surfaces, x, u, spin = part(world, SURFACES), part(world, PLACES), part(world, SPEEDS), part(world, MOTION).spin
    state, kept, reach = part(world, STATE), part(world, KEPT), part(world, REACH)
    dt, slack = part(world, SETTINGS).numbers[DT], part(world, SETTINGS).numbers[SLACK]
    for b in range(len(reach)):
        if kept.clear[b] == 0:
            share = SHARE * (own_reach(state, b, reach[b], dt) + dt * gained(state, kept, b))
            fit_flow(surfaces, x, u, b, state.t[b], state.v[b], spin[b], dt, slack + share)


@borrowing
def _look_around(world, culls):
    """Which skins are clear; those that no longer are get their points."""
    table, state, skins, spheres = part(world, TABLE), part(world, STATE), part(world, SKINS), part(world, SPHERES)
    surfaces, x, wide, clear = part(world, SURFACES), part(world, PLACES), part(world, WIDE), part(world, KEPT).clear
    may_touch, with_fields, fields = part(world, MAY_TOUCH), part(world, MAY_TOUCH_FIELDS), part(world, FIELDS)
    itself = part(world, SELVES).on
    spheres.clock[0] += 1
    for s in range(len(table.model)):
        if table.kind[s] != SKIN:
            continue
        was = clear[s] > 0
        if culls and not itself[s] and (was or surfaces.again[s]):
            clear[s] = is_clear(table, state, skins, spheres, surfaces, fields, wide, s)
        if was and clear[s] == 0:
            spin, u, widest = part(world, MOTION).spin, part(world, SPEEDS), spheres.widest
            place_points(table, skins, state, spin, surfaces.first_vertex, x, u, widest, s)
            refit_one(surfaces, x, s)
        allow(spheres, may_touch, with_fields, clear[s] > 0, s)


@borrowing
def _forget_marked(world, first):
    """There was no room: the first contacts are still good, the others will be found again, as if never looked for."""
    part(world, FOUND)[0] = first
    take_back(part(world, KEPT))


@borrowing
def _choose(world, count):
    """Which contacts count in this small step."""
    state, reach, wide, ways = part(world, STATE), part(world, REACH), part(world, WIDE), part(world, SURFACES).ways
    dt, slack = part(world, SETTINGS).numbers[DT], part(world, SETTINGS).numbers[SLACK]
    table, kept = part(world, TABLE), part(world, KEPT)
    for b in range(len(reach)):
        go_on(table, kept, b, reach[b], dt)
        wide[b] = own_reach(state, b, reach[b], dt)
        for i in range(3):
            ways[b, i] = dt * state.v[b, i]
    rate_contacts(part(world, SURFACES), part(world, SPEEDS), part(world, CONTACTS), count, 2 * slack)
    choose(part(world, CONTACTS), count, MOST, wide, ways, dt, 2 * slack, ALIKE * slack, part(world, NEAR))
