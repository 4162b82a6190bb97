"""What the simulation tells its pages, besides poses: every report typed."""

import json
import math
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Literal

from pliant.app.following import FollowingFacts
from pliant.app.sources import View
from pliant.app.tuning import Settings


@dataclass(frozen=True)
class Report:
    """Sent to every page; of each kind only the newest is worth keeping, unless `keep` says otherwise."""

    kind: ClassVar[str]
    keep: ClassVar[bool] = False

    def text(self) -> str:
        """JSON with the kind in it; numbers that are not finite become null."""
        return json.dumps({"kind": self.kind, **_finite(asdict(self))}, allow_nan=False)


@dataclass(frozen=True)
class SceneEntry:
    """A scene that can be switched to."""

    name: str
    title: str
    claim: str
    pictured: bool = False


@dataclass(frozen=True)
class BoneFacts:
    """A bone that a person placed in a bare mesh: its kind, its ends in the shape at its start [m], strokes on it."""

    name: str
    form: str
    reach: float
    ends: tuple[tuple[float, ...], ...]
    strokes: int


@dataclass(frozen=True)
class PartFacts:
    """A part that a person made of a bare mesh: its colour, its share of the volume, in how many pieces it is, whether
    it is rigid, its modes, and whether it carries the others."""

    name: str
    colour: str
    share: float
    pieces: int
    rigid: bool
    modes: int
    root: bool


@dataclass(frozen=True)
class MeshFacts:
    """What is assumed of a bare mesh.

    Attributes:
        file: its name.
        size: its longest side [m].
        up: the axis of the file that points up.
        held: "feet", "top", "left", "right", "nothing", "painted", or a selection.
        material: name of a preset or a law; empty where the stiffness is guessed.
        young, poisson, density: [Pa], Poisson's ratio, [kg/m^3].
        notes: what was assumed, in sentences.
        presets: young, poisson and density by name.
        brush: radius [m] of a dab that paints what is held; dabs: how many there may be.
        bones: those that are placed; can_undo_bones: whether there is one to take back; character: whether it is one.
        parts: those that are made; can_undo_parts, parted: likewise; parts_said: what is good and bad about them.
        can_part: whether it has cells, and not triangles alone.
    """

    file: str
    size: float
    up: str
    held: str
    material: str
    young: float
    poisson: float
    density: float
    notes: tuple[str, ...]
    presets: dict[str, tuple[float, float, float]]
    brush: float
    dabs: int
    bones: tuple[BoneFacts, ...] = ()
    can_undo_bones: bool = False
    character: bool = False
    parts: tuple[PartFacts, ...] = ()
    parts_said: tuple[str, ...] = ()
    can_undo_parts: bool = False
    parted: bool = False
    can_part: bool = True


@dataclass(frozen=True)
class RigFacts:
    """A character: names of its bones, and which parts of the pose they are."""

    name: str
    bones: tuple[str, ...]
    parts: tuple[int, ...]


@dataclass(frozen=True)
class ClipFacts:
    """What leads bones: how long it is [s], the time of it less that of the world [s], and where it is held [s]; None:
    it runs."""

    duration: float
    shift: float
    held: float | None


@dataclass(frozen=True)
class Status(Report):
    """All that a page shows of the simulation but its shape.

    Attributes:
        geometry: which geometry the poses belong to; 0 before the first scene is built.
        tunable: names of the settings that this system can change.
        most_vectors: columns of the basis.
        frequencies: of the vibration modes that can be shown [Hz].
        mode: the one that is shown, if any; `slowed`: how many times slower than it is.
        diverged: what happened, if the simulation stopped by itself.
        recorded: length of the recording that can be downloaded, if there is one [s].
        can_turn: whether it has interfaces that a hand can turn; pins: vertices that are kept.
        can_throw: whether bodies can be thrown in; can_inspect: whether bodies touch; can_hear: whether any sounds.
        speed: of time; 1 is real time. tuned: whether settings are not as the scene has them.
        can_undo: whether there is something to go back to; saved: when the saved states were [s].
        free: whether nothing holds it, so that it may fly out of the picture.
        camera: position and target to look from first [m]; `ground`: height of the floor [m], None: not known.
        failed: why there is nothing to see. opened: counts what was put on stage.
        exactness: of the motion, in a sentence. mesh: what is assumed of a bare mesh, and can be changed.
        can_keyframe: whether poses can be kept as keyframes; keyframes: their times [s].
        missed: how far the motion that was found passes from them at most [m]; None: none was found.
        rigs: characters. clip: what leads their bones; None: nothing does. following: what steers it; None: nothing.
    """

    kind: ClassVar[str] = "status"
    scenes: tuple[SceneEntry, ...] = ()
    playing: bool = True
    mode: int | None = None
    slowed: float = 1.0
    recording: bool = False
    recorded: float | None = None
    sketching: bool = False
    diverged: str | None = None
    scene: str = ""
    geometry: int = 0
    settings: Settings = field(default_factory=Settings)
    tunable: tuple[str, ...] = ()
    most_vectors: int = 0
    frequencies: tuple[float, ...] = ()
    can_sketch: bool = False
    can_turn: bool = False
    can_throw: bool = False
    can_inspect: bool = False
    can_hear: bool = False
    free: bool = False
    pins: tuple[int, ...] = ()
    speed: float = 1.0
    tuned: bool = False
    can_undo: bool = False
    saved: tuple[float, ...] = ()
    camera: View | None = None
    ground: float | None = None
    failed: str | None = None
    opened: int = 0
    exactness: str = ""
    mesh: MeshFacts | None = None
    rigs: tuple[RigFacts, ...] = ()
    clip: ClipFacts | None = None
    following: FollowingFacts | None = None
    can_keyframe: bool = False
    keyframes: tuple[float, ...] = ()
    missed: float | None = None


