"""What a scene file may say of materials and bases; their names are those of the tables that users register in."""

import inspect
import reprlib
from math import isfinite
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from pliant.basis import BASES
from pliant.fem import MATERIALS
from pliant.scenes.choices import check_taken, is_many, known_name, listed_in, parameters
from pliant.scenes.tables import Expression, Poisson, Positive, Table, Vector

COMMON = ("young", "poisson", "density")
GIVEN = ("solid", "progress")  # what the function of a basis gets from pliant


class MaterialGroup(Table):
    """Constants that differ in some of the cells."""

    where: Expression = Field(description='cells whose centre satisfies it, such as "x > 1", or group("name")')
    young: Positive | None = Field(None, description="Young's modulus [Pa]")
    poisson: Poisson | None = Field(None, description="Poisson's ratio")
    density: Positive | None = Field(None, description="[kg/m^3]")


class MaterialTable(Table):
    """What a part is made of; constants of its own go to the class of the model."""

    model_config = ConfigDict(extra="allow")

    model: Annotated[str, AfterValidator(known_name(MATERIALS)), Field(json_schema_extra=listed_in(MATERIALS))] = "stvk"
    young: Positive = Field(1e6, description="Young's modulus [Pa]")
    poisson: Poisson = Field(0.35, description="Poisson's ratio")
    density: Positive = Field(1000.0, description="[kg/m^3]")
    groups: list[MaterialGroup] = Field(default_factory=list, max_length=1000)

    @property
    def constants(self) -> dict[str, float]:
        """All numbers that the class of the model is made with."""
        return {key: getattr(self, key) for key in COMMON} | (self.model_extra or {})

    @model_validator(mode="after")
    def _constants_are_those_of_the_model(self) -> "MaterialTable":
        kind, own = MATERIALS[self.model], self.model_extra or {}
        check_taken(self.model, kind, own, (*COMMON, "groups"))
        for key, value in own.items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
                raise ValueError(f"{key} of {self.model} should be a finite number; {reprlib.repr(value)} was given")
        needed = [key for key, each in parameters(kind).items() if each.default is each.empty and not is_many(each)]
        if missing := [key for key in needed if key not in self.constants]:
            raise ValueError(f"{self.model} needs {missing[0]}")
        return self


class SketchedLoad(Table):
    """A load whose static solution the basis shall hold."""

    where: Expression = Field(description='vertices, "x > 1"')
    force: Vector = Field(description="total [N], shared equally by the vertices")


class BasisTable(Table):
    """The subspace a part moves in; keys of its own go to the function of the kind."""

    model_config = ConfigDict(extra="allow")

    kind: Annotated[str, AfterValidator(known_name(BASES))] = Field(
        "modal",
        description="modes with derivatives; modes alone; static solutions of loads; chosen for a tolerance, which a "
        "tolerance alone means too; poses made by an artist",
        json_schema_extra=listed_in(BASES),
    )
    loads: list[SketchedLoad] = Field(
        default_factory=list, max_length=1000, description='for kind = "sketch" or "chosen"'
    )
    poses: list[str] = Field(default_factory=list, max_length=1000, description='mesh files, for kind = "poses"')
    modes: int = Field(10, ge=1, le=500, description="vibration modes to begin with")
    size: int | Literal["auto"] = Field(30, description='basis vectors to keep, or "auto" to meet the tolerance')
    tolerance: Positive = Field(
        0.05, description='of the error indicator, for size = "auto"; of a motion, for kind = "chosen", there 0.02'
    )

    @model_validator(mode="before")
    @classmethod
    def _chosen_for_a_tolerance(cls, given: Any) -> Any:
        left_open = isinstance(given, dict) and not {"kind", "size", "modes", "loads", "poses"} & set(given)
        return {"kind": "chosen", **given} if left_open and "tolerance" in given else given

    @model_validator(mode="after")
    def _size_is_sensible(self) -> "BasisTable":
        if self.size != "auto" and not 1 <= self.size <= 1000:
            raise ValueError('size must be between 1 and 1000, or "auto"')
        taken = parameters(BASES[self.kind])
        for kind, key in (("sketch", "loads"), ("poses", "poses")):
            given, must = bool(getattr(self, key)), key in taken and taken[key].default is inspect.Parameter.empty
            if (given and key not in taken) or (must and not given):
                raise ValueError(f'kind = "{self.kind if must else kind}" and {key} go together')
        own, common = self.model_extra or {}, (*BasisTable.model_fields,)
        check_taken(f'kind = "{self.kind}"', BASES[self.kind], own, common, GIVEN)
        if self.size == "auto" and self.kind == "modes":
            raise ValueError('size = "auto" is for the other kinds; say how many modes')
        return self
