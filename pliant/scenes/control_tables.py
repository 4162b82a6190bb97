"""What a scene file may say of control: what an animal does by itself, what moves it, and what knocks it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from pliant.scenes.keyframe_tables import KeyframesControl
from pliant.scenes.tables import Finite, NotNegative, Positive, Region, Table, Vector

if TYPE_CHECKING:
    from pliant.scenes.schema import SceneFile

OFF_PATH, RECOVERY = "off path", "recovery"
OF_CONTROL = (OFF_PATH, RECOVERY)  # measures: [m], and a share
WHOLE_TURNS = 1e-6  # of a turn: how far from a whole number of them a sway may come back


class SwayTable(Table):
    """A force that comes and goes, and is part of the motion to be followed."""

    where: Region = Field(description='vertices, "x > 1"')
    force: Vector = Field(description="total at its largest [N], shared equally by the vertices")
    frequency: Positive = Field(description="how often it comes and goes [1/s]")
    phase: Finite = Field(0.0, description="of the sine that it follows [degrees]")


class SteeringPatchTable(Table):
    """Vertices that are pushed along a direction of the world, either way."""

    where: Region = Field(description='vertices, "x > 1"')
    force: Vector = Field(description="total at its largest [N], shared equally by the vertices")


class SteeringMuscleTable(Table):
    """Two sets of vertices that are pulled together, or pushed apart."""

    where: Region = Field(description="vertices of one end")
    to: Region = Field(description="vertices of the other end")
    pull: Positive = Field(description="at its largest [N], along the line between the middles of both")


class KnockTable(Table):
    """A force that is no part of the motion to be followed."""

    where: Region = Field(description='vertices, "x > 1"')
    force: Vector = Field(description="total [N], shared equally by the vertices")
    start: NotNegative = Field(0.0, alias="from", description="when it begins [s]")
    until: NotNegative = Field(description="when it ends [s]")
    profile: Literal["constant", "sine"] = Field("sine", description="sine: half a wave between from and until")

    @model_validator(mode="after")
    def _ends_after_it_starts(self) -> KnockTable:
        if self.until <= self.start:
            raise ValueError("until must be later than from")
        return self


class ControlTable(Table):
    """Gentle forces that bring a body back to the motion that the scene has without knocks."""

    kind: Literal["track"] = Field("track", description="track: follow what the scene does when nobody touches it")
    gentleness: Positive = Field(
        0.1, le=1e6, description="price of forces; 1: about as strong as those of the body itself, 0.01: ten times"
    )
    modes: int = Field(8, ge=1, le=100, description="motions of the body that are steered, the slowest first")
    period: Positive | None = Field(
        None, description="after which the motion repeats [s], in which it then begins; none: it is over with the scene"
    )
    patches: list[SteeringPatchTable] = Field(
        default_factory=list, max_length=50, description="vertices that are pushed, such as paws"
    )
    muscles: list[SteeringMuscleTable] = Field(
        default_factory=list, max_length=50, description="pairs of vertices that pull at each other"
    )
    sway: list[SwayTable] = Field(
        default_factory=list, max_length=50, description="forces that make the motion, besides pushes"
    )
    knock: list[KnockTable] = Field(default_factory=list, max_length=100, description="what disturbs it")

    @model_validator(mode="after")
    def _moves_something(self) -> ControlTable:
        if not self.patches and not self.muscles:
            raise ValueError("give patches or muscles, or there is nothing to steer with")
        for sway in self.sway:
            turns = sway.frequency * (self.period or 0.0)
            if abs(turns - round(turns)) > WHOLE_TURNS:
                raise ValueError(
                    f"a sway of {sway.frequency:g} /s comes {turns:.4g} times in the period of {self.period:g} s; let "
                    "it come a whole number of times"
                )
        return self


def _named(given: Any) -> str | None:
    kind = given.get("kind", "track") if isinstance(given, dict) else getattr(given, "kind", "track")
    return {"track": "ControlTable", "keyframes": "KeyframesControl"}.get(kind) if isinstance(kind, str) else None


AnyControl = Annotated[
    Annotated[ControlTable, Tag("ControlTable")] | Annotated[KeyframesControl, Tag("KeyframesControl")],
    Discriminator(_named, custom_error_type="kind", custom_error_message='Kind should be "track" or "keyframes"'),
]


def check_controlled(scene: SceneFile) -> None:
    """One body, moved by pushes alone; measures of control have some to measure."""
    asked = [check.measure for check in scene.check if check.measure in OF_CONTROL]
    if scene.tracked is None:
        if asked:
            raise ValueError(f'measure = "{asked[0]}" needs a [control] table')
        return
    if scene.system != "world" and len(scene.kinds) > 1:
        raise ValueError("[control] steers one body, or all of a world; leave out the other [[body]] tables")
    if scene.integrator == "static":
        raise ValueError('[control] steers what moves; leave out integrator = "static"')
    for key in ("hold", "turn"):
        if getattr(scene, key):
            raise ValueError(f"[control] does not go with [[{key}]]; give the motion by [[push]] or sway")
    if any(part.sound for part in scene.part):
        raise ValueError("[control] does not go with parts that sound; leave out sound")
    if scene.tracked.period and any(push.until is None or push.until > 0 for push in scene.push):
        raise ValueError("[[push]] does not repeat, and a period says that all does; give the motion by sway")
    if scene.tracked.period and scene.tracked.period < scene.dt:
        raise ValueError(f"the period of {scene.tracked.period:g} s is less than a step of {scene.dt:g} s")
