"""What a page may say: every command to the simulation typed, bounded and checked."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from pliant.errors import ArgumentError

MAX_BYTES = 4096
MOST_VERTICES = 100_000_000

Coordinate = Annotated[float, Field(ge=-1e6, le=1e6)]
Point = tuple[Coordinate, Coordinate, Coordinate]
Angle = Annotated[float, Field(ge=-100, le=100)]
Vertex = Annotated[int, Field(ge=0, lt=MOST_VERTICES)]
BoneNumber = Annotated[int, Field(ge=0, lt=1000)]


Overlay = Literal["contacts", "proxies", "joints", "islands", "charts", "bones", "nets", "spheres", "boxes"]


class Message(BaseModel):
    """A command; unknown fields, infinities and wrong types are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class Play(Message):
    """Let time run; leaves the show of a mode."""

    kind: Literal["play"] = "play"


class Pause(Message):
    """Hold time."""

    kind: Literal["pause"] = "pause"


class Step(Message):
    """Hold time and take a few steps."""

    kind: Literal["step"] = "step"
    count: Annotated[int, Field(ge=1, le=100)] = 1


class Reset(Message):
    """Back to the start of the scene; settings stay."""

    kind: Literal["reset"] = "reset"


class Grab(Message):
    """Hold a skin vertex at a point of the world, where it goes without a jump."""

    kind: Literal["grab"] = "grab"
    vertex: Vertex
    target: Point


class Move(Message):
    """Take what is grabbed to another point."""

    kind: Literal["move"] = "move"
    target: Point


class Release(Message):
    """Let go."""

    kind: Literal["release"] = "release"


class TurnInterface(Message):
    """Turn the interface next to a skin vertex by a rotation vector [rad] from where it was, until let go."""

    kind: Literal["turn"] = "turn"
    vertex: Vertex
    rotation: tuple[Angle, Angle, Angle]


class Keep(Message):
    """Let go, but leave the solid held where the hand is."""

    kind: Literal["keep"] = "keep"


class Free(Message):
    """Let go of all that is kept."""

    kind: Literal["free"] = "free"


class Set(Message):
    """Change settings; what is left out stays as it is."""

    kind: Literal["set"] = "set"
    stiffness: Annotated[float, Field(ge=1e-3, le=1e3)] | None = None
    alpha: Annotated[float, Field(ge=0, le=1e3)] | None = None
    beta: Annotated[float, Field(ge=0, le=10)] | None = None
    gravity: Point | None = None
    vectors: Annotated[int, Field(ge=1, le=100_000)] | None = None
    dt: Annotated[float, Field(ge=1e-6, le=0.1)] | None = None
    newton: Annotated[int, Field(ge=1, le=100)] | None = None
    wind: Annotated[float, Field(ge=0, le=200)] | None = None
    friction: Annotated[float, Field(ge=0, le=10)] | None = None
    restitution: Annotated[float, Field(ge=0, le=1)] | None = None
    substeps: Annotated[int, Field(ge=1, le=100)] | None = None
    sweeps: Annotated[int, Field(ge=1, le=1000)] | None = None


class Defaults(Message):
    """All settings as the scene has them."""

    kind: Literal["defaults"] = "defaults"


class Pace(Message):
    """How fast time runs: 1 is real time, less is slow motion."""

    kind: Literal["pace"] = "pace"
    speed: Annotated[float, Field(ge=1 / 64, le=4)]


class Undo(Message):
    """Back to where the last touch began."""

    kind: Literal["undo"] = "undo"


class Save(Message):
    """Keep the state of now."""

    kind: Literal["save"] = "save"


class Load(Message):
    """Back to a saved state."""

    kind: Literal["load"] = "load"
    state: Annotated[int, Field(ge=0, le=100)]


class ShowMode(Message):
    """Show a vibration mode instead of the simulation; none goes back."""

    kind: Literal["mode"] = "mode"
    mode: Annotated[int, Field(ge=0, le=10_000)] | None


class SwitchScene(Message):
    """Build another scene and continue there."""

    kind: Literal["scene"] = "scene"
    name: Annotated[str, Field(min_length=1, max_length=200)]


class Remake(Message):
    """Open the bare mesh again with more said of it; what is left out stays as it is.

    An empty material guesses the stiffness; another one takes back the constants that were said.
    """

    kind: Literal["remake"] = "remake"
    size: Annotated[float, Field(ge=1e-6, le=1e6)] | None = None
    up: Literal["x", "y", "z"] | None = None
    held: Literal["feet", "top", "left", "right", "nothing"] | None = None
    dabs: Annotated[list[Vertex], Field(min_length=1, max_length=100)] | None = None
    material: Annotated[str, Field(max_length=50)] | None = None
    young: Annotated[float, Field(ge=1, le=1e13)] | None = None
    poisson: Annotated[float, Field(ge=-0.99, le=0.49)] | None = None
    density: Annotated[float, Field(ge=1e-3, le=1e6)] | None = None


