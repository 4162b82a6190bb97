"""What a scene file may say: its tables and keys, their units, ranges and defaults."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeVar

from pydantic import Field, ValidationInfo, field_validator, model_validator

from pliant.mesh.parting import MOST_PARTS
from pliant.scenes.bone_tables import BonesTable, DriveTable, check_driven, check_whole
from pliant.scenes.control_tables import OF_CONTROL, AnyControl, ControlTable, check_controlled
from pliant.scenes.copies import check_bodies, names_of, with_part_names
from pliant.scenes.hand_tables import HoldTable, TurnTable
from pliant.scenes.keyframe_tables import KeyframesControl, KeyframeTable, check_keyframes
from pliant.scenes.makers import ASSEMBLIES, MAKERS
from pliant.scenes.part_tables import BasisTable, MaterialTable
from pliant.scenes.place_tables import BodyTable, PlaceTable, WindTable, check_places
from pliant.scenes.sound_tables import SoundTable, StrikeTable, VoiceTable, check_struck
from pliant.scenes.tables import Colour, Expression, Finite, GroupName, NotNegative, Positive, Region, Table, Vector
from pliant.scenes.world_tables import (
    ActuateTable,
    GroundTable,
    JointTable,
    ObstacleTable,
    check_actuated,
    check_joints,
)

KindTable = TypeVar("KindTable", bound=Table)

MOST_STEPS = 10_000_000
MOST_PLACES = 20_000
MOST_BODIES = 1000
WHOLE_SHELLS = ("clamped", "full", "world")  # systems that take shells
EXACT = {"cubic": ("stvk",), "cells": ("stvk", "firm_stvk")}  # forces, and the materials they are for


class Part(Table):
    """One deformable piece: where its cells come from, what it is made of, what holds it."""

    name: str = Field(
        "part", min_length=1, max_length=100, description="for bodies and places; of several, part 0, ... without it"
    )
    shape: str | dict[str, Any] | None = Field(
        None, description='a ready-made shape, "spoon" or { name = "bar", size = [1, 0.1, 0.1], cells = [24, 3, 3] }'
    )
    assembly: str | dict[str, Any] | None = Field(
        None, description='a ready-made tree of pieces, "oak" or { name = "oak", seed = 7 }'
    )
    mesh: str | None = Field(None, description="a file with tets or hexes, beside the scene file")
    clip: bool = Field(False, description="keep only the cells inside the closed surface that the mesh file also lists")
    surface: str | None = Field(
        None, description="a file with triangles, made solid with voxels or edge; a shell with thickness alone"
    )
    piece: int | None = Field(
        None, ge=0, le=1_000_000, description="of its loose pieces this one alone, from 0 in the order of the file"
    )
    voxels: int | None = Field(None, ge=2, le=400, description="hexes along the longest side of the surface")
    edge: Positive | None = Field(None, le=0.5, description="edge of the tets over the diagonal of the surface")
    method: Literal["auto", "tetwild", "lattice", "voxels"] = Field(
        "auto", description="how tets fill the surface: exactly and slowly, by a fitted lattice, or in steps; with edge"
    )
    thickness: Positive | None = Field(
        None,
        le=0.5,
        description="of a shell, which a surface or a sheet then is [m], whatever the scale; with edge that of sheets "
        "and limbs thinner than the cells, over the diagonal, not below edge",
    )
    keep: Literal["largest", "bodies", "all"] | None = Field(
        None, description="loose pieces; bodies: all but dust. The largest of a surface and all of a mesh without it"
    )
    order: int = Field(
        1, ge=1, le=2, description="2 makes linear cells quadratic: a vertex on every edge, far less stiff"
    )
    scale: Positive = Field(1.0, description="multiplies all lengths")
    skin: str | None = Field(
        None, description="a file with triangles that is drawn and pulled instead of the cells, which carry it"
    )
    cut: int | None = Field(
        None,
        ge=1,
        le=10_000,
        description="parts for trees and seams, cut where the mesh is narrow; else its cell groups",
    )
    labels: str | None = Field(
        None,
        min_length=3,
        max_length=1_000_000,
        description='instead of cut: runs of cells of one part, "0*412 1*20", in their order; the viewer makes them',
    )
    label_names: list[GroupName] = Field(
        default_factory=list, max_length=MOST_PARTS, description='of the parts of labels; "part 0", ... without it'
    )
    material: MaterialTable = Field(default_factory=MaterialTable)
    fixed: Expression | None = Field(None, description='vertices that are held, such as "x < 0.01"')
    hinged: Expression | None = Field(
        None, description="vertices of a shell that are held, but may turn; fixed ones are clamped"
    )
    rigid: bool = Field(False, description="in a world: it does not deform, and has no basis")
    bones: BonesTable | None = Field(None, description="in a world: it is a character, moved by bones, without a basis")
    proxy: int | None = Field(
        None, ge=8, le=100_000, description="of a part with bones: how many vertices of its skin touch; all without it"
    )
    basis: BasisTable = Field(default_factory=BasisTable)
    force: Literal["auto", "cubic", "cells", "cubature", "linear"] = Field(
        "auto",
        description="reduced force: cubic (stvk) and cells (stvk, firm_stvk) are exact, cubature is for all, linear "
        "for small motion",
    )
    sound: VoiceTable | None = Field(None, description="what it sounds like when it is struck")

    @field_validator("shape", "assembly")
    @classmethod
    def _is_known(cls, given: str | dict[str, Any] | None, info: ValidationInfo) -> str | dict[str, Any] | None:
        makers: Mapping[str, Callable[..., Any]] = MAKERS if info.field_name == "shape" else ASSEMBLIES
        name = given.get("name") if isinstance(given, dict) else given
        if name is not None and (not isinstance(name, str) or name not in makers):
            raise ValueError(f"a ready-made {info.field_name} is one of {', '.join(makers)}; {name!r} was given")
        if isinstance(given, dict):
            known = inspect.signature(makers[str(name)]).parameters if name else {}
            unknown = [key for key in given if key != "name" and key not in known]
            if name is None or unknown:
                raise ValueError(f"{name or info.field_name} takes name, {', '.join(known)}; {given} was given")
        return given

    @model_validator(mode="after")
    def _force_fits_the_material(self) -> "Part":
        if self.force in ("cubic", "cells") and self.material.model not in (laws := EXACT[self.force]):
            raise ValueError(f'force = "{self.force}" is for {" and ".join(laws)}; use "auto" or "cubature"')
        return self

    @model_validator(mode="after")
    def _rigid_ones_fly(self) -> "Part":
        if self.rigid and self.fixed is not None:
            raise ValueError('rigid and fixed do not go together; a [[body]] of kind = "static" stands still')
        return self

    @model_validator(mode="after")
    def _characters_have_their_own_bases(self) -> "Part":
        others = [key for key in ("basis", "force", "rigid", "assembly", "cut") if key in self.model_fields_set]
        if self.bones is not None and others:
            raise ValueError(f"{others[0]} does not go with bones, which have modes of their own")
        if self.bones is not None and self.bones.rigged and self.scale != 1:
            raise ValueError("a rig is as large as its file says; leave out scale")
        if self.bones is None and self.proxy is not None:
            raise ValueError("proxy is for a part with bones, whose skin touches; other bodies touch by their surface")
        return self

    @model_validator(mode="after")
    def _has_one_source(self) -> "Part":
        given = [key for key in ("shape", "mesh", "surface", "assembly") if getattr(self, key) is not None]
        if len(given) != 1:
            raise ValueError(f"give one of shape, mesh, surface or assembly; {' and '.join(given) or 'none'} was given")
        if self.assembly is not None and (self.scale != 1 or self.fixed or self.cut or self.order != 1):
            raise ValueError("scale, order, fixed and cut are for one mesh; the pieces of an assembly bring their own")
        if self.label_names and self.labels is None:
            raise ValueError("label_names go with labels")
        if self.labels is not None and (self.cut is not None or self.assembly is not None or self.bones is not None):
            raise ValueError("labels say how one mesh is cut; leave out cut, assembly and bones")
        if self.surface is None and (self.voxels or self.edge):
            raise ValueError("voxels and edge go with surface")
        if self.surface is None and self.piece is not None:
            raise ValueError("piece goes with surface, of which it is one")
        if self.surface is not None and self.voxels and self.edge:
            raise ValueError("give voxels (hexes) or edge (tets), not both")
        if self.edge is None and self.method != "auto":
            raise ValueError("method goes with edge, which fills a surface with tets")
        return self

    @model_validator(mode="after")
    def _shells_are_thin(self) -> "Part":
        name = self.shape.get("name") if isinstance(self.shape, dict) else self.shape
        if name == "sheet" and self.thickness is None:
            raise ValueError("a sheet needs a thickness, such as 0.001")
        if self.shell_thickness is None:
            if self.thickness is not None and self.edge is None:
                raise ValueError(
                    "thickness makes a shell of a surface or a sheet, or goes with edge, which fills a surface"
                )
            if self.hinged is not None:
                raise ValueError("hinged is for shells, a surface or a sheet with a thickness; solids are fixed")
            return self
        for key in ("cut", "labels", "bones", "skin"):
            if getattr(self, key):
                raise ValueError(
                    f"{key} does not go with shells; leave it out, or fill the surface with edge or voxels"
                )
        if self.order != 1:
            raise ValueError("order does not go with shells, whose triangles are linear")
        if self.material.model not in ("stvk", "linear"):
            raise ValueError(f'shells are made of stvk or linear; model = "{self.material.model}" was given')
        if self.force not in ("auto", "cubic", "linear"):
            raise ValueError(f'forces of shells are auto, cubic or linear; force = "{self.force}" was given')
        return self

    @property
    def shell_thickness(self) -> float | None:
        """[m], where the part is a shell."""
        name = self.shape.get("name") if isinstance(self.shape, dict) else self.shape
        thin = name == "sheet" or (self.surface is not None and self.edge is None and self.voxels is None)
        return self.thickness if thin else None


class Push(Table):
    """A force on some vertices for some time."""

    where: Region = Field(description='vertices, "x > 1"; of several bodies, "ball: x > 1"')
    force: Vector = Field(description="total [N], shared equally by the vertices")
    start: NotNegative = Field(0.0, alias="from", description="when it begins [s]")
    until: NotNegative | None = Field(None, description="when it ends [s]; never without it")
    profile: Literal["constant", "sine"] = Field("constant", description="sine: half a wave between from and until")

    @model_validator(mode="after")
    def _ends_after_it_starts(self) -> "Push":
        if self.until is not None and self.until <= self.start:
            raise ValueError("until must be later than from")
        if self.profile == "sine" and self.until is None:
            raise ValueError('profile = "sine" needs until')
        return self


class Probe(Table):
    """A place that is watched: the mean displacement of some vertices along an axis."""

    name: str = Field(min_length=1, max_length=100, description="for checks, and for people")
    where: Region | None = Field(None, description="vertices whose mean is watched; or vertex")
    vertex: int | None = Field(None, ge=0, description="of the mesh; of several bodies, their vertices in a row")
    axis: Literal["x", "y", "z"] = Field("y", description="of the displacement, in the world")

    @model_validator(mode="after")
    def _has_one_place(self) -> "Probe":
        if (self.where is None) == (self.vertex is None):
            raise ValueError("give where or vertex")
        return self


DRIFTS = ("momentum drift", "angular momentum drift", "energy drift", "energy gain")
DEPTHS = ("penetration", "self penetration", "joint gap", "volume", "roughness")  # [m], a share, [degrees]
TILT, FORCE = "tilt", "contact force"
TONE, GLIDE = "tone", "glide"  # [Hz], and a ratio
OF_SOUNDS = (TONE, GLIDE)
MISSED = "keyframe distance"  # [m]
OF_BODIES = (TILT, FORCE, *OF_SOUNDS)
OF_WORLDS = (*DEPTHS, TILT, FORCE)
WHOLE = ("momentum", *DRIFTS, *OF_WORLDS, *OF_SOUNDS, *OF_CONTROL, MISSED)  # of the whole system, without a probe


class Check(Table):
    """A number that the scene's claim stands on; `pliant scenes --check` and the test suite look at it.

    A drift has no value: the largest change after the last push, relative to the momentum then, is at most `within`.
    Nor has a depth, which is at most `within` [m], a change of volume, a share, or a roughness [degrees]; a tilt
    without a value is at most `within` [degrees]. A contact force is of all contacts of a body together, on the mean
    over the last fifth of the run: the weight of what rests. A tone is the strongest frequency of what a body sounds, a
    glide that of its beginning over that of its end. A keyframe distance has no value and is at most `within` [m].
    """

    probe: str | None = Field(None, description="whose displacement is measured; momenta are of the whole system")
    body: str | None = Field(
        None, description='whose tilt, from how it stood at the start, contact force, tone or glide; or "domino *"'
    )
    measure: Literal[
        "max",
        "min",
        "mean",
        "final",
        "frequency",
        "momentum",
        "momentum drift",
        "angular momentum drift",
        "energy drift",
        "energy gain",
        "penetration",
        "self penetration",
        "joint gap",
        "volume",
        "roughness",
        "tilt",
        "contact force",
        "tone",
        "glide",
        "off path",
        "recovery",
        "keyframe distance",
    ] = Field(
        description="of the probe over the whole run, or the momentum at its end, or how far it or the energy drifted; "
        "of a world the deepest penetration, that of skins into themselves, the widest gap of a joint, by which share "
        "the volume of a body changes at most, by how much edges of a skin are bent more than at rest, on the mean "
        "[degrees], the tilt of bodies at the end, what bears them"
        "; of what sounds its strongest tone, and that of the beginning over that of the end; of what is controlled "
        "how far it is off its path at the end [m], and that over how far it would be if left alone; how far "
        "keyframes are missed at most, root mean square over the body or its targets"
    )
    value: Finite | None = Field(
        None,
        description="[m], [Hz], [kg m/s], [degrees], [N]; not zero, since the tolerance is relative; none for a drift",
    )
    within: Positive = Field(description="relative tolerance; without a value the most, a share, [m] or [degrees]")

    @field_validator("value")
    @classmethod
    def _is_not_zero(cls, value: float | None) -> float | None:
        if value == 0:
            raise ValueError("a check needs a value other than zero, since its tolerance is relative")
        return value

    @model_validator(mode="after")
    def _says_what_its_measure_needs(self) -> "Check":
        if (self.probe is None) != (self.measure in WHOLE):
            raise ValueError(f"measure = {self.measure!r} {'has no' if self.probe else 'needs a'} probe")
        if (self.body is not None) != (self.measure in OF_BODIES):
            raise ValueError(f"measure = {self.measure!r} {'has no' if self.body else 'needs a'} body")
        if self.measure != TILT and (self.value is None) != (self.measure in (*DRIFTS, *DEPTHS, *OF_CONTROL, MISSED)):
            raise ValueError(f"measure = {self.measure!r} {'needs a' if self.value is None else 'has no'} value")
        return self


class Published(Table):
    """What a paper printed, for `pliant compare` to show beside what was found."""

    source: str = Field(min_length=1, max_length=100, description='such as "[BA13] Fig. 7"')
    errors: dict[str, NotNegative] = Field(
        default_factory=dict, max_length=100, description="of the first probe over time [%], by the name of the model"
    )


class Camera(Table):
    """Where the viewer first looks from."""

    position: Vector = Field(description="of the eye [m]")
    target: Vector = Field((0.0, 0.0, 0.0), description="what it looks at [m]")


class SceneFile(Table):
    """A simulation as data."""

    title: str = Field("", max_length=200, description="for people; else the name of the file")
    claim: str = Field("", max_length=1000, description="what the scene shows, in a sentence")
    system: str = "clamped"
    dt: Positive = Field(0.001, description="time step [s]")
    duration: Positive = Field(2.0, description="how long it runs [s]")
    gravity: Vector = Field((0.0, -9.81, 0.0), description="acceleration [m/s^2]")
    damping: tuple[NotNegative, NotNegative] = Field((0.0, 0.002), description="Rayleigh alpha [1/s] and beta [s]")
    damping_law: Literal["strain", "stiffness"] = Field(
        "strain",
        description="what beta damps: rates of strain, or K(u) v, which brakes and feeds what is under stress",
    )
    warp: Literal["modal", "rotation-strain"] | None = Field(
        None,
        description='how a linear model is drawn: "modal", its vertices turned, or "rotation-strain", its tets, fitted '
        "together again",
    )
    integrator: Literal["implicit", "explicit", "static", "exact"] = Field(
        "implicit", description="static: every step goes to equilibrium; exact: modal oscillators of a linear model"
    )
    start: Literal["rest", "equilibrium"] = Field(
        "rest", description="equilibrium: it begins where it stands still under its weight, not undeformed"
    )
    precision: Literal["double", "single"] = Field(
        "double", description="single: half the time a step, from about 30 coordinates on"
    )
    newton: int | None = Field(
        None,
        ge=1,
        le=100,
        description="Newton iterations a step, at most, to convergence; 1: a single one, the fastest; else 30",
    )
    part: list[Part] = Field(min_length=1, max_length=1000)
    body: list[BodyTable] = Field(
        default_factory=list, max_length=MOST_BODIES, description="parts as bodies of their own, side by side"
    )
    place: list[PlaceTable] = Field(
        default_factory=list, max_length=MOST_PLACES, description="instances of the parts, each standing on another"
    )
    skin: str | None = Field(
        None, description="a file with triangles around a whole assembly, drawn and pulled instead of its cells"
    )
    ground: list[GroundTable] = Field(default_factory=list, max_length=100, description="planes that bodies touch")
    obstacle: list[ObstacleTable] = Field(
        default_factory=list, max_length=1000, description="surfaces that bodies touch and that nothing moves"
    )
    joint: list[JointTable] = Field(
        default_factory=list, max_length=MOST_BODIES, description="places that stay together"
    )
    actuate: list[ActuateTable] = Field(
        default_factory=list, max_length=1000, description="forces by which bodies move themselves"
    )
    drive: list[DriveTable] = Field(
        default_factory=list, max_length=1000, description="ways of bones that an artist leads"
    )
    wind: WindTable | None = None
    paint: dict[str, Colour] = Field(
        default_factory=dict,
        max_length=1000,
        description='colours of groups or pieces, { "petal*" = "#e0577f", "y < 0.1" = "#888888" }',
    )
    push: list[Push] = Field(default_factory=list, max_length=1000)
    keyframe: list[KeyframeTable] = Field(
        default_factory=list, max_length=1000, description="how a body should be at times, with [control]"
    )
    control: AnyControl | None = Field(
        None, description="gentle forces that bring it back to its motion, or through [[keyframe]]"
    )
    strike: list[StrikeTable] = Field(default_factory=list, max_length=10_000, description="hits that are heard")
    sound: SoundTable | None = Field(None, description="who listens, and where")
    hold: list[HoldTable] = Field(default_factory=list, max_length=100, description="vertices that are dragged")
    turn: list[TurnTable] = Field(default_factory=list, max_length=100, description="interfaces that are turned")
    probe: list[Probe] = Field(default_factory=list, max_length=100)
    check: list[Check] = Field(default_factory=list, max_length=100)
    published: Published | None = None
    camera: Camera | None = None
    floor: Finite | None = Field(
        None,
        description="height of the floor that is drawn [m], which nothing hits; without it that of a level ground, "
        "that of a foot that is held, or a little below what hangs; none where it floats",
    )

    @model_validator(mode="before")
    @classmethod
    def _parts_have_names(cls, document: Any) -> Any:
        return with_part_names(document)

    @model_validator(mode="after")
    def _checks_have_probes(self) -> "SceneFile":
        names = {probe.name for probe in self.probe}
        missing = sorted({check.probe for check in self.check if check.probe} - names)
        if missing:
            raise ValueError(f"check names the probe {missing[0]!r}, which is not among {sorted(names)}")
        if len(names) < len(self.probe):
            raise ValueError("two probes have the same name")
        if not 1 <= self.duration / self.dt <= MOST_STEPS:
            raise ValueError(f"duration / dt must be between 1 and {MOST_STEPS} steps")
        return self

    @model_validator(mode="after")
    def _parts_have_places(self) -> "SceneFile":
        names = [part.name for part in self.part]
        assembled = bool(self.place) or any(part.assembly for part in self.part)
        if len(names) > 1 and not self.place and not self.body:
            raise ValueError("more than one part needs [[body]] or [[place]] tables that say which stands where")
        if len(set(names)) < len(names):
            raise ValueError("two parts have the same name; [[body]] and [[place]] could not tell them apart")
        if self.place and self.body:
            raise ValueError("[[place]] makes one body of all parts; leave out [[body]]")
        if self.place and any(part.assembly for part in self.part):
            raise ValueError("an assembly has its own places; leave out [[place]]")
        if self.skin is not None and (self.body or not assembled):
            raise ValueError("skin is a surface around one assembly; other parts have a skin of their own")
        check_places(self.place, names)
        check_bodies(self.body, names)
        check_joints(self.joint, names_of(self.body) or [names[0]])
        check_actuated(self.actuate, names_of(self.body) or [names[0]])
        having = {part.name for part in self.part if part.bones is not None}
        check_whole(self.body, having)
        check_driven(self.drive, names_of([body for body in self.body if body.part in having]) or sorted(having))
        check_struck(self, OF_SOUNDS)
        check_controlled(self)
        check_keyframes(self, MISSED)
        return self

    @model_validator(mode="after")
    def _shells_are_whole(self) -> "SceneFile":
        thin = {part.name for part in self.part if part.shell_thickness is not None}
        if thin and self.place:
            raise ValueError("shells cannot be pieces of an assembly yet; leave out [[place]]")
        for body in self.body or [BodyTable(part=self.part[0].name)]:
            kind = body.system or self.system
            if body.part in thin and kind not in WHOLE_SHELLS:
                raise ValueError(f'shells are clamped, full or in a world; "{kind}" was asked for of {body.part}')
            if body.part in thin and self.system == "world" != kind:
                raise ValueError(f"a shell is a body of a world itself; leave out system of {body.part}")
            if body.padding is not None and body.part not in thin:
                raise ValueError(f"padding is for shells; {body.part} touches by its own surface")
        return self

    def __repr__(self) -> str:
        counts = [f"{len(self.part)} parts", *([f"{len(self.body)} bodies"] if self.body else [])]
        return f"SceneFile({self.title[:50]!r}, {self.system}, {', '.join(counts)}, {self.duration:g} s)"

    __str__ = __repr__

    @property
    def kinds(self) -> list[str]:
        """The kinds of systems that it asks for."""
        return [body.system or self.system for body in self.body] or [self.system]

    @property
    def tracked(self) -> ControlTable | None:
        """How it follows its own motion."""
        return self.control if isinstance(self.control, ControlTable) else None

    @property
    def keyed(self) -> KeyframesControl | None:
        """How it is brought through keyframes."""
        return self.control if isinstance(self.control, KeyframesControl) else None

    def table(self, kind: type[KindTable]) -> KindTable:
        """The keys of a kind of system; its defaults where the file says nothing."""
        return next((value for value in self.__dict__.values() if isinstance(value, kind)), kind())
