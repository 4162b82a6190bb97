"""What a scene file may say of where parts stand: as bodies of their own, or on each other; and of the wind."""

from pydantic import Field

from pliant.scenes.tables import SELECTING, NotNegative, Positive, Table, Vector


class WindTable(Table):
    """A steady wind with gusts that travel with it."""

    velocity: Vector = Field(description="of the air, the mean [m/s]")
    gust: NotNegative = Field(0.3, description="relative to the mean")
    length: Positive = Field(10.0, description="of the longest gust [m]")
    seed: int = Field(0, ge=0, description="of the phases of the gusts")
    drag: NotNegative = Field(1.0, description="coefficient of all surfaces: p = 1/2 1.2 kg/m^3 drag v^2")


class BodyTable(Table):
    """A part that stands somewhere, as a body of its own: turned first, then moved."""

    part: str = Field(description="name of the part")
    name: str | None = Field(None, min_length=1, max_length=100, description="for selections; the part's without it")
    system: str | None = Field(None, description="the kind of this body; the scene's without it")
    at: Vector = Field((0.0, 0.0, 0.0), description="where the origin of the part goes [m]")
    turn: Vector = Field((0.0, 0.0, 0.0), description="axis times angle [degrees], from the part's axes to the world's")
    velocity: Vector = Field((0.0, 0.0, 0.0), description="at the start, of a body that nothing holds [m/s]")
    spin: Vector = Field((0.0, 0.0, 0.0), description="at the start, of a body that nothing holds [1/s]")

    @property
    def label(self) -> str:
        return self.name or self.part


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


def check_bodies(bodies: list[BodyTable], parts: list[str]) -> None:
    """Every body names a part, and has a name of its own."""
    seen: set[str] = set()
    for number, body in enumerate(bodies):
        if body.part not in parts:
            raise ValueError(f"body[{number}].part {body.part!r} is none of the parts {', '.join(parts)}")
        if body.label in seen:
            raise ValueError(f"two bodies are called {body.label!r}; give body[{number}] another name")
        if set(body.label) & set(SELECTING + ":*?["):
            raise ValueError(f"body[{number}] is called {body.label!r}; leave out signs that selections use")
        seen.add(body.label)
