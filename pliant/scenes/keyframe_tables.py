"""What a scene file may say of keyframes, and of the forces that are looked for so that a body passes them."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Literal

from pydantic import Field, model_validator

from pliant.scenes.tables import Expression, Finite, NotNegative, Positive, Table, Vector

if TYPE_CHECKING:
    from pliant.scenes.schema import SceneFile

STEERED = ("clamped", "world")  # systems whose motions can be looked for


class TargetTable(Table):
    """Where some vertices should be."""

    where: Expression = Field(description='vertices of the body, "x > 1", or of a group of its cells')
    move: Vector = Field((0.0, 0.0, 0.0), description="from where they are at rest [m]")


class KeyframeTable(Table):
    """How the body should be at a time: a pose, or places of some vertices."""

    time: Positive = Field(description="[s]")
    targets: list[TargetTable] = Field(
        default_factory=list,
        max_length=100,
        description='places, such as { where = "x > 1", move = [0, 0.1, 0] }; or q',
    )
    q: list[Finite] | None = Field(
        None, max_length=1000, description="coordinates of a whole pose, as the viewer keeps"
    )
    at: Vector | None = Field(
        None, description="of a free body with q, where its part goes [m]; where it is without it"
    )
    turn: Vector | None = Field(
        None, description="of a free body with q, axis times angle [degrees]; as it is without it"
    )
    weight: Positive = Field(1.0, description="how much it counts, besides the others")

    @model_validator(mode="after")
    def _asks_for_one_thing(self) -> KeyframeTable:
        if bool(self.targets) == (self.q is not None):
            raise ValueError("a keyframe has targets or q; give one of them")
        if self.q is None and (self.at is not None or self.turn is not None):
            raise ValueError("at and turn go with q; move says where targets are")
        return self


class ActuatorTable(Table):
    """A force of the body that the search may use as it likes."""

    where: Expression = Field(description='vertices of the body, "x > 1"')
    force: Vector = Field(description="its direction, in the axes of the part; how much of it is found")


class KeyframesControl(Table):
    """How forces are looked for; they then act whenever the scene is played."""

    kind: Literal["keyframes"] = Field("keyframes", description="forces that bring a body through [[keyframe]]")
    body: str | None = Field(None, max_length=100, description="of a world, whose; the first without it")
    every: int | None = Field(
        None, ge=1, le=1000, description="so many keyframes are looked for together, from where the last ones led"
    )
    actuators: list[ActuatorTable] = Field(
        default_factory=list, max_length=100, description="what may push; all coordinates without it"
    )
    gentleness: Positive = Field(1e-7, description="price of forces, of what moves the body most")
    smoothness: NotNegative = Field(0.01, description="price of their change, besides that")
    hold: NotNegative | None = Field(
        None, description="period of springs along the way of a free body [s]; 0: none; without it half a gap"
    )
    pieces: int | None = Field(None, ge=1, le=1000, description="of the forces over time; three a keyframe without it")
    motions: int = Field(60, ge=1, le=10_000, description="that are tried for each search, at most")


def check_keyframes(scene: SceneFile, measure: str) -> None:
    """Keyframes go with [control], in order and before the end, for systems that can be steered."""
    asked = any(check.measure == measure for check in scene.check)
    if scene.keyed is None:
        if scene.keyframe or asked:
            what = "[[keyframe]]" if scene.keyframe else f"measure = {measure!r}"
            raise ValueError(f'{what} needs a table [control] with kind = "keyframes"')
        return
    if not scene.keyframe:
        raise ValueError('[control] with kind = "keyframes" needs at least one [[keyframe]]')
    if scene.system not in STEERED:
        raise ValueError(f'keyframes are for system = "clamped" or "world"; "{scene.system}" was given')
    times = [each.time for each in scene.keyframe]
    for k, (one, other) in enumerate(itertools.pairwise(times)):
        if other <= one:
            raise ValueError(f"keyframe {k + 1} at {other:g} s is not later than that before it, at {one:g} s")
    if times[-1] > scene.duration * (1 + 1e-9):
        raise ValueError(
            f"keyframe {len(times) - 1} at {times[-1]:g} s lies beyond the end, duration = {scene.duration:g} s"
        )
