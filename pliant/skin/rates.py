"""How a system moves at an instant: for each part the velocities of its frame and of its coordinates."""

from __future__ import annotations

from dataclasses import dataclass

from pliant.errors import ArgumentError, Array, Ids
from pliant.skin.tables import doubles, frozen


@dataclass(frozen=True, eq=False)
class Rates:
    """The rates of a `Pose`, part by part. Immutable.

    Attributes:
        linear, angular: of the frames, (d, 3) velocity of the origin [m/s] and spin [1/s], in world axes.
        flat: rates of the coordinates of all parts, one after the other.
        offsets: (d + 1,) where those of each part begin in `flat`.
    """

    linear: Array
    angular: Array
    flat: Array
    offsets: Ids

    def __post_init__(self) -> None:
        d = len(self.offsets) - 1
        for name in ("linear", "angular", "flat"):
            object.__setattr__(self, name, frozen(doubles(getattr(self, name))))
        shapes = self.linear.shape, self.angular.shape, self.flat.shape
        if shapes != ((d, 3), (d, 3), (self.offsets[-1],)):
            raise ArgumentError(
                f"{d} parts with {self.offsets[-1]} coordinates need linear and angular ({d}, 3) and flat "
                f"({self.offsets[-1]},); {', '.join(map(str, shapes))} were given"
            )

    def __repr__(self) -> str:
        return f"Rates({len(self.offsets) - 1} parts, {self.offsets[-1]} coordinates)"
