"""Forces by which bodies move themselves: balanced, so that they bend a body and neither push nor turn it.

Forces f on vertices in the body's axes, times a strength over time. What is left of their sum and of their torque about
the centre of mass at rest is taken off by the least change, f_i - a - b x x_i; then they act on q alone, S^T f.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pliant.errors import ArgumentError, Array, Ids, check_number
from pliant.numerics import cross_matrix
from pliant.numerics.counting import borrowing
from pliant.systems.world.proxies import centred_rows

if TYPE_CHECKING:
    from pliant.systems.world.body import Body

Strength = Callable[[float], float]
FEW = 1e-9  # of the largest singular value: points on a line, about which nothing can be balanced


class Actuation:
    """Forces of a body on itself until `release`; made by `body.actuate`.

    Attributes:
        body: whose.
        vertices: (k,) where they act. forces: (k, 3) [N] in its axes, balanced, at a strength of one.
        strength: time [s] -> number.
    """

    def __init__(self, body: Body, vertices: Ids, forces: Array, strength: Strength):
        self.body, self.vertices, self.forces, self.strength = body, vertices, forces, strength
        _, S = centred_rows(body.model, vertices)
        self.load = np.einsum("kil,ki->l", S, forces)

    def __repr__(self) -> str:
        return f"Actuation({self.body.name}, {len(self.vertices)} vertices)"

    def at(self, time: float) -> float:
        """Its strength then."""
        return check_number(f"strength of {self.body.name} at t = {time:.6g} s", self.strength(time))

    def release(self) -> None:
        """No more of it; once more does nothing."""
        if self.body.world is not None:
            self.body.world._remove_actuation(self)


def balanced(places: Array, forces: Array) -> Array:
    """Forces (k, 3) at places (k, 3) [m] from the centre of mass, without their sum and torque."""
    k = len(places)
    # Columns: forces of a unit push along each axis, and of a unit turn about each.
    rigid = np.hstack([np.tile(np.eye(3), (k, 1)), np.vstack([-cross_matrix(x) for x in places])])
    U, sizes, _ = np.linalg.svd(rigid, full_matrices=False)
    if k < 3 or sizes[-1] < FEW * sizes[0]:
        raise ArgumentError(
            f"forces on {k} vertices cannot be balanced where these are on a line; take at least three that are not"
        )
    left = forces.ravel()
    for _ in range(2):  # once more for rounding
        left = left - U @ (U.T @ left)
    return left.reshape(k, 3)


class ActuatorTable(NamedTuple):
    """Attributes:
    first, size: (a,) of the coordinates that each acts on. at: (a,) where its load begins in `loads`.
    strengths: (n, a) in the small steps of a call.
    """

    first: Ids
    size: Ids
    at: Ids
    loads: Array
    strengths: Array


def actuator_table(actuations: Sequence[Actuation], first: Ids, numbers: dict[int, int], steps: int) -> ActuatorTable:
    """Of all actuations; `first`: where the coordinates of each body begin; `numbers` of bodies by their ids."""
    sizes = np.array([len(each.load) for each in actuations], dtype=np.int64)
    loads = np.concatenate([np.zeros(0), *(each.load for each in actuations)])
    places = np.array([first[numbers[id(each.body)]] for each in actuations], dtype=np.int64)
    at = (np.cumsum(sizes) - sizes).astype(np.int64)
    return ActuatorTable(places, sizes, at, loads, np.zeros((steps, len(actuations))))


@borrowing
def actuate(actuators, step, load):
    """Add what acts in a small step to the loads on all coordinates."""
    for a in range(len(actuators.first)):
        strength = actuators.strengths[step, a]
        for l in range(actuators.size[a]):
            load[actuators.first[a] + l] += strength * actuators.loads[actuators.at[a] + l]
