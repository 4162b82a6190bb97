"""What every system answers: step, be pushed and held, be looked at, be saved and restored.

A system is touched at points. Its unknowns y are the velocities that its step solves for: those of its frame, where it
flies with one, then the rates of its coordinates. For points it knows

    x' = W y                 `rows`
    y += A^-1 W^T j          `response`, for impulses j [N s] inside its own step, A = M + dt/2 C + dt^2/4 K

so that contacts, joints and holds between systems of any kind can meet in one solver.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from os import PathLike
from typing import Any, ClassVar, Literal, NoReturn, get_args

import numpy as np
from numpy.typing import ArrayLike

from pliant.basis import SizeReport
from pliant.errors import (
    ArgumentError,
    Array,
    Ids,
    PliantWarning,
    check_array,
    check_choice,
    check_count,
    check_ids,
    check_number,
    check_out,
)
from pliant.fem import Solid
from pliant.mesh import Mesh, Surface
from pliant.mesh.files.surface_texture import Texture
from pliant.mesh.normals import vertex_normals
from pliant.mesh.notebook import surface_card
from pliant.skin import Points, Pose, Rates, Skin, Worn
from pliant.skin import wear as hang
from pliant.systems.gentleness import Bearing, Gentleness, gentleness_of
from pliant.systems.holding import Hold
from pliant.systems.rigged import Rigged
from pliant.systems.saving import copied, packed, savable, save, unpacked
from pliant.systems.slices import TIMED, Take, in_equal_slices, in_slices, uninterrupted
from pliant.systems.state import State
from pliant.systems.wind import Wind, check_wind

Layer = Literal["skin", "mesh"]
MOST_ITERATIONS = 100  # of a step; more would seem to hang
CONVERGED = 30  # more than a step takes that finds a solution: where they do not suffice it is halved
LAYERS = get_args(Layer)
SHORTEST, LONGEST = 1e-18, 1e9  # time steps [s]
PERIODS = 3  # after which `suggest_dt` looks at the error
FEWEST = 10  # steps in the first period
_TOLD: ContextVar[bool] = ContextVar("whoever makes a system is told of long steps", default=True)


def telling() -> bool:
    """Is whoever makes a system now told of long steps?"""
    return _TOLD.get()


@contextmanager
def untold() -> Iterator[None]:
    """Systems that are made meanwhile say nothing of long steps: they are tools, or copies of what has said it."""
    before = _TOLD.set(False)
    try:
        yield
    finally:
        _TOLD.reset(before)


def made_with(name: str, doc: str) -> Any:
    """A read-only property: what a system is made with is in its compiled loops, so a change would go unheard."""

    def read(system: System) -> Any:
        return getattr(system, f"_{name}")

    def refuse(system: System, _: Any) -> NoReturn:
        kind = type(system).__name__
        raise ArgumentError(f"{name} of a {kind} is fixed when it is made; make another {kind} to change it")

    return property(read, refuse, doc=doc)


class System(ABC):
    """Parts, and the coupling that moves them through time.

    A system has the vertices of the mesh that it simulates, drawn by `body`. It may `wear` a surface, which hangs in
    the cells; then `skin`, `triangles`, `vertices()` and `push()`, and so pictures, exports and the hand of a person,
    are about that surface. `vertices("mesh")` and `push(..., on="mesh")` go on meaning the mesh: what a scene says of
    its mesh (pushes, probes, checks) does not depend on what is worn.

    What a kind cannot do, it refuses in one sentence.

    Attributes:
        kind: its name in scene files.
        time: simulated time [s].
        worn: the surface it wears, in its cells; None: the mesh is drawn.
        colours: (t, 3) red, green, blue from 0 to 1 of every triangle; None: one colour for all.
        texture: a picture on what it wears, for files that can have one; None: none.
        assembled_by: how `pl.assemble` joined its parts, and why; None: it was not asked.
    """

    kind: ClassVar[str] = "system"
    time: float
    worn: Worn | None = None
    colours: Array | None = None
    texture: Texture | None = None
    assembled_by: str | None = None
    _worn_skin: Skin | None = None
    _wind: Wind | None = None
    _holds: tuple[Hold, ...] = ()
    _dt: float
    _gravity: Array
    _bears: ClassVar[float] = 1.0  # of `gentle_force`
    _damping: tuple[float, float] = (0.0, 0.0)
    _slice: int = 1  # steps that are taken before an interrupt is heard

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        savable(cls, lambda system: system._saved(), lambda **saved: cls._resumed(saved), moves=True)

    # What it is made of

    @property
    def dt(self) -> float:
        """Time step [s]; writable."""
        return self._dt

    @dt.setter
    def dt(self, value: float) -> None:
        self._dt = check_step(value)
        self._adopt_step()

    def _adopt_step(self) -> None:  # noqa: B027
        """What a system makes anew for another `dt` or damping; nothing, where steps read it each time."""

    gravity = made_with("gravity", "Acceleration (3,) [m/s^2].")
    damping = made_with("damping", "Rayleigh constants (alpha [1/s], beta [s]).")

    alpha = made_with("alpha", "Rayleigh damping by mass [1/s], the first of `damping`.")
    beta = made_with("beta", "Rayleigh damping by stiffness [s], the second of `damping`.")

    @property
    def _alpha(self) -> float:
        return self.damping[0]

    @property
    def _beta(self) -> float:
        return self.damping[1]

    @property
    def report(self) -> SizeReport | None:
        """Error over size, where its columns were chosen for a tolerance; else None."""
        return None

    @property
    def size(self) -> int:
        """Number of its own coordinates q; those that parts share count once."""
        return len(self.pose().flat)

    @property
    def solid(self) -> Solid:
        """The unreduced solid."""
        self._cannot("be traced back to one solid")

    @property
    def mesh(self) -> Mesh:
        """The cells behind the vertices of `body`, at rest."""
        self._cannot("tell its cells, so no surface can hang in them")

    @property
    def free(self) -> bool:
        """Does nothing hold it, so that it flies?"""
        return not len(self.solid.fixed)

    @property
    def interfaces(self) -> tuple[tuple[str, ...], ...]:
        """Names of the parts that meet, an entry for every interface; none where it is in one piece."""
        return ()

    def _cannot(self, what: str) -> NoReturn:
        raise ArgumentError(f"a {type(self).__name__} cannot {what}")

    # What acts on it

    @property
    def wind(self) -> Wind | None:
        """Blows on its surface; writable. Sampled at the end of each step, where the surface was at its start."""
        return self._wind

    @wind.setter
    def wind(self, wind: Wind | None) -> None:
        self._wind = check_wind(wind)
        self._adopt_wind()

    def _adopt_wind(self) -> None:
        if self._wind is not None:
            self._wind = None
            self._cannot("be blown at")

    def push(self, vertices: ArrayLike, forces: ArrayLike, on: Layer = "skin") -> None:
        """Add world forces (k, 3) or (3,) [N] on vertices (k,) of the skin or the mesh, acting until `release`."""
        ids, given = checked_push(vertices, forces, self._vertex_count(on))
        if self.worn is not None and on == "skin":
            ids, given = self.worn.spread(ids, given)
        self._push(ids, given)

    @abstractmethod
    def _push(self, vertices: Ids, forces: Array) -> None:
        """Add world forces (k, 3) [N] on vertices (k,) of the mesh, arrays of its own; all is checked."""

    def push_reduced(self, load: ArrayLike) -> None:
        """Add generalised forces (size,) on its own coordinates, acting until `release`."""
        self._push_reduced(check_array("load", load, (self.size,)).copy())

    def _push_reduced(self, load: Array) -> None:
        self._cannot("be pushed in its coordinates")

    @abstractmethod
    def release(self) -> None:
        """Drop all pushes."""

    def launch(self, velocity: ArrayLike = (0.0, 0.0, 0.0), spin: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        """Throw a free system: velocity of its centre of mass (3,) [m/s] and spin about it (3,) [1/s], in the world."""
        given = check_array("velocity", velocity, (3,)), check_array("spin", spin, (3,))
        if not self.free:
            raise ArgumentError("launch needs a solid without fixed vertices; this one is held")
        self._launch(*given)

    def _launch(self, velocity: Array, spin: Array) -> None:
        self._cannot("be thrown")

    def settle(self) -> None:
        """Go to where it stands still under its weight and pushes, and rest there; time stays what it is.

        Raises:
            Diverged: no equilibrium was found; everything is as before.
        """
        self._cannot("settle")

    # Hands

    @property
    def holds(self) -> tuple[Hold, ...]:
        """The hands on it."""
        return self._holds

    def hold(
        self,
        vertex: int,
        target: ArrayLike | None,
        rate: float | None = None,
        on: Layer = "skin",
        limit: float | None = None,
    ) -> Hold | None:
        """Hold a vertex of the skin or the mesh at a place (3,) [m]; call again to move it, None lets go.

        It goes there critically damped, without a jump, also when it is let go.

        Args:
            rate: how fast it goes there [1/s]; by default 20, or 1/dt if that is less. A vertex that is held already
                keeps its own, and its limit, where no other is given.
            limit: the largest force [N]; None: whatever it takes. `gentle_force` is a moderate one.
        """
        number = check_count("vertex", vertex, at_least=0, at_most=self._vertex_count(on) - 1)
        there = next((hold for hold in self._holds if (hold.vertex, hold.on) == (number, on)), None)
        if target is None:
            if there is not None:
                there.release()
            return None
        if there is not None:
            there.target = check_array("target", target, (3,))
            if there.adjust(rate, limit):
                self._change_holds(self._holds)
            return there
        hold = Hold(self, number, on, target, rate, limit)
        self._take_hold(hold)
        return hold

    def _take_hold(self, hold: Hold) -> None:
        before, forces = self._holds, self.hold_forces.copy()
        try:
            self._change_holds((*before, hold))
        except Exception:
            self._holds = before
            self._adopt_holds(forces)
            raise

    def _let_go(self, hold: Hold) -> None:
        if any(other is hold for other in self._holds):
            self._change_holds(tuple(other for other in self._holds if other is not hold))

    def _change_holds(self, holds: tuple[Hold, ...]) -> None:
        """Those that stay keep their forces."""
        known = dict(zip(map(id, self._holds), self.hold_forces))
        self._holds = holds
        self._adopt_holds(np.array([known.get(id(hold), np.zeros(3)) for hold in holds]).reshape(-1, 3))

    @property
    def hold_forces(self) -> Array:
        """(k, 3) what held each of `holds` in the last step [N]."""
        return np.zeros((len(self._holds), 3))

    def _adopt_holds(self, forces: Array) -> None:
        """Make the constraints of the present holds, which begin with these forces (k, 3) [N]."""
        if self._holds:
            self._cannot("be held")

    def _aim_holds(self) -> None:  # noqa: B027
        """Targets have moved; nothing else has."""

    def gentle_force(self, vertex: int, on: Layer = "skin") -> float:
        """What the body bears of a hand on this vertex [N], about: see `gentleness`. Linear parts bear a quarter."""
        return self.gentleness(vertex, on).force

    def gentleness(self, vertex: int, on: Layer = "skin") -> Gentleness:
        """The force [N], `gentle_force`, and the speed [m/s] of a hand on this vertex that the body bears."""
        number = check_count("vertex", vertex, at_least=0, at_most=self._vertex_count(on) - 1)
        return gentleness_of(self, self.points([number], on), self._bearing)

    @cached_property
    def _bearing(self) -> Bearing:
        return Bearing(self)

    def _mass(self) -> float:
        """Of all that moves [kg]."""
        self._cannot("tell its mass, so no force is known to be gentle")

    def interface(self, a: Any, b: Any) -> int:
        """Which of `interfaces` two parts share, by number or name."""
        self._cannot("tell which interface parts share")

    def turn(self, entity: int, rotation_vector: ArrayLike, rate: float | None = None) -> Any:
        """Hold one of `interfaces` at a rotation from rest (3,) [rad] until `release` of what this returns."""
        self._cannot("be turned at an interface")

    # Time

    @abstractmethod
    def step(self, count: int = 1) -> None:
        """Advance by `count` steps of `dt`. Raises `Diverged` and keeps the last good state.

        Ctrl-C is heard within 50 ms, or a step if that takes longer, and leaves a state that was reached by whole
        steps, and its time.
        """

    def _in_slices(self, count: int, take: Take) -> None:
        """Take `count` steps by `take(steps, done)`, which moves the state and the time; ends early if it says no."""
        if count == 1:
            uninterrupted(take, 1, 0)
        elif (size := self._equal_slice) is not None:
            in_equal_slices(count, size, take)
        else:
            self._slice = in_slices(count, self._slice, take)

    @property
    def _equal_slice(self) -> int | None:
        """Steps in a slice where rounding depends on how steps are sliced; None: by the clock."""
        return None if self._wind is None else TIMED

    def suggest_dt(self, tolerance: float = 0.01) -> float:
        """The time step [s] with which the first vibration errs by this share of its amplitude after three periods.

        Newmark's vibrations have the frequency 2 / dt atan(omega dt / 2) = omega (1 - (omega dt)^2 / 12 + ..), so after
        n periods they lag by the phase 2 pi n (omega dt)^2 / 12, which is the error over the amplitude:

            omega dt = sqrt(6 tolerance / (pi n)),   n = 3:   dt = T / 79 for a tolerance of 0.01

        Higher vibrations err more, by the square of their frequency: this is for motion that the first one rules.
        """
        given = check_number("tolerance", tolerance, above=0)
        return self._first_period() / (2 * np.pi) * float(np.sqrt(6 * given / (np.pi * PERIODS)))

    def _first_period(self) -> float:
        """Of the slowest vibration about rest [s]."""
        self._cannot("tell its first period, so it suggests no dt")

    def _is_surely_slow(self) -> bool:
        """Whether a quick look shows a motion slower than `FEWEST` steps; where the first period is cheap, none."""
        return False

    def _warn_of_long_steps(self) -> None:
        """Once, when it is made: steps above a tenth of the first period show little of the motion."""
        if not telling() or self._is_surely_slow():
            return
        period = self._first_period()
        if 0 < period < FEWEST * self.dt:  # 0: nothing deforms
            advice = f"use at most {period / FEWEST:.2g} s, or what suggest_dt() says"
            warnings.warn(
                f"dt = {self.dt:g} s is more than a tenth of the first period, {period:.3g} s; {advice}",
                PliantWarning,
                4,
            )

    @property
    def _slowest_asked(self) -> float:
        """lambda [1/s^2] of a vibration with `FEWEST` steps a period."""
        return (2 * np.pi / (FEWEST * self.dt)) ** 2

    def predict(self) -> None:
        """Take a step as if nothing else touched it; `correct` then adds what others do to it in that step."""
        self.step()

    def correct(self, points: Points, impulses: ArrayLike) -> None:
        """Add the effect of impulses (k, 3) [N s] on its points inside the step just taken.

        y += A^-1 W^T j, and its coordinates move along by half of that times dt; its accelerations become those of
        the forces that stay, since an impulse has no memory.
        """
        given = check_array("impulses", impulses, (points.count, 3))
        change, x = self.response(points) @ given.ravel(), points.place(self.pose())
        self._correct(change, np.concatenate([given.sum(axis=0), np.cross(x, given).sum(axis=0)]))

    def _correct(self, change: Array, momentum: Array, share: float = 0.5) -> None:
        """Add a change (s,) to the unknowns, which gives the system this linear and angular momentum (6,).

        Coordinates move along by this share of the change times dt: half of it for what acted through all of the step.
        """
        self._cannot("take impulses")

    def rows(self, points: Points) -> Array:
        """W (3k, s): velocities of the points from the unknowns."""
        self._cannot("tell how its points move with its unknowns")

    def response(self, points: Points) -> Array:
        """A^-1 W^T (s, 3k): what unit impulses on the points do to the unknowns inside a step from here."""
        self._cannot("tell how it answers impulses")

    @property
    def unknowns(self) -> Array:
        """y (s,): velocity and spin of its frame in world axes, where it flies with one, then q' (size,)."""
        self._cannot("tell its unknowns")

    # Looking

    def points(self, vertices: ArrayLike, on: Layer = "skin") -> Points:
        """The material points that vertices (k,) of the skin or the mesh are."""
        skin = self.skin if check_choice("on", on, LAYERS) == "skin" else self.body
        assert skin is not None, "a system without a basis has its own points"
        return skin.points(vertices)

    def vertices(self, of: Layer = "skin", out: Array | None = None) -> Array:
        """World positions (n, 3) [m] of the skin or the mesh.

        Args:
            out: an array (n, 3) of float64 to write them into, such as a buffer of a graphics card; None: a new one.
        """
        skin = self.skin if check_choice("of", of, LAYERS) == "skin" else self.body
        assert skin is not None, "a system without a basis has its own way to its vertices"
        return skin.vertices(self.pose(), out=out)

    @property
    def drawn_by(self) -> Skin | None:
        """The skin that draws poses; None where `drawn` alone does: no basis (`Full`), or cells that are warped."""
        return self.skin

    def drawn(self, pose: Pose) -> Array:
        """World positions (n, 3) [m] of what is drawn, in a pose that need not be the one of now."""
        skin = self.drawn_by
        assert skin is not None, "a system without a basis has its own way to its vertices"
        return skin.vertices(pose)

    def normals(self, of: Layer = "skin") -> Array:
        """Unit normals (n, 3) of the surface at its vertices, outward, weighted by area; (0, 1, 0) inside the mesh."""
        if check_choice("of", of, LAYERS) == "skin":
            return vertex_normals(self.vertices(), self.triangles)
        return vertex_normals(self.vertices("mesh"), self.mesh.surface if self.body is None else self.body.triangles)

    def velocities(self, of: Layer = "skin") -> Array:
        """World velocities (n, 3) [m/s] of the skin or the mesh."""
        skin = self.skin if check_choice("of", of, LAYERS) == "skin" else self.body
        assert skin is not None, "a system without a basis has its own way to its vertices"
        return skin.velocities(self.pose(), self.rates())

    @property
    @abstractmethod
    def body(self) -> Skin | None:
        """What draws the vertices of the mesh; None where there is no basis (`Full`)."""

    @property
    def skin(self) -> Skin | None:
        """What draws the poses; None where there is no basis (`Full`), and only `vertices` can be drawn."""
        return self.body if self._worn_skin is None else self._worn_skin

    @property
    def triangles(self) -> Ids:
        """The surface to draw, (t, 3) vertex ids."""
        skin = self.skin
        assert skin is not None, "a system without a basis has its own triangles"
        return skin.triangles

    def wear(self, surface: Surface | Worn | None) -> None:
        """Draw and push this surface from now on, embedded in the mesh at rest; None: the mesh itself again.

        What another system of the same mesh has `worn` is welcome too, and is not looked up in the cells again. Hands
        on the skin let go.
        """
        worn = surface if surface is None or isinstance(surface, Worn) else hang(self.mesh, surface)
        self._worn_skin = None if worn is None or self.body is None else worn.skin(self.body)
        if worn is not self.worn:
            for hold in self._holds:
                if hold.on == "skin":
                    hold.release()
        self.worn, self.colours, self.texture = worn, None, None

    @property
    def rigs(self) -> Sequence[Rigged]:
        """Characters among the parts of its skin."""
        return ()

    def paint(self, colours: ArrayLike | None) -> None:
        """Give every triangle its colour (t, 3), red, green and blue from 0 to 1; None: one colour for all."""
        if colours is not None:
            given = check_array("colours", colours, (len(self.triangles), 3))
            if given.size and not 0 <= given.min() <= given.max() <= 1:
                raise ArgumentError(f"colours must be from 0 to 1; {given.min():g} to {given.max():g} were given")
            colours = given
        self.colours = colours

    def _vertex_count(self, layer: Layer) -> int:
        if check_choice("on", layer, LAYERS) == "skin" and self.worn is not None:
            return len(self.worn.surface.vertices)
        return self.mesh.vertex_count if self.body is None else self.body.vertex_count

    @abstractmethod
    def pose(self) -> Pose:
        """Frame and coordinates of every part."""

    def rates(self) -> Rates:
        """Velocities of the frame and the coordinates of every part."""
        self._cannot("tell the rates of its parts")

    @abstractmethod
    def energy(self) -> float:
        """Kinetic + elastic + gravitational energy [J]."""

    @abstractmethod
    def momentum(self) -> tuple[Array, Array]:
        """Linear (3,) [kg m/s] and angular (3,) momentum about the origin [kg m^2/s]."""

    # Keeping

    @abstractmethod
    def state(self) -> State:
        """A copy of everything that changes with time."""

    @abstractmethod
    def restore(self, state: Mapping[str, ArrayLike]) -> None:
        """Go back to a `state()`."""

    def save(self, path: str | PathLike) -> None:
        """Write it to a file, whole or not at all; `pl.resume(path)` gives it back, and it goes on to the last bit."""
        save(self, path)

    def __copy__(self) -> System:
        """Another one that goes on from here for itself; both share their parts, which never change."""
        made: System = copied(self)
        made.texture = self.texture
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> System:
        memo[id(self)] = made = self.__copy__()
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return unpacked, packed(self)

    def _saved(self) -> dict[str, Any]:
        """What a file keeps."""
        limits = [None if np.isinf(hold.limit) else hold.limit for hold in self.holds]
        holds = [(each.vertex, each.on, each.target, each.rate, limit) for each, limit in zip(self.holds, limits)]
        looks = {"worn": self.worn, "colours": self.colours, "assembled_by": self.assembled_by}
        acting = {"wind": self.wind, "holds": holds, "acting": self._acting()}
        return {"made_of": self._made_of(), **looks, **acting, "state": dict(self.state())}

    @classmethod
    def _resumed(cls, saved: dict[str, Any]) -> System:
        with untold():
            system = cls(**saved["made_of"])
        system._gather_again(saved)
        system.wear(saved["worn"])
        system.paint(saved["colours"])
        system.wind = saved["wind"]
        system.assembled_by = saved["assembled_by"]
        for vertex, on, target, rate, limit in saved["holds"]:
            system.hold(vertex, target, rate, on, limit)
        system._act_again(saved["acting"])
        system.restore(saved["state"])
        return system

    def _gather_again(self, saved: dict[str, Any]) -> None:  # noqa: B027
        """What came to it after it was made, and is no state: nothing, mostly."""

    def _made_of(self) -> dict[str, Any]:
        """The arguments that make its like."""
        self._cannot("be saved")

    def _acting(self) -> dict[str, Any]:
        """Pushes, and what else acts besides wind and holds."""
        return {}

    def _act_again(self, acting: dict[str, Any]) -> None:  # noqa: B027
        """Let act what `_acting` told."""

    def _pushed_again(self, pushed: Sequence[tuple[ArrayLike, ArrayLike]]) -> list[tuple[Ids, Array]]:
        """Pushes of a file, checked as those of a caller are."""
        return [checked_push(vertices, forces, self._vertex_count("mesh")) for vertices, forces in pushed]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.size} coordinates, dt={self.dt:g}, t={self.time:g} s)"

    def _repr_html_(self) -> str:
        facts = {"coordinates": self.size, "dt": f"{self.dt:g} s", "time": f"{self.time:g} s"}
        facts |= {"energy": f"{self.energy():.4g} J", "drawn": f"{len(self.triangles)} triangles"}
        return surface_card(type(self).__name__, facts, self.vertices(), self.triangles, self.colours)

    # What others may change

    writable: ClassVar[tuple[str, ...]] = ("dt", "wind")  # those of `settings` that a running system takes

    @property
    def settings(self) -> dict[str, Any]:
        """What `retuned` can change, by name, as it is now; `stiffness` is a factor on what the system has."""
        return {}

    def retuned(self, **changes: Any) -> System:
        """The same parts with other `settings`, at rest and at time 0, looking the same."""
        stuck = [name for name in changes if name not in self.settings]
        if stuck:
            known = ", ".join(self.settings) or "nothing"
            raise ArgumentError(f"a {type(self).__name__} cannot change {', '.join(stuck)}; it can change {known}")
        made = self._retuned(changes, self.settings | changes)
        made.wind = changes.get("wind", self.wind)
        made.wear(self.worn)
        made.paint(self.colours)
        made.texture = self.texture
        return made

    def _retuned(self, changes: dict[str, Any], settings: dict[str, Any]) -> System:
        """Another one with these settings, all of them; `changes` are the new ones."""
        self._cannot("be made again with other settings")

    @property
    def steady_damping(self) -> tuple[float, float]:
        """The least Rayleigh (alpha, beta) that its way of stepping asks for; none where it is steady by itself."""
        return 0.0, 0.0

    @property
    def turnable(self) -> dict[int, Ids]:
        """Which of `interfaces` `turn` takes, each with its vertices of the mesh."""
        return {}

    def rotation_of(self, entity: int) -> Array:
        """The rotation vector (3,) [rad] of an interface from rest, as `turn` means it."""
        self._cannot("be turned at an interface")


