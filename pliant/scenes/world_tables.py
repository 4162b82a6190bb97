"""What a scene file may say of a world: how it is stepped, what stands in it, what is joined, and how bodies move."""

import reprlib
from fnmatch import fnmatchcase
from itertools import pairwise
from math import radians, sin, tau
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from pliant.scenes.tables import Finite, NotNegative, Positive, Table, Vector

MOST_COPIES = 10_000
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Friction = Annotated[NotNegative | None, Field(description="Coulomb's coefficient; that of the world without it")]
Restitution = Annotated[
    Share | None, Field(description="speed after a bounce over that before; that of the world without it")
]


class WorldTable(Table):
    """How a world is stepped, and what its bodies, grounds and obstacles have that say nothing else ([MC15])."""

    substeps: int = Field(4, ge=1, le=100, description="small steps in each step")
    sweeps: int = Field(6, ge=1, le=1000, description="over all contacts and joints, in each small step")
    rule: Literal["midpoint", "euler"] = Field("midpoint", description="how bodies fly; euler loses or gains energy")
    shock: bool = Field(
        False,
        description="once more over contacts, from the ground up, as if nothing below gave way; keeps no momentum",
    )
    cone: Literal["impulse", "velocity"] = Field(
        "impulse", description="what friction bounds where bodies hit each other; velocity is that of [MC15]"
    )
    spacing: Positive | None = Field(
        None,
        description="edges longer than this have points that touch, at most so far apart [m]; unset: sharp ones alone",
    )
    sleeping: bool = Field(
        False, description="bodies that have come to rest take no steps until something touches them"
    )
    friction: NotNegative = Field(0.5, description="Coulomb's coefficient; that of a pair is the geometric mean")
    restitution: Share = Field(0.0, description="speed after a bounce over that before; that of a pair is the larger")


class PathTable(Table):
    """Where a body is at a time; it goes evenly from one such place to the next."""

    time: NotNegative = Field(description="[s]")
    at: Vector = Field((0.0, 0.0, 0.0), description="where the origin of the part is [m]")
    turn: Vector = Field((0.0, 0.0, 0.0), description="axis times angle [degrees]")


Path = Annotated[list[PathTable], Field(min_length=1, max_length=1000)]


class GroundTable(Table):
    """A plane; all below it is solid."""

    height: Finite = Field(0.0, description="along its normal [m]")
    normal: Vector = Field((0.0, 1.0, 0.0), description="out of it, of any length")
    friction: Friction = None
    restitution: Restitution = None

    @model_validator(mode="after")
    def _has_a_direction(self) -> "GroundTable":
        if not any(self.normal):
            raise ValueError("normal must have a direction; [0, 0, 0] was given")
        return self


class ObstacleTable(Table):
    """What stands still, or goes its way, and is touched."""

    name: str | None = Field(None, min_length=1, max_length=100, description='for paint; "obstacle 0" without it')
    shape: dict[str, Any] | None = Field(
        None,
        description='{ name = "box", size = [1, 0.1, 1] }, { name = "sphere", radius = 0.5 }, { name = "capsule", '
        'radius = 0.1, length = 1 }, along y, or { name = "plane" }, across y; or surface',
    )
    exact: bool = Field(
        False, description="points touch the formula of its shape, which is round where triangles are not; it stands"
    )
    surface: str | None = Field(None, description="a file with triangles, beside the scene file")
    scale: Positive = Field(1.0, description="multiplies all lengths of the surface")
    at: Vector = Field((0.0, 0.0, 0.0), description="where its origin goes [m]")
    turn: Vector = Field((0.0, 0.0, 0.0), description="axis times angle [degrees]")
    path: Path | None = Field(None, description="places that it passes, instead of at and turn")
    friction: Friction = None
    restitution: Restitution = None

    @model_validator(mode="after")
    def _has_one_source(self) -> "ObstacleTable":
        if (self.shape is None) == (self.surface is None):
            raise ValueError("give shape or surface")
        check_rising(self.path)
        if self.shape is not None:
            _check_shape(self.shape)
        if self.exact and (self.shape is None or self.path is not None):
            raise ValueError("exact is for a shape that stands still; leave it out where there is a surface or a path")
        if self.is_plane and self.path is not None:
            raise ValueError("a plane stands still; leave out its path")
        return self

    @property
    def is_plane(self) -> bool:
        """All below it is solid, and nothing of it is drawn."""
        return self.shape is not None and self.shape["name"] == PLANE


class JointTable(Table):
    """Places of two bodies that stay together."""

    bodies: Annotated[list[str], Field(min_length=1, max_length=2)] = Field(
        description="names of two bodies, or of one that is joined to the world"
    )
    at: Vector = Field(description="where they are joined, in the world at the start [m]")
    kind: Literal["point", "hinge", "rigid"] = Field("point", description="they may turn; about an axis alone; not")
    axis: Vector | None = Field(None, description="of a hinge, in the world at the start")
    speed: Finite = Field(0.0, description="of a hinge's motor, of the first body against the second [1/s]")
    torque: NotNegative = Field(0.0, description="the largest of the motor [N m]; 0: there is none")
    limits: tuple[Finite, Finite] | None = Field(None, description="of a hinge's angle, from the start [degrees]")

    @model_validator(mode="after")
    def _turns_where_it_can(self) -> "JointTable":
        given = [key for key in ("axis", "speed", "torque", "limits") if getattr(self, key)]
        if self.kind == "hinge" and (self.axis is None or not any(self.axis)):
            raise ValueError("a hinge needs an axis with a direction")
        if self.kind != "hinge" and given:
            raise ValueError(f'{given[0]} is for kind = "hinge"; this joint is {self.kind}')
        if self.limits is not None and not self.limits[0] < self.limits[1]:
            raise ValueError(f"limits must rise; {list(self.limits)} was given")
        if self.limits is not None and not self.limits[0] <= 0 <= self.limits[1]:
            raise ValueError(f"limits are from the start, an angle of 0 between them; {list(self.limits)} was given")
        if len(set(self.bodies)) < len(self.bodies):
            raise ValueError(f"{self.bodies[0]!r} cannot be joined to itself")
        return self


