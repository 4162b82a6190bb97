"""For how long contacts that were found stay all there are: until a body gets farther than they were found for.

A body is expected to go on as it does, by v0 t from where it was. What is not found is farther from it than

    margin_a + margin_b + H |v0_a - v0_b|,   H the rest of the step, or a small step where bodies are fast,

so nothing that matters is missed as long as each has strayed from its way by less than its margin, however fast both
fly together. Bodies that are slow are expected to stay where they are, v0 = 0, for as long as they do.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pliant.collide import Contacts
from pliant.collide.flows import UNKNOWN
from pliant.errors import Array, check_array
from pliant.numerics.counting import borrowing
from pliant.systems.world.tables import SYSTEM, BodyTable

SPARE = 1.25  # of how far bodies get until contacts are found again: they may gain speed
CALM = 4.0  # slacks: the margin of slow bodies
SHORT = 0.05  # of what bodies extend from t: margins for all of a step, above which each small step has its own
STEP, SMALL_STEP = 1, 2
TURN = 2.1  # of |Q - Q0|: the angle between both, as far as margins reach


class Kept(NamedTuple):
    """Bodies when their contacts were last found, one entry a body but for q.

    Attributes:
        flat: all of the others in a row, but for those of points, which are in `points`.
        t, Q, q: their state then. v: the velocity with which they go on.
        margins: how far they may stray [m]; zero: find them again. spent: how far they have [m].
        time: since then [s]. restless: found again in every STEP, or in every SMALL_STEP. clear: one of skins that
            nothing is near, whose points are not placed. deep: how deep any point of it or in it was [m].
        was, sunk: (v, 3), (v,) where the vertices of surfaces were, and how deep in others. These and `deep` are those
            of the surfaces.
        spare: room for `flat`.
    """

    flat: Array
    t: Array
    Q: Array
    q: Array
    v: Array
    margins: Array
    spent: Array
    time: Array
    restless: Array
    clear: Array
    deep: Array
    points: Array
    was: Array
    sunk: Array
    spare: Array


def nothing_kept(table: BodyTable, vertices: int) -> Kept:
    """All to be found; `vertices`: of all surfaces."""
    b = len(table.model)
    shapes = ((b, 3), (b, 4), (int(table.first[-1]),), (b, 3), *(6 * [(b,)]))
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
    flat = np.zeros(int(ends[-1]))
    points = np.zeros(4 * vertices)
    own = [own.reshape(shape) for own, shape in zip(np.split(flat, ends[:-1]), shapes)]
    was, sunk = points[: 3 * vertices].reshape(vertices, 3), points[3 * vertices :]
    return Kept._make([flat, *own, points, was, sunk, np.zeros(len(flat))])


@borrowing
def lay_aside(kept):
    """Keep a copy of what is known of bodies, for `take_back`."""
    for k in range(len(kept.flat)):
        kept.spare[k] = kept.flat[k]


@borrowing
def take_back(kept):
    """As it was laid aside."""
    for k in range(len(kept.flat)):
        kept.flat[k] = kept.spare[k]


@borrowing
def stray(table, proxies, state, kept, b, widest):
    """How far body b has strayed from its way since its contacts were found [m]; what places itself: how far it can."""
    if table.kind[b] == SYSTEM:
        return kept.spent[b]
    way, turned, shaped, first = 0.0, 0.0, 0.0, table.first[b]
    for i in range(3):
        way += (state.t[b, i] - kept.t[b, i] - kept.time[b] * kept.v[b, i]) ** 2
    for i in range(4):
        turned += (state.Q[b, i] - kept.Q[b, i]) ** 2
    for l in range(table.first[b + 1] - first):
        shaped += abs(state.q[first + l] - kept.q[first + l]) * proxies.longest[proxies.first_q[table.model[b]] + l]
    return np.sqrt(way) + TURN * np.sqrt(turned) * widest + shaped


@borrowing
def go_on(table, kept, b, reach, dt):
    """A small step is taken."""
    kept.time[b] += dt
    if table.kind[b] == SYSTEM:
        kept.spent[b] += reach


@borrowing
def own_reach(state, b, reach, dt):
    """What of the reach is no velocity of the whole [m]."""
    return reach - dt * np.sqrt(state.v[b, 0] ** 2 + state.v[b, 1] ** 2 + state.v[b, 2] ** 2)


@borrowing
def needs(state, kept, b, reach, dt):
    """The margin that body b needs by now, beside the slack [m]."""
    return kept.spent[b] + dt * gained(state, kept, b) + own_reach(state, b, reach, dt)


@borrowing
def gained(state, kept, b):
    """How much its velocity differs from the one with which body b is expected to go on [m/s]."""
    square = 0.0
    for i in range(3):
        square += (state.v[b, i] - kept.v[b, i]) ** 2
    return np.sqrt(square)


@borrowing
def horizon(again, reach, widest, left):
    """For how many small steps contacts are found, of `left` in this step: all, unless bodies get too far in them."""
    far, size = 0.0, 0.0
    for b in range(len(again)):
        if again[b]:
            far += SPARE * left * reach[b]
            size += SHORT * widest[b]
    return left if far <= size else 1


@borrowing
def begin_keeping(table, state, kept, b, reach, left, ahead, dt, slack):
    """Contacts of body b are found now, for so many small steps, of `left` in this step."""
    own, calm = own_reach(state, b, reach, dt), CALM * slack
    spare = 1.0 if ahead == 1 else SPARE * ahead
    quiet = slack + SPARE * left * reach <= calm and table.kind[b] != SYSTEM
    kept.restless[b] = 0 if quiet else STEP if ahead == left else SMALL_STEP
    kept.margins[b] = calm if quiet else slack + spare * own + (SPARE - 1) * ahead * (reach - own)
    kept.spent[b] = kept.time[b] = 0.0
    for i in range(3):
        kept.t[b, i] = state.t[b, i]
        kept.v[b, i] = 0.0 if quiet else state.v[b, i]
    for i in range(4):
        kept.Q[b, i] = state.Q[b, i]
    for k in range(table.first[b], table.first[b + 1]):
        kept.q[k] = state.q[k]


ROW = ("body", "sample", "triangle", "barycentric", "normal", "rest")  # of a contact, what its place follows from


def kept_state(kept: Kept, contacts: Contacts, count: int) -> dict[str, Array]:
    """Of `World.state`: what is kept, and the contacts."""
    return {
        "kept": kept.flat,
        "kept_points": kept.points,
        "kept_contacts": np.concatenate([getattr(contacts, name)[:count].ravel() for name in ROW]),
    }


def kept_count(state: Mapping[str, ArrayLike], contacts: Contacts) -> int:
    """How many contacts a state keeps."""
    return np.size(state.get("kept_contacts", ())) // sum(getattr(contacts, name)[:1].size for name in ROW)


def adopt_kept(kept: Kept, contacts: Contacts, state: Mapping[str, ArrayLike]) -> int:
    """Write what `kept_state` gave where there is room for it; how many contacts. Without it all are found anew."""
    kept.margins[:] = 0.0
    if "kept" not in state:
        return 0
    kept.flat[:] = check_array("kept", state["kept"], kept.flat.shape)
    kept.was[:], kept.sunk[:] = UNKNOWN, 0.0
    if "kept_points" in state:
        kept.points[:] = check_array("kept_points", state["kept_points"], kept.points.shape)
    count, numbers = kept_count(state, contacts), check_array("kept_contacts", state["kept_contacts"], (None,))
    for name in ROW:
        own = getattr(contacts, name)[:count]
        own[:] = numbers[: own.size].reshape(own.shape)
        numbers = numbers[own.size :]
    return count
