"""How fast a body swings, and how fast it may: with half the energy of its first vibration phi where that strains a
pair of vertices of a cell as much as the force of a hand may, since both add up.

    E = m / 2 sum w |v|^2  <=  m / 4 om^2 a^2 sum w |phi|^2,     a = STRAIN / max_pairs |strain of phi|

phi and om are those of the shape that weight gives it: feet on which it stands are softer. The sum is over a few
vertices, each with the share w of the mass that is nearest to it. A swing has that energy whenever it passes through
the middle, so twice in a period; what is bent slowly and held there has none, however far it is bent.
"""

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from pliant.errors import Array, Ids
from pliant.systems.spinning import LOOKED_AT

if TYPE_CHECKING:
    from pliant.mesh import Mesh
    from pliant.systems.system import System


class Swing(NamedTuple):
    """The largest swing that a body bears.

    Attributes:
        energy: of motion, as it passes through the middle [J].
        half: half its period [s].
    """

    energy: float
    half: float


def few_vertices(n: int, count: int = LOOKED_AT) -> Ids:
    """(k,) that stand for all n."""
    return np.unique(np.linspace(0, n - 1, count).astype(np.int64))


def weights_of_few(mesh: "Mesh", shares: Array) -> Array:
    """(k,) the share of the mass that is nearest to each of the few vertices, by those of all (n,)."""
    x, ids = mesh.vertices, few_vertices(mesh.vertex_count)
    return np.bincount(cKDTree(x[ids]).query(x)[1], shares, len(ids)).astype(np.float64)


def energy_of_motion(mass: float, weights: Array, v: Array) -> float:
    """[J], of velocities (k, 3) of the few vertices."""
    return 0.5 * mass * float(weights @ np.sum(v**2, axis=1))


def swing(system: "System") -> float:
    """The energy of motion now [J]."""
    points = system.points(few_vertices(system._vertex_count("mesh")), "mesh")
    return energy_of_motion(system._mass(), system._bearing.weights, points.velocity(system.pose(), system.rates()))


class Swung:
    """The largest energy of motion that was seen within half a period."""

    def __init__(self, half: float):
        self._half, self._seen = half, deque[tuple[float, float]]()

    def see(self, time: float, energy: float) -> float:
        """What it is now; smaller ones that are older than this can never be it."""
        while self._seen and self._seen[-1][1] <= energy:
            self._seen.pop()
        self._seen.append((time, energy))
        while not time - self._half <= self._seen[0][0] <= time:  # time may have been turned back
            self._seen.popleft()
        return self._seen[0][1]
