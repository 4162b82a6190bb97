"""A body of a world, as its user sees it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, check_array, check_count, check_number
from pliant.numerics import quaternion_from_rotation, rotation_from_quaternion
from pliant.reduced import ReducedModel, Rigid
from pliant.skin import Pose
from pliant.systems.holding import Hold
from pliant.systems.system import checked_push, rayleigh
from pliant.systems.world.actuating import Actuation, Strength, balanced
from pliant.systems.world.bones.character import CharacterSkin
from pliant.systems.world.obstacle import Obstacle
from pliant.systems.world.proxies import centred_rows
from pliant.systems.world.sleepers import sleepers
from pliant.systems.world.system_part import SystemPart
from pliant.systems.world.tables import FREE, HELD, KINEMATIC, SKIN, STATIC, SYSTEM

if TYPE_CHECKING:
    from pliant.systems.world.world import World

Model = ReducedModel | Rigid | Obstacle | SystemPart | CharacterSkin
Path = Callable[[float], tuple[ArrayLike, ArrayLike]]
KINDS = {"free": FREE, "held": HELD, "kinematic": KINEMATIC, "static": STATIC, "system": SYSTEM, "skin": SKIN}


class Body:
    """One of `world.bodies`; made by `world.add` and `world.obstacle`.

    Attributes:
        world: where it is; None once it was removed.
        model: its part; instances share it.
        kind: "free"; "held": its frame stands still; "kinematic": it goes along its path; "static"; "system".
        name: its own.
        path: of a kinematic body, time [s] -> position (3,) and rotation (3, 3); else None.
        bones: of the skin of a character, the bodies that move it; else none.
        is_bone: is it a bone of a character, which its skin touches others for?
    """

    bones: tuple[Body, ...] = ()
    is_bone = False

    def __init__(
        self,
        world: World,
        model: Model,
        kind: str,
        name: str,
        path: Path | None,
        damping: tuple[float, float],
        friction: float,
        restitution: float,
        group: int,
    ):
        self.world: World | None = world
        self.model, self.kind, self.name, self.path = model, kind, name, path
        self._damping, self._group = damping, group
        self._friction, self._restitution = friction, restitution

    def __repr__(self) -> str:
        return f"Body({self.name!r}, {self.kind}, {self.model})"

    @property
    def friction(self) -> float:
        """Coulomb's coefficient; that of a pair is the geometric mean. Writable."""
        return self._friction

    @friction.setter
    def friction(self, value: float) -> None:
        self._friction = check_number("friction", value, at_least=0)
        self._there._adopt_manners()

    @property
    def restitution(self) -> float:
        """Speed after a bounce over that before; that of a pair is the larger. Writable."""
        return self._restitution

    @restitution.setter
    def restitution(self, value: float) -> None:
        self._restitution = check_number("restitution", value, at_least=0, at_most=1)
        self._there._adopt_manners()

    @property
    def damping(self) -> tuple[float, float]:
        """Rayleigh (alpha [1/s], beta [s]) of its inner motion; writable."""
        return self._damping

    @damping.setter
    def damping(self, value: ArrayLike) -> None:
        if self.kind == "system":
            raise ArgumentError(f"{self.name} is a system with a damping of its own; make it anew to change it")
        table, k = self._there._table, self.number
        self._damping = rayleigh(value)
        table.alpha[k], table.beta[k] = self._damping

    @property
    def group(self) -> int:
        """Bodies of a group above zero do not touch each other; writable."""
        return self._group

    @group.setter
    def group(self, value: int) -> None:
        self._group = check_count("group", value, at_least=0)
        self._there._change_joints()

    @property
    def _there(self) -> World:
        if self.world is None:
            raise ArgumentError(f"{self.name} was removed from its world; add it again")
        return self.world

    @property
    def number(self) -> int:
        """Its place among `world.bodies`."""
        return self._there.bodies.index(self)

    def _entry(self, name: str) -> Any:
        return getattr(self._there._state, name)[self.number]

    @property
    def rotation(self) -> Array:
        """R (3, 3) of its frame; writable."""
        return rotation_from_quaternion(self._entry("Q"))

    @rotation.setter
    def rotation(self, value: ArrayLike) -> None:
        position = self.position
        self._entry("Q")[:] = quaternion_from_rotation(checked_rotation("rotation", value))
        self.position = position

    @property
    def position(self) -> Array:
        """(3,) where the origin of its model is [m]; writable."""
        return self._entry("t") - self.rotation @ self._shift()

    @position.setter
    def position(self, value: ArrayLike) -> None:
        self._entry("t")[:] = check_array("position", value, (3,)) + self.rotation @ self._shift()
        self._there._begin_anew()

    def _shift(self) -> Array:
        """From the origin of the model to that of the body's axes, in these: the centre of mass where it flies."""
        inertia = self.model.inertia
        return np.zeros(3) if len(self.model.fixed) else inertia.centre + inertia.N @ self.q / inertia.mass

    @property
    def centre(self) -> Array:
        """(3,) its centre of mass [m]."""
        inertia = self.model.inertia
        return self.position + self.rotation @ (inertia.centre + inertia.N @ self.q / inertia.mass)

    @property
    def velocity(self) -> Array:
        """(3,) of its centre of mass [m/s]; writable, of a free body."""
        return self._entry("v").copy()

    @velocity.setter
    def velocity(self, value: ArrayLike) -> None:
        self._must_fly("velocity")
        self._entry("v")[:] = check_array("velocity", value, (3,))
        self._there._begin_anew()

    @property
    def spin(self) -> Array:
        """(3,) [1/s] I^-1 L: that of the rigid body with its shape and angular momentum; writable, of a free body."""
        return np.linalg.solve(self._inertia(), self._entry("L"))

    @spin.setter
    def spin(self, value: ArrayLike) -> None:
        self._must_fly("spin")
        self._entry("L")[:] = self._inertia() @ check_array("spin", value, (3,))
        self._there._begin_anew()

    def _inertia(self) -> Array:
        """About the centre of mass, in the world (3, 3)."""
        z, R = np.concatenate([[1.0], self.q]), self.rotation
        return R @ np.einsum("k,l,klab->ab", z, z, self.model.inertia.centred().J) @ R.T

    @property
    def q(self) -> Array:
        """(r,) its coordinates; writable in place."""
        table, k = self._there._table, self.number
        return self._there._state.q[table.first[k] : table.first[k + 1]]

    @q.setter
    def q(self, value: ArrayLike) -> None:
        self.q[:] = check_array("q", value, (self.model.size,))
        self._there._begin_anew()

    @property
    def v(self) -> Array:
        """(r,) rates of its coordinates; writable in place."""
        table, k = self._there._table, self.number
        return self._there._state.qd[table.first[k] : table.first[k + 1]]

    @v.setter
    def v(self, value: ArrayLike) -> None:
        self.v[:] = check_array("v", value, (self.model.size,))
        self._there._begin_anew()

    def _must_fly(self, what: str) -> None:
        if self.kind != "free":
            raise ArgumentError(f"{self.name} is {self.kind}, so its {what} cannot be set")

    @property
    def asleep(self) -> bool:
        """Has its island come to rest, in a world with `sleeping`, so that it takes no steps until something comes?"""
        made = self._there._made
        return made is not None and bool(sleepers(made.sleep, made.table)[self.number])

    @property
    def mass(self) -> float:
        """[kg]; infinite of a body that nothing moves."""
        return self.model.inertia.mass if KINDS[self.kind] <= HELD else float("inf")

    def vertices(self) -> Array:
        """World positions (n, 3) [m] of its mesh, or of the surface of an obstacle."""
        if isinstance(self.model, CharacterSkin):
            return self.model.character.skin.vertices(pose_of(self.bones))
        x = self.model.X + (self.model.U @ self.q).reshape(-1, 3)
        return x @ self.rotation.T + self.position

    def touching_points(self) -> Array:
        """World positions (k, 3) [m] of the points that touch others: its vertices, and some along its edges."""
        shape = self._there._shape_of(self.model)
        ends, w = self.vertices()[shape.ids[shape.sample_ends]], shape.sample_weights[:, None]
        return (1 - w) * ends[:, 0] + w * ends[:, 1]

    def momentum(self) -> tuple[Array, Array]:
        """Linear (3,) [kg m/s] and angular (3,) momentum about the origin [kg m^2/s]; zero of what nothing moves."""
        return self._there._momenta()[self.number]

    def energy(self) -> float:
        """Kinetic + elastic + gravitational [J]."""
        return float(self._there._energies()[self.number].sum())

    def push(self, vertices: ArrayLike, forces: ArrayLike) -> None:
        """Add world forces (k, 3) or (3,) [N] on vertices (k,) of its mesh, acting until `world.release()`."""
        self._there.push(self._in_world(vertices), forces, "mesh")

    def actuate(self, vertices: ArrayLike, forces: ArrayLike, strength: Strength) -> Actuation:
        """Let it move itself by forces of its own, which bend it and neither push nor turn it as a whole.

        Args:
            vertices: (k,) of its mesh, at least three that are on no line.
            forces: (k, 3) or (3,) [N] in the axes of its model, at a strength of one. A free body has their sum and
                torque taken off, by the least change of all.
            strength: time [s] -> number, asked for in the middle of every small step.
        """
        ids, given = checked_push(vertices, forces, len(self.model.X))
        if not self.model.size or KINDS[self.kind] > HELD:
            raise ArgumentError(f"{self.name} does not deform, so it cannot move itself; take a soft body")
        if not callable(strength):
            raise ArgumentError("strength must be a function of time, such as lambda t: math.sin(6 * t)")
        if self.kind == "free":
            given = balanced(centred_rows(self.model, ids)[0], given)
        actuation = Actuation(self, ids, given, strength)
        self._there._add_actuation(actuation)
        return actuation

    def hold(
        self, vertex: int, target: ArrayLike | None, rate: float | None = None, limit: float | None = None
    ) -> Hold | None:
        """Hold a vertex of its mesh at a place (3,) [m]; as `System.hold`."""
        [number] = self._in_world([vertex])
        return self._there.hold(int(number), target, rate, "mesh", limit)

    def remove(self) -> None:
        """Take it out of its world."""
        self._there.remove(self)

    def _in_world(self, vertices: ArrayLike) -> Any:
        first = self._there._first_vertex(self.number)
        ids = np.atleast_1d(np.asarray(vertices))
        if ids.dtype.kind not in "iu" or (ids.size and not 0 <= ids.min() <= ids.max() < len(self.model.X)):
            last = len(self.model.X) - 1
            raise ArgumentError(
                f"vertices of {self.name} must be whole numbers between 0 and {last}; {np.asarray(vertices)} was given"
            )
        return ids + first


