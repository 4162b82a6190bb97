"""The bodies, obstacles, joints and forces of a world, and the tables that are made of them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from pliant.collide import Field, plane
from pliant.errors import (
    ArgumentError,
    Array,
    Ids,
    check_array,
    check_choice,
    check_count,
    check_number,
)
from pliant.mesh import Sheet, Surface
from pliant.reduced import ReducedModel, Rigid
from pliant.reduced.padding import padded
from pliant.skin import Points, Skin
from pliant.skin.points import vertex_areas
from pliant.systems.holding import Hold
from pliant.systems.system import Layer, System, rayleigh
from pliant.systems.wind import CALM, WindField
from pliant.systems.world.actuating import Actuation
from pliant.systems.world.body import KINDS, Body, Model, Path, checked_rotation, place_on_path
from pliant.systems.world.bones.character import Character, CharacterSkin
from pliant.systems.world.bones.muscles import Muscle
from pliant.systems.world.bones.placed import Placed, checked_skin, held_vertex, place_character, placed_in
from pliant.systems.world.building import (
    FIRST_ROOM,
    check_flies,
    entries_a_tie,
    hand_table,
    manners_of,
    other_ties,
    point_forces,
    record_of,
    tables_of,
    triangles_of,
)
from pliant.systems.world.frames import shifts_of
from pliant.systems.world.hands import no_hands
from pliant.systems.world.hosting import Hosted, check_hosted
from pliant.systems.world.joint import JOINTS, Joint, islands_of, made_joint, tables_of_joints
from pliant.systems.world.obstacle import Obstacle
from pliant.systems.world.point_forces import PointForces, joined_forces, no_forces
from pliant.systems.world.record import WorldRecord
from pliant.systems.world.rows import ties_of
from pliant.systems.world.stiffening import Stiffening
from pliant.systems.world.system_body import SystemBody
from pliant.systems.world.system_part import SystemPart, system_part
from pliant.systems.world.tables import HELD, BodyState, body_state

if TYPE_CHECKING:
    from pliant.systems.world.turns import Turns
    from pliant.systems.world.world import World

MOVING = ("t", "v", "Q", "L")
WHOLE = ("system", "skin")  # kinds that a model has by itself
THROWN = ("free", *WHOLE)  # kinds that take a velocity: systems that fly, and skins, whose bones do


class Gathering(System):
    """Who is there, and what acts; `World` moves it."""

    def __init__(self, cone: str, spacing: float | None) -> None:
        self._cone, self._spacing = cone, spacing
        self.bodies: tuple[Body, ...] = ()
        self.joints: tuple[Joint, ...] = ()
        self._actuations: tuple[Actuation, ...] = ()
        self._muscles: tuple[Muscle, ...] = ()
        self._fields: list[tuple[Field, float, float]] = []
        self._pairs: dict[tuple[int, int], tuple[float | None, float | None]] = {}
        self._pushes: list[tuple[Ids, Array]] = []
        self._pushed = np.zeros(0)
        self._kept: WorldRecord | None = None
        self._hinges: list[Joint] = []
        self._packed: dict[Any, tuple[int, int, Any]] = {}
        self._thinnest: float | None = None
        self._joined: Skin | None = None
        self._in_frames: Skin | None = None
        self._taking_turns: Turns | None = None
        self._tables = tables_of(())
        self._shifts = shifts_of(())
        self._state: BodyState = body_state(self._table)
        self._overlap_checked = self._forces_changed = False
        self._pushed_there, self._wind_there = np.empty(0, np.int64), self._wind
        self._hosted = Hosted(())
        self._stiffening = Stiffening()
        self._room = FIRST_ROOM

    @property
    @abstractmethod
    def small_step(self) -> float:
        """dt over the number of small steps [s]."""

    @abstractmethod
    def _begin_anew(self) -> None:
        """The state was written by hand."""

    @abstractmethod
    def _follow_paths(self, time: float, count: int) -> None:
        """Frames of the kinematic bodies at the ends of so many small steps."""

    @abstractmethod
    def _first_vertex(self, number: int) -> int:
        """Of a body among those of all."""

    @property
    @abstractmethod
    def _plain_skin(self) -> Skin:
        """What draws the bodies, each as one frame, also systems."""

    @property
    def spacing(self) -> float | None:
        """Edges longer than this have points that touch [m]; None: sharp ones, half of what a body is thick apart."""
        return self._spacing

    @property
    def cone(self) -> str:
        """What friction bounds where bodies hit each other."""
        return self._cone

    @property
    def _table(self) -> Any:
        return self._tables.bodies

    # Making

    def add(
        self,
        model: ReducedModel | Rigid | System | Character | CharacterSkin,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike | None = None,
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        spin: ArrayLike = (0.0, 0.0, 0.0),
        kind: Literal["free", "held", "kinematic", "static"] | None = None,
        path: Path | None = None,
        friction: float = 0.5,
        restitution: float = 0.0,
        damping: tuple[float, float] = (0.0, 0.0),
        group: int = 0,
        name: str | None = None,
        contact: Literal["skin", "bones"] = "skin",
        proxy: int | None = None,
        spacing: float | None = None,
        self_collision: bool | float = False,
        padding: float | None = None,
    ) -> Any:
        """A new `Body`, or of a character its `Placed` bones.

        Args:
            model: its part; instances share it. A tree, seams or another system takes part as it is: its axes stand
                at `position` for good, its steps become those of the world, and it feels the same gravity. A character
                (`pl.bones`) comes as its bones, joined.
            position: where the origin of the model is (3,) [m].
            rotation: of the model (3, 3).
            velocity: of its centre of mass (3,) [m/s].
            spin: about it (3,) [1/s].
            kind: "free"; "held": its frame stands still; "kinematic": it goes along `path` whatever it meets;
                "static". By default held, where the model has fixed vertices, kinematic with a path, else free.
            path: time [s] -> position (3,) and rotation (3, 3).
            friction: Coulomb's coefficient; that of a pair is the geometric mean.
            restitution: speed after a bounce over that before; that of a pair is the larger.
            damping: Rayleigh (alpha [1/s], beta [s]) of its inner motion.
            group: bodies of the same group do not touch each other; 0: of none.
            name: by default "body 0", ...
            contact: of a character: "skin" alone touches; "bones": each by its own surface, overlaps and all, which
                shows why ([MC15] Fig. 7).
            proxy: of a character: about so many vertices of its skin touch, joined by larger triangles.
            spacing: of a character: longer edges of these triangles have points that touch, at most so far apart [m].
            padding: of a shell: how far from its middle each of its faces touches [m]; None: half its thickness. Its
                body has the vertices of both faces, the lower one first. What is fast passes through a shell that is
                thinner than it moves in a small step.
            self_collision: of a character: does its skin touch itself? A number [m]: yes, but for places that are no
                farther apart at rest; by default one and a half edges.
        """
        if isinstance(model, Character):
            manners = {"friction": friction, "restitution": restitution, "damping": damping}
            touches = checked_skin(model, contact, proxy, spacing, self_collision)
            given = position, rotation, velocity, spin, name, group, manners, touches
            return place_character(cast("World", self), model, *given)
        if proxy is not None or spacing is not None or self_collision is not False or contact != "skin":
            raise ArgumentError(
                "contact, proxy, spacing and self_collision are those of a character; make one by pl.bones"
            )
        if padding is not None and not (isinstance(model, ReducedModel) and model.thickness is not None):
            raise ArgumentError("padding is for shells; a solid touches by its own surface")
        if isinstance(model, System):
            self._check_guest(model, kind, path, damping)
            part: Model = system_part(model)
        elif isinstance(model, ReducedModel) and model.thickness is not None:
            part = padded(model, padding)
        elif isinstance(model, ReducedModel | Rigid | Obstacle | SystemPart | CharacterSkin):
            part = model
        else:
            raise ArgumentError(
                f"model must be a pliant ReducedModel, Rigid or a system; {type(model).__name__} was given "
                "(use pl.reduce)"
            )
        usual = "kinematic" if path is not None else "held" if len(part.fixed) else "free"
        usual = "system" if isinstance(part, SystemPart) else "skin" if isinstance(part, CharacterSkin) else usual
        known = tuple(KINDS) if usual in WHOLE else tuple(name for name in KINDS if name not in WHOLE)
        chosen = usual if kind is None else check_choice("kind", kind, known)
        label = f"body {len(self.bodies)}" if name is None else str(name)
        if label in (body.name for body in self.bodies):
            raise ArgumentError(f"a body is named {label!r} already; give another name")
        self._check_kind(part, chosen, path, label)
        body = (SystemBody if chosen == "system" else Body)(
            cast("World", self),
            self._stiffening.of(part),
            chosen,
            label,
            path,
            rayleigh(damping),
            check_number("friction", friction, at_least=0),
            check_number("restitution", restitution, at_least=0, at_most=1),
            check_count("group", group, at_least=0),
        )
        start = check_array("position", position, (3,)), np.eye(3) if rotation is None else rotation
        turned = checked_rotation("rotation", start[1])
        thrown = check_array("velocity", velocity, (3,)), check_array("spin", spin, (3,))
        if chosen not in THROWN and np.any(thrown):
            raise ArgumentError(f"{label} is {chosen}, so nothing throws it; leave out velocity and spin")
        self._change_bodies((*self.bodies, body))
        body.rotation, body.position = turned, start[0]
        if chosen == "free":
            body.velocity, body.spin = thrown
        elif isinstance(body, SystemBody):
            self._take_in_system(body, *thrown)
        elif chosen == "kinematic":
            self._follow_paths(self.time, 0)
        return body

    def _check_guest(self, system: System, kind: str | None, path: Path | None, damping: Any) -> None:
        if isinstance(system.mesh, Sheet):
            raise ArgumentError(
                "the faces of a shell touch where its model is a body itself: world.add(model, padding=...)"
            )
        if any(system is body.system for _, body in self._hosted.bodies):
            raise ArgumentError("this system is a body of this world already; make another one like it")
        if kind not in (None, "system") or path is not None or tuple(damping) != (0.0, 0.0):
            raise ArgumentError("a system has its own kind, way and damping; leave out kind, path and damping")

    def _take_in_system(self, body: SystemBody, velocity: Array, spin: Array) -> None:
        try:
            check_hosted(body, self._gravity)
            if velocity.any() or spin.any():
                body.system.launch(velocity @ body.rotation, spin @ body.rotation)
        except ArgumentError:
            self.remove(body)
            raise
        self._hosted.blow(self._wind)

    def _check_kind(self, model: Model, kind: str, path: Path | None, name: str) -> None:
        if (kind == "system") != isinstance(model, SystemPart) or (kind == "skin") != isinstance(model, CharacterSkin):
            raise ArgumentError(f"{name} is no system of its own, nor the skin of a character; leave kind out")
        if (path is not None) != (kind == "kinematic"):
            raise ArgumentError(f"a kinematic body needs a path, and no other has one; {name} is {kind}")
        if path is not None:
            if not callable(path):
                raise ArgumentError(f"the path of {name} must be a function of time; {type(path).__name__} was given")
            place_on_path(path, name, self.time)
        if kind == "held" and not len(model.fixed):
            raise ArgumentError(
                f"{name} cannot be held: its model has no fixed vertices; leave kind out, so that it flies"
            )
        if kind == "free" and len(model.fixed):
            raise ArgumentError(f"{name} cannot fly: its model has fixed vertices; reduce the solid without them")
        if kind == "free":
            check_flies(model, name)

    def ground(
        self,
        height: float = 0.0,
        friction: float = 0.5,
        restitution: float = 0.0,
        normal: ArrayLike = (0.0, 1.0, 0.0),
    ) -> None:
        """Everything below a plane is solid; `height` is along its normal (3,) [m]."""
        n = check_array("normal", normal, (3,))
        size = float(np.linalg.norm(n))
        place = check_number("height", height) * n / size if size else n
        self._add_field(plane(place, n), friction, restitution)

    def obstacle(
        self,
        shape: Surface | Field,
        friction: float = 0.5,
        restitution: float = 0.0,
        position: ArrayLike | None = None,
        rotation: ArrayLike | None = None,
        path: Path | None = None,
        group: int = 0,
        name: str | None = None,
    ) -> Any:
        """What stands still and is touched: a surface, which is a static body and drawn, or a field (`pliant.collide`).

        The others are of a surface, as in `add`; with a path it moves.
        """
        if isinstance(shape, Field):
            if any(given is not None for given in (position, rotation, path, name)) or group:
                raise ArgumentError("a field is where it was made, of no group; only a surface has a place and a name")
            self._add_field(shape, friction, restitution)
            return None
        if not isinstance(shape, Surface):
            raise ArgumentError(f"an obstacle is a pliant Surface or a field; {type(shape).__name__} was given")
        return self.add(
            Obstacle(shape),  # type: ignore[arg-type]
            np.zeros(3) if position is None else position,
            rotation,
            kind="static" if path is None else "kinematic",
            path=path,
            friction=friction,
            restitution=restitution,
            group=group,
            name=f"obstacle {len(self.bodies)}" if name is None else name,
        )

    def pair(self, a: Body, b: Body, friction: float | None = None, restitution: float | None = None) -> None:
        """Friction and restitution of two bodies with each other; None: as their own say."""
        for body in (a, b):
            self._check_here(body)
        if a is b:
            raise ArgumentError(
                f"a pair is of two bodies, and {a.name} was given twice; write its own friction instead"
            )
        slide = None if friction is None else check_number("friction", friction, at_least=0)
        bounce = None if restitution is None else check_number("restitution", restitution, at_least=0, at_most=1)
        self._pairs[id(a), id(b)] = slide, bounce
        self._adopt_manners()

    def _add_field(self, field: Field, friction: float, restitution: float) -> None:
        mu = check_number("friction", friction, at_least=0)
        self._fields.append((field, mu, check_number("restitution", restitution, at_least=0, at_most=1)))
        self._made = None

    def join(
        self,
        a: Body,
        point_a: ArrayLike | int,
        b: Body | None = None,
        point_b: ArrayLike | int | None = None,
        kind: Literal["point", "rigid", "hinge"] = "point",
        axis: ArrayLike | None = None,
        speed: float = 0.0,
        torque: float = 0.0,
        limits: tuple[float, float] = (-np.inf, np.inf),
        touching: bool = False,
    ) -> Joint:
        """Keep places of two bodies together.

        Args:
            a, b: the bodies; b None: the world.
            point_a, point_b: a vertex by its number, or a place (3,) in the model at rest, of the world as it is.
                point_b None: where point_a is.
            kind: "point": they may turn; "hinge": about an axis alone; "rigid": not at all.
            axis: of a hinge (3,), in the world as it is now.
            speed, torque: of a hinge's motor, [1/s] of a against b, and the largest [N m]; no torque: no motor.
            limits: of a hinge's angle [rad], from how it is now.
            touching: may the two still touch each other? Bodies that a joint holds mostly overlap there.
        """
        joint = made_joint(
            cast("World", self), a, point_a, b, point_b, check_choice("kind", kind, JOINTS), axis, speed, torque, limits
        )
        joint.touching = bool(touching)
        self.joints = (*self.joints, joint)
        self._change_joints()
        return joint

    def _remove_joint(self, joint: Joint) -> None:
        self.joints = tuple(each for each in self.joints if each is not joint)
        joint.world = None
        self._change_joints()

    def _change_joints(self) -> None:
        self._made = None

    def _apart(self) -> list[tuple[int, int]]:
        """Numbers of the bodies that joints keep from touching each other."""
        numbers = {id(body): k for k, body in enumerate(self.bodies)}
        pairs = [joint.bodies for joint in self.joints if not joint.touching]
        return [(numbers[id(a)], numbers[id(b)]) for a, b in pairs if b is not None]

    @property
    def characters(self) -> tuple[Placed, ...]:
        """Those that were added, with their bones, joints and skins."""
        return tuple(placed_in(cast("World", self)))

    def _joints_in_order(self) -> list[Joint]:
        """As in the tables: islands in a row."""
        return islands_of(self.joints)[0]

    def remove(self, body: Body) -> None:
        """Take a body out; hands, pushes and joints on it end."""
        self._check_here(body)
        if body.is_bone or body.bones:
            raise ArgumentError(f"{body.name} is part of a character; remove that: the handle that world.add gave")
        for joint in self.joints:
            if any(each is body for each in joint.bodies):
                joint.remove()
        first = self._first_vertex(body.number)
        own = range(first, first + len(body.model.X))
        for hold in self.holds:
            if hold.vertex in own:
                hold.release()
        for hold in self.holds:
            hold.vertex -= len(own) if hold.vertex >= own.stop else 0
        self._pushes = [
            (np.where(ids >= own.stop, ids - len(own), ids)[keep], forces[keep])
            for ids, forces in self._pushes
            for keep in [(ids < own.start) | (ids >= own.stop)]
        ]
        self._pairs = {pair: given for pair, given in self._pairs.items() if id(body) not in pair}
        self._actuations = tuple(each for each in self._actuations if each.body is not body)
        self._muscles = tuple(each for each in self._muscles if each.skin is not body)
        self._change_bodies(tuple(each for each in self.bodies if each is not body))
        body.world = None

    def _change_bodies(self, bodies: tuple[Body, ...]) -> None:
        """Those that stay keep their state."""
        if self.worn is not None and any(isinstance(body, SystemBody) for body in bodies):
            raise ArgumentError("a world with systems among its bodies wears nothing; wear(None) first")
        before = {id(body): k for k, body in enumerate(self.bodies)}
        old, first = self._state, self._table.first
        stay = [(k, before[id(body)]) for k, body in enumerate(bodies) if id(body) in before]
        self.bodies, self._joined, self._made = bodies, None, None
        self._in_frames = self._taking_turns = self._thinnest = None
        self._tables, self._hosted = tables_of(bodies, self._tables, self._room), Hosted(bodies, self._hosted)
        self._shifts = shifts_of(self._tables.distinct)
        self._state = body_state(self._table)
        now, then = (np.array(column, dtype=np.int64) for column in (zip(*stay) if stay else ((), ())))
        for name in MOVING:
            getattr(self._state, name)[now] = getattr(old, name)[then]
        pushed, self._pushed = self._pushed, np.zeros(self._table.first[-1])
        for k, j in stay:
            own, its = slice(*self._table.first[k : k + 2]), slice(*first[j : j + 2])
            self._state.q[own], self._state.qd[own] = old.q[its], old.qd[its]
            self._pushed[own] = pushed[its]

    def _check_here(self, body: Any) -> None:
        if not isinstance(body, Body):
            raise ArgumentError(f"a body of this world is needed, as world.add gives it; {body!r} was given")
        if body.world is not self:
            raise ArgumentError(f"{body.name} is not in this world")

    def _check_inhabited(self) -> None:
        if not self.bodies:
            raise ArgumentError("this world is empty; add a body first")

    def _change_models(self, models: Sequence[Model]) -> None:
        """Of every body one that lies and moves as its own; the record is to be made."""
        for body, model in zip(self.bodies, models):
            body.model = model
        self._tables, self._made = tables_of(self.bodies, self._tables, self._room), None
        self._shifts = shifts_of(self._tables.distinct)

    @property
    def _made(self) -> WorldRecord | None:
        """What compiled steps read; None: to be made."""
        return self._kept

    @_made.setter
    def _made(self, record: WorldRecord | None) -> None:
        if record is None and self._kept is not None:
            for joint, angle in zip(self._hinges, self._kept.hinges.angle):
                joint.wound = float(angle)
        self._kept, self._packed = record, {}
        self._overlap_checked = record is not None and self._overlap_checked

    @property
    def _record(self) -> WorldRecord:
        if self._made is None:
            self._check_inhabited()
            fields = [field for field, _, _ in self._fields]
            acting = (*self._forces(), self._hands(np.zeros((len(self.holds), 3))))
            tied = tables_of_joints(self.joints, self.bodies)
            self._hinges = [joint for joint in self._joints_in_order() if joint.turns]
            if self._hosted and self.joints:
                self._tables = tables_of(self.bodies, self._tables, self._room + len(tied[0].body))
            self._made = record_of(
                self.bodies,
                self._tables,
                self._state,
                fields,
                self._gravity,
                (*acting, *tied, self._manners()),
                self._pushed,
                self._apart(),
                self._room,
                self._actuations,
                self._muscles,
                self.spacing,
            )
            self._pushed_there = np.concatenate([np.empty(0, np.int64), *(ids for ids, _ in self._pushes)])
            self._wind_there, self._forces_changed = self._wind, False
            self._begin_anew()
        return self._take_in_forces(self._made) if self._forces_changed else self._made

    def _manners(self) -> Any:
        return manners_of(self.bodies, self._fields, self._pairs, self.cone)

    def _adopt_manners(self) -> None:
        if self._made is not None:
            self._made = self._made._replace(manners=self._manners())

    # Acting

    def _add_actuation(self, actuation: Actuation) -> None:
        self._actuations, self._made = (*self._actuations, actuation), None

    def _remove_actuation(self, actuation: Actuation) -> None:
        if actuation in self._actuations:
            self._actuations = tuple(each for each in self._actuations if each is not actuation)
            self._made = None

    def _add_muscles(self, muscles: Sequence[Muscle]) -> None:
        self._muscles, self._made = (*self._muscles, *muscles), None

    def _remove_muscle(self, muscle: Muscle) -> None:
        if muscle in self._muscles:
            self._muscles, self._made = tuple(each for each in self._muscles if each is not muscle), None

    def _push(self, vertices: Ids, forces: Array) -> None:
        own = self._hosted.push(vertices, forces)
        self._pushes.append((vertices[own], forces[own]))
        self._adopt_forces()

    def _push_reduced(self, load: Array) -> None:
        theirs = self._of_systems()
        ends = np.cumsum([body.system.size for _, body in self._hosted.bodies])[:-1]
        for (_, body), own in zip(self._hosted.bodies, np.split(load[theirs], ends)):
            body.system.push_reduced(own)
        self._pushed = self._pushed + load[~theirs]
        self._adopt_forces()

    def _of_systems(self) -> Any:
        """(size,) which of the coordinates are of systems."""
        sizes = [body.system.size if isinstance(body, SystemBody) else body.model.size for body in self.bodies]
        return np.repeat([isinstance(body, SystemBody) for body in self.bodies], sizes)

    def release(self) -> None:
        self._hosted.release()
        self._pushes, self._pushed = [], np.zeros(self._table.first[-1])
        self._adopt_forces()

    def _forces(self) -> tuple[PointForces, WindField]:
        field = CALM if self._wind is None else self._wind.field
        wind = WindField(field.velocity.copy(), field.waves.copy(), field.pressure)
        skin, made = self._plain_skin, [no_forces()]
        if self._pushes:
            ids = np.concatenate([vertices for vertices, _ in self._pushes])
            forces = np.concatenate([given for _, given in self._pushes])
            made.append(point_forces(skin.points(ids), forces, np.zeros(len(ids)), self.bodies))
        if self._wind is not None:
            sails = skin.clusters(self._areas())
            made.append(point_forces(sails, np.zeros((sails.count, 3)), sails.measure, self.bodies))
        return joined_forces(made), wind

    def _areas(self) -> Array:
        """Of all vertices (n,) [m^2]; none of what does not move."""
        moves = [KINDS[body.kind] <= HELD for body in self.bodies]
        each = [vertex_areas(body.model.X, triangles_of(body.model)) for body in self.bodies]
        return np.concatenate([areas * own for areas, own in zip(each, moves)])

    def _adopt_wind(self) -> None:
        self._hosted.blow(self._wind)
        self._adopt_forces()

    def _adopt_forces(self) -> None:
        """Other pushes or another wind: taken in before the next step, as pushes come and go at every one."""
        self._forces_changed = True

    def _take_in_forces(self, made: WorldRecord) -> WorldRecord:
        """Where the same vertices are pushed, or none any more, numbers change, and nothing is made anew."""
        ids = np.concatenate([np.empty(0, np.int64), *(vertices for vertices, _ in self._pushes)])
        if self._wind is not self._wind_there or (len(ids) and not np.array_equal(ids, self._pushed_there)):
            forces, wind = self._forces()
            made = made._replace(forces=forces, wind=wind)
            self._wind_there, self._pushed_there = self._wind, ids
            self._made = made
        else:
            given = [forces for _, forces in self._pushes]
            made.forces.force[: len(self._pushed_there)] = np.concatenate(given) if given else 0.0
        made.acting.pushed[:] = self._pushed
        self._forces_changed = False
        return made

    @property
    def _own_holds(self) -> list[tuple[int, Hold]]:
        """Hands on bodies that are no systems, with their places among all."""
        return [(k, hold) for k, hold in enumerate(self._holds) if self._hosted.of(hold.vertex) is None]

    def _hands(self, forces: Array) -> Any:
        own = [hold for _, hold in self._own_holds]
        if not own:
            return no_hands()
        tables = [self._one_frame_points(hold.vertex, hold.on) for hold in own]
        parts = [hand_table(points, *(np.zeros(0),) * 4, self.bodies) for points in tables]  # type: ignore[arg-type]
        at = np.cumsum([0, *(len(part.rows) for part in parts)])[:-1]
        targets = np.array([hold.target for hold in own])
        rates = np.array([hold.rate for hold in own])
        limits = np.array([hold.limit for hold in own])
        return type(parts[0])(
            np.concatenate([part.body for part in parts]),
            np.concatenate([part.X for part in parts]),
            at.astype(np.int64),
            np.concatenate([part.rows for part in parts]),
            targets,
            rates,
            limits,
            forces[[k for k, _ in self._own_holds]] * self.small_step,
        )

    def _one_frame_points(self, vertex: int, on: Layer) -> Points:
        """The point of a hand, where every body is one frame."""
        if self.worn is not None:
            return self.points([vertex], on)
        return self._plain_skin.points([held_vertex(self.bodies, vertex)])

    def _adopt_holds(self, forces: Array) -> None:
        self._hosted.adopt_holds(self._holds)
        hands = self._hands(forces)
        for (_, hold), b, at in zip(self._own_holds, hands.body, hands.at):
            body = self.bodies[b]
            if KINDS[body.kind] > HELD:
                raise ArgumentError(f"{body.name} is {body.kind}, so no hand moves it")
            if KINDS[body.kind] == HELD and not hands.rows[at : at + 3 * body.model.size].any():
                raise ArgumentError(f"vertex {hold.vertex} is fixed; hold another one")
        if self._made is not None:
            room = len(self._made.contacts.gap)
            others = other_ties(hands, self._made.joints, self._made.hinges)
            self._made = self._made._replace(hands=hands, ties=self._ties(room + others))

    def _aim_holds(self) -> None:
        self._hosted.aim(self._holds)
        if self._made is not None and self._own_holds:
            self._made.hands.target[:] = [hold.target for _, hold in self._own_holds]

    @property
    def hold_forces(self) -> Array:
        forces = np.zeros((len(self._holds), 3))
        if self._made is not None:
            forces[[k for k, _ in self._own_holds]] = self._made.hands.impulse / self.small_step
        for k, hold in enumerate(self._holds):
            there = self._hosted.hold_force(hold)
            forces[k] = forces[k] if there is None else there
        return forces

    def _ties(self, ties: int) -> Any:
        return ties_of(ties, entries_a_tie(self.bodies) * ties, 6 + int(self._tables.models.size.max(initial=0)))

    def _launch(self, velocity: Array, spin: Array) -> None:
        """Every body that flies gets this velocity, and this spin about its own centre."""
        for body in self.bodies:
            if isinstance(body, SystemBody):
                body.system.launch(velocity @ body.rotation, spin @ body.rotation)
            elif body.kind == "free":
                body.velocity, body.spin = velocity, spin
