"""How free seams answer impulses: the frame by its momentum, the deformation by its own step, both at once.

    [ m 1   0          0        ] [V]   [ sum j           ]      o about the centre of mass, v without rigid motion
    [ 0     I          G        ] [o] = [ sum (x - c) x j ]      I = sum m (s.s 1 - s s^T),  G v = sum m s x s'
    [ 0    G^T  A + G^T I^-1 G  ] [v]   [ W_q^T j         ]      in world axes (maths sheet momentum 2-3)

Eliminating the frame: A v = W_q^T j - G^T I^-1 L, with the mass that `middle` says.
"""

from typing import TYPE_CHECKING

import numpy as np

from pliant.errors import Array
from pliant.numerics import cross_matrix
from pliant.skin import Points
from pliant.systems.free_frame import turn

if TYPE_CHECKING:
    from pliant.systems.seams.seams import Seams


def free_rows(seams: "Seams", points: Points, W: Array) -> Array:
    """x' = V + o x (x - c) + (W - rows of the centre) v, (3k, 6 + size)."""
    x, centre = points.place(seams.pose()), seams._frame.free.t
    masses = seams._masses.measure
    shift = _mass_rows(seams, np.repeat(np.eye(3)[:, None] / masses.sum(), len(masses), axis=1) * masses[:, None])
    blocks = [np.hstack([np.eye(3), -cross_matrix(arm)]) for arm in x - centre]
    return np.hstack([np.reshape(blocks, (-1, 6)), W - np.tile(shift, (points.count, 1))])


def free_response(seams: "Seams", rows: Array) -> Array:
    """A^-1 W^T (6 + size, 3k) of the block system above."""
    inertia, G = coupling(seams)
    linear, torque, load = rows[:, :3].T, rows[:, 3:6].T, rows[:, 6:].T
    v = seams._solved(load - G.T @ np.linalg.solve(inertia, torque))
    return np.vstack([linear / seams._rigid.mass, np.linalg.solve(inertia, torque - G @ v), v])


def correct_free(seams: "Seams", change: Array, momentum: Array, time: float) -> Array:
    """Give the frame its share of a change of the unknowns, which moves it for so long [s]; that of the coordinates."""
    frame = seams._frame.free
    frame.P[:] += momentum[:3]
    # About the centre half-way, which the impulse moves: L about the origin then grows by the sum of x x j exactly.
    frame.L[:] += momentum[3:] - np.cross(frame.t, momentum[:3])
    frame.L[:] -= time * np.cross(change[:3], frame.P)
    frame.t[:] += time * change[:3]
    turn(frame, frame, time * change[3:6])
    return change[6:]


def coupling(seams: "Seams") -> tuple[Array, Array]:
    """I (3, 3) about the centre of mass and G (3, size), in world axes."""
    seams._measure()
    R, shape = seams._frame.axes[:3], seams._shape
    arms = (shape.y - shape.centre) @ R.T
    forces = np.stack([np.cross(axis, arms) for axis in np.eye(3)]) * seams._masses.measure[:, None]
    return R @ shape.I @ R.T, _mass_rows(seams, forces)


def _mass_rows(seams: "Seams", forces: Array) -> Array:
    """(3, size): the power of three sets of forces (3, p, 3) on the mass points, from v."""
    pose, points = seams.pose(), seams.mass_points
    return seams._to_own(np.stack([points.gather(pose, each, "J").flat for each in forces], axis=1)).T
