"""Trees of parts: each stands on the interface of its parent, its frame follows by polar decomposition ([LS11])."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, Diverged, Ids, check_array, check_choice, check_count, check_number
from pliant.mesh import Mesh
from pliant.reduced import ReducedModel
from pliant.reduced.rigid import Rigid
from pliant.skin import Pose, Skin
from pliant.systems.system import State, System, checked_state, gravity_vector, rayleigh
from pliant.systems.tree.body import check_numbers, joined_mesh, kept_numbers, own_numbers, tree_skin
from pliant.systems.tree.composite import add_energies, compose
from pliant.systems.tree.limb import Limb, check_limbs
from pliant.systems.tree.loads import NO_PUSHES, Pushes
from pliant.systems.tree.lumped import lump_masses, lumps_of, sum_subtrees
from pliant.systems.tree.motion import frames_in_world, gathered_of, motion_of
from pliant.systems.tree.packs import layout_of
from pliant.systems.tree.root import R_AT, ROOT, V_AT, W_AT, read_momentum
from pliant.systems.tree.stepping import full_steps, lumped_steps, stand
from pliant.systems.wind import CALM, Wind, check_wind

INERTIAS = ("full", "L1", "L2")


class Before(NamedTuple):
    """The last good step."""

    q: Array
    v: Array
    a: Array
    root: Array


class Tree(System):
    """Limbs through time.

    Args:
        limbs: the root first, parents before children; limbs that share a model are stepped together.
        dt: time step [s].
        inertia: what a limb feels of those that stand on it. "full": all of it, by an O(d) recursion; "L1", "L2"
            ([LS11]): a mass at the interface or at the centre of mass, quicker and too high in frequency.
        damping: Rayleigh (alpha [1/s], beta [s]) of every limb; L1 and L2 blow up without.
        gravity: acceleration (3,) [m/s^2].
        passes: of "full" in a step; None: one, two for a free root.
        free: whether the root flies; None: if no vertex of its model is fixed.
        wind: blows on all limbs.
        numbers: of every limb, the vertices of the skin (n_i,) that its vertices are; limbs that share one meet there
            in the mean ([LS11] section 5: C0). None: each limb has its own.
        triangles: (t, 3) what is drawn, in these numbers; None: the surfaces of the limbs.

    Attributes:
        limbs, inertia, alpha, beta, gravity, passes: as given.
        q, v, a: coordinates, velocities, accelerations, one limb after the other (sum r,); assign to change them.
        velocity, spin: of the root's origin [m/s] and frame [1/s], in world axes (3,); assign to throw a free tree.
        wind: writable.
    """

    MADE_WITH: ClassVar[frozenset[str]] = System.MADE_WITH | {"inertia", "passes", "free"}

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
    ):
        self.inertia = check_choice("inertia", inertia, INERTIAS)
        self._dt, self.time = check_number("dt", dt, above=0), 0.0
        self.alpha, self.beta = rayleigh(damping)
        self.gravity, self.wind = gravity_vector(gravity), wind
        self._numbers, self._triangles = None if numbers is None else list(numbers), triangles
        given = list(limbs)
        check_limbs(given)
        if self._numbers is not None:
            check_numbers(given, self._numbers)
        self.free = not len(given[0].model.fixed) if free is None else bool(free)
        self.passes = check_count("passes", (2 if self.free else 1) if passes is None else passes)
        self._pushes = NO_PUSHES
        self._root, self._momentum = np.zeros(ROOT), np.zeros(6)
        self._root[:3], self._root[R_AT : R_AT + 9] = given[0].position, given[0].rotation.ravel()
        self._grow(given)
        self._advance(0)

    def _grow(self, limbs: list[Limb]) -> None:
        """Lay out these limbs, at rest."""
        # First what may refuse the limbs, so that a refusal leaves the tree as it was.
        layout = layout_of(limbs)
        self.limbs, self._layout = limbs, layout
        self._motion, self._sums = motion_of(self._layout), gathered_of(self._layout)
        self._lumps = lumps_of(len(self._layout.packs.size))
        m = self._motion
        self._before = Before(np.zeros_like(m.q), np.zeros_like(m.v), np.zeros_like(m.a), self._root.copy())
        self.__dict__.pop("body", None)
        self._stand()

    def _stand(self) -> None:
        """Everything that follows from q, v and the root."""
        layout, motion = self._layout, self._motion
        stand(layout.parts, layout.packs, motion, self._root)
        if self.inertia == "L1":
            sum_subtrees(layout.parts, layout.packs, motion, self._lumps)
            lump_masses(layout.packs, motion, self._sums, self._lumps)

    @property
    def wind(self) -> Wind | None:
        """Blows on all limbs; writable."""
        return self._wind

    @wind.setter
    def wind(self, wind: Wind | None) -> None:
        self._wind = check_wind(wind)

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
        self._stand()
        self._momentum[:] = np.concatenate(self.momentum())

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
        self._stand()
        self._momentum[:] = np.concatenate(self.momentum())

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
        taken, failed = self._advance(count)
        self.time += taken * self.dt
        if failed >= 0:
            self._go_back()
            limb = int(np.flatnonzero(self._layout.places // 8 == failed)[0])
            name = self.limbs[limb].name or f"limb {limb}"
            raise Diverged(
                f"the step from t = {self.time:.6g} s found no solution for {name} or its like; "
                "use a smaller dt, more damping or a softer push",
                self.time,
                part=name,
            )

    def _advance(self, count: int) -> tuple[int, int]:
        """Steps taken, and a pack without a solution or -1."""
        wind = CALM if self._wind is None else self._wind.field
        forces, c = (self.gravity, wind, self._pushes), np.array([self.dt, self.alpha, self.beta])
        made, state = (self._layout.parts, self._layout.packs, self._motion), (self._before, self._root, self._momentum)
        if self.inertia == "full":
            return full_steps(*made, self._sums, *state, forces, c, self.time, count, self.free, self.passes)
        second = self.inertia == "L2"
        return lumped_steps(*made, self._sums, self._lumps, *state, forces, c, self.time, count, self.free, second)

    def _go_back(self) -> None:
        m, before = self._motion, self._before
        m.q[:], m.v[:], m.a[:], self._root[:] = before.q, before.v, before.a, before.root
        self._stand()
        self._momentum[:] = np.concatenate(self.momentum())

    def _push(self, vertices: Ids, forces: Array) -> None:
        tables, old = self.body.tables, self._pushes
        counts = tables.start[vertices + 1] - tables.start[vertices]
        entries = np.repeat(tables.start[vertices], counts) + _counting(counts)
        limbs = tables.part[entries]
        scales = np.array([self.limbs[i].scale for i in limbs])
        f = np.repeat(forces, counts, axis=0) * tables.weights[entries, None]
        self._pushes = Pushes(
            np.concatenate([old.place, self._layout.places[limbs]]),
            np.concatenate([old.scale, scales]),
            np.concatenate([old.X, tables.X[entries]]),
            np.concatenate([old.rows_at, tables.rows[entries]]),
            # Compiled loops are compiled once, for arrays that can be written.
            old.rows if len(old.rows) else np.array(tables.U),
            np.concatenate([old.force, f]),
        )

    def release(self) -> None:
        self._pushes = NO_PUSHES

    def pose(self) -> Pose:
        """Coordinates in metres of the basis: those of a scaled limb are scale times q."""
        R, x = frames_in_world(self._layout, self._motion)
        scales = np.repeat([limb.scale for limb in self.limbs], np.diff(self._layout.offsets))
        return Pose.stacked(R, x, scales * self._motion.q[self._layout.coordinates], self._layout.offsets)

    def energy(self) -> float:
        stand(self._layout.parts, self._layout.packs, self._motion, self._root)
        parts_of_it = np.zeros(3)
        add_energies(self._layout.parts, self._layout.packs, self._motion, self.gravity, parts_of_it)
        return float(parts_of_it.sum())

    def momentum(self) -> tuple[Array, Array]:
        found = np.zeros(6)
        compose(self._layout.parts, self._layout.packs, self._motion, self._sums)
        read_momentum(self._sums, self._root, found)
        return found[:3], found[3:]

    def state(self) -> State:
        state = {name: np.array(getattr(self, name)) for name in ("q", "v", "a")}
        return state | {"root": self._root.copy(), "momentum": self._momentum.copy(), "time": self.time}

    def restore(self, state: State) -> None:
        checked = checked_state(state, ("q", "v", "a"), len(self._layout.coordinates))
        root = check_array("root", state.get("root", ()), (ROOT,))
        momentum = check_array("momentum", state.get("momentum", ()), (6,))
        for name in ("q", "v", "a"):
            getattr(self._motion, name)[self._layout.coordinates] = checked[name]
        self._root[:], self._momentum[:], self.time = root, momentum, checked["time"]
        self._stand()

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
        old = {name: np.split(getattr(self, name), self._layout.offsets[1:-1]) for name in ("q", "v", "a")}
        same = [i >= 0 and self.limbs[i].model is limb.model for i, limb in zip(were, limbs)]
        others = were != list(range(len(self.limbs)))
        self._grow(limbs)
        if self._numbers is not None and others:
            kept = [i if stays else -1 for i, stays in zip(were, same)]
            self._numbers, self._triangles = kept_numbers(self._numbers, limbs, kept), None
        if others:
            self.release()
            self.wear(None)
        for name, values in old.items():
            flat = [values[i] if kept else np.zeros(limb.model.size) for i, kept, limb in zip(were, same, limbs)]
            getattr(self._motion, name)[self._layout.coordinates] = np.concatenate(flat)
        self._stand()
        self._momentum[:] = np.concatenate(self.momentum())


def _counting(counts: Ids) -> Ids:
    """0 1 .. for each of these counts, one after the other."""
    ends = np.cumsum(counts)
    return np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - counts, counts)
