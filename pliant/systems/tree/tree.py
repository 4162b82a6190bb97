"""Trees of parts: each stands on the interface of its parent, its frame follows by polar decomposition ([LS11])."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from pliant.basis.size_report import SizeReport
from pliant.errors import ArgumentError, Array, Diverged, Ids, check_array, check_choice, check_count, check_number
from pliant.mesh import Mesh
from pliant.numerics import cross_matrix, quaternion_from_rotation, rotation_from_quaternion
from pliant.reduced import ReducedModel
from pliant.reduced.rigid import Rigid
from pliant.skin import Points, Pose, Rates, Skin
from pliant.systems.free_frame import SHAPES as FRAME_SHAPES
from pliant.systems.free_frame import free_frame, turn
from pliant.systems.holding import Hold
from pliant.systems.slices import uninterrupted
from pliant.systems.state import State, adopt_forces, checked_state
from pliant.systems.system import System, check_step, gravity_vector, made_with, rayleigh
from pliant.systems.tree.body import checked_numbers, joined_mesh, kept_numbers, own_numbers, tree_skin
from pliant.systems.tree.composite import add_energies, compose
from pliant.systems.tree.held_limbs import HeldLimbs, held_limbs
from pliant.systems.tree.jumping import Acting, jumped
from pliant.systems.tree.limb import Limb, check_limbs
from pliant.systems.tree.limb_points import LimbPoints, limb_points
from pliant.systems.tree.loads import Pushes, pushes_on
from pliant.systems.tree.lumped import lump_masses, lumps_of, sum_subtrees
from pliant.systems.tree.motion import (
    Motion,
    Scratch,
    copied,
    frames_in_world,
    gathered_of,
    motion_of,
    scratch_of,
    speeds_in_world,
)
from pliant.systems.tree.packs import Layout, Packs, layout_of
from pliant.systems.tree.parts import Parts
from pliant.systems.tree.responding import asked_limbs, coordinate_rows, responses
from pliant.systems.tree.root import (
    A_AT,
    R_AT,
    ROOT,
    V_AT,
    W_AT,
    centre_from_root,
    keep_momentum,
    read_frame,
    read_momentum,
)
from pliant.systems.tree.slowest import lowest_frequency, swings_slower
from pliant.systems.tree.steadying import least_damping
from pliant.systems.tree.stepping import accelerate_now, full_steps, lumped_steps, refactor, stand
from pliant.systems.tree.striding import FINE, FINER, STEADY, STRETCH, UNEXPLAINED, hastes
from pliant.systems.tree.watching import CHECKED, TIME, begin_watch, take_accounts, watch_of
from pliant.systems.wind import CALM, Wind, WindField

INERTIAS = ("full", "L1", "L2")
MOST_PASSES = 20


class Tree(System):
    """Limbs through time.

    Args:
        limbs: the root first, parents before children; limbs that share a model are stepped together.
        dt: time step [s].
        inertia: what a limb feels of those that stand on it. "full": all of it, by an O(d) recursion; "L1", "L2"
            ([LS11]): a mass at the interface or at the centre of mass, quicker and too high in frequency.
        damping: Rayleigh (alpha [1/s], beta [s]); L1 and L2 blow up without, and "full" takes more passes where beta
            is below dt / 4. What is free, and L1 and L2, have alpha in the frame of every limb alone.
        gravity: acceleration (3,) [m/s^2].
        passes: of "full" in a step; None: as many as it needs, one where limbs move little (two for a free root), and
            smaller steps where even eight do not agree.
        free: whether the root flies; None: if no vertex of its model is fixed.
        wind: blows on all limbs.
        numbers: of every limb, the vertices of the skin (n_i,) that its vertices are; limbs that share one meet there
            in the mean ([LS11] section 5: C0). None: each limb has its own.
        triangles: (t, 3) what is drawn, in these numbers; None: the surfaces of the limbs.
        report: error over size, where that was chosen for a tolerance.

    Attributes:
        limbs: as given.
        q, v, a: coordinates, velocities, accelerations, one limb after the other (sum r,); assign to change them.
        velocity, spin: of the root's origin [m/s] and frame [1/s], in world axes (3,); assign to throw a free tree.
    """

    kind = "tree"

    def __init__(
        self,
        limbs: Sequence[Limb],
        dt: float,
        inertia: Literal["full", "L1", "L2"] = "full",
        damping: ArrayLike = (0.0, 0.0),
        gravity: ArrayLike | None = (0.0, -9.81, 0.0),
        passes: int | None = None,
        free: bool | None = None,
        wind: Wind | None = None,
        numbers: Sequence[Ids] | None = None,
        triangles: Ids | None = None,
        report: SizeReport | None = None,
    ):
        self._inertia = check_choice("inertia", inertia, INERTIAS)
        self._dt, self.time = check_step(dt), 0.0
        self._damping, self._gravity = rayleigh(damping), gravity_vector(gravity)
        self.wind, self._report = wind, report
        self._numbers, self._triangles = None if numbers is None else list(numbers), triangles
        given = list(limbs)
        check_limbs(given)
        if self._numbers is not None:
            self._numbers = checked_numbers(given, self._numbers)
        self._free = not len(given[0].model.fixed) if free is None else bool(free)
        self._passes = None if passes is None else check_count("passes", passes, at_most=MOST_PASSES)
        self._root, self._flight = np.zeros(ROOT), (free_frame(np.zeros(3)), free_frame(np.zeros(3)))
        self._root[:3], self._root[R_AT : R_AT + 9] = given[0].position, given[0].rotation.ravel()
        self._acted, self._restless = Acting([], np.zeros(0)), False
        self._held: HeldLimbs
        self._grasped: tuple[Hold, ...] = ()  # those that `_held` is of
        # Are the forces in the scratch those of q? Did the watch see what led here? Is a that of the forces that act?
        self._fresh = self._watched = self._accelerated = False
        self._grow(given, False)
        self._read_flight()
        self._warm_up()
        self._warn_of_long_steps()

    def _warm_up(self) -> None:
        """Compile what steps need."""
        self._accelerate()
        self._motion.a[:], self._root[A_AT : A_AT + 6] = 0.0, 0.0
        self._advance(0, False)
        self._accelerated = False

    def _grow(self, limbs: list[Limb], same: bool) -> None:
        """Lay out these limbs, at rest; pushes and holds stay where the limbs have the same parts."""
        # First what may refuse the limbs, so that a refusal leaves the tree as it was.
        layout = layout_of(limbs)
        self.limbs, self._layout = limbs, layout
        self._motion, self._scratch = motion_of(layout, self._root), scratch_of(layout)
        self._sums, self._lumps = gathered_of(layout), lumps_of(len(layout.packs.size))
        self._before, self._watch = copied(self._motion), watch_of(limbs, self._motion, self.inertia != "full")
        self.__dict__.pop("body", None)
        self.__dict__.pop("_scales", None)
        self.__dict__.pop("_bearing", None)
        self.__dict__.pop("_slowest", None)
        self._stand()
        self._no_limbs = limb_points(layout, self._scales, [], np.empty(0, np.int64))
        self._pushed_limbs: dict[tuple[int, ...], tuple[LimbPoints, list[Points], Layout]] = {}
        if not same:
            self._holds = ()
            self.release()
        self._push_all(self._pushed, self._pushes.reduced)
        self._adopt_holds(np.zeros((len(self._holds), 3)))

    def _stand(self) -> None:
        """Everything that follows from q, v and the root."""
        parts, packs, motion, scratch = self._moving
        stand(parts, packs, motion, scratch)
        self._fresh = self._watched = False
        if self.inertia == "L1":
            sum_subtrees(parts, packs, motion, scratch, self._lumps)
            lump_masses(packs, scratch, self._sums, self._lumps)

    @property
    def _moving(self) -> tuple[Parts, Packs, Motion, Scratch]:
        """What nearly every kernel takes."""
        return self._layout.parts, self._layout.packs, self._motion, self._scratch

    inertia = made_with("inertia", "What a limb feels of those that stand on it.")
    passes = made_with("passes", 'Of "full" inertia in a step.')
    free = made_with("free", "Does the root fly?")

    @property
    def size(self) -> int:
        return len(self._layout.coordinates)

    @property
    def interfaces(self) -> tuple[tuple[str, ...], ...]:
        names = [limb.name or f"limb {number}" for number, limb in enumerate(self.limbs)]
        return tuple((names[limb.parent], name) for name, limb in zip(names, self.limbs) if limb.parent >= 0)

    @property
    def report(self) -> SizeReport | None:
        return self._report

    def _adopt_wind(self) -> None:
        """Steps read it each time."""

    @property
    def q(self) -> Array:
        return self._read(self._motion.q)

    @q.setter
    def q(self, value: ArrayLike) -> None:
        self._write(self._motion.q, "q", value)

    @property
    def v(self) -> Array:
        return self._read(self._motion.v)

    @v.setter
    def v(self, value: ArrayLike) -> None:
        self._write(self._motion.v, "v", value)

    @property
    def a(self) -> Array:
        return self._read(self._motion.a)

    @a.setter
    def a(self, value: ArrayLike) -> None:
        self._write(self._motion.a, "a", value)

    def _read(self, store: Array) -> Array:
        copied = store[self._layout.coordinates]
        copied.setflags(write=False)
        return copied

    def _write(self, store: Array, name: str, value: ArrayLike) -> None:
        store[self._layout.coordinates] = check_array(name, value, (len(self._layout.coordinates),))
        self._accelerated = name == "a"
        self._stand()
        self._read_flight()

    @property
    def velocity(self) -> Array:
        return self._root[V_AT : V_AT + 3].copy()

    @velocity.setter
    def velocity(self, value: ArrayLike) -> None:
        self._throw(V_AT, check_array("velocity", value, (3,)))

    @property
    def spin(self) -> Array:
        return self._root[W_AT : W_AT + 3].copy()

    @spin.setter
    def spin(self, value: ArrayLike) -> None:
        self._throw(W_AT, check_array("spin", value, (3,)))

    def _throw(self, at: int, value: Array) -> None:
        if not self.free:
            raise ArgumentError("the root of this tree is held; only a free one has a velocity and a spin to set")
        self._root[at : at + 3] = value
        self._accelerated = False
        self._stand()
        self._read_flight()

    @property
    def offsets(self) -> Ids:
        """Where the coordinates of each limb begin in q, (d + 1,)."""
        return self._layout.offsets

    @cached_property
    def body(self) -> Skin:
        numbers = own_numbers(self.limbs) if self._numbers is None else self._numbers
        return tree_skin(self.limbs, numbers, self._triangles)

    @property
    def mesh(self) -> Mesh:
        return joined_mesh(self.limbs, own_numbers(self.limbs) if self._numbers is None else self._numbers)

    def step(self, count: int = 1) -> None:
        count = check_count("count", count, at_least=0)
        if count:
            self._accelerate_once()
            self._accelerated, self._restless, self._acted = True, self._pushes_changed, self._acts
        begun, done, finer, ended = self.time, 0, 1, FINE

        def take(steps: int, _: int) -> bool:
            nonlocal done, ended
            ends = count >= CHECKED and done + steps == count
            taken, ended = self._advance(steps * finer, ends, finer)
            if ended == FINE:
                done += steps
                self.time = begun + done * self.dt
                return True
            self.time += taken * self.dt / finer
            if finer == FINER**2 or self.passes is not None or self.inertia != "full":
                self._diverge(ended)
            self._go_back()
            done = round((self.time - begun) / self.dt)
            return False

        while done < count:
            if finer == 1:
                self._in_slices(count - done, take)
            else:
                uninterrupted(take, min(count - done, STRETCH), 0)
            finer = max(1, finer // FINER) if ended == FINE else finer * FINER

    def _advance(self, count: int, ends: bool, finer: int = 1) -> tuple[int, int]:
        """Steps of dt / finer taken, and how they ended. What it looks at must not depend on how steps are sliced."""
        if not self._watched:
            self._begin_watch()
        acting = (self._before, self._flight, self._forces, self._held, self._watch)
        run = (self.time, count, ends, self.free)
        c, fresh = self._constants(self.dt / finer), self._fresh
        if self.inertia == "full":
            found = full_steps(*self._moving, self._sums, *acting, c, *run, self.passes or 0, fresh)
        else:
            second = self.inertia == "L2"
            found = lumped_steps(*self._moving, self._sums, self._lumps, *acting, c, *run, second, fresh)
        self._fresh = True
        return found

    def _constants(self, dt: float) -> Array:
        """dt, alpha, beta, alpha of the frames of what is held, less where steps are too long for it, and `hastes`."""
        of_frames = 0.0 if self.free else self.alpha / (1 + 0.5 * dt * self.alpha)
        slowest = self._slowest if 0 < self.beta < STEADY * dt else 0.0
        return np.array([dt, self.alpha, self.beta, of_frames, *hastes(dt, self.beta, slowest)])

    @cached_property
    def _slowest(self) -> float:
        """The lowest frequency [rad/s]."""
        return lowest_frequency(self.limbs, self._layout, self._root, self.free)

    @property
    def _forces(self) -> tuple[Array, WindField, Pushes]:
        return self.gravity.copy(), CALM if self._wind is None else self._wind.field, self._pushes

    def _begin_watch(self) -> None:
        """This state is given: its energy needs no explanation."""
        stand(*self._moving)
        begin_watch(*self._moving, self.gravity.copy(), self._flight[0], self._held, self._watch, self.time)
        self._fresh = self._watched = True

    def _diverge(self, ended: int) -> NoReturn:
        """Go back to the last good state and say what happened."""
        if ended == UNEXPLAINED:
            energies = self._scratch.energy[self._layout.places]
            limb = int(np.argmax(np.where(np.isfinite(energies), energies, np.inf)))
        else:
            limb = int(np.flatnonzero(self._layout.places // 8 == ended)[0])
        name, at = self.limbs[limb].name or f"limb {limb}", self.time
        self._go_back()
        self._watched = False  # who goes on from here is asked anew
        cure = "use a smaller dt, more damping or a softer push"
        if self.beta < self.steady_damping[1]:
            cure = (
                f"{self.inertia} needs damping=(0, {self.steady_damping[1]:.2g}) at least, whatever dt is; or use full"
            )
        what = (
            f"the tree gained energy that no load supplied, most of it in {name}, by t = {at:.6g} s"
            if ended == UNEXPLAINED
            else f"the step from t = {at:.6g} s found no solution for {name} or its like"
        )
        raise Diverged(f"{what}; {cure} (the state is that of t = {self.time:.6g} s)", self.time, part=name)

    def _go_back(self) -> None:
        """To the last good state."""
        for array, good in zip((*self._motion, *self._flight[0]), (*self._watch.motion, *self._watch.frame)):
            array[:] = good
        for array, kept in zip((self._held.memory, self._held.forces), self._held.work.kept):
            array[:] = kept
        self.time = float(self._watch.numbers[TIME])
        self._stand()
        take_accounts(self._watch)
        self._watched = True

    def _push(self, vertices: Ids, forces: Array) -> None:
        self._push_all([*self._pushed, (vertices, forces)], self._pushes.reduced)

    def _push_reduced(self, load: Array) -> None:
        reduced = np.zeros(len(self._scratch.load))
        reduced[: len(self._pushes.reduced)] = self._pushes.reduced
        reduced[self._layout.coordinates] += load
        self._push_all(self._pushed, reduced)

    def _push_all(self, pushed: list[tuple[Ids, Array]], reduced: Array) -> None:
        self._pushed = pushed
        points = [self.body.points(vertices) for vertices, _ in pushed]
        forces = np.concatenate([np.empty((0, 3)), *(each for _, each in pushed)])
        key = (id(self._layout), *map(id, points))
        if key not in self._pushed_limbs:
            limbs = np.unique(np.concatenate([np.empty(0, np.int64), *(each.frames for each in points)]))
            # The points are kept with it, so that no others get their ids.
            made = limb_points(self._layout, self._scales, points, limbs)
            self._pushed_limbs = {key: (made, points, self._layout)}
        self._pushes = pushes_on(self._pushed_limbs[key][0], forces, reduced)

    def release(self) -> None:
        self._pushed, self._pushes = [], pushes_on(self._no_limbs, np.empty((0, 3)), np.zeros(0))

    @cached_property
    def _scales(self) -> Array:
        return np.array([limb.scale for limb in self.limbs])

    def _launch(self, velocity: Array, spin: Array) -> None:
        """The root's origin moves so that the centre of mass has the velocity, all limbs turning with it."""
        self._motion.v[:] = 0.0
        self._stand()
        compose(*self._moving, self._sums)
        self._root[V_AT : V_AT + 3] = velocity - np.cross(spin, centre_from_root(self._sums, self._root))
        self._throw(W_AT, spin)

    def _adopt_holds(self, forces: Array) -> None:
        if self._holds and self.inertia != "full":
            raise ArgumentError(f"hold needs a tree with full inertia; this one has {self.inertia}")
        points = [self.points([hold.vertex], hold.on) for hold in self._holds]
        parents = np.array([limb.parent for limb in self.limbs])
        if self._holds and not self.free:
            fixed = [k for k, each in enumerate(points) if not self._coordinate_rows(each).any()]
            if fixed:
                raise ArgumentError(f"vertex {self._holds[fixed[0]].vertex} is fixed; hold another one")
        size = float(np.ptp(self.vertices("mesh"), axis=0).max()) if self._holds else 0.0
        known = dict(zip(map(id, self._grasped), self._held.memory.reshape(-1, 3))) if self._grasped else {}
        pulls = np.array([known.get(id(hold), np.zeros(3)) for hold in self._holds])
        self._held = held_limbs(self._layout, parents, self._scales, points, self._holds, size, forces, pulls)
        self._grasped = self._holds

    def _aim_holds(self) -> None:
        self._held.targets[:] = np.concatenate([hold.target for hold in self._holds])

    @property
    def hold_forces(self) -> Array:
        return self._held.forces.reshape(-1, 3).copy()

    @property
    def unknowns(self) -> Array:
        """Of a free tree: velocity of the root's origin and its spin, in the world, then v."""
        return np.concatenate([self._root[V_AT : V_AT + 6], self.v]) if self.free else np.array(self.v)

    def rows(self, points: Points) -> Array:
        rows = self._coordinate_rows(points)
        if not self.free:
            return rows
        arms = points.place(self.pose()) - self._root[:3]
        return np.hstack([np.vstack([np.hstack([np.eye(3), -cross_matrix(arm)]) for arm in arms]), rows])

    def _coordinate_rows(self, points: Points) -> Array:
        """Velocities of points from q' (3k, size), the root at rest."""
        asked = asked_limbs(self._layout, self.limbs, self._scales, points)
        rows = np.zeros((3 * points.count, self.size))
        rows[:, asked.own] = coordinate_rows(asked, *self._moving[1:])
        return rows

    def response(self, points: Points) -> Array:
        if self.inertia != "full":
            raise ArgumentError(f"impulses need a tree with full inertia; this one has {self.inertia}")
        layout = self._layout
        stand(*self._moving)
        self._fresh = False
        refactor(*self._moving, self._sums, self._constants(self.dt))
        asked = asked_limbs(layout, self.limbs, self._scales, points, all_limbs=True)
        columns, pulls = responses(asked, *self._moving[1:], self._sums, self.free)
        found = np.zeros((self.size, 3 * points.count))
        found[asked.own] = columns.T
        if not self.free:
            return found
        R = self._root[R_AT : R_AT + 9].reshape(3, 3)
        return np.vstack([R @ pulls[:, :3].T, R @ pulls[:, 3:].T, found])

    def _correct(self, change: Array, momentum: Array, share: float = 0.5) -> None:
        way, own = share * self.dt, change[6:] if self.free else change
        if self.free:
            frame = self._flight[0]
            self._root[V_AT : V_AT + 6] += change[:6]
            self._root[:3] += way * change[:3]
            turn(frame, frame, way * change[3:6])
            self._root[R_AT : R_AT + 9] = rotation_from_quaternion(frame.Q).ravel()
        self._motion.v[self._layout.coordinates] += own
        self._motion.q[self._layout.coordinates] += way * own
        self._stand()
        if self.free:
            self._carry_momentum(momentum)
        self._accelerate()

    def _carry_momentum(self, momentum: Array) -> None:
        """Let the root move so that the tree has a momentum (6,) more, about the origin of the world."""
        frame = self._flight[0]
        L = frame.L + np.cross(frame.t, frame.P) + momentum[3:]
        compose(*self._moving, self._sums)
        read_frame(self._sums, self._root, self._flight[1])
        frame.t[:], frame.P[:] = self._flight[1].t, frame.P + momentum[:3]
        frame.L[:] = L - np.cross(frame.t, frame.P)
        keep_momentum(self._sums, self._root, frame)
        self._stand()

    def _read_flight(self) -> None:
        """The free frame of the tree as it stands and moves."""
        frame = self._flight[0]
        compose(*self._moving, self._sums)
        read_frame(self._sums, self._root, frame)
        frame.Q[:] = quaternion_from_rotation(self._root[R_AT : R_AT + 9].reshape(3, 3))

    def _accelerate(self) -> None:
        """a, and the accelerations of a free root, from the forces of now: a step that takes no time."""
        c, watched = self._constants(0.0), self._watched
        if self.inertia == "full":
            accelerate_now(*self._moving, self._sums, self._forces, c, self.time, self.free)
        else:
            acting = (self._before, self._flight, self._forces, self._held, self._watch)
            run = (self.time, 1, False, self.free, self.inertia == "L2", False)
            self._stand()
            lumped_steps(*self._moving, self._sums, self._lumps, *acting, c, *run)
        self._stand()
        self._watched, self._accelerated = watched, True

    def _accelerate_once(self) -> None:
        """Begin with the acceleration of the forces that act, where the state is new or pushes jumped.

        Pushes that change little, or in every call, go on with the acceleration of the last step, as a smooth load
        should; hands with the accelerations that they gave.
        """
        jump = self._pushes_changed and not self._restless and jumped(self._acted, self._acts)
        if not self._holds and (jump or not self._accelerated):
            self._accelerate()

    @property
    def _acts(self) -> Acting:
        return Acting(self._pushed, self._pushes.reduced)

    @property
    def _pushes_changed(self) -> bool:
        """Since the last call of `step`."""
        return any(now is not then for now, then in zip(self._acts, self._acted))

    def acceleration(self) -> Array:
        """q'' (size,) under the forces of now."""
        before = self.state()
        self._accelerate()
        found = np.array(self.a)
        self.restore(before)
        return found

    def pose(self) -> Pose:
        """Coordinates in metres of the basis: those of a scaled limb are scale times q."""
        R, x = frames_in_world(self._layout, self._scratch)
        scales = np.repeat(self._scales, np.diff(self._layout.offsets))
        return Pose.stacked(R, x, scales * self._motion.q[self._layout.coordinates], self._layout.offsets)

    def rates(self) -> Rates:
        linear, angular = speeds_in_world(self._layout, self._scratch)
        scales = np.repeat(self._scales, np.diff(self._layout.offsets))
        return Rates(linear, angular, scales * self._motion.v[self._layout.coordinates], self._layout.offsets)

    def energy(self) -> float:
        stand(*self._moving)
        parts_of_it = np.zeros(3)
        add_energies(*self._moving, self.gravity, parts_of_it)
        return float(parts_of_it.sum())

    def momentum(self) -> tuple[Array, Array]:
        found = np.zeros(6)
        compose(*self._moving, self._sums)
        read_momentum(self._sums, self._root, found)
        return found[:3], found[3:]

    def state(self) -> State:
        self._accelerate_once()
        return State(
            q=self.q,
            v=self.v,
            a=self.a,
            root=self._root,
            **self._flight[0]._asdict(),
            time=self.time,
            hold_forces=self._held.forces.reshape(-1, 3),
            hold_pulls=self._held.memory.reshape(-1, 3),
        )

    def restore(self, state: Mapping[str, ArrayLike]) -> None:
        checked = checked_state(state, {**dict.fromkeys("qva", (self.size,)), "root": (ROOT,), **FRAME_SHAPES})
        adopt_forces(state, self._held.forces)
        adopt_forces(state, self._held.memory, "hold_pulls")
        for name in ("q", "v", "a"):
            getattr(self._motion, name)[self._layout.coordinates] = checked[name]
        self._root[:], self.time = checked["root"], checked["time"]
        for name, array in self._flight[0]._asdict().items():
            array[:] = checked[name]
        self._accelerated, self._restless, self._acted = True, False, self._acts
        self._stand()

    def _made_of(self) -> dict[str, Any]:
        given = {"limbs": self.limbs, "dt": self.dt, "inertia": self.inertia, "damping": self.damping}
        drawn = {"numbers": self._numbers, "triangles": self._triangles, "report": self._report}
        return {**given, "gravity": self.gravity, "passes": self.passes, "free": self.free, **drawn}

    def _acting(self) -> dict[str, Any]:
        return {"pushed": self._pushed, "reduced": self._pushes.reduced}

    def _act_again(self, acting: dict[str, Any]) -> None:
        shape = self._scratch.load.shape if np.size(acting["reduced"]) else (0,)
        self._push_all(self._pushed_again(acting["pushed"]), check_array("reduced", acting["reduced"], shape).copy())

    def stiffen(self, limb: int, factor: float) -> None:
        """Multiply the frequencies of a limb by `factor` from now on, forces by its square."""
        number = check_count("limb", limb, at_least=0, at_most=len(self.limbs) - 1)
        check_number("factor", factor, above=0)
        old = self.limbs[number]
        changed = list(self.limbs)
        changed[number] = replace(old, stiffening=old.stiffening * factor)
        self._regrow(changed, list(range(len(changed))))

    def swap(self, limb: int, model: ReducedModel | Rigid, origin: ArrayLike | None = None) -> None:
        """Put another part in a limb's place; nothing may stand on it whose triangles the new one lacks.

        As `add` and `cut`, it changes the vertices: pushes are dropped, and what the tree wears and its colours.
        """
        number = check_count("limb", limb, at_least=0, at_most=len(self.limbs) - 1)
        place = self.limbs[number].origin if origin is None else check_array("origin", origin, (3,))
        changed = list(self.limbs)
        changed[number] = replace(self.limbs[number], model=model, origin=place)
        self._regrow(changed, [i if i != number else -1 for i in range(len(changed))])

    def add(self, limb: Limb) -> int:
        """Let another limb stand on one of these; returns its number."""
        self._regrow([*self.limbs, limb], [*range(len(self.limbs)), -1])
        return len(self.limbs) - 1

    def cut(self, limb: int) -> list[int]:
        """Take a limb off, with all that stands on it; returns the numbers that went. The others keep their order."""
        number = check_count("limb", limb, at_least=1, at_most=len(self.limbs) - 1)
        gone = {number}
        for i, other in enumerate(self.limbs):
            if other.parent in gone:
                gone.add(i)
        stay = [i for i in range(len(self.limbs)) if i not in gone]
        numbers = {old: new for new, old in enumerate(stay)}
        kept = [replace(self.limbs[i], parent=numbers.get(self.limbs[i].parent, -1)) for i in stay]
        self._regrow(kept, stay)
        return sorted(gone)

    def _regrow(self, limbs: list[Limb], were: list[int]) -> None:
        """Adopt other limbs, those that were here going on as they move; `were` tells their old numbers, -1 for new."""
        check_limbs(limbs)
        self._report = None  # of other limbs
        old = {name: np.split(getattr(self, name), self._layout.offsets[1:-1]) for name in ("q", "v", "a")}
        same = [i >= 0 and self.limbs[i].model is limb.model for i, limb in zip(were, limbs)]
        others = were != list(range(len(self.limbs)))
        self._grow(limbs, not others)
        if self._numbers is not None and others:
            kept = [i if stays else -1 for i, stays in zip(were, same)]
            self._numbers, self._triangles = kept_numbers(self._numbers, limbs, kept), None
        if others:
            self.wear(None)
        self._accelerated = True
        for name, values in old.items():
            flat = [values[i] if kept else np.zeros(limb.model.size) for i, kept, limb in zip(were, same, limbs)]
            getattr(self._motion, name)[self._layout.coordinates] = np.concatenate(flat)
        self._stand()
        self._read_flight()

    def _mass(self) -> float:
        return float(sum(limb.model.inertia.mass * limb.scale**3 for limb in self.limbs))

    def _is_surely_slow(self) -> bool:
        return swings_slower(self.limbs, self._layout, self._root, self.free, self._slowest_asked)

    def _first_period(self) -> float:
        """Of the tree at rest, its weight aside [s]; with full inertia, whatever its steps take."""
        return 2 * np.pi / self._slowest

    @property
    def settings(self) -> dict[str, Any]:
        acting = {"damping": self.damping, "gravity": self.gravity, "dt": self.dt, "wind": self.wind}
        return {"stiffness": 1.0, **acting}

    def _retuned(self, changes: dict[str, Any], settings: dict[str, Any]) -> Tree:
        faster = np.sqrt(settings["stiffness"])
        limbs = [replace(limb, stiffening=faster * limb.stiffening) for limb in self.limbs]
        given = (settings["dt"], self.inertia, settings["damping"], settings["gravity"], self.passes, self.free)
        return Tree(limbs, *given, None, self._numbers, self._triangles, self._report)

    @property
    def steady_damping(self) -> tuple[float, float]:
        return least_damping(self.limbs, self.inertia)