def pose_of(bodies: Sequence[Body]) -> Pose:
    """The pose with one part for each."""
    first = np.concatenate([[0], np.cumsum([body.model.size for body in bodies])]).astype(np.int64)
    R, t = (np.stack([getattr(body, name) for body in bodies]) for name in ("rotation", "position"))
    return Pose.stacked(R, t, np.concatenate([body.q for body in bodies]), first)


def checked_rotation(name: str, value: ArrayLike) -> Array:
    """A rotation matrix (3, 3)."""
    R = check_array(name, value, (3, 3))
    if np.abs(R.T @ R - np.eye(3)).max() > 1e-6 or np.linalg.det(R) < 0:
        raise ArgumentError(f"{name} must be a rotation matrix; R^T R differs from 1, or it mirrors")
    return R


def place_on_path(path: Path, name: str, time: float) -> tuple[Array, Array]:
    """Position (3,) and rotation (3, 3) of a body with this name, checked."""
    given = path(time)
    try:
        position, rotation = given
    except (TypeError, ValueError):
        raise ArgumentError(
            f"the path of {name} must give a position (3,) and a rotation (3, 3); "
            f"a {type(given).__name__} came at t = {time:.6g} s"
        ) from None
    R = checked_rotation(f"rotation of {name} on its path at t = {time:.6g} s", rotation)
    return check_array(f"position of {name} on its path at t = {time:.6g} s", position, (3,)), R
