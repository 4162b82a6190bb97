"""What a scene file may say of hands: vertices that are held and dragged, interfaces that are turned."""

from typing import Annotated

from pydantic import Field, model_validator

from pliant.scenes.tables import NotNegative, Positive, Region, Table, Vector

Stations = Vector | Annotated[list[Vector], Field(min_length=1, max_length=1000)]
WAY = 1.0  # [s] that a way takes which nothing else ends


class HandTable(Table):
    """Takes hold at a time, goes its way, lets go."""

    start: NotNegative = Field(0.0, alias="from", description="when it takes hold [s]")
    until: NotNegative | None = Field(None, description="when it lets go [s]; never without it")
    over: Positive | None = Field(None, description="how long its way takes [s]; else it arrives when it lets go")
    rate: Positive | None = Field(
        None, description="how fast the solid follows [1/s]; else 20, or 1/dt if that is less"
    )

    @property
    def arrival(self) -> float:
        """When its way ends [s]."""
        if self.over is not None:
            return self.start + self.over
        return self.start + WAY if self.until is None else self.until

    def overlaps(self, other: "HandTable") -> bool:
        """Do both hold at some time?"""
        first, second = sorted((self, other), key=lambda hand: hand.start)
        return first.until is None or second.start < first.until

    @model_validator(mode="after")
    def _ends_after_it_starts(self) -> "HandTable":
        if self.until is not None and self.until <= self.start:
            raise ValueError("until must be later than from")
        if self.until is not None and self.arrival > self.until * (1 + 1e-9):
            raise ValueError("over is longer than it is from from until until")
        return self


class HoldTable(HandTable):
    """A vertex that is held and dragged."""

    where: Region | None = Field(None, description="of these vertices the one nearest to their middle")
    vertex: int | None = Field(None, ge=0, description="of the mesh; or where")
    to: Stations = Field((0.0, 0.0, 0.0), description="displacement from rest [m], or several to pass one by one")
    limit: float | None = Field(None, gt=0, description="largest force [N]; by default whatever it takes")

    @model_validator(mode="after")
    def _has_one_place(self) -> "HoldTable":
        if (self.where is None) == (self.vertex is None):
            raise ValueError("give where or vertex")
        return self


class TurnTable(HandTable):
    """An interface that is turned."""

    between: tuple[str, str] = Field(description="names of the two parts that share it")
    body: str | None = Field(None, description="whose interface it is; of several bodies the one that has such parts")
    to: Stations = Field(description="axis times angle from rest [degrees], or several to pass one by one")
