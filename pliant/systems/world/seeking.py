"""Contacts of a small step: found once a step, for as far as bodies get in it, and followed from there on.

Bodies that get farther than contacts were found for are looked at again. Which contacts count is chosen in every small
step anew.
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
from pliant.numerics.counting import borrowing
from pliant.numerics.opaque import part
from pliant.systems.world.bones.skinned import place_skins
from pliant.systems.world.proxies import place_surfaces
from pliant.systems.world.record import (
    ACTING,
    CONTACTS,
    DT,
    FIELDS,
    FOUND,
    MARGINS,
    MAY_TOUCH,
    MAY_TOUCH_FIELDS,
    MOTION,
    NEAR,
    PLACES,
    PROXIES,
    REACH,
    SETTINGS,
    SKINS,
    SLACK,
    SPENT,
    STATE,
    SUBSTEPS,
    SURFACES,
    TABLE,
)

MOST = 24  # contacts of a pair
ALIKE = 0.25  # slops: depths that count as the same
SPARE = 1.25  # of how far bodies get until contacts are found again: they may gain speed


@borrowing
def seek_contacts(world, step):
    """Contacts of a small step, and which of them count; how many there are, also where there is no room for them."""
    counts = part(world, SETTINGS).counts
    place(world)
    left = counts[SUBSTEPS] - step % counts[SUBSTEPS]
    count = _find_again(world, left) if left < counts[SUBSTEPS] else find(world, left)
    if count <= len(part(world, CONTACTS).gap):
        slack, reach, contacts = part(world, SETTINGS).numbers[SLACK], part(world, REACH), part(world, CONTACTS)
        choose(contacts, count, MOST, reach, 2 * slack, ALIKE * slack, part(world, NEAR))
    return count


@borrowing
def place(world):
    """Surfaces where they are, and how far they get in a small step."""
    table, state, x, reach = part(world, TABLE), part(world, STATE), part(world, PLACES), part(world, REACH)
    dt, gravity = part(world, SETTINGS).numbers[DT], part(world, ACTING).gravity
    place_surfaces(table, part(world, PROXIES), state, part(world, MOTION).spin, dt, gravity, x, reach)
    place_skins(table, part(world, SKINS), state, part(world, SURFACES).first_vertex, x, reach)


@borrowing
def find(world, ahead):
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
