"""How hard a hand may pull at a vertex: by what all of a body bears, and by what the cells around there bear.

    F <= m om^2 L / 4 or 2 m g,     F <= STRAIN / max_pairs |strain of a unit force|

om is the first frequency, L the size. The first force bends a bar by about its own size, were it linear. The second is
that of the response to a force that grows within about a period, (K + om^2 M)^-1, and looks at all pairs of vertices
that share a cell: a claw, a fin or a place near a clamp is crushed by what the whole does not feel.
"""

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import triu

from pliant.errors import Array, Ids
from pliant.mesh import Mesh

if TYPE_CHECKING:
    from pliant.skin import Points
    from pliant.systems.system import System

STRAIN = 1 / 6


def pairs_of(mesh: Mesh) -> Ids:
    """(p, 2) vertices that share a cell."""
    return np.stack(triu(mesh.vertex_adjacency).nonzero(), axis=1)


def local_force(system: "System", points: "Points", pairs: Ids) -> float:
    """The largest force [N] on one point, in any direction, that strains no pair by more than STRAIN.

    The system is asked through the contract of impulses, with a step in which a force acts as if for long, and is left
    as it was.
    """
    omega = 2 * np.pi / system._first_period()
    state, dt = system.state(), system.dt
    x = system.vertices("mesh")
    way = x[pairs[:, 1]] - x[pairs[:, 0]]
    at_rest, strains = system.velocities("mesh"), np.zeros(len(pairs))
    try:
        system.dt = 2 / omega  # M + dt^2 K / 4 = (om^2 M + K) / om^2
        answers, place = system.response(points), points.place(system.pose())[0]
        for axis, answer in zip(np.eye(3), answers.T):
            system._correct(answer, np.concatenate([axis, np.cross(place, axis)]))
            strains += _rates(system.velocities("mesh") - at_rest, pairs, way) ** 2
            system.restore(state)
    finally:
        system.dt = dt
        system.restore(state)
    largest = float(np.sqrt(strains.max()))
    return STRAIN * omega**2 / largest if largest > 0 else np.inf


def _rates(v: Array, pairs: Ids, way: Array) -> Array:
    """(p,) how fast pairs stretch, over their length."""
    return np.einsum("pi,pi->p", v[pairs[:, 1]] - v[pairs[:, 0]], way) / np.einsum("pi,pi->p", way, way)
