"""What every system can do: step, be pushed, be looked at, be saved and restored."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import Array, Ids, check_array, check_ids
from pliant.skin import Pose, Skin

State = dict[str, Any]


class System(ABC):
    """Parts, and the coupling that moves them through time.

    Attributes:
        dt: time step [s].
        time: simulated time [s].
    """

    dt: float
    time: float

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


def checked_push(vertices: ArrayLike, forces: ArrayLike, vertex_count: int) -> tuple[Ids, Array]:
    """Vertex ids (k,) and forces (k, 3); one force (3,) acts on each of the vertices."""
    ids = check_ids("vertices", vertices, vertex_count)
    if np.shape(forces) == (3,):
        forces = np.tile(np.asarray(forces), (len(ids), 1))
    return ids, check_array("forces", forces, (len(ids), 3))
