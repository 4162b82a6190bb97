"""What a scene file may say of sound: how parts sound, what strikes them, who listens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, field_validator

from pliant.scenes.part_tables import MaterialTable
from pliant.scenes.tables import Expression, NotNegative, Poisson, Positive, Region, Table, Vector
from pliant.sound.presets import PRESETS

if TYPE_CHECKING:
    from pliant.scenes.schema import SceneFile


class VoiceTable(Table):
    """What a part sounds like: a linear model of its own, finer than the one that moves."""

    modes: int = Field(60, ge=1, le=2000, description="vibration modes that are heard")
    damping: str | tuple[NotNegative, NotNegative] = Field(
        (1.0, 1e-7),
        description='Rayleigh alpha [1/s] and beta [s], or a material whose decay was measured, "steel", "glass", ...',
    )
    material: str | MaterialTable | None = Field(
        None, description='what sounds, where it is not what moves; "steel", "glass", ... for short'
    )
    shape: dict[str, Any] | None = Field(None, description="the same shape in finer cells, as shape of a part")
    order: int = Field(2, ge=1, le=2, description="2: quadratic cells, whose tones are right")
    fixed: Expression | None = Field(None, description="vertices that are held when it sounds; else those of the part")
    nonlinear: bool = Field(False, description="with the cubic forces of stvk, so that hard blows glide in pitch")
    size: int = Field(24, ge=2, le=60, description="coordinates of a nonlinear sound")

    @field_validator("damping", "material")
    @classmethod
    def _is_known(cls, given: Any) -> Any:
        if isinstance(given, str) and given not in PRESETS:
            raise ValueError(f"a material that sounds is one of {', '.join(PRESETS)}; {given!r} was given")
        return given


class HammerTable(Table):
    """What strikes: a ball."""

    mass: Positive = Field(0.02, description="[kg]")
    radius: Positive = Field(0.01, description="of its tip [m]")
    young: Positive = Field(1e9, description="Young's modulus [Pa]; soft ones sound dull")
    poisson: Poisson = Field(0.3, description="Poisson's ratio")


class StrikeTable(Table):
    """A hit that is heard; it moves nothing."""

    time: NotNegative = Field(0.0, description="[s]")
    where: Region = Field(description='vertices, "x > 1"; of several bodies, "bar: x > 1"')
    impulse: Vector = Field(description="total [N s], shared equally by the vertices")
    hammer: HammerTable | None = Field(None, description="what hits; nothing that takes time without it")


class SoundTable(Table):
    """Who listens."""

    rate: int = Field(44100, ge=1000, le=1_000_000, description="samples a second")
    radiation: Literal["constant", "flux", "rayleigh"] = Field(
        "constant", description="all modes alike, or the pressure that the flux of the surface or its parts make in air"
    )
    listener: Vector | None = Field(None, description="where [m]; nowhere in particular without it")
    towards: Vector = Field((0.0, 0.0, 0.0), description="where the listener looks [m]")
    ears: NotNegative = Field(0.18, description="how far apart [m]; 0: one, mono")
    roughness: NotNegative = Field(0.05, description="of what slides or rolls, a share of the force")
    grain: Positive = Field(2e-4, description="length of what is rough [m]")


def check_struck(scene: SceneFile, measures: Sequence[str]) -> None:
    """Strikes and tones are of parts that sound."""
    sounding = any(part.sound is not None for part in scene.part)
    asked = [check.measure for check in scene.check if check.measure in measures]
    if (scene.strike or scene.sound or asked) and not sounding:
        what = "[[strike]]" if scene.strike else "[sound]" if scene.sound else f"measure = {asked[0]!r}"
        raise ValueError(f'{what} needs a part that sounds; give it sound = {{ damping = "steel" }}')
    if scene.sound is not None and scene.sound.radiation != "constant" and scene.sound.listener is None:
        raise ValueError(f'radiation = "{scene.sound.radiation}" needs a listener, such as [0, 1, 2]')
