"""What a scene file may say of characters: the bones of a part, and the ways that an artist leads them."""

from fnmatch import fnmatchcase
from typing import Annotated, Literal

from pydantic import Field, model_validator

from pliant.scenes.place_tables import BodyTable
from pliant.scenes.tables import Positive, Table, Vector
from pliant.scenes.world_tables import Path, Share, check_rising

KINDS = ("biharmonic", "heat")
MOST_BONES = 1000
Ends = Annotated[list[Vector | tuple[Vector, Vector]], Field(min_length=1, max_length=MOST_BONES)]
BoneName = Annotated[str, Field(min_length=1, max_length=100)]


class DentTable(Table):
    """A dent or a bulge, sculpted around a place: u(x) = push (1 - d^2)^2 with d the distance over the radius."""

    at: Vector = Field(description="its middle [m]")
    radius: Positive = Field(description="how far it goes [m]")
    push: Vector = Field(description="how its middle moves [m]")


class DabTable(Table):
    """A stroke of a brush on the weights of a bone: its share in the middle, less towards the rim."""

    bone: BoneName = Field(description="its name")
    at: list[Vector] = Field(min_length=1, max_length=1000, description="places that the brush was at [m]")
    radius: Positive = Field(description="of the brush [m]")
    share: Share = Field(1.0, description="of the bone in the middle of the brush; 0: others move what is there")


class BonesTable(Table):
    """The bones of a part, which make it a character: each is a body of a world, and moves the skin ([MC15] 8)."""

    ends: Ends | None = Field(None, description="of every bone: where it begins and where it ends [m], or one point")
    skeleton: str | None = Field(None, description="a .tgf file with them, beside the scene file, instead of ends")
    count: int | None = Field(
        None,
        ge=0,
        le=MOST_BONES,
        description="so many are found, through the middle of its limbs, instead of ends; 0: as its limbs are long",
    )
    names: list[BoneName] | None = Field(None, max_length=MOST_BONES, description='"bone 0", ... without it')
    weights: str = Field(
        "biharmonic",
        description="how much bones move the mesh: biharmonic, as smoothly as can be; heat, by the nearest, quicker; "
        "or a .glb file with a rig, whose joints are the bones",
    )
    reach: dict[BoneName, Positive] = Field(
        default_factory=dict,
        max_length=MOST_BONES,
        description="of bones, { tail = 2 }: times their weights, before these are made to sum to one again",
    )
    paint: list[DabTable] = Field(
        default_factory=list, max_length=1000, description="strokes of a brush on weights, one after the other"
    )
    modes: int = Field(10, ge=1, le=500, description="free vibration modes of every soft bone")
    threshold: Annotated[float, Field(ge=0, le=0.5)] = Field(
        0.05, description="a bone keeps the cells that have a corner with more weight"
    )
    kinds: dict[BoneName, Literal["soft", "rigid", "kinematic", "static"]] = Field(
        default_factory=dict, max_length=MOST_BONES, description='of bones, { hand = "static" }; soft without it'
    )
    joints: Literal["skeleton", "all"] = Field(
        "skeleton", description="between neighbours, or between all bones that overlap, also through others"
    )
    spread: Share = Field(0.5, description="of the points of a joint, over its section; more is more rigid")

    poses: list[str | DentTable] = Field(
        default_factory=list,
        max_length=100,
        description="shapes that an artist sculpted: mesh files with the same vertices, beside the scene, or dents; "
        "bones that one of them deforms get it as a vector beside their modes",
    )
    pose_stiffness: Positive = Field(1.0, description="of poses, over that of the material")

    @model_validator(mode="after")
    def _names_are_those_of_bones(self) -> "BonesTable":
        if not self.rigged and self.weights not in KINDS:
            raise ValueError(f"weights are {', '.join(KINDS)}, or a .glb file; {self.weights!r} was given")
        sources = [key for key in ("ends", "skeleton", "count") if getattr(self, key) is not None]
        if self.rigged and (sources or self.names is not None):
            raise ValueError("a rig has joints with names; leave out ends, skeleton, count and names")
        if self.rigged and (self.reach or self.paint):
            raise ValueError("a rig has weights of its artist; leave out reach and paint")
        if not self.rigged and len(sources) != 1:
            raise ValueError("give one of ends, skeleton and count, or weights of a rig in a .glb file")
        if self.ends is not None and self.names is not None and len(self.names) != len(self.ends):
            raise ValueError(f"names must be one a bone; {len(self.ends)} bones have {len(self.names)}")
        return self

    @property
    def rigged(self) -> bool:
        """Are its bones the joints of a rig?"""
        return self.weights.lower().endswith(".glb")


class DriveTable(Table):
    """The way of kinematic bones, whatever they meet."""

    body: str = Field(description='whose bones: the name of a body, or "fish *"')
    bone: str | None = Field(None, description="its name; all that are kinematic without it, with a clip")
    path: Path | None = Field(
        None, description="where the origin of the part would be, and how it would be turned, over time; or clip"
    )
    clip: str | None = Field(None, min_length=1, max_length=200, description="of the rig, by its name in the .glb file")

    @model_validator(mode="after")
    def _goes_on(self) -> "DriveTable":
        check_rising(self.path)
        if (self.path is None) == (self.clip is None):
            raise ValueError("give path or clip")
        if self.path is not None and self.bone is None:
            raise ValueError("a path is of one bone; say which")
        return self


def check_whole(bodies: list[BodyTable], with_bones: set[str]) -> None:
    """A character flies, its bones say what does not, and it alone touches itself."""
    for body in bodies:
        own = [key for key in ("system", "kind", "path") if getattr(body, key) is not None]
        if own and body.part in with_bones:
            raise ValueError(f"{body.label} has bones, so it has no {own[0]}; give kinds of bones, and [[drive]] them")
        if body.self_collision and body.part not in with_bones:
            raise ValueError(f"{body.label} has no bones; self_collision is of characters, whose part has some")


def check_driven(tables: list[DriveTable], with_bones: list[str]) -> None:
    """Every table names a body that has bones."""
    for number, table in enumerate(tables):
        if not any(fnmatchcase(name, table.body) for name in with_bones):
            listed = ", ".join(with_bones[:12]) or "none"
            raise ValueError(f"drive[{number}].body is {table.body!r}; bodies with bones are {listed}")
