"""The words that scene tables are written in: numbers in ranges, selections, tables that are closed."""

import re
from typing import Annotated

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from pliant.errors import Ids, SelectionError
from pliant.mesh.selection import select

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Vector = tuple[Finite, Finite, Finite]


class _AnyGroups(dict[str, Ids]):
    """Groups are known when the mesh is; until then every name may be one."""

    def __contains__(self, _name: object) -> bool:
        return True

    def __missing__(self, _name: str) -> Ids:
        return np.empty(0, dtype=np.int64)


def _readable(expression: str) -> str:
    """A selection that can be parsed, so that mistakes in it are found with all others."""
    try:
        select(expression, np.zeros((1, 3)), _AnyGroups())
    except SelectionError as reason:
        raise ValueError(str(reason)) from None
    return expression


def split_region(region: str) -> tuple[str | None, str]:
    """The pattern of names of bodies in front of a colon, None where there is none, and the selection behind it."""
    head, colon, tail = region.partition(":")
    return (head.strip(), tail.strip()) if colon and not set(head) & set(SELECTING) else (None, region)


def _readable_region(region: str) -> str:
    _readable(split_region(region)[1])
    return region


SELECTING = "<>=(\"'"  # in no name of a group or a body, but in every selection
RESERVED = SELECTING + ":*?["  # in no name of a body
GroupName = Annotated[str, Field(min_length=1, max_length=100, pattern=rf"^[^{re.escape(RESERVED)}]+$")]
Expression = Annotated[str, Field(min_length=1, max_length=1000), AfterValidator(_readable)]
Region = Annotated[
    str,
    Field(min_length=1, max_length=1000, description='vertices, "x > 1"; of several bodies, "ball: x > 1"'),
    AfterValidator(_readable_region),
]
Colour = Annotated[str, Field(pattern="^#[0-9a-fA-F]{6}$", description="red, green and blue in hex")]
Poisson = Annotated[float, Field(gt=-1, lt=0.5, allow_inf_nan=False)]


class Table(BaseModel):
    """A table of a scene file; unknown keys are mistakes."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)
