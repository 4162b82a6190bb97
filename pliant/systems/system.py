"""What every system can do: step, be pushed, be looked at, be saved and restored."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, Ids, check_array, check_choice, check_ids, check_number
from pliant.mesh import Mesh, Surface
from pliant.skin import Pose, Skin, Worn
from pliant.skin import wear as hang

State = dict[str, Any]
Layer = Literal["skin", "mesh"]
LAYERS = get_args(Layer)


class System(ABC):
    """Parts, and the coupling that moves them through time.

    A system has the vertices of the mesh that it simulates, drawn by `body`. It may `wear` a surface, which hangs in
    the cells; then `skin`, `triangles`, `vertices()` and `push()`, and so pictures, exports and the hand of a person,
    are about that surface. `vertices("mesh")` and `push(..., on="mesh")` go on meaning the mesh: what a scene says of
    its mesh (pushes, probes, checks) does not depend on what is worn.

    Attributes:
        dt: time step [s]; writable.
        time: simulated time [s].
        worn: the surface it wears, in its cells; None: the mesh is drawn.
        colours: (t, 3) red, green, blue from 0 to 1 of every triangle; None: one colour for all.
    """

    # What a system is made with; compiled loops have taken it in, so a change would go unheard.
    MADE_WITH: ClassVar[frozenset[str]] = frozenset(
        {"model", "solid", "alpha", "beta", "gravity", "newton", "integrator", "dtype"}
    )

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.MADE_WITH and name in self.__dict__:
            kind = type(self).__name__
            raise ArgumentError(f"{name} of a {kind} is fixed when it is made; make another {kind} to change it")
        super().__setattr__(name, value)

    time: float
    worn: Worn | None = None
    colours: Array | None = None
    _worn_skin: Skin | None = None
    _dt: float

    @property
    def dt(self) -> float:
        """Time step [s]; writable."""
        return self._dt

    @dt.setter
    def dt(self, value: float) -> None:
        self._dt = check_number("dt", value, above=0)
        self._adopt_step()

    def _adopt_step(self) -> None:  # noqa: B027
        """What a system makes anew for another `dt`; nothing, where steps read it each time."""

    @abstractmethod
    def step(self, count: int = 1) -> None:
        """Advance by `count` steps of `dt`. Raises `Diverged` and keeps the last good state."""

    def push(self, vertices: ArrayLike, forces: ArrayLike, on: Layer = "skin") -> None:
        """Add world forces (k, 3) or (3,) [N] on vertices (k,) of the skin or the mesh, acting until `release`."""
        ids, given = checked_push(vertices, forces, self._vertex_count(on))
        if self.worn is not None and on == "skin":
            ids, given = self.worn.spread(ids, given)
        self._push(ids, given)

    @abstractmethod
    def _push(self, vertices: Ids, forces: Array) -> None:
        """Add world forces (k, 3) [N] on vertices (k,) of the mesh; all is checked."""

    @abstractmethod
    def release(self) -> None:
        """Drop all pushes."""

    def vertices(self, of: Layer = "skin") -> Array:
        """World positions (n, 3) [m] of the skin or the mesh."""
        skin = self.skin if check_choice("of", of, LAYERS) == "skin" else self.body
        assert skin is not None, "a system without a basis has its own way to its vertices"
        return skin.vertices(self.pose())

    @property
    @abstractmethod
    def body(self) -> Skin | None:
        """What draws the vertices of the mesh; None where there is no basis (`Full`)."""

    @property
    def mesh(self) -> Mesh:
        """The cells behind the vertices of `body`, at rest."""
        raise ArgumentError(f"a {type(self).__name__} has no cells that a surface could hang in")

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

        What another system of the same mesh has `worn` is welcome too, and is not looked up in the cells again.
        """
        worn = surface if surface is None or isinstance(surface, Worn) else hang(self.mesh, surface)
        self._worn_skin = None if worn is None or self.body is None else worn.skin(self.body)
        self.worn, self.colours = worn, None

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

    @abstractmethod
    def energy(self) -> float:
        """Kinetic + elastic + gravitational energy [J]."""

    @abstractmethod
    def momentum(self) -> tuple[Array, Array]:
        """Linear (3,) [kg m/s] and angular (3,) momentum about the origin [kg m^2/s]."""

    @abstractmethod
    def state(self) -> State:
        """A copy of everything that changes with time."""

    @abstractmethod
    def restore(self, state: State) -> None:
        """Go back to a `state()`."""


def gravity_vector(gravity: ArrayLike | None) -> Array:
    """(3,) acceleration [m/s^2]; None means weightless."""
    return np.zeros(3) if gravity is None else check_array("gravity", gravity, (3,))


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
    return ids, check_array("forces", forces, (len(ids), 3))


def checked_state(state: State, arrays: Sequence[str], size: int) -> State:
    """A whole state or none: arrays (size,) under their names, and the time."""
    missing = [name for name in (*arrays, "time") if not isinstance(state, dict) or name not in state]
    if missing:
        raise ArgumentError(f"state must come from state() of such a system; it lacks {', '.join(missing)}")
    checked: State = {name: check_array(name, state[name], (size,)) for name in arrays}
    return checked | {"time": check_number("time", state["time"])}
