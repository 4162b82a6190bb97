"""Bodies that fly, touch, slide, bounce and are joined ([MC15]): momentum is exchanged by impulses, and kept."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal
from weakref import WeakKeyDictionary, WeakSet

import numpy as np
import scipy.linalg as la
from numpy.typing import ArrayLike

from pliant.collide import CollisionShape, contacts_for
from pliant.errors import (
    ArgumentError,
    Array,
    Diverged,
    Ids,
    PliantWarning,
    check_array,
    check_choice,
    check_count,
    check_number,
)
from pliant.mesh import Mesh, Surface
from pliant.numerics import (
    quaternion_conjugate,
    quaternion_from_rotation,
    quaternion_multiply,
    rotation_from_quaternion,
    rotation_logarithm,
)
from pliant.numerics.opaque import enter, opaque
from pliant.reduced import ReducedModel
from pliant.skin import Points, Pose, Rates, Skin, Worn, plain_skin
from pliant.systems.energy_watch import add_work, balanced, begin
from pliant.systems.gentleness import Gentleness
from pliant.systems.joining import joined_meshes, joined_poses, joined_rates, joined_skins
from pliant.systems.rigged import Rigged
from pliant.systems.slices import in_equal_slices
from pliant.systems.state import State, adopt_forces, checked_state
from pliant.systems.system import Layer, check_step, gravity_vector
from pliant.systems.world import answers
from pliant.systems.world.answers import enter_stage
from pliant.systems.world.bearing import Hand, bearing_of, borne_force
from pliant.systems.world.body import KINDS, Body, Model, place_on_path
from pliant.systems.world.bones.character import CharacterSkin
from pliant.systems.world.building import (
    LONGEST_CALL,
    entries_of,
    other_ties,
    shape_of,
    tables_of,
    triangles_of,
)
from pliant.systems.world.flight import TOUCHED
from pliant.systems.world.frames import frames
from pliant.systems.world.gathering import Gathering
from pliant.systems.world.hosting import split_pose, split_rates
from pliant.systems.world.keeping import adopt_kept, kept_count, kept_state
from pliant.systems.world.measuring import energies_at, spin_frames
from pliant.systems.world.memory import forget, memory_for, remember
from pliant.systems.world.obstacle import Obstacle
from pliant.systems.world.overlap import refuse_overlap
from pliant.systems.world.readout import ContactReport, contact_report, islands_of_bodies
from pliant.systems.world.record import DONE, WHAT, WHY, WorldRecord
from pliant.systems.world.restorable import check_memory, check_motion
from pliant.systems.world.rows import nothing_touched
from pliant.systems.world.saving import resume_world, saved_world
from pliant.systems.world.sleepers import disturbed, lay_down, sleepers, wake_islands
from pliant.systems.world.stepping import CROWDED, FINE, advance, arrange_at, find_at, settle_at
from pliant.systems.world.stiffening import follows_young
from pliant.systems.world.system_body import SystemBody
from pliant.systems.world.system_part import SystemPart
from pliant.systems.world.tables import FREE, HELD, KINEMATIC, SKIN, STATIC, BodyState
from pliant.systems.world.touching import CONES
from pliant.systems.world.turns import Turns
from pliant.systems.world.wearing import worn_with_obstacles

RULES = ("midpoint", "euler")
MOST_SUBSTEPS, MOST_SWEEPS = 100, 1000  # more would seem to hang
SLOP = 1.25e-3  # of the least extent of a body: how deep contacts may stay
BODY_STEPS = 2048  # small steps of all bodies together, before an interrupt is heard
CURE = "use a smaller dt, more substeps, more damping or a softer push"
CARRIED, WEAK = 4.0, 9.81  # weights and lengths a second that a hand may use; the least weight that counts [m/s^2]


class World(Gathering):
    """Bodies in one space. They are added at any time; the ground and obstacles touch all that move.

    Args:
        dt: time step [s].
        gravity: acceleration (3,) [m/s^2].
        substeps: small steps in each step; contacts hold better in many small steps than by many sweeps.
        sweeps: over all contacts and joints, in each small step; up to five times as many where they hit.
        rule: "midpoint" keeps the energy of flight; "euler" is the paper's (Eq. 35), of first order: it gains energy at
            large steps, and nobody watches.
        sleeping: bodies that touch or are joined stop being stepped when all of them have been at rest for half a
            second, until something moves or changes near them.
        shock: once more over all contacts, from the ground upward, as if nothing below gave way ([GBF03]): bears tall
            stacks and heavy tops with few sweeps, and keeps no momentum, of which a warning tells.
        cone: what friction bounds where bodies hit each other: "impulse" (Coulomb), all contacts at once; "velocity" is
            the paper's (section 5.2), one contact after the other. Both rub alike where bodies rest on each other.
        spacing: edges longer than this have points that touch others, at most so far apart [m], so that edges which
            cross are found; None: sharp edges alone have them, half of what a body is thick apart.

    Attributes:
        bodies, joints: in the order in which they were added.
        timed: are steps timed by stage, for `stage_times`? Small ones then come back to Python six times.
    """

    kind = "world"
    writable: ClassVar[tuple[str, ...]] = ("dt", "gravity", "stiffness")

    def __init__(
        self,
        dt: float,
        gravity: ArrayLike | None = (0.0, -9.81, 0.0),
        substeps: int = 4,
        sweeps: int = 6,
        rule: Literal["midpoint", "euler"] = "midpoint",
        shock: bool = False,
        sleeping: bool = False,
        cone: Literal["impulse", "velocity"] = "impulse",
        spacing: float | None = None,
    ):
        gap = None if spacing is None else check_number("spacing", spacing, above=0)
        super().__init__(check_choice("cone", cone, CONES), gap)
        self._dt, self.time = check_step(dt), 0.0
        self._gravity = gravity_vector(gravity)
        self.substeps, self.sweeps = substeps, sweeps
        self._rule = check_choice("rule", rule, RULES)
        self.shock, self.sleeping = bool(shock), bool(sleeping)
        self._slept_under: Any = None
        if self.shock:
            warnings.warn("shock propagation keeps no momentum: lower bodies do not feel all of it", PliantWarning, 2)
        self._slop: float | None = None
        self.timed = False
        self._skins: WeakKeyDictionary[Model, Skin] = WeakKeyDictionary()
        self._moved: WeakSet[Body] = WeakSet()
        self._left = np.zeros(0), np.zeros(0)

    @property
    def rule(self) -> str:
        """How bodies fly."""
        return self._rule

    @property
    def substeps(self) -> int:
        """Small steps in each step; writable."""
        return self._substeps

    @substeps.setter
    def substeps(self, value: int) -> None:
        self._substeps = check_count("substeps", value, at_most=MOST_SUBSTEPS)

    @property
    def sweeps(self) -> int:
        """Over all contacts and joints, in each small step; writable."""
        return self._sweeps

    @sweeps.setter
    def sweeps(self, value: int) -> None:
        self._sweeps = check_count("sweeps", value, at_most=MOST_SWEEPS)

    @property
    def slop(self) -> float | None:
        """How deep contacts may stay [m]; None: 1.25e-3 of the least extent of a body that moves. Writable."""
        return self._slop

    @slop.setter
    def slop(self, value: float | None) -> None:
        self._slop = None if value is None else check_number("slop", value, at_least=0)

    @property
    def gravity(self) -> Array:
        """Acceleration (3,) [m/s^2]; writable, where no body is a system with a gravity of its own."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: ArrayLike | None) -> None:
        if self._hosted:
            name = self._hosted.bodies[0][1].name
            raise ArgumentError(f"{name} is a system with a gravity of its own; make both anew to change it")
        self._gravity = gravity_vector(value)
        if self._made is not None:
            self._made.acting.gravity[:] = self._gravity

    @property
    def stiffness(self) -> float:
        """Factor on Young's modulus of all soft bodies, over what their models were made with; writable, while they
        move. Systems among the bodies keep their own; a file keeps what bodies came to, and begins at one."""
        return self._stiffening.factor

    @stiffness.setter
    def stiffness(self, value: float) -> None:
        factor = check_number("stiffness", value, above=0)
        if not self._any_soft:
            raise ArgumentError("nothing in this world has a Young's modulus that can change; add a soft body first")
        before = self.state()
        self._stiffening.change(factor)
        self._change_models([self._stiffening.of(body.model) for body in self.bodies])
        self.restore(before)
        self.wake()

    @property
    def _any_soft(self) -> bool:
        return any(KINDS[body.kind] <= HELD and follows_young(body.model) for body in self.bodies)

    @property
    def settings(self) -> dict[str, Any]:
        """What can be written while it runs, as it is now; no world is made again, since its bodies have no rest."""
        own: dict[str, Any] = {"dt": self.dt}
        own |= {} if self._hosted else {"gravity": self.gravity}
        return own | ({"stiffness": self.stiffness} if self._any_soft else {})

    # Time

    def _entry(self, stage: Any) -> tuple[int, int]:
        """Addresses of a compiled stage and of its record."""
        made = self._record
        if stage not in self._packed:
            packed = opaque(stage, made, 0)
            self._packed[stage] = packed.entry, packed.record.ctypes.data, packed
        entry, record, _ = self._packed[stage]
        return entry, record

    def _begin_anew(self) -> None:
        """The state was written by hand."""
        made = self._made
        if made is not None:
            self.wake()
            forget(made.memory)
            spin_frames(made.models, made.table, made.state, made.motion.spin, made.space)
            made.motion.gained[:] = 0.0
            begin(made.ledger, self._mechanical())
            self._leave()

    def _leave(self) -> None:
        """Remember the shapes of bodies, to see whether somebody writes them in place."""
        self._left = self._state.q.copy(), self._state.qd.copy()

    def _was_written(self) -> bool:
        q, qd = self._left
        return not (np.array_equal(q, self._state.q) and np.array_equal(qd, self._state.qd))

    def wake(self) -> None:
        """All bodies that sleep."""
        if self._made is not None:
            made = self._made
            wake_islands(made.sleep, made.table, np.ones(len(self.bodies), dtype=bool))

    def _disturb(self) -> None:
        """Wake what was pushed, held, given a velocity or is driven, and all where circumstances have changed."""
        made = self._record
        now = self._circumstances()
        if self._slept_under is not None and now != self._slept_under:
            self.wake()
        self._slept_under = now
        sleep, blown = made.sleep, made.forces.body[made.forces.area > 0]
        driven = made.hinges.body[made.hinges.torque > 0].ravel()
        muscles = [body.body.number for body in self._actuations]
        muscles += [bone.number for muscle in self._muscles for bone in muscle.skin.bones]
        sleep.may[:] = 1
        sleep.may[np.concatenate([made.hands.body, blown, driven[driven >= 0], muscles]).astype(np.int64)] = 0
        sleep.fall[0] = self.small_step**2 * float(np.linalg.norm(self._gravity))
        wake_islands(sleep, made.table, disturbed(sleep, made.table, made.state))

    def _circumstances(self) -> tuple[Any, ...]:
        """All that a body which sleeps does not feel a change of by itself."""
        made = self._record
        arrays = (made.forces.force, made.acting.pushed, self._gravity, made.manners.friction, made.manners.restitution)
        settings = (self.small_step, self._depths(), self.rule, self.sweeps, self.substeps, self.shock, self.sleeping)
        return settings, tuple(np.asarray(each).tobytes() for each in arrays)

    def _mechanical(self) -> float:
        """Kinetic and elastic energy [J]."""
        return float(self._energies()[:, :2].sum())

    @property
    def small_step(self) -> float:
        """dt over the number of small steps [s]."""
        return self.dt / self.substeps

    def step(self, count: int = 1) -> None:
        steps = check_count("count", count, at_least=0)
        if not self.bodies:
            self.time += steps * self.dt
            return
        # By number, not by the clock, which nothing may depend on: a call has a memory of how it began.
        most = max(1, min(LONGEST_CALL, BODY_STEPS // len(self.bodies)) // self.substeps)
        in_equal_slices(steps, most, self._take)

    def _take(self, count: int, _: int = 0) -> bool:
        """Steps of one compiled call; all that were good, where it fails."""
        if not self._overlap_checked:
            self.check_overlap()
        if self._was_written():
            self._begin_anew()
        before = self.state()
        try:
            done, code, what = self._advance(count)
        except Diverged as why:
            raise self._stopped_by(why, before) from why
        gained = code == FINE and self._watched and not balanced(self._record.ledger, self._mechanical())
        if code == FINE and not gained:
            self.time += count * self.dt
            self._leave()
            return True
        after = self._energies()[:, :2].sum(axis=1)
        self.restore(before)
        if gained:
            raise self._gained(after - self._energies()[:, :2].sum(axis=1))
        good = done // self.substeps
        self._advance(good)
        self._leave()
        self.time += good * self.dt
        raise self._lost(what)

    @property
    def _watched(self) -> bool:
        """Is energy watched? Eq. 35 is known to gain it."""
        return self.rule == "midpoint" and not self.shock

    def _advance(self, steps: int) -> tuple[int, int, int]:
        """Small steps done, why it stopped, and what that concerns."""
        total, start, h = steps * self.substeps, 0, self.small_step
        if len(self._record.paths.body):
            self._follow_paths(self.time, total)
        if self._actuations or self._muscles:
            self._follow_strengths(total)
        self._hosted.adopt_step(h)
        if self.sleeping or self._slept_under is not None:
            self._disturb()
        while True:
            numbers, counts = self._record.settings
            numbers[:] = h, *self._depths(), self.time + start * h
            counts[:6] = RULES.index(self.rule), self.sweeps, start, self.substeps, self.shock, self.sleeping
            by_stages = self._hosted or self.timed
            if not (self._turns.take(start, total) if by_stages else enter(*self._entry(advance), total)):
                return total, FINE, -1
            start = int(counts[DONE])
            if counts[WHY] != CROWDED:
                return start, int(counts[WHY]), int(counts[WHAT])
            self._make_room(int(counts[WHAT]))

    @property
    def _turns(self) -> Turns:
        """Of the systems among its bodies."""
        if self._taking_turns is None:
            systems = [(body, k, self._shape_of(body.model)) for k, body in self._hosted.bodies]
            self._taking_turns = Turns(self, systems)
        return self._taking_turns

    def stage_times(self) -> dict[str, float]:
        """Seconds that a step took in every stage, on the mean since this was last asked, where steps are `timed`: the
        search for contacts, their rows, the sweeps, flight, bounces, and what systems do; none where none was."""
        turns = self._turns
        steps = turns.taken / self.substeps
        mean = {name: seconds / steps for name, seconds in turns.spent.items()} if steps and self.timed else {}
        turns.spent, turns.taken = dict.fromkeys(turns.spent, 0.0), 0
        return mean

    def _depths(self) -> tuple[float, float]:
        """Slop, and how far apart things are that count as near, besides their way in a step."""
        slop = SLOP * self._least() if self.slop is None else self.slop
        return slop, slop

    def _least(self) -> float:
        """The least extent of a body that moves [m]."""
        if self._thinnest is None:
            still = (KINEMATIC, STATIC)
            moving = {id(body.model): body.model for body in self.bodies if KINDS[body.kind] not in still}
            self._thinnest = min((float(np.ptp(model.X, axis=0).min()) for model in moving.values()), default=1.0)
        return self._thinnest

    def _make_room(self, contacts: int) -> None:
        made, room = self._record, 2 * contacts
        memory = memory_for(room)
        for k in range(made.memory.known[0]):
            remember(memory, made.memory.keys[k], made.memory.impulses[k])
        others, fresh = other_ties(made.hands, made.joints, made.hinges), contacts_for(room)
        adopt_kept(made.kept, fresh, State(**kept_state(made.kept, made.contacts, int(made.found[0])), time=self.time))
        if self._hosted:
            self._tables = tables_of(self.bodies, self._tables, room + len(made.joints.body))
            table = self._table._replace(kind=made.table.kind)
            made = made._replace(table=table, motion=made.motion._replace(y=np.zeros(self._table.first_y[-1])))
        self._room = room
        self._made = made._replace(
            touched_at=nothing_touched(len(self.bodies), room),
            contacts=fresh,
            near=np.zeros(room, np.uint8),
            tied=np.zeros(room, np.int64),
            bounced=np.zeros((room, 3)),
            pressed=np.zeros((room, 3)),
            slipped=np.zeros(room),
            memory=memory,
            ties=self._ties(room + others),
        )

    def check_overlap(self) -> None:
        """Refuse bodies that start inside each other: contacts would throw them apart. The next step does so, too."""
        self._follow_paths(self.time, 0)
        made = self._record
        reach = made.surfaces.reach
        kept = State(**kept_state(made.kept, made.contacts, int(made.found[0])), time=self.time)
        usual = reach.copy()
        reach[:] = np.inf  # steps look near surfaces alone
        self._found()
        reach[:] = usual
        refuse_overlap(self._record, self.bodies, self._moved)
        self._keep_contacts(kept)
        self._overlap_checked, self._moved = True, WeakSet(self.bodies)

    def _sleep_again(self, state: Mapping[str, ArrayLike]) -> None:
        """As the state tells."""
        made, b = self._record, len(self.bodies)
        if self.sleeping and "asleep" in state:
            made.sleep.still[:] = check_array("still", state["still"], (b,))
            made.sleep.island[:] = check_array("island", state["island"], (b,))
            made.settings.numbers[:] = self.small_step, *self._depths(), self.time
            enter_stage(settle_at, made)
            asleep = check_array("asleep", state["asleep"], (b,)) > 0
            lay_down(made.sleep, made.table, made.geometry, made.motion.y, asleep)
            made.sleep.q[:] = made.state.q
            for own, now in zip(made.ahead, made.state):
                own[:] = now
            self._slept_under = self._circumstances()

    def _keep_contacts(self, state: Mapping[str, ArrayLike]) -> None:
        """As `kept_state` gave them."""
        count = kept_count(state, self._record.contacts)
        if count > len(self._record.contacts.gap):
            self._make_room(count)
        made = self._record
        made.found[0] = adopt_kept(made.kept, made.contacts, state)

    def _found(self) -> Any:
        """Contacts at the present places."""
        self._record.settings.numbers[:] = self.small_step, *self._depths(), self.time
        self._turns.place()
        while True:
            made = self._record
            wanted = enter_stage(find_at, made)
            if wanted <= len(made.contacts.gap):
                return made.contacts
            self._make_room(wanted)

    def _stopped_by(self, why: Diverged, before: State) -> Diverged:
        """A system found no solution: all go back to the last step that was good."""
        good = int(self._record.settings.counts[DONE]) // self.substeps
        self.restore(before)
        self._advance(good)
        self._leave()
        self.time += good * self.dt
        return Diverged(str(why), self.time, why.residual, why.part)

    def _lost(self, what: int) -> Diverged:
        name = self.bodies[what].name
        words = f"{name} found no solution in the step from t = {self.time:.6g} s; {CURE}"
        return Diverged(words, self.time, part=name)

    def _gained(self, more: Array) -> Diverged:
        """`more`: (b,) kinetic and elastic energy that bodies have gained [J]."""
        name = self.bodies[int(np.argmax(np.where(np.isfinite(more), more, np.inf)))].name
        words = (
            f"the steps from t = {self.time:.6g} s gained energy that no load supplied, most of it in {name}; {CURE}"
        )
        return Diverged(words, self.time, part=name)

    def _follow_paths(self, time: float, count: int) -> None:
        """Frames of the kinematic bodies at the ends of so many small steps."""
        bodies, t, Q, spin = self._record.paths
        for step, k in np.ndindex(count + 1, len(bodies)):
            t[step, k], Q[step, k] = self._on_path(self.bodies[bodies[k]], time + step * self.small_step)
        for step, k in np.ndindex(count, len(bodies)):
            turn = quaternion_multiply(Q[step + 1, k], quaternion_conjugate(Q[step, k]))
            spin[step, k] = rotation_logarithm(rotation_from_quaternion(turn)) / self.small_step
        self._state.t[bodies], self._state.Q[bodies] = t[0], Q[0]

    def _follow_strengths(self, count: int) -> None:
        """How strongly bodies move themselves, in the middle of so many small steps."""
        strengths, h = self._record.actuators.strengths, self.small_step
        for step, k in np.ndindex(count, len(self._actuations)):
            strengths[step, k] = self._actuations[k].at(self.time + (step + 0.5) * h)
        pulls = self._record.muscles.strengths
        for step, k in np.ndindex(count, len(self._muscles)):
            pulls[step, k] = self._muscles[k].at(self.time + (step + 0.5) * h)

    def _on_path(self, body: Body, time: float) -> tuple[Array, Array]:
        assert body.path is not None
        position, R = place_on_path(body.path, body.name, time)
        return position + R @ body._shift(), quaternion_from_rotation(R)

    # Touching

    @property
    def may_touch(self) -> Array:
        """(b, b) of all bodies, one where two touch if they meet: not of one group, nor joined."""
        return self._record.spheres.allowed

    def contacts(self) -> ContactReport:
        """What pressed in the last small step: bodies, vertices, points, normals, depths, impulses, forces, slips."""
        return contact_report(self._record, lambda k: self._shape_of(self.bodies[k].model), self.small_step)

    def islands(self) -> Ids:
        """(b,) of every body the first of those that it touched in the last small step or is joined to, also by others
        between them. What nothing moves belongs to no other."""
        return islands_of_bodies(self._record)

    def force_between(self, a: Body, b: Body | None = None) -> Array:
        """(3,) what b does to a by contact, in the last small step [N]; None: the ground and other fields."""
        for body in (a,) if b is None else (a, b):
            self._check_here(body)
        number, report = a.number, self.contacts()
        first, second = report.bodies.T
        if b is None:
            return report.forces[(first == number) & (second < 0)].sum(axis=0)
        on_a = report.forces[(first == number) & (second == b.number)].sum(axis=0)
        return on_a - report.forces[(first == b.number) & (second == number)].sum(axis=0)

    # Looking

    def _shape_of(self, model: Model) -> CollisionShape:
        return shape_of(model, self.spacing)

    def _skin_of(self, model: Model) -> Skin:
        if model not in self._skins:
            self._skins[model] = plain_skin(model.X, triangles_of(model), model.U)
        return self._skins[model]

    @property
    def body(self) -> Skin | None:
        self._check_inhabited()
        if self._joined is None:
            self._joined = joined_skins(self._skins_of_bodies(True))
        return self._joined

    def _skins_of_bodies(self, as_systems: bool) -> list[Skin]:
        """In a row; bones and skin of a character have one together. `as_systems`: with all their parts."""
        skins: list[Skin] = []
        for body in self.bodies:
            if isinstance(body.model, CharacterSkin):
                skins.append(body.model.character.worn_by_bones)
            elif isinstance(body.model, SystemPart) and as_systems:
                skins.append(body.model.skin)
            elif not body.is_bone:
                skins.append(self._skin_of(body.model))
        return skins

    @property
    def rigs(self) -> Sequence[Rigged]:
        found, first = [], 0
        skinned = [body for body in self.bodies if not body.is_bone]
        for body, skin in zip(skinned, self._skins_of_bodies(True)):
            first += len(skin.parts)
            if isinstance(body.model, CharacterSkin):
                character = body.model.character
                found.append(Rigged(body.name, first - len(character.bones), character.armature))
        return tuple(found)

    @property
    def _plain_skin(self) -> Skin:
        self._check_inhabited()
        if self._in_frames is None:
            self._in_frames = joined_skins(self._skins_of_bodies(False))
        assert self._in_frames is not None
        return self._in_frames

    def wear(self, surface: Surface | Worn | None) -> None:
        if surface is not None and self._hosted:
            raise ArgumentError("a world with systems among its bodies wears nothing; they are drawn by their meshes")
        if isinstance(surface, Surface):
            surface = worn_with_obstacles(self.mesh, surface, [body.model for body in self.bodies])
        super().wear(surface)

    @property
    def mesh(self) -> Mesh:
        if all(isinstance(body.model, Obstacle) for body in self.bodies):
            raise ArgumentError("nothing in this world has cells, so it has no mesh; add a body with some")
        models = [body.model for body in self.bodies]
        return joined_meshes([model.surface if isinstance(model, Obstacle) else model.mesh for model in models])

    def _vertex_count(self, layer: Layer) -> int:
        self._check_inhabited()
        return sum(len(body.model.X) for body in self.bodies) if self.worn is None else super()._vertex_count(layer)

    def _first_vertex(self, number: int) -> int:
        return sum(len(body.model.X) for body in self.bodies[:number])

    @property
    def free(self) -> bool:
        """Do all bodies fly?"""
        return all(body.system.free if isinstance(body, SystemBody) else body.kind == "free" for body in self.bodies)

    @property
    def size(self) -> int:
        return int(self._table.first[-1]) + sum(body.system.size for _, body in self._hosted.bodies)

    def pose(self) -> Pose:
        R, t = frames(self._table, self._shifts, self._state.Q, self._state.t, self._state.q)
        pose = Pose.stacked(R, t, self._state.q.copy(), self._table.first)
        return joined_poses(split_pose(pose, self.bodies)) if self._hosted else pose

    def rates(self) -> Rates:
        made, state = self._record, self._state
        angular = made.motion.spin.copy()  # that of the last step, where it is the next one's guess, stays
        spin_frames(made.models, made.table, state, angular, made.space)
        _, arms = frames(self._table, self._shifts, state.Q, np.zeros_like(state.t), state.q)
        rest, means, first = self._shifts
        _, inner = frames(self._table, (0 * rest, means, first), state.Q, np.zeros_like(state.t), state.qd)
        rates = Rates(state.v + np.cross(angular, arms) + inner, angular, state.qd.copy(), self._table.first)
        return joined_rates(split_rates(rates, self.bodies)) if self._hosted else rates

    def _energies(self) -> Array:
        enter(*self._entry(energies_at), 0)
        return self._record.before.copy()

    def energy(self) -> float:
        own = float(self._energies().sum()) if self.bodies else 0.0
        return own + sum(body.system.energy() for _, body in self._hosted.bodies)

    def _momenta(self) -> list[tuple[Array, Array]]:
        found = []
        for k, body in enumerate(self.bodies):
            if isinstance(body, SystemBody):
                found.append(body.momentum())
            elif self._table.kind[k] == FREE:
                P = body.mass * self._state.v[k]
                found.append((P, np.cross(self._state.t[k], P) + self._state.L[k]))
            elif self._table.kind[k] == HELD:
                linear, angular = body.model.inertia.momentum(body.q, body.v)
                R = body.rotation
                found.append((R @ linear, R @ angular + np.cross(body.position, R @ linear)))
            else:
                found.append((np.zeros(3), np.zeros(3)))
        return found

    def momentum(self) -> tuple[Array, Array]:
        each = self._momenta()
        return sum((P for P, _ in each), np.zeros(3)), sum((L for _, L in each), np.zeros(3))

    # As others see it

    @property
    def unknowns(self) -> Array:
        """Of every body in a row: velocity and spin I^-1 L, where it flies, and q', where it moves."""
        self._answers_alone()
        return answers.unknowns(self._arranged())

    def _arranged(self) -> WorldRecord:
        """Geometry and step matrices of touched bodies at the present places."""
        made = self._record
        self.wake()
        made.settings.numbers[:] = self.small_step, *self._depths(), self.time
        made.motion.theta[:] = TOUCHED if self.rule == "midpoint" else 1.0
        enter_stage(arrange_at, made)
        return made

    def _answers_alone(self) -> None:
        if self._hosted:
            name = self._hosted.bodies[0][1].name
            raise ArgumentError(f"{name} is a system with unknowns of its own; ask the bodies of this world one by one")

    def rows(self, points: Points) -> Array:
        self._answers_alone()
        return answers.point_rows(self._arranged(), points, points.place(self.pose()), self.bodies, "W")

    def response(self, points: Points) -> Array:
        """Inside a small step."""
        self._answers_alone()
        return answers.point_rows(self._arranged(), points, points.place(self.pose()), self.bodies, "V").T

    def _correct(self, change: Array, _momentum: Array, share: float = 0.5) -> None:
        before, made = self._mechanical(), self._arranged()
        answers.change(made, change, share * self.dt)
        add_work(made.ledger, self._mechanical() - before)
        self._leave()

    def _saved(self) -> dict[str, Any]:
        return {**super()._saved(), **saved_world(self, self._fields)}

    def _gather_again(self, saved: dict[str, Any]) -> None:
        resume_world(self, saved)

    def _made_of(self) -> dict[str, Any]:
        given = {"dt": self.dt, "gravity": self.gravity, "rule": self.rule, "shock": self.shock}
        given |= {"sleeping": self.sleeping, "cone": self.cone, "spacing": self.spacing}
        return given | {"substeps": self.substeps, "sweeps": self.sweeps}

    def _acting(self) -> dict[str, Any]:
        return {"pushes": [list(each) for each in self._pushes], "pushed": self._pushed}

    def _act_again(self, acting: dict[str, Any]) -> None:
        self._pushes = self._pushed_again(acting["pushes"])
        self._pushed = check_array("pushed", acting["pushed"], (self._table.first[-1],)).copy()
        self._adopt_forces()

    def gentleness(self, vertex: int, on: Layer = "skin") -> Gentleness:
        """What its body bears: four times its weight, what bends it where it is held, or what its cells bear and those
        of all that it is joined to; and four of its lengths a second."""
        number = check_count("vertex", vertex, at_least=0, at_most=self._vertex_count(on) - 1)
        there = self._hosted.of(number)
        if there is not None:
            found = there[0].system.gentleness(there[1], "mesh")
            return found._replace(swing=np.inf, half=np.inf)  # how the others move is no swing of it
        _, bodies, X, _, rows = entries_of(self._one_frame_points(number, on), self.bodies)
        body, gravity = self.bodies[bodies[0]], float(np.linalg.norm(self.gravity))
        model, whole = body.model, CARRIED * body.model.inertia.mass * max(gravity, WEAK)
        if body.kind == "held":
            whole = max(bearing_of(body).stiff, 2 * gravity * model.inertia.mass)
        if body.kind in ("free", "held"):
            hand = Hand(int(bodies[0]), X[0], rows[: 3 * model.size].reshape(3, model.size))
            whole = min(whole, borne_force(hand, self.bodies, self._record.joints))
        return Gentleness(whole, CARRIED * float(np.ptp(model.X, axis=0).max()))

    def _first_period(self) -> float:
        """Of the slowest vibration of a body; of rigid ones, that of a pendulum of their size."""
        return min(self._period(model) for model in self._tables.distinct)

    def _period(self, model: Model) -> float:
        if isinstance(model, SystemPart):
            return model.system._first_period()
        if isinstance(model, ReducedModel) and model.size:
            inertia = model.inertia if len(model.fixed) else model.inertia.centred()
            mass = inertia.reduced_mass if len(model.fixed) else inertia.moving_mass(np.zeros(model.size))
            return float(2 * np.pi / np.sqrt(la.eigvalsh(model.stiffness(), mass)[0]))
        pull = max(float(np.linalg.norm(self.gravity)), WEAK)
        return float(2 * np.pi * np.sqrt(np.ptp(model.X, axis=0).max() / pull))

    def _mass(self) -> float:
        return sum(body.mass for body in self.bodies if KINDS[body.kind] not in (KINEMATIC, STATIC, SKIN))

    # Keeping

    def state(self) -> State:
        """`warm_keys`, `warm_impulses`: of the contacts of the last step, which the next one starts from;
        `kept_contacts` and the like: those that are still good."""
        moving = {name: getattr(self._state, name) for name in BodyState._fields}
        moving |= self._hosted.states()
        if self._made is None:
            wound = [joint.wound for joint in self._joints_in_order() if joint.turns]
            return State(**moving, **({"hinge_angles": np.array(wound)} if wound else {}), time=self.time)
        memory, n = self._made.memory, self._made.memory.known[0]
        warm = {"warm_keys": memory.keys[:n].astype(np.float64), "warm_impulses": memory.impulses[:n]}
        joints, hinges = self._made.joints, self._made.hinges
        warm |= {"joint_impulses": joints.impulse, "hinge_impulses": hinges.impulse, "hinge_angles": hinges.angle}
        warm |= kept_state(self._made.kept, self._made.contacts, int(self._made.found[0]))
        if self.sleeping:
            sleep = self._made.sleep
            asleep = sleepers(sleep, self._made.table).astype(np.float64)
            warm |= {"asleep": asleep, "still": sleep.still, "island": sleep.island.astype(np.float64)}
        guesses = {"spin": self._made.motion.spin, "gained": self._made.motion.gained}
        return State(**moving, **warm, **guesses, hold_impulses=self._made.hands.impulse, time=self.time)

    def restore(self, state: Mapping[str, ArrayLike]) -> None:
        shapes = {name: getattr(self._state, name).shape for name in BodyState._fields}
        checked = checked_state(state, shapes)
        check_motion(checked)
        if self.bodies:
            check_memory(state, self._record)
        self._hosted.restore(state)
        for name in shapes:
            getattr(self._state, name)[:] = checked[name]
        self.time = checked["time"]
        if not self.bodies:
            return
        made = self._record
        adopt_forces(state, made.hands.impulse.reshape(-1), "hold_impulses")
        adopt_forces(state, made.joints.impulse.reshape(-1), "joint_impulses")
        adopt_forces(state, made.hinges.impulse.reshape(-1), "hinge_impulses")
        adopt_forces(state, made.hinges.angle, "hinge_angles")
        self._begin_anew()
        for name, guess in (("spin", made.motion.spin), ("gained", made.motion.gained)):
            if name in state:
                guess[:] = check_array(name, state[name], guess.shape)
        keys = np.asarray(state.get("warm_keys", ()), dtype=np.float64).astype(np.int64)
        impulses = np.asarray(state.get("warm_impulses", np.zeros((0, 3))))
        if len(keys) > len(made.memory.keys):
            self._make_room(len(keys))
            made = self._record
        for key, impulse in zip(keys, impulses):
            remember(made.memory, key, impulse)
        self._keep_contacts(state)
        self._sleep_again(state)
        self._leave()