class PlaceBone(Message):
    """Place a bone in the bare mesh, between two places of the shape at its start, or at one."""

    kind: Literal["bone"] = "bone"
    ends: Annotated[list[Point], Field(min_length=1, max_length=2)]


class ChangeBone(Message):
    """Change a bone that is placed; what is left out stays as it is."""

    kind: Literal["bone-change"] = "bone-change"
    bone: BoneNumber
    name: Annotated[str, Field(min_length=1, max_length=60)] | None = None
    form: Literal["soft", "rigid", "kinematic", "static"] | None = None
    reach: Annotated[float, Field(ge=0.01, le=100)] | None = None


class PaintBone(Message):
    """A stroke on the weights of a bone, at places of the shape at its start: 1 gives it what is there, 0 takes it."""

    kind: Literal["bone-paint"] = "bone-paint"
    bone: BoneNumber
    at: Annotated[list[Point], Field(min_length=1, max_length=40)]
    share: Annotated[float, Field(ge=0, le=1)]


class UndoBone(Message):
    """Take back the last bone that was placed, changed or painted."""

    kind: Literal["bone-undo"] = "bone-undo"


class FindBones(Message):
    """Find bones in the shape, instead of those that are placed; 0: as many as its limbs are long."""

    kind: Literal["bones-find"] = "bones-find"
    count: Annotated[int, Field(ge=0, le=100)] = 0


class BuildBones(Message):
    """Make the bare mesh a character of the bones that are placed, or a plain solid again."""

    kind: Literal["bones-build"] = "bones-build"
    on: bool = True
    modes: Annotated[int, Field(ge=1, le=60)] = 10
    weights: Literal["biharmonic", "heat"] = "biharmonic"


PartNumber = Annotated[int, Field(ge=0, lt=1000)]


class ProposeParts(Message):
    """Find parts of the bare mesh, instead of those that are made: where it is narrow, by how thick it is, or by what
    moves together; 0: as many as there are."""

    kind: Literal["parts-propose"] = "parts-propose"
    method: Literal["narrow", "thickness", "vibration"]
    count: Annotated[int, Field(ge=0, le=100)] = 0


class PaintPart(Message):
    """A stroke at places of the shape at its start: what is within a radius [m] goes to a part, or to a new one."""

    kind: Literal["part-paint"] = "part-paint"
    part: PartNumber | None
    at: Annotated[list[Point], Field(min_length=1, max_length=40)]
    radius: Annotated[float, Field(gt=0, le=1e6)]


class CutPart(Message):
    """Cut the part at a place of the shape at its start by a plane, or without a normal across its limb there."""

    kind: Literal["part-cut"] = "part-cut"
    at: Point
    normal: Point | None = None


class ChangePart(Message):
    """Say something of a part; what is left out stays as it is."""

    kind: Literal["part-change"] = "part-change"
    part: PartNumber
    name: Annotated[str, Field(min_length=1, max_length=60, pattern=r"""^[^<>=("':*?\[]+$""")] | None = None
    rigid: bool | None = None
    modes: Annotated[int, Field(ge=1, le=100)] | None = None
    root: bool | None = None


class JoinParts(Message):
    """Make two parts one."""

    kind: Literal["parts-join"] = "parts-join"
    part: PartNumber
    other: PartNumber


class SplitPart(Message):
    """Cut a part in two, into its loose pieces or where it is narrow."""

    kind: Literal["part-split"] = "part-split"
    part: PartNumber


class UndoPart(Message):
    """Take back the last change of parts."""

    kind: Literal["part-undo"] = "part-undo"


class ShowParts(Message):
    """Show the parts that are made in colours, or the solid as it is."""

    kind: Literal["parts-show"] = "parts-show"
    on: bool


class BuildParts(Message):
    """Make the bare mesh a system of the parts that are made, or a plain solid again; without a system as fits them."""

    kind: Literal["parts-build"] = "parts-build"
    on: bool = True
    system: Literal["assembled", "tree", "seams"] | None = None


class Colour(Message):
    """Tell the stresses from now on, to colour by; none: no more."""

    kind: Literal["colour"] = "colour"
    by: Literal["stress"] | None


