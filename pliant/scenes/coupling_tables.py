"""What a scene file may say of systems of several parts: trees, seams, where instances stand, and the wind."""

from typing import Literal

from pydantic import Field

from pliant.scenes.tables import NotNegative, Positive, Table, Vector

Count = int | None


class TreeTable(Table):
    """How a tree is cut and stepped ([LS11])."""

    inertia: Literal["full", "L1", "L2"] = Field(
        "full", description="what a part feels of those that stand on it: all of it, or a lumped mass"
    )
    size: int = Field(156, ge=0, le=100_000, description="coordinates of all parts together")
    sizes: dict[str, int] = Field(default_factory=dict, description="coordinates of parts by name, instead")
    rule: Literal["log", "proportional"] = Field("log", description="how the coordinates are shared by the parts")
    modes: Count = Field(None, ge=1, le=500, description="vibration modes a part to begin with")
    attachment: bool = Field(False, description="put static responses to loads on the interfaces into the bases")
    rigid: list[str] = Field(default_factory=list, max_length=10_000, description="names of the parts that stay rigid")
    instances: bool = Field(True, description="parts of one shape share a model")
    root: str | None = Field(None, description="name of the part that carries the others")
    passes: Count = Field(None, ge=1, le=20, description="of full inertia a step; 1, or 2 for a free root")
    velocity: Vector = Field((0.0, 0.0, 0.0), description="of a free root at the start [m/s]")
    spin: Vector = Field((0.0, 0.0, 0.0), description="of a free root at the start [1/s]")


OF_A_CUT = ("size", "sizes", "rule", "modes", "attachment", "instances", "root")


class SeamsTable(Table):
    """How parts that share their interfaces are reduced ([BA13])."""

    force: Literal["linear", "cubic"] = Field(
        "linear", description="linear: warped linear parts; cubic: parts with the nonlinear forces of StVK"
    )
    soft: int = Field(4, ge=0, le=200, description="soft columns an interface")
    order: int = Field(2, ge=0, le=20, description="blocks of internal columns a part")
    internal: Literal["inertia", "normal"] = "inertia"
    trace: Literal["entity", "hat"] = "entity"
    columns: int | list[int] | None = Field(
        None, description="columns a part, boundary and internal together, instead of order: one number, or one a part"
    )
    projection: Literal["R", "none", "Rt", "J"] = Field("R", description="how loads are turned into the rest state")
    derivatives: Count = Field(None, ge=0, le=100, description="of cubic parts: columns inside each; 10, 20 if free")
    velocity: Vector = Field((0.0, 0.0, 0.0), description="of a free solid at the start [m/s]")
    spin: Vector = Field((0.0, 0.0, 0.0), description="of a free solid at the start [1/s]")


class WindTable(Table):
    """A steady wind with gusts that travel with it."""

    velocity: Vector = Field(description="[m/s]")
    gust: NotNegative = Field(0.3, description="relative to the mean")
    length: Positive = Field(10.0, description="of the longest gust [m]")
    seed: int = Field(0, ge=0)
    drag: NotNegative = 1.0


class PlaceTable(Table):
    """An instance of a part: on which other instance it stands, how it is turned and scaled."""

    part: str = Field(description="name of the part")
    name: str | None = Field(None, max_length=100, description="for others to stand on; the part's, if there is one")
    on: str | None = Field(None, description="name of the place it stands on; the root has none")
    at: Vector = Field((0.0, 0.0, 0.0), description="a point of the other's part near its seat; the root: in the world")
    radius: Positive | None = Field(
        None, description="of the seat [m], in the other's part; else the nearest triangles"
    )
    foot: Vector = Field((0.0, 0.0, 0.0), description="the point of this part that stands there")
    turn: Vector = Field((0.0, 0.0, 0.0), description="axis times angle [degrees], from the part's axes to the world's")
    scale: Positive = 1.0
    stiffening: Positive = Field(1.0, description="multiplies its frequencies")

    @property
    def label(self) -> str:
        return self.name or self.part


def check_pieces(tree: TreeTable) -> None:
    """What says how one mesh is cut means nothing to a tree of pieces."""
    if strange := [key for key in OF_A_CUT if getattr(tree, key) != getattr(TreeTable(), key)]:
        raise ValueError(f"tree.{strange[0]} says how one mesh is cut; pieces have their own basis.size")


def check_places(places: list[PlaceTable], parts: list[str]) -> None:
    """Every place names a part and stands on an earlier place; the first is the root."""
    seen: set[str] = set()
    for number, place in enumerate(places):
        if place.part not in parts:
            raise ValueError(f"place[{number}].part {place.part!r} is none of the parts {', '.join(parts)}")
        if (place.on is None) != (number == 0):
            raise ValueError(f"place[{number}] must stand on an earlier place, and only the first one on none")
        if place.on is not None and place.on not in seen:
            raise ValueError(f"place[{number}].on {place.on!r} is none of the places before it")
        seen.add(place.label)
