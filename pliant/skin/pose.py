"""What a system looks like at an instant: for each part its frame and its coordinates."""

from dataclasses import dataclass

from pliant.errors import Array


@dataclass(frozen=True)
class Pose:
    """A few hundred numbers.

    Attributes:
        frames: one (R, t) a part: rotation (3, 3) and translation (3,), part to world.
        coordinates: one q (r,) a part.
    """

    frames: tuple[tuple[Array, Array], ...]
    coordinates: tuple[Array, ...]
