"""A joint of a world, as its user sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_matrix

from pliant.errors import ArgumentError, Array, check_array, check_count, check_number
from pliant.mesh import embed
from pliant.systems.world.body import Body
from pliant.systems.world.joints import AxisTable, JointTable, axis_table, joint_table
from pliant.systems.world.obstacle import Obstacle
from pliant.systems.world.participants import JoinedPlace
from pliant.systems.world.proxies import centred_rows
from pliant.systems.world.system_body import SystemBody

if TYPE_CHECKING:
    from pliant.systems.world.world import World

JOINTS = ("point", "rigid", "hinge")
SPREAD = 0.05  # of the lesser size of its bodies: how far from the joint its points lie
APART = 0.05  # of the same: gaps above it are not meant to be closed


class Joint:
    """Keeps places of two bodies together; made by `world.join`.

    Attributes:
        kind: "point": one place; "hinge": an axis; "rigid": all of both near the joint.
        bodies: the two; None: the world.
        touching: may they touch each other?
        wound: the angle of a hinge when tables were last made [rad]; `angle` is that of now.
    """

    def __init__(
        self,
        world: World,
        kind: str,
        bodies: tuple[Body, Body | None],
        places: tuple[Array, Array],
        axis: Array | None,
        speed: float,
        torque: float,
        limits: tuple[float, float],
    ):
        self.world: World | None = world
        self.kind, self.bodies, self.touching, self.wound = kind, bodies, False, 0.0
        self._axis, self._speed, self._torque, self._limits = axis, speed, torque, limits
        # Places (k, 3) in the models of both, or in the world, and what was found of them.
        self._places, self._known = places, dict[int, Any]()
        frames = [np.eye(3) if body is None else body.rotation for body in bodies]
        self._across = None if axis is None or self._on_system else [R.T @ _across(frames[0] @ axis) for R in frames]

    def __repr__(self) -> str:
        names = ["the world" if body is None else body.name for body in self.bodies]
        return f"Joint({self.kind}, {names[0]} and {names[1]})"

    @property
    def _there(self) -> World:
        if self.world is None:
            raise ArgumentError("this joint was removed from its world; join the bodies again")
        return self.world

    @property
    def _on_system(self) -> bool:
        """Does it hold a tree, seams or another system?"""
        return any(isinstance(body, SystemBody) for body in self.bodies)

    @property
    def gap(self) -> float:
        """The largest distance of what it keeps together, at the end of the last step [m]."""
        if self._on_system:
            apart = self._places_now(0) - self._places_now(1)
            return float(np.linalg.norm(apart, axis=1).max())
        return float(self._there._record.joints.gap[self._rows()].max())

    @property
    def turns(self) -> bool:
        """Is it a hinge with an angle? Those of systems have none."""
        return self._across is not None

    def places(self) -> Array:
        """(k, 3) where the points of its first body that it keeps are in the world [m]."""
        return self._places_now(0)

    def _places_now(self, side: int) -> Array:
        """(k, 3) where the points of one side are in the world."""
        body, places = self.bodies[side], self._places[side]
        if body is None:
            return places
        if isinstance(body, SystemBody):
            return self._hung(side) @ body.vertices()
        if side not in self._known:
            own = _side(body, places, {id(body): 0})
            self._known[side] = np.array([X for _, X, _ in own]), np.array([S for _, _, S in own])
        X, S = self._known[side]
        origin = body.position if len(body.model.fixed) else body.centre
        return origin + (X + S @ body.q) @ body.rotation.T

    def _hung(self, side: int) -> csr_matrix:
        """Rows (k, n) that its places of a system are of the vertices of its mesh."""
        if side not in self._known:
            body = self.bodies[side]
            assert isinstance(body, SystemBody)
            self._known[side] = embed(body.model.mesh, self._places[side]).rows.tocsr()
        return self._known[side]

    @property
    def force(self) -> Array:
        """(3,) on the first body in the last small step [N]."""
        joints, rows = self._there._record.joints, self._rows()
        return (joints.total[rows] + joints.steady[rows]).sum(axis=0) / self._there.small_step

    @property
    def angle(self) -> float:
        """Of a hinge: how far the first body has turned about the axis against the second, all turns, at the last
        step [rad]."""
        self._must_turn("angle")
        hinges = [each for each in self._there._joints_in_order() if each._across is not None]
        return float(self._there._record.hinges.angle[hinges.index(self)])

    def _rows(self) -> slice:
        """Which points of the tables it has."""
        order = self._there._joints_in_order()
        first = sum(len(each._places[0]) for each in order[: order.index(self)])
        return slice(first, first + len(self._places[0]))

    @property
    def speed(self) -> float:
        """Of a hinge's motor [1/s]; writable."""
        return self._speed

    @speed.setter
    def speed(self, value: float) -> None:
        self._must_turn("motor")
        self._speed = check_number("speed", value)
        self._there._change_joints()

    @property
    def torque(self) -> float:
        """The largest of a hinge's motor [N m]; writable."""
        return self._torque

    @torque.setter
    def torque(self, value: float) -> None:
        self._must_turn("motor")
        self._torque = check_number("torque", value, at_least=0)
        self._there._change_joints()

    @property
    def limits(self) -> tuple[float, float]:
        """Of a hinge's angle [rad]."""
        self._must_turn("limits")
        return self._limits

    def _must_turn(self, what: str) -> None:
        if self.kind != "hinge":
            raise ArgumentError(f"a {self.kind} joint has no {what}; join with kind='hinge'")
        if self._across is None:
            name = next(body.name for body in self.bodies if isinstance(body, SystemBody))
            raise ArgumentError(f"{name} is a system without one frame that turns, so its hinge has no {what}")

    def remove(self) -> None:
        """Let the bodies part."""
        self._there._remove_joint(self)

    def sides(self, numbers: dict[int, int]) -> list[tuple[int, Array, Array]]:
        """For tables: of every place and both bodies, (number or -1, X (3,), S (3, r)), pairs in a row."""
        found = []
        for a, b in zip(*(_side(body, places, numbers) for body, places in zip(self.bodies, self._places))):
            found += [a, b]
        return found


