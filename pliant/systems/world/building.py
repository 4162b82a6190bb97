"""From bodies as their user made them to the tables that compiled steps read."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from pliant.collide import (
    CollisionShape,
    Field,
    OwnTouch,
    collision_shape,
    contacts_for,
    fields_of,
    own_touch,
    selves_of,
    surfaces_of,
)
from pliant.errors import ArgumentError, Array, Ids
from pliant.reduced import ReducedModel, Rigid
from pliant.skin import Points
from pliant.systems.energy_watch import energy_watch
from pliant.systems.world.actuating import Actuation, actuator_table
from pliant.systems.world.body import KINDS, Body, Model
from pliant.systems.world.bones.character import CharacterSkin
from pliant.systems.world.bones.culling import skin_spheres
from pliant.systems.world.bones.muscles import Muscle, muscle_table
from pliant.systems.world.bones.skin_table import skin_table
from pliant.systems.world.flight import Acting, flight_space, motion_of
from pliant.systems.world.hands import HandTable
from pliant.systems.world.joints import AxisTable, JointTable
from pliant.systems.world.keeping import nothing_kept
from pliant.systems.world.memory import memory_for
from pliant.systems.world.obstacle import Obstacle
from pliant.systems.world.point_forces import PointForces
from pliant.systems.world.proxies import proxies_of
from pliant.systems.world.record import Paths, WorldRecord, settings_space
from pliant.systems.world.rows import nothing_touched, ties_of
from pliant.systems.world.sleepers import all_awake
from pliant.systems.world.system_part import SystemPart
from pliant.systems.world.tables import (
    HELD,
    KINEMATIC,
    SYSTEM,
    BodyState,
    BodyTable,
    Laws,
    Models,
    body_table,
    geometry_space,
    models_of,
)
from pliant.systems.world.touching import CONES, Manners, touch_space

SINGULAR = 1e-6  # of the least eigenvalue of the mass: below it vectors of a body that flies turn it as a whole
FIRST_ROOM = 256  # contacts
HALF = 0.5  # of the least extent of a body: how far apart points on its sharp edges are
LONGEST_CALL = 256  # small steps of a call


def check_flies(model: Model, name: str) -> None:
    """Is there a mass to every motion of a model that flies?"""
    if not model.size:
        return
    inertia = model.inertia.centred()
    least = float(np.linalg.eigvalsh(inertia.moving_mass(np.zeros(model.size)))[0])
    if not least > SINGULAR * float(np.linalg.eigvalsh(inertia.reduced_mass)[0]):
        raise ArgumentError(
            f"some vectors of {name} move or turn it as a whole, which its frame does already; take vibration modes of "
            "a solid without fixed vertices, or remove rigid motions from its basis"
        )


def shape_of(model: Model, spacing: float | None = None) -> CollisionShape:
    """The surface of a model as others touch it, with points along longer edges; made once, as long as it lives.

    Without a spacing the sharp edges of a body have them, half of its least extent apart, so that edges which cross are
    found no deeper than a quarter of it. A proxy of a character has a spacing of its own.
    """
    known, proxy = _shapes.setdefault(model, {}), model.proxy if isinstance(model, CharacterSkin) else None
    if spacing not in known:
        triangles, apart = (triangles_of(model), spacing) if proxy is None else (proxy.triangles, proxy.spacing)
        sharp = spacing is None and isinstance(model, ReducedModel | Rigid)
        apart = HALF * float(np.ptp(model.X, axis=0).min()) if sharp else apart
        known[spacing] = collision_shape(model.X, triangles, apart, sharp=sharp)
    return known[spacing]


def own_touch_of(model: Model, spacing: float | None = None) -> OwnTouch | None:
    """How a model touches itself, made once as well; None: it does not."""
    if not isinstance(model, CharacterSkin) or model.touching is None:
        return None
    known = _own_touches.setdefault(model, {})
    if spacing not in known:
        shape = shape_of(model, spacing)
        known[spacing] = own_touch(shape, model.X[shape.ids], model.touching or None)
    return known[spacing]


def share_shapes(of: Model, to: Model) -> None:
    """Have a model that lies and moves as another one touch as that does."""
    _shapes[to], _own_touches[to] = _shapes.setdefault(of, {}), _own_touches.setdefault(of, {})


_shapes: WeakKeyDictionary[Model, dict[float | None, CollisionShape]] = WeakKeyDictionary()
_own_touches: WeakKeyDictionary[Model, dict[float | None, OwnTouch]] = WeakKeyDictionary()


@cache
def point_shape() -> CollisionShape:
    """Of bones, which touch nothing themselves: one small triangle."""
    return collision_shape(np.eye(3), [[0, 1, 2]])


def triangles_of(model: Model) -> Ids:
    """(t, 3) the surface of a model."""
    return model.triangles if isinstance(model, Obstacle | SystemPart | CharacterSkin) else model.mesh.surface


class Tables(NamedTuple):
    """Distinct models, tables of them and of the bodies, and what must live as long."""

    distinct: tuple[Model, ...]
    models: Models
    laws: Laws
    bodies: BodyTable


def tables_of(bodies: Sequence[Body], before: Tables | None = None, room: int = FIRST_ROOM) -> Tables:
    """Tables of bodies; those of models are the ones from before where these are the same. `room`: for contacts."""
    distinct = tuple({id(body.model): body.model for body in bodies}.values())
    same = before is not None and [id(model) for model in distinct] == [id(model) for model in before.distinct]
    models, laws = (before.models, before.laws) if same and before is not None else models_of(distinct)
    known = {id(model): k for k, model in enumerate(distinct)}
    which = np.array([known[id(body.model)] for body in bodies], dtype=np.int64)
    kinds = np.array([KINDS[body.kind] for body in bodies], dtype=np.int64)
    damping = np.array([body.damping for body in bodies], dtype=np.float64).reshape(-1, 2)
    return Tables(distinct, models, laws, body_table(which, kinds, models.size[which], damping, room))


def record_of(
    bodies: Sequence[Body],
    tables: Tables,
    state: BodyState,
    fields: Sequence[Field],
    gravity: Array,
    acting: tuple,
    pushed: Array,
    apart: Sequence[tuple[int, int]] = (),
    room: int = FIRST_ROOM,
    actuations: Sequence[Actuation] = (),
    muscles: Sequence[Muscle] = (),
    spacing: float | None = None,
) -> WorldRecord:
    """Everything for compiled steps; `acting`: forces on points, wind, hands, joints, hinges, manners;
    `pushed`: the load on q that was given as such; `apart`: pairs that never touch; `spacing`: of points on edges."""
    table, b, widest = tables.bodies, len(bodies), int(tables.models.size.max(initial=0))
    forces, wind, hands, joints, hinges, manners = acting
    bones = np.array([body.is_bone for body in bodies], dtype=bool)
    touching = np.bincount(table.model, ~bones, len(tables.distinct)) > 0
    own_shapes = [shape_of(model, spacing) if own else None for model, own in zip(tables.distinct, touching)]
    point = point_shape()
    shapes = [*(point if shape is None else shape for shape in own_shapes), point]
    surfaces = surfaces_of(shapes, np.where(bones, len(own_shapes), table.model))
    kept = nothing_kept(table, int(surfaces.first_vertex[-1]))
    surfaces = surfaces._replace(deep=kept.deep, was=kept.was, sunk=kept.sunk)
    own_touches = [*(own_touch_of(model, spacing) for model in tables.distinct), None]
    size = int(surfaces.first_vertex[-1])
    first_x = np.where(bones, -1, surfaces.first_vertex[:-1])
    others = other_ties(hands, joints, hinges)
    loads = Acting(np.zeros((b, 3)), np.zeros((b, 3)), np.zeros(table.first[-1]), pushed.copy(), gravity.copy())
    moves = table.kind <= HELD
    acted_on = (moves | (table.kind >= SYSTEM)) & ~bones
    may_touch = _may_touch(bodies, acted_on, bones, apart)
    with_fields: Any = np.ascontiguousarray(np.repeat(acted_on[:, None], len(fields), axis=1)).astype(np.uint8)
    return WorldRecord(
        tables.models,
        table._replace(kind=table.kind.copy()),  # that of what sleeps changes
        state,
        geometry_space(table),
        motion_of(table),
        loads,
        flight_space(widest),
        forces,
        wind,
        hands,
        joints,
        hinges,
        BodyState(*(array.copy() for array in state)),
        np.unique(joints.body[joints.body >= 0][moves[joints.body[joints.body >= 0]]]),
        surfaces,
        proxies_of(tables.distinct, own_shapes, first_x),
        fields_of(list(fields)),
        manners,
        may_touch,
        with_fields,
        np.zeros((size, 3)),
        np.zeros((size, 3)),
        np.zeros(b),
        np.zeros(b),
        np.zeros(b),
        kept,
        contacts_for(room),
        np.zeros(1, np.int64),
        np.zeros(room, np.uint8),
        np.zeros(room, np.int64),
        ties_of(room + others, entries_a_tie(bodies) * (room + others), 6 + widest),
        memory_for(room),
        touch_space(widest),
        nothing_touched(b, room),
        skin_table(bodies, tables.distinct, own_shapes),
        np.zeros(b),
        np.zeros((b, 3)),
        np.zeros(b, np.int64),
        settings_space(),
        paths_for(np.flatnonzero(table.kind == KINEMATIC)),
        actuator_table(actuations, table.first, {id(body): k for k, body in enumerate(bodies)}, LONGEST_CALL),
        np.zeros((room, 3)),
        np.zeros((room, 3)),
        np.zeros(room),
        energy_watch(_noise(bodies, gravity)),
        all_awake(table),
        selves_of(shapes, own_touches, np.array([own_touches[k] is not None for k in table.model])),
        skin_spheres(bodies, tables.distinct, table.model, own_shapes, may_touch, with_fields),
        muscle_table(muscles, LONGEST_CALL),
    )


def _noise(bodies: Sequence[Body], gravity: Array) -> float:
    """What rounding and contacts make of energies [J]: what lifts bodies by a millionth of their size, and by a twelfth
    of how deep contacts may stay, since sweeps place them no better."""
    pull = max(float(np.linalg.norm(gravity)), 1.0)
    moving = [(body.mass, np.ptp(body.model.X, axis=0)) for body in bodies if KINDS[body.kind] <= HELD]
    return pull * sum(mass * float(1e-6 * extent.max() + 1e-4 * extent.min()) for mass, extent in moving)


def other_ties(hands: HandTable, joints: JointTable, hinges: AxisTable) -> int:
    """Ties that are no contacts."""
    return len(hands.body) + len(joints.body) + 2 * len(hinges.body)


def entries_a_tie(bodies: Sequence[Body]) -> int:
    """Bodies that one contact may act on: two, or the bones of two places of skins."""
    return max([2, *(2 * body.model.most_bones for body in bodies if isinstance(body.model, CharacterSkin))])


def _may_touch(bodies: Sequence[Body], moves: Any, bones: Any, apart: Sequence[tuple[int, int]]) -> Array:
    """(b, b) pairs of which one moves, that are not of one group, nor kept apart; bones leave it to their skins."""
    groups: Any = np.array([body.group for body in bodies])
    strangers = (groups[:, None] != groups[None]) | (groups[:, None] == 0)
    alone = ~(bones[:, None] | bones[None])
    touch = (strangers & alone & (moves[:, None] | moves[None])).astype(np.uint8)
    for a, b in apart:
        touch[a, b] = touch[b, a] = 0
    return touch


def paths_for(bodies: Ids) -> Paths:
    """Room for the frames of kinematic bodies, as many small steps ahead as one call takes."""
    k = len(bodies)
    frames = np.zeros((LONGEST_CALL + 1, k, 3)), np.zeros((LONGEST_CALL + 1, k, 4))
    return Paths(bodies, *frames, np.zeros((LONGEST_CALL, k, 3)))


def manners_of(
    bodies: Sequence[Body],
    fields: Sequence[tuple[Field, float, float]],
    pairs: Mapping[tuple[int, int], tuple[float | None, float | None]],
    cone: str,
) -> Manners:
    """How bodies and fields touch; `pairs`: friction and restitution of two bodies by their ids, where they differ."""
    f, numbers = len(fields), {id(body): k for k, body in enumerate(bodies)}
    mu = np.array([*(body.friction for body in bodies), *(given for _, given, _ in fields)], dtype=np.float64)
    e = np.array([*(body.restitution for body in bodies), *(given for _, _, given in fields)], dtype=np.float64)
    own = slice(0, len(bodies))
    friction, restitution = np.sqrt(np.outer(mu[own], mu)), np.maximum(e[own, None], e[None])
    for (a, b), (slide, bounce) in pairs.items():
        for i, k in ((numbers[a], numbers[b]), (numbers[b], numbers[a])):
            friction[i, k] = friction[i, k] if slide is None else slide
            restitution[i, k] = restitution[i, k] if bounce is None else bounce
    bounces, how = np.array([int((restitution > 0).any())]), np.array([CONES.index(cone)])
    return Manners(friction, restitution, bounces, how, np.zeros((f, 6)), np.zeros((f, 3)))


def entries_of(points: Points, bodies: Sequence[Body]) -> tuple[Ids, Ids, Array, Ids, Array]:
    """Of points of the joined skin: which point each entry is of, its body, X (k, 3), where its rows begin, rows."""
    tables = points.tables
    e = len(tables.part)
    point = np.repeat(np.arange(points.count), np.diff(tables.start))
    body = np.asarray(tables.frame[tables.part], dtype=np.int64)
    X, rows = np.zeros((e, 3)), []
    for k in range(e):
        model, r = bodies[body[k]].model, int(tables.size[tables.part[k]])
        S = np.asarray(tables.U[tables.rows[k] : tables.rows[k] + 3 * r]).reshape(3, r)
        X[k] = tables.X[k]
        if not len(model.fixed):
            X[k] -= model.inertia.centre
            S = S - model.inertia.N / model.inertia.mass
        rows.append(S.ravel())
    at = np.cumsum([0, *(len(row) for row in rows)])[:-1]
    return point, body, X, at, np.concatenate(rows) if rows else np.zeros(0)


def point_forces(points: Points, forces: Array, areas: Array, bodies: Sequence[Body]) -> PointForces:
    """Forces (p, 3) on points, and areas (p,) in the wind."""
    point, body, X, at, rows = entries_of(points, bodies)
    share = points.tables.weights
    return PointForces(
        body, X, at, rows, forces[point] * share[:, None], areas[point] * share, np.zeros_like(X), np.zeros_like(X)
    )


def hand_table(
    points: Points, targets: Array, rates: Array, limits: Array, impulses: Array, bodies: Sequence[Body]
) -> HandTable:
    """Hands on points, one body each."""
    _, body, X, at, rows = entries_of(points, bodies)
    return HandTable(body, X, at, rows, targets, rates, limits, impulses)