class MuscleTable(Table):
    """A force of a body on some of its vertices."""

    where: str = Field(min_length=1, max_length=1000, description='vertices of the body, "x > 1"')
    force: Vector = Field(description="total [N] at its largest, in the axes of the part, shared equally")


class PatchTable(Table):
    """A patch of the skin of a character, which pulls at the next one, the last at the first."""

    where: str = Field(min_length=1, max_length=1000, description='vertices of the body, "x > 1"')
    pull: Finite = Field(0.0, description="at its largest [N], along the line between the middles of both")
    phase: Finite = Field(0.0, description="of this pull, besides that of all [degrees]")


class ActuateTable(Table):
    """Forces by which bodies move themselves; of those that fly, sum and torque are taken off."""

    body: str = Field(min_length=1, max_length=100, description='whose; a name or "fish *"')
    muscles: list[MuscleTable] = Field(
        default_factory=list,
        max_length=100,
        description='pulls, such as { where = "x > 1", force = [0, 9, 0] }, which act together; or patches',
    )
    patches: list[PatchTable] = Field(
        default_factory=list, max_length=100, description="of a character with bones: two or more that pull together"
    )
    frequency: NotNegative = Field(0.0, description="how often they come and go [1/s]; 0: they stay")
    phase: Finite = Field(0.0, description="of the sine that they follow [degrees]")
    start: NotNegative = Field(0.0, alias="from", description="when they begin [s]")
    until: NotNegative | None = Field(None, description="when they end [s]; never without it")

    @model_validator(mode="after")
    def _ends_after_it_starts(self) -> "ActuateTable":
        if self.until is not None and self.until <= self.start:
            raise ValueError("until must be later than from")
        if bool(self.muscles) == bool(self.patches) or len(self.patches) == 1:
            raise ValueError("give muscles, or two patches or more, of which one pulls at the next")
        return self

    def strength(self, time: float, ahead: float = 0.0) -> float:
        """From -1 to 1: sin(2 pi frequency (time - from) + phase), or 1; `ahead`: more of a phase [degrees]."""
        if time < self.start or (self.until is not None and time > self.until):
            return 0.0
        return sin(tau * self.frequency * (time - self.start) + radians(self.phase + ahead)) if self.frequency else 1.0


PLANE = "plane"
LONGEST = 1e9  # [m]
SHAPES = {"box": ("size",), "sphere": ("radius",), "capsule": ("radius", "length"), PLANE: ()}


def _check_shape(given: dict[str, Any]) -> None:
    name = given.get("name")
    if not isinstance(name, str) or name not in SHAPES:
        raise ValueError(f"the shape of an obstacle is one of {', '.join(SHAPES)}; {reprlib.repr(name)} was given")
    if set(given) - {"name"} != set(SHAPES[name]):
        raise ValueError(f"a {name} takes {', '.join(('name', *SHAPES[name]))}; {given} was given")
    numbers = given["size"] if name == "box" else [given[key] for key in SHAPES[name]]
    if not isinstance(numbers, list) or len(numbers) != (3 if name == "box" else len(SHAPES[name])):
        raise ValueError(f"size of a box must be three lengths; {numbers!r} was given")
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, int | float) or not 0 < number <= LONGEST:
            said = f"lengths of a {name} must be above zero, and at most {LONGEST:g} m"
            raise ValueError(f"{said}; {reprlib.repr(number)} was given")


def check_rising(path: list[PathTable] | None) -> None:
    """Times of a path rise."""
    times = [key.time for key in path or ()]
    if any(a >= b for a, b in pairwise(times)):
        raise ValueError(f"times of a path must rise; {times[:10]} were given")


def check_actuated(tables: list[ActuateTable], bodies: list[str]) -> None:
    """Every table names a body that there is."""
    for number, table in enumerate(tables):
        if not any(fnmatchcase(name, table.body) for name in bodies):
            listed = ", ".join(bodies[:12]) + (", ..." if len(bodies) > 12 else "")
            raise ValueError(f"actuate[{number}].body is {table.body!r}, which is none of the bodies {listed}")


def check_joints(joints: list[JointTable], bodies: list[str]) -> None:
    """Every joint names bodies that there are."""
    for number, joint in enumerate(joints):
        for name in joint.bodies:
            if name not in bodies:
                listed = ", ".join(bodies[:12]) + (", ..." if len(bodies) > 12 else "")
                raise ValueError(f"joint[{number}].bodies names {name!r}, which is none of the bodies {listed}")