def _side(body: Body | None, places: Array, numbers: dict[int, int]) -> list[tuple[int, Array, Array]]:
    if body is None:
        return [(-1, place, np.zeros((3, 0))) for place in places]
    model, number = body.model, numbers[id(body)]
    if isinstance(body, SystemBody):
        return [(number, place, np.zeros((3, 0))) for place in _carried(body, places)]
    if isinstance(model, Obstacle):
        shift = body._shift()
        return [(number, place - shift, np.zeros((3, 0))) for place in places]
    rows = embed(model.mesh, places).rows
    X, S = centred_rows(model, np.arange(len(model.X)))
    flat = rows @ S.reshape(len(X), -1)
    # Places outside the mesh hang on its nearest cell, where they are: X is exact, S is that of the cell.
    shift = body._shift() if not len(model.fixed) else np.zeros(3)
    rest = model.inertia.centre if not len(model.fixed) else shift
    return [(number, place - rest, np.ascontiguousarray(S_c.reshape(3, -1))) for place, S_c in zip(places, flat)]


def made_joint(
    world: World,
    a: Body,
    point_a: ArrayLike | int,
    b: Body | None,
    point_b: ArrayLike | int | None,
    kind: str,
    axis: ArrayLike | None,
    speed: float,
    torque: float,
    limits: tuple[float, float],
) -> Joint:
    """A joint, checked."""
    bodies = (a, b)
    for body in bodies:
        if (body is not None or a is None) and (not isinstance(body, Body) or body.world is not world):
            raise ArgumentError("a joint needs bodies of this world, the second may be None for the world itself")
    if a is b:
        raise ArgumentError(f"{a.name} cannot be joined to itself")
    if all(body is None or body.kind in ("static", "kinematic") for body in bodies):
        raise ArgumentError(f"{a.name} and {'the world' if b is None else b.name} do not move, so no joint is needed")
    first = _place("point_a", a, point_a)
    second = _place("point_b", b, _from_world(b, _to_world(a, first)) if point_b is None else point_b)
    size = min(float(np.ptp(body.model.X, axis=0).max()) for body in bodies if body is not None)
    gap = float(np.linalg.norm(_to_world(a, first) - _to_world(b, second)))
    if gap > APART * size:
        raise ArgumentError(
            f"point_a and point_b are {gap:.3g} m apart, and bodies are {size:.3g} m large; bring them together first"
        )
    low, high = _checked_limits(limits)
    direction = None
    if kind == "hinge":
        if axis is None:
            raise ArgumentError("a hinge needs an axis (3,), in the world as it is now")
        given = check_array("axis", axis, (3,))
        length = float(np.linalg.norm(given))
        if length == 0:
            raise ArgumentError("axis must have a direction; (0, 0, 0) was given")
        direction = a.rotation.T @ given / length
        whole = next((body.name for body in bodies if isinstance(body, SystemBody)), None)
        if whole is not None and (torque or (low, high) != (-np.inf, np.inf)):
            raise ArgumentError(
                f"{whole} is a system without one frame that turns, so its hinge has no motor or limits"
            )
    elif axis is not None or speed or torque or (low, high) != (-np.inf, np.inf):
        raise ArgumentError(f"axis, speed, torque and limits are those of a hinge; kind is {kind!r}")
    offsets = SPREAD * size * _spread(kind, np.zeros(3) if direction is None else a.rotation @ direction)
    places = tuple(
        np.array([_from_world(body, _to_world(body, place) + offset) for offset in offsets])
        for body, place in zip(bodies, (first, second))
    )
    motor = check_number("speed", speed), check_number("torque", torque, at_least=0)
    return Joint(world, kind, bodies, (places[0], places[1]), direction, *motor, (low, high))