def check_system(system: Any) -> System:
    """A system of any kind."""
    if not isinstance(system, System):
        raise ArgumentError(f"a pliant system is needed, such as a pl.Clamped; {type(system).__name__} was given")
    return system


def check_step(dt: Any) -> float:
    """A time step [s] whose square and inverse square are numbers."""
    return check_number("dt", check_number("dt", dt, above=0), at_least=SHORTEST, at_most=LONGEST)


def given_out(x: Array, out: Array | None) -> Array:
    """x, in `out` where there is one."""
    if out is None:
        return x
    check_out(out, x.shape)[:] = x
    return out


def gravity_vector(gravity: ArrayLike | None) -> Array:
    """(3,) acceleration [m/s^2], read-only; None means weightless."""
    vector = np.zeros(3) if gravity is None else check_array("gravity", gravity, (3,)).copy()
    vector.setflags(write=False)
    return vector


def rayleigh(damping: ArrayLike) -> tuple[float, float]:
    """Rayleigh constants alpha [1/s] and beta [s], neither below zero."""
    alpha, beta = (float(c) for c in check_array("damping", damping, (2,)))
    check_number("damping", min(alpha, beta), at_least=0)
    return alpha, beta


def checked_push(vertices: ArrayLike, forces: ArrayLike, vertex_count: int) -> tuple[Ids, Array]:
    """Vertex ids (k,) and forces (k, 3); one force (3,) acts on each of the vertices."""
    ids = check_ids("vertices", vertices, vertex_count)
    if isinstance(forces, np.ndarray | list | tuple) and len(forces) == 3 and np.ndim(forces[0]) == 0:
        forces = np.tile(check_array("forces", forces, (3,)), (len(ids), 1))
    return ids, check_array("forces", forces, (len(ids), 3)).copy()
