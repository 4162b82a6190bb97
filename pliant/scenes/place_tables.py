"""What a scene file may say of where parts stand: as bodies of their own, or on each other; and of the wind."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from pliant.scenes.tables import NotNegative, Positive, Table, Vector
from pliant.scenes.world_tables import MOST_COPIES, Friction, Path, Restitution, check_rising

# Keys of bodies that move in one space and touch.
OF_WORLDS = (
    *("kind", "path", "friction", "restitution", "group", "self_collision", "padding"),
    *("grid", "spacing", "count", "jitter", "jitter_turn", "seed"),
)
Count = Annotated[int, Field(ge=1, le=MOST_COPIES)]


class WindTable(Table):
    """A steady wind with gusts that travel with it."""

    velocity: Vector = Field(description="of the air, the mean [m/s]")
    gust: NotNegative = Field(0.3, description="relative to the mean")
    length: Positive = Field(10.0, description="of the longest gust [m]")
    seed: int = Field(0, ge=0, description="of the phases of the gusts")
    drag: NotNegative = Field(1.0, description="coefficient of all surfaces: p = 1/2 1.2 kg/m^3 drag v^2")


class BodyTable(Table):
    """A part that stands somewhere, as a body of its own: turned first, then moved."""

    part: str = Field(description="name of the part, or its number, from 0")
    name: str | None = Field(None, min_length=1, max_length=100, description="for selections; the part's without it")
    system: str | None = Field(
        None, description="the kind of this body; the scene's without it; in a world: tree, seams or clamped"
    )
    at: Vector = Field((0.0, 0.0, 0.0), description="where the origin of the part goes [m]")
    turn: Vector = Field((0.0, 0.0, 0.0), description="axis times angle [degrees], from the part's axes to the world's")
    velocity: Vector = Field((0.0, 0.0, 0.0), description="at the start, of a body that nothing holds [m/s]")
    spin: Vector = Field((0.0, 0.0, 0.0), description="at the start, of a body that nothing holds [1/s]")
    kind: Literal["free", "held", "kinematic", "static"] | None = Field(
        None, description="in a world: free; held where its part is fixed; kinematic with a path; or static"
    )
    path: Path | None = Field(None, description="in a world: places that it passes, whatever it meets")
    friction: Friction = None
    restitution: Restitution = None
    group: int = Field(0, ge=0, description="bodies of one group above 0 do not touch each other")
    padding: Positive | None = Field(
        None,
        description="of a shell: how far its faces are from its middle, which touch others [m]; half its thickness",
    )
    self_collision: bool = Field(False, description="of a character with bones: its skin touches itself")
    grid: tuple[Count, Count, Count] | None = Field(
        None, description="copies along x, y and z, the first one at its place; named ball 0, ball 1, ..."
    )
    spacing: Positive | tuple[Positive, Positive, Positive] | None = Field(
        None, description="between copies [m], one number or one an axis"
    )
    count: Count | None = Field(
        None, description="how many of the grid, layer by layer from below, all without it; without grid it is a cube"
    )
    jitter: NotNegative = Field(0.0, description="how far each copy is off its place at most, along every axis [m]")
    jitter_turn: NotNegative = Field(0.0, description="by how much each copy is turned at most, anyhow [degrees]")
    seed: int = Field(0, ge=0, description="of jitter")

    @property
    def label(self) -> str:
        return self.name or self.part

    @property
    def places(self) -> tuple[int, int, int] | None:
        """Copies along x, y and z: as grid says, or a cube for `count` of them; None: it is one body."""
        if self.grid is not None or self.count is None:
            return self.grid
        side = next(n for n in range(1, self.count + 1) if n**3 >= self.count)
        return side, -(-self.count // side**2), side

    @model_validator(mode="after")
    def _copies_have_room(self) -> "BodyTable":
        check_rising(self.path)
        if (self.places is None) != (self.spacing is None):
            raise ValueError("spacing goes with grid or count")
        if self.places is None and (self.jitter or self.jitter_turn):
            raise ValueError("jitter is for the copies of a grid")
        if self.grid is not None:
            nx, ny, nz = self.grid
            if nx * ny * nz > MOST_COPIES:
                raise ValueError(f"grid may make {MOST_COPIES} copies; {list(self.grid)} makes {nx * ny * nz}")
            if self.count is not None and self.count > nx * ny * nz:
                raise ValueError(f"count is of the places of grid; {self.count} was given")
        if self.path is not None and self.kind not in (None, "kinematic"):
            raise ValueError(f'a path is for kind = "kinematic"; {self.kind!r} was given')
        if self.path is None and self.kind == "kinematic":
            raise ValueError("a kinematic body needs a path")
        return self


class PlaceTable(Table):
    """An instance of a part: on which other instance it stands, how it is turned and scaled."""

    part: str = Field(description="name of the part, or its number, from 0")
    name: str | None = Field(None, max_length=100, description="for others to stand on; the part's, if there is one")
    on: str | None = Field(None, description="name of the place it stands on; the root has none")
    at: Vector = Field((0.0, 0.0, 0.0), description="a point of the other's part near its seat; the root: in the world")
    radius: Positive | None = Field(
        None, description="of the seat [m], in the other's part; else the nearest triangles"
    )
    foot: Vector = Field((0.0, 0.0, 0.0), description="the point of this part that stands there")
    turn: Vector = Field((0.0, 0.0, 0.0), description="axis times angle [degrees], from the part's axes to the world's")
    scale: Positive = Field(1.0, description="of all its lengths")
    stiffening: Positive = Field(1.0, description="multiplies its frequencies")

    @property
    def label(self) -> str:
        return self.name or self.part


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