class Probe(Message):
    """Tell the forces on these vertices from now on; none: no more."""

    kind: Literal["probe"] = "probe"
    vertices: Annotated[tuple[Vertex, ...], Field(max_length=8)]


class Inspect(Message):
    """Tell of contacts, proxies, joints, bones, or what is charted of a world, from now on; none: no more."""

    kind: Literal["inspect"] = "inspect"
    what: Annotated[tuple[Overlay, ...], Field(max_length=9)]
    level: Annotated[int, Field(ge=0, le=12)] = 0


class Scrub(Message):
    """Turn the clip that leads bones to a time, where it stays; none: let it run on."""

    kind: Literal["scrub"] = "scrub"
    time: Annotated[float, Field(ge=0, le=1e5)] | None


class Listen(Message):
    """Begin or stop to tell what is heard."""

    kind: Literal["listen"] = "listen"
    on: bool


class Strike(Message):
    """Hit what sounds at a skin vertex."""

    kind: Literal["strike"] = "strike"
    vertex: Vertex


class Steer(Message):
    """Let what steers the scene act or not, and more or less gently; what is left out stays as it is."""

    kind: Literal["steer"] = "steer"
    on: bool | None = None
    gentleness: Annotated[float, Field(ge=1e-3, le=100)] | None = None


class Record(Message):
    """Start or stop a recording."""

    kind: Literal["record"] = "record"
    on: bool


class Sketch(Message):
    """Start noting pulls, or stop and build a basis from them."""

    kind: Literal["sketch"] = "sketch"
    on: bool


class KeepPose(Message):
    """Keep the pose of now as a keyframe, a second after the last one."""

    kind: Literal["keyframe-keep"] = "keyframe-keep"


class TimeKeyframe(Message):
    """Give a keyframe another time."""

    kind: Literal["keyframe-time"] = "keyframe-time"
    number: Annotated[int, Field(ge=0, le=1000)]
    time: Annotated[float, Field(gt=0, le=1000)]


class DropKeyframe(Message):
    """Keep a keyframe no longer."""

    kind: Literal["keyframe-drop"] = "keyframe-drop"
    number: Annotated[int, Field(ge=0, le=1000)]


class FindMotion(Message):
    """Look for forces that lead through all keyframes from the start of the scene, and then play them."""

    kind: Literal["motion-find"] = "motion-find"


class Throw(Message):
    """Throw a ball from about the eye, so that it comes by the target."""

    kind: Literal["throw"] = "throw"
    eye: Point
    target: Point


class DropAnother(Message):
    """Drop a copy of a body on all others."""

    kind: Literal["drop"] = "drop"


class Seen(Message):
    """A frame is on the screen; the next ones may come. Not for the simulation, but for what sends to the page."""

    kind: Literal["seen"] = "seen"
    frame: Annotated[int, Field(ge=0, lt=2**32)]


Command = (
    Play
    | Pause
    | Step
    | Reset
    | Grab
    | Move
    | Release
    | TurnInterface
    | Keep
    | Free
    | Set
    | Defaults
    | Pace
    | Undo
    | Save
    | Load
    | ShowMode
    | SwitchScene
    | Remake
    | PlaceBone
    | ChangeBone
    | PaintBone
    | UndoBone
    | FindBones
    | BuildBones
    | ProposeParts
    | PaintPart
    | CutPart
    | ChangePart
    | JoinParts
    | SplitPart
    | UndoPart
    | ShowParts
    | BuildParts
    | Colour
    | Probe
    | Inspect
    | Scrub
    | Listen
    | Strike
    | Steer
    | Record
    | Sketch
    | KeepPose
    | TimeKeyframe
    | DropKeyframe
    | FindMotion
    | Throw
    | DropAnother
)

_messages: TypeAdapter[Command | Seen] = TypeAdapter(Annotated[Command | Seen, Field(discriminator="kind")])


def decode(text: str | bytes) -> Command | Seen:
    """The command in a message of a page; `ArgumentError` says what is wrong with it."""
    if len(text) > MAX_BYTES:
        raise ArgumentError(f"a message may have {MAX_BYTES} bytes; this one has {len(text)}")
    try:
        return _messages.validate_json(text)
    except ValidationError as reason:
        raise ArgumentError(_sentence(reason.errors(include_url=False, include_input=False)[0])) from None


def _sentence(mistake: Any) -> str:
    """The first mistake as `grab.target.0: what is allowed`."""
    place = ".".join(str(step) for step in mistake["loc"]) or "message"
    return f"{place}: {mistake['msg']}"