def _checked_limits(limits: tuple[float, float]) -> tuple[float, float]:
    try:
        low, high = (float(value) for value in limits)
    except (TypeError, ValueError):
        raise ArgumentError(f"limits must be two angles [rad]; {limits!r} was given") from None
    if not low < high:
        raise ArgumentError(f"limits must rise; {limits} was given")
    if not low <= 0 <= high:
        raise ArgumentError(
            f"limits are from how the hinge is now, an angle of 0, which must lie between them; {limits} was given: "
            "turn the body to where it may be first"
        )
    return low, high


def _spread(kind: str, axis: Array) -> Array:
    """Where the points of a joint lie about it, in the world, over their distance from it."""
    if kind == "point":
        return np.zeros((1, 3))
    if kind == "hinge":
        return np.array([-axis, axis])
    return np.array([[1.0, 0.0, 0.0], [-0.5, 0.75**0.5, 0.0], [-0.5, -(0.75**0.5) / 2, 0.75]])


def _across(axis: Array) -> Array:
    """A unit vector across an axis."""
    side = np.cross(axis, np.eye(3)[np.abs(axis).argmin()])
    return side / np.linalg.norm(side)


def _place(name: str, body: Body | None, point: ArrayLike | int) -> Array:
    """In the model of a body at rest, or in the world: a vertex by its number, or a place (3,)."""
    if isinstance(point, int | np.integer):
        if body is None:
            raise ArgumentError(f"{name} of the world must be a place (3,); {point} was given")
        rest = body.model.mesh.vertices if isinstance(body, SystemBody) else body.model.X
        return rest[check_count(name, point, at_least=0, at_most=len(rest) - 1)]
    return check_array(name, point, (3,))


def _to_world(body: Body | None, place: Array) -> Array:
    if isinstance(body, SystemBody):
        return _carried(body, place[None])[0]
    return place if body is None else body.position + body.rotation @ place


def _from_world(body: Body | None, place: Array) -> Array:
    if isinstance(body, SystemBody):
        mesh = body.model.mesh
        return (embed(replace(mesh, vertices=body.vertices()), place[None]).rows @ mesh.vertices)[0]
    return place if body is None else body.rotation.T @ (place - body.position)


def _carried(body: SystemBody, places: Array) -> Array:
    """Where places (k, 3) of a system at rest are now, in the world."""
    return embed(body.model.mesh, places).rows @ body.vertices()


def joined_places(joints: Sequence[Joint]) -> dict[int, list[JoinedPlace]]:
    """Of systems, by the ids of their bodies: what joints, in the order of their table, hold of each."""
    found: dict[int, list[JoinedPlace]] = {}
    row = 0
    for joint in joints:
        for side, body in enumerate(joint.bodies):
            if isinstance(body, SystemBody):
                rows = joint._hung(side)
                for k in range(rows.shape[0]):
                    own = slice(rows.indptr[k], rows.indptr[k + 1])
                    place = JoinedPlace(row + k, side, rows.indices[own].astype(np.int64), rows.data[own])
                    found.setdefault(id(body), []).append(place)
        row += len(joint._places[0])
    return found


def tables_of_joints(joints: Sequence[Joint], bodies: Sequence[Body]) -> tuple[JointTable, AxisTable]:
    """Joints of islands in a row, and hinges."""
    numbers = {id(body): k for k, body in enumerate(bodies)}
    order, counts = islands_of(joints)
    sides = [side for joint in order for side in joint.sides(numbers)]
    size = max((float(np.ptp(body.model.X, axis=0).max()) for body in bodies), default=1.0)
    rows: list[tuple[Any, ...]] = []
    angles = np.array([joint.wound for joint in order if joint.turns])
    for joint in order:
        if joint._across is not None:
            a, b = (-1 if body is None else numbers[id(body)] for body in joint.bodies)
            rows.append((a, b, joint._axis, *joint._across, joint._speed, joint._torque, *joint._limits))
    return joint_table(sides, np.zeros((len(sides) // 2, 3)), counts, size), axis_table(
        rows, angles, np.zeros((len(rows), 2))
    )


def islands_of(joints: Sequence[Joint]) -> tuple[list[Joint], list[int]]:
    """Joints that share bodies which move, one island after the other, and how many points each island has."""
    islands: list[tuple[set[int], list[Joint]]] = []
    for joint in joints:
        own = {id(body) for body in joint.bodies if body is not None and body.kind in ("free", "held", "system")}
        touched = [island for island in islands if island[0] & own]
        merged = (own.union(*(ids for ids, _ in touched)), [each for _, group in touched for each in group] + [joint])
        islands = [island for island in islands if not island[0] & own] + [merged]
    order = [joint for _, group in islands for joint in group]
    return order, [sum(len(joint._places[0]) for joint in group) for _, group in islands]