@dataclass(frozen=True)
class Measure(Report):
    """How the simulation is doing.

    Attributes:
        time: simulated [s].
        step: wall time of a step [s].
        dt: simulated time of a step [s].
        ratio: simulated time over wall time; 1 is real time.
        energy: [J].
        coordinates: the first few.
        recorded: length of the recording so far [s].
        pulls: noted for the sketch so far.
        rounding: how far a vertex may be from its place where frames are sent in 16 bits [m].
        off_way: how far what is steered is from where it should be [m]; None: nothing is.
    """

    kind: ClassVar[str] = "measure"
    time: float
    step: float
    dt: float
    ratio: float
    energy: float
    coordinates: tuple[float, ...]
    recorded: float
    pulls: int
    rounding: float | None = None
    off_way: float | None = None


@dataclass(frozen=True)
class HandReport(Report):
    """How the hand of a client is doing: for that client alone.

    Attributes:
        vertex: what it took, or tried to take.
        held: whether it holds it; if not, it was refused or made to let go.
        force: what it pulls with [N].
    """

    kind: ClassVar[str] = "hand"
    vertex: int
    held: bool
    force: float = 0.0


@dataclass(frozen=True)
class ProbeReport(Report):
    """What acts on the vertices that a client probes.

    Attributes:
        vertices: which.
        forces: of hands and pushes, on each [N].
    """

    kind: ClassVar[str] = "probe"
    vertices: tuple[int, ...]
    forces: tuple[float, ...]


@dataclass(frozen=True)
class JointReport:
    """A joint of a world.

    Attributes:
        kind: "point", "hinge" or "rigid". place: (3,) where it is [m]. axis: of a hinge (3,).
        gap: [m]; force: [N]. angle: of a hinge [rad], with its limits where it has some [rad].
        speed, torque: wanted of a motor [1/s], and its largest [N m].
    """

    kind: str
    place: tuple[float, ...]
    axis: tuple[float, ...] | None
    gap: float
    force: float
    angle: float | None
    limits: tuple[float, float] | None
    speed: float | None
    torque: float | None


@dataclass(frozen=True)
class InspectReport(Report):
    """What goes on in a world, for those who asked for it; what nobody asked for is empty.

    Attributes:
        time: simulated [s]. told: what somebody asked for.
        contacts: how many press; strongest: the largest force [N].
        arrows: point [m] and force [N] (6,) of the strongest of them, on what moves, of two that do on the later one.
        momentum, angular: of all bodies (3,), the latter about the origin.
        proxies: points that touch others [m], float32 in base64, some of proxy_count.
        joints: the first ones of joint_count.
        islands: centre [m], number of the island, and whether it sleeps (5,) of every body that moves.
        bones: ends [m] and kind (7,) of bones: 0 soft, 1 rigid, 2 kinematic, 3 static. nets: edges of what touches of
            skins, ends [m] as float32 in base64. spheres: centre and radius (4,), boxes: least and greatest corner (6,)
            [m], of a level of the trees of skins.
        stages: seconds a step, by stage, of the steps since the last report.
    """

    kind: ClassVar[str] = "inspect"
    time: float
    told: tuple[str, ...]
    contacts: int
    strongest: float
    arrows: tuple[tuple[float, ...], ...]
    momentum: tuple[float, ...]
    angular: tuple[float, ...]
    proxies: str
    proxy_count: int
    joints: tuple[JointReport, ...]
    joint_count: int
    islands: tuple[tuple[float, ...], ...]
    stages: dict[str, float]
    bones: tuple[tuple[float, ...], ...] = ()
    nets: str = ""
    spheres: tuple[tuple[float, ...], ...] = ()
    boxes: tuple[tuple[float, ...], ...] = ()


@dataclass(frozen=True)
class FieldReport(Report):
    """The stress on every vertex that is drawn, for those who asked for it.

    Attributes:
        geometry: whose vertices they are.
        most: the end of their range [Pa]; nearly all lie below it.
        levels: a byte a vertex, in base64; 255 is `most` or more.
    """

    kind: ClassVar[str] = "field"
    geometry: int
    most: float
    levels: str


@dataclass(frozen=True)
class Progress(Report):
    """Where a build is; an empty stage means that it is over."""

    kind: ClassVar[str] = "progress"
    stage: str
    fraction: float


@dataclass(frozen=True)
class Notice(Report):
    """A sentence for people."""

    kind: ClassVar[str] = "notice"
    keep: ClassVar[bool] = True
    sentence: str
    level: Literal["info", "error"] = "info"


@dataclass(frozen=True)
class VoiceFacts:
    """What sounds: frequencies [Hz] and decay [1/s] of its modes; of every ear how late it hears [s], and weights of
    coordinates and rates."""

    name: str
    frequencies: tuple[float, ...]
    decay: tuple[float, ...]
    ears: tuple[tuple[float, tuple[float, ...], tuple[float, ...]], ...]


@dataclass(frozen=True)
class VoicesReport(Report):
    """All that sounds in the scene, for a page that begins to listen."""

    kind: ClassVar[str] = "voices"
    voices: tuple[VoiceFacts, ...]


@dataclass(frozen=True)
class HitsReport(Report):
    """Hits since the last one: the number of the voice, how long the hit takes [s], what it adds to the rate of every
    mode."""

    kind: ClassVar[str] = "hits"
    keep: ClassVar[bool] = True
    hits: tuple[tuple[float, ...], ...]


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
