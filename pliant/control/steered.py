"""What a search for keyframes asks of whatever it steers: a motion of T steps under controls g (T, c)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from pliant.control.aims import Aim
from pliant.control.keyframe import Keyframe
from pliant.errors import Array
from pliant.reduced import ReducedModel
from pliant.systems import System


class Steered(Protocol):
    """A motion as a function of controls, of a body with n coordinates: r, and six before them where it is free.

    Attributes:
        model: of the body. dt: of its steps [s]. system: that takes them. count: of controls.
    """

    model: ReducedModel
    dt: float
    system: System
    count: int

    def aim(self, keyframe: Keyframe, k: int) -> Aim:
        """What keyframe k asks for, checked."""

    def metric(self, span: float) -> Array:
        """M / span^2 + K (n, n): what moves coordinates of all kinds alike within a span [s]."""

    def adopt(self, forces: Array | None, shapes: Array) -> Array:
        """Take forces on all vertices (n, 3, c) [N] as controls, or shapes (n, c) of coordinates where there are none.

        Returns:
            What they do to the coordinates (n, c) at rest, for controls at one.
        """

    def lead(self, due: Sequence[int], aims: Sequence[Aim], steps: int, within: float) -> None:
        """Springs along a way through what is asked for, that bring back within so many seconds; 0: none."""

    def run(self, controls: Array) -> Any:
        """A motion. Raises `Diverged`."""

    def missed(self, motion: Any, k: int, aim: Aim) -> Array:
        """(m,) after step k [m]."""

    def slopes(self, motion: Any, k: int, aim: Aim) -> dict[int, Array]:
        """Of that over places after some steps, each (m, n)."""

    def pull_back(self, motion: Any, rows: Mapping[int, Array]) -> Array:
        """Slopes over controls (m, T, c) of what has slopes (m, n) over places after these steps."""

    def push(self, k: int, controls: Array) -> None:
        """Push the real system as after step k, with controls (c,), besides what pushes it already."""

    def moved_to(self, system: Any) -> Any:
        """The same for another system, or body, like it."""

    def off(self, aim: Aim) -> float:
        """How far the real system is from what is asked for now, root mean square [m]."""
