"""How hard and how fast a hand may pull at a vertex: by what all of a body bears, and by what the cells bear.

    F <= m om^2 L / 4 or 2 m g,     F <= STRAIN / max_pairs |strain of a unit force|,     v <= om u,  u = 2 F |response|

om is the first frequency, L the size. The first force bends a bar by about its own size, were it linear. The second is
that of the response to a force that grows within about a period, (K + om^2 M)^-1, and looks at all pairs of vertices
that share a cell: a claw, a fin or a place near a clamp is crushed by what the whole does not feel.

A slender limb is not strained much by what is about to fold it, and folds, where it is pulled along itself, by what
would bend it by its own length. So what is held bears no more than what moves the point, from the pair that is strained
most, by as far as that is away:

    F <= |x - x_pair| / |response at x - response at the pair|

A hand that is jerked to and fro would swing a body up without end, each time with no more than that force. So it has a
largest speed too: that of the first vibration as it passes through rest, when it is as large as what the force bends
the vertex by for long, 2 F |(K + om^2 M)^-1|. Whatever moves faster is held back.

At the foot of a mast neither says much of its top: small jerks there swing it up all the same. So the energy that a
hand may store is bounded as well, by that of the first vibration at this size, F u: one that brought as much only
brakes. So does one that swung the body up as far as its cells bear (`swinging`), which F u may be far above.

What flies is also spun by a hand, the more the nearer the vertex is to an axis about which it turns lightly. So no jerk
may move the vertex faster than what spins the whole by half its first frequency, and a hand on what spins as fast as
that shall only brake it.
"""

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy.linalg as la
from numba import njit
from scipy.sparse import triu

from pliant.errors import Array, Ids
from pliant.skin import Rates
from pliant.skin.point_kernels import move_points
from pliant.systems.spinning import SPIN, is_free, spin_of_speed, vertex_shares
from pliant.systems.swinging import Swing, energy_of_motion, few_vertices, weights_of_few

if TYPE_CHECKING:
    from pliant.skin import Points
    from pliant.systems.system import System

STRAIN = 1 / 6
SWUNG = 0.5  # of the energy that strains as much: what the force strains comes on top
STRUCK = 16  # vertices, by which the first vibration is found
LONGER = 1e-4  # of a step: a difference
DEPENDENT = 1e-6  # of the largest: responses that others imply, but for the rounding of that difference
LEAST = 0.25  # of the first frequency at rest: that of a shape which is about to give way
SMALL = 1e-5  # of the size: what probing moves the point by


def whole_bears(mass: float, omega: float, size: float, gravity: float) -> float:
    """What bends it by about its own size, or twice its weight [N]."""
    return mass * max(0.25 * omega**2 * size, 2 * gravity)


class Gentleness(NamedTuple):
    """What a body bears of a hand.

    Attributes:
        force: [N].
        speed: [m/s].
        spin: [rad/s] of the whole; infinite where it is held.
        work: [J] that is stored in it; infinite where it flies.
        swing: [J] of its largest swing, as it passes through the middle; infinite where it flies.
        half: [s] half the period of that.
    """

    force: float
    speed: float
    spin: float = np.inf
    work: float = np.inf
    swing: float = np.inf
    half: float = np.inf


class Bearing:
    """What a body as a whole bears, found once.

    Attributes:
        omega: its first frequency [rad/s].
        size: its extent when it was first asked [m].
        force: the largest on it [N].
        spin: the largest of it [rad/s]; infinite where it is held.
        swing: the largest that it bears; None before it was looked for.
    """

    swing: Swing | None = None

    def __init__(self, system: "System"):
        self.omega = 2 * np.pi / system._first_period()
        self._mesh = system.mesh
        self.size = float(np.ptp(system.vertices(), axis=0).max())
        self.force = whole_bears(system._mass(), self.omega, self.size, float(np.linalg.norm(system.gravity)))
        self.spin = SPIN * self.omega if is_free(system) else np.inf

    @cached_property
    def pairs(self) -> Ids:
        """(p, 2) vertices that share a cell."""
        return np.ascontiguousarray(np.stack(triu(self._mesh.vertex_adjacency).nonzero(), axis=1), dtype=np.int64)

    @cached_property
    def lengths(self) -> Array:
        """(p,) of those pairs without any load [m]: what is pressed flat bears no less for its few millimetres."""
        i, j = self.pairs.T
        return np.linalg.norm(self._mesh.vertices[j] - self._mesh.vertices[i], axis=1)

    @cached_property
    def shares(self) -> Array:
        """(n,) of the mass, at the vertices of the mesh."""
        return vertex_shares(self._mesh)

    @cached_property
    def weights(self) -> Array:
        """(k,) of the mass, at a few vertices."""
        return weights_of_few(self._mesh, self.shares)


