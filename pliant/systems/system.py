"""What every system can do: step, be pushed, be looked at, be saved and restored."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, Ids, check_array, check_ids, check_number
from pliant.skin import Pose, Skin

State = dict[str, Any]


class System(ABC):
    """Parts, and the coupling that moves them through time.

    Attributes:
        dt: time step [s]; writable.
        time: simulated time [s].
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

    @abstractmethod
    def push(self, vertices: ArrayLike, forces: ArrayLike) -> None:
        """Add world forces (k, 3) or (3,) [N] on skin vertices (k,), acting until `release`."""

    @abstractmethod
    def release(self) -> None:
        """Drop all pushes."""

    @abstractmethod
    def vertices(self) -> Array:
        """World positions (n, 3) [m]."""

    @property
    @abstractmethod
    def skin(self) -> Skin | None:
        """What draws the poses; None where there is no basis (`Full`), and only `vertices` can be drawn."""

    @property
    @abstractmethod
    def triangles(self) -> Ids:
        """The surface to draw, (t, 3) vertex ids."""

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
