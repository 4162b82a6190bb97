"""Bodies that people throw into a world, or drop on it; they leave when it starts over."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array
from pliant.mesh import shapes
from pliant.reduced import Rigid
from pliant.systems import System

MOST = 100
BALL, DENSITY = 0.3, 2000.0  # radius over the size of a body, on the median; [kg/m^3]
FLIGHT, NEARER = 0.5, 0.7  # [s] that a ball flies; where it starts, from its target to the eye
ABOVE = 1.2  # sizes of a body above all others
COLOURS = ((0.93, 0.9, 0.84), (0.24, 0.27, 0.32), (0.78, 0.33, 0.24), (0.25, 0.53, 0.65))


def can_take_guests(system: System) -> bool:
    """Has it bodies that touch, and are they drawn as they are?"""
    return hasattr(system, "bodies") and system.worn is None and bool(_free(system))


class Guests:
    """Those of one world.

    Args:
        system: a world.
    """

    def __init__(self, system: System):
        self._world: Any = system
        self._bodies: list[Any] = []
        self._colours = system.colours
        self._ball: Rigid | None = None

    def __repr__(self) -> str:
        return f"Guests({len(self)} in {self._world})"

    def __len__(self) -> int:
        return len(self._bodies)

    def throw(self, eye: ArrayLike, target: ArrayLike) -> None:
        """A ball that comes from the direction of the eye and is at the target half a second later."""
        self._check()
        aim = np.asarray(target, dtype=float)
        start = aim + NEARER * (np.asarray(eye, dtype=float) - aim)
        velocity = (aim - start) / FLIGHT - 0.5 * FLIGHT * self._world.gravity
        if self._ball is None:
            self._ball = Rigid(shapes.sphere(BALL * self._size(), 6), DENSITY)
        self._add(self._ball, start, velocity, _free(self._world)[0])

    def drop(self) -> None:
        """A copy of a body or a character that flies, of each in turn, above all of them."""
        self._check()
        guests = {guest.name for guest in self._bodies}
        free = [body for body in _free(self._world) if body.name not in guests]
        like = free[len(self._bodies) % len(free)]
        model = like.model
        x = np.concatenate([body.vertices() for body in _free(self._world)])
        middle = 0.5 * (model.X.min(axis=0) + model.X.max(axis=0))
        place = np.median(x, axis=0)
        place[1] = x[:, 1].max() + ABOVE * float(np.ptp(model.X, axis=0).max())
        self._add(model.character if like.kind == "skin" else model, place - middle, np.zeros(3), like)

    def leave(self) -> None:
        """All go."""
        for guest in self._bodies:
            guest.remove()
        self._bodies = []
        self._world.paint(self._colours)

    def _check(self) -> None:
        if not can_take_guests(self._world):
            raise ArgumentError("nothing can be thrown into this scene")
        if len(self._bodies) >= MOST:
            raise ArgumentError(f"{MOST} bodies were thrown in already; reset the scene first")

    def _size(self) -> float:
        return float(np.median([np.ptp(body.model.X, axis=0).max() for body in _free(self._world)]))

    def _add(self, model: Any, place: Array, velocity: Array, like: Any) -> None:
        world, number = self._world, len(self._bodies)
        before, inner = world.colours, (like.bones[0] if like.bones else like).damping
        named = {"name": f"guest {number}", "friction": like.friction, "damping": inner}
        guest = world.add(model, place, velocity=velocity, **named)
        try:
            world.check_overlap()
        except ArgumentError:
            guest.remove()
            raise ArgumentError("there is no room for it; look from elsewhere, or wait until there is") from None
        self._bodies.append(guest)
        if before is not None:
            count = len(world.triangles) - len(before)
            world.paint(np.concatenate([before, np.tile(COLOURS[number % len(COLOURS)], (count, 1))]))


def _free(system: Any) -> list[Any]:
    """Bodies that fly, and skins of characters in the place of their bones."""
    return [body for body in system.bodies if body.kind == "skin" or (body.kind == "free" and not body.is_bone)]