def gentleness_of(system: "System", points: "Points", bearing: Bearing) -> Gentleness:
    """The largest force on one point, in any direction, and its largest speed.

    The system is asked through the contract of impulses, with a step in which a force acts as if for long, and is left
    as it was. The impulses are so small that what they do is linear. What flies is asked as if it stood still: within
    so long a step it would turn far.
    """
    state, dt, om, pairs = system.state(), system.dt, bearing.omega, bearing.pairs
    squares = np.zeros(len(pairs))
    try:
        if is_free(system):
            system.launch()
        still, probe = system.state(), _Probe(system)
        system.dt = 2 / om  # M + dt^2 K / 4 = (om^2 M + K) / om^2
        if np.isinf(bearing.spin) and bearing.swing is None:
            bearing.swing = _largest_swing(system, bearing, probe)
            system.restore(still)
        answers, place = system.response(points), points.place(system.pose())[0]
        moved = (system.rows(points) @ answers).T / om**2
        compliance = float(np.linalg.norm(moved, 2))
        impulse = SMALL * bearing.size / (om * compliance) if compliance > 0 else 1.0
        changes = []
        for axis, answer in zip(impulse * np.eye(3), impulse * answers.T):
            system._correct(answer, np.concatenate([axis, np.cross(place, axis)]))
            changes.append(probe.change(system))
            add_squares(pairs, bearing.lengths, probe.x, changes[-1], squares)
            system.restore(still)
    finally:
        system.dt = dt
        system.restore(state)
    worst = int(squares.argmax())
    largest = float(np.sqrt(squares[worst])) / impulse
    local = STRAIN * om**2 / largest if largest > 0 else np.inf
    if not np.isfinite(bearing.spin):
        local = min(local, _folds(pairs[worst], probe.x, place, np.array(changes) / (impulse * om**2), moved))
    force = system._bears * min(bearing.force, local)
    bent = 2 * force * compliance
    if np.isfinite(bearing.spin):
        speed = min(om * bent, bearing.spin / spin_of_speed(bearing.shares, probe.x, place))
        return Gentleness(force, speed, bearing.spin)
    assert bearing.swing is not None, "it was looked for"
    return Gentleness(force, om * bent, np.inf, force * bent, *bearing.swing)


def _largest_swing(system: "System", bearing: Bearing, probe: "_Probe") -> Swing:
    """What `swinging` says, about the shape of now; the system is left moving.

    The first vibration is looked for among the responses Y = A^-1 W^T to impulses on a few vertices, as y = Y z, by
    Y^T M Y and Y^T K Y, which follow from how the answers W Y change with the step h:

        A = (1 + alpha h / 2) M + (beta h / 2 + h^2 / 4) K,   W Y = Y^T A Y,   d (W Y) / dh = -Y^T dA/dh Y
    """
    om, (alpha, beta), h, n = bearing.omega, system.damping, system.dt, len(probe.x)
    struck = system.points(few_vertices(n, STRUCK), "mesh")
    W, Y, place = system.rows(struck), system.response(struck), struck.place(system.pose())
    system.dt = (1 + LONGER) * h
    found, change = W @ Y, W @ (system.response(struck) - Y) / (LONGER * h)
    system.dt = h
    (m, k), (dm, dk) = (1 + alpha * h / 2, beta * h / 2 + h**2 / 4), (alpha / 2, beta / 2 + h / 2)
    mass, stiffness = (dk * found + k * change) / (m * dk - k * dm), (-dm * found - m * change) / (m * dk - k * dm)
    values, ways = la.eigh(0.5 * (found + found.T))
    move = values > max(DEPENDENT * values[-1], 0.0)
    if not move.any():
        return Swing(np.inf, np.pi / om)
    ways = ways[:, move] / np.sqrt(values[move])
    way = ways @ la.eigh(ways.T @ (mass + mass.T) @ ways)[1][:, -1]
    square = max(float(way @ stiffness @ way) / float(way @ mass @ way), (LEAST * om) ** 2)
    impulses = SMALL * bearing.size * om * np.sqrt(system._mass()) * way.reshape(-1, 3)
    momentum = np.concatenate([impulses.sum(axis=0), np.cross(place, impulses).sum(axis=0)])
    system._correct(Y @ impulses.ravel(), momentum)
    v, squares = probe.change(system), np.zeros(len(bearing.pairs))
    add_squares(bearing.pairs, bearing.lengths, probe.x, v, squares)
    moving = energy_of_motion(system._mass(), bearing.weights, v[few_vertices(n)])
    bears = SWUNG * square * (system._bears * STRAIN) ** 2
    return Swing(bears * moving / max(float(squares.max()), np.finfo(float).tiny), float(np.pi / np.sqrt(square)))


def _folds(pair: Ids, x: Array, place: Array, changes: Array, moved: Array) -> float:
    """The force [N] that moves a place from a pair of vertices by as far as it is from there.

    Args:
        changes: (3, n, 3) how far unit forces along the axes move the vertices x (n, 3) [m/N]; moved: (3, 3) the place.
    """
    away = float(np.linalg.norm(place - x[pair].mean(axis=0)))
    bent = float(np.linalg.norm(moved - changes[:, pair].mean(axis=1), 2))
    return away / bent if bent > 0 else np.inf


@njit(cache=True, nogil=True)
def add_squares(pairs, lengths, x, v, squares):
    """squares (p,) += the squares of how fast pairs grow longer, over their lengths (p,) without load."""
    for k in range(len(pairs)):
        i, j, along, square = pairs[k, 0], pairs[k, 1], 0.0, 0.0
        for c in range(3):
            way = x[j, c] - x[i, c]
            along += (v[j, c] - v[i, c]) * way
            square += way * way
        squares[k] += (along / lengths[k]) ** 2 / square


class _Probe:
    """The vertices of a mesh, and how their velocities change; linear, so that the shape is looked at once."""

    def __init__(self, system: "System"):
        pose = system.pose()
        self.x, self._rotations, self._rates = system.vertices("mesh"), pose.rotations, system.rates()
        self._points = system.points(np.arange(len(self.x)), "mesh")
        self._shape = self._points.displaced(pose.flat)

    def change(self, system: "System") -> Array:
        """(n, 3) the change of the velocities [m/s] since then, in the shape from then."""
        now, then, v = system.rates(), self._rates, np.empty_like(self.x)
        rates = Rates(now.linear - then.linear, now.angular - then.angular, now.flat - then.flat, now.offsets)
        moved = (*self._shape, *self._points.displaced(rates.flat))
        move_points(self._points.tables, self._rotations, rates.linear, rates.angular, *moved, v)
        return v
