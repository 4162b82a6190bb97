"""The options of commands that open a mesh; names are written out, so that help loads nothing large to list them."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

AXIS_NAMES = ("x", "y", "z")
UNIT_NAMES = ("mm", "cm", "m", "in")
END_NAMES = ("feet", "top", "left", "right")
PRESET_NAMES = ("jelly", "foam", "rubber", "cork", "wood", "aluminium", "steel")
KEEP_NAMES = ("all", "bodies", "largest")
LAW_NAMES = ("stvk", "firm-stvk", "neo-hookean", "corotational", "linear")
METHOD_NAMES = (
    *("cubic", "cubature", "modes", "linear", "rotation-strain", "modal-derivatives", "tree"),
    *("tree-L1", "tree-L2", "tree-full", "modal-warping", "seams"),
    *(
        "seams-soft",
        "seams-nonlinear",
        "world",
        "bones",
        "one-body",
        "corrected",
        "uncorrected",
        "frozen-P",
        "assembled",
        "full",
    ),
)


def _one_of(names: Sequence[str]) -> dict[str, Any]:
    """For an option that is one of these: shells complete it, and others are refused before anything is opened."""

    def check(given: str | None) -> str | None:
        if given is not None and given not in names:
            raise typer.BadParameter(f"it must be one of {', '.join(names)}; {given!r} was given")
        return given

    def completed(begun: str) -> list[str]:
        return [name for name in names if name.startswith(begun)]

    return {"callback": check, "autocompletion": completed, "metavar": f"[{'|'.join(names)}]"}


Parts = Annotated[int | None, typer.Option(min=0, help="cut a mesh into so many parts; 0: where it is narrow")]
Pieces = Annotated[
    bool, typer.Option("--pieces", help="of a surface of loose pieces: copies are instances, which stand on each other")
]
Scale = Annotated[float | None, typer.Option(help="of a mesh: multiplies its lengths; metres a unit without --unit")]
Unit = Annotated[
    str | None,
    typer.Option(help="of a mesh file; guessed from its extent without it", **_one_of(UNIT_NAMES)),
]
Up = Annotated[str | None, typer.Option(help="of a mesh: the axis that points up", **_one_of(AXIS_NAMES))]
Fixed = Annotated[
    str | None,
    typer.Option(help=f'of a mesh: what is held, {", ".join(END_NAMES)}, nothing, or "y < 0.01" [m]; else its feet'),
]
Young = Annotated[float | None, typer.Option(help="of a mesh [Pa]; so that it swings at about 2 Hz without it")]
Poisson = Annotated[float | None, typer.Option(help="of a mesh: Poisson's ratio")]
Density = Annotated[float | None, typer.Option(help="of a mesh [kg/m^3]")]
MaterialName = Annotated[
    str | None,
    typer.Option(
        "--material",
        help="of a mesh: what it is made of, or the law that it follows",
        **_one_of((*PRESET_NAMES, *LAW_NAMES)),
    ),
]
Keep = Annotated[
    str | None,
    typer.Option(help="of a mesh file with several bodies; bodies: without dust", **_one_of(KEEP_NAMES)),
]
Floor = Annotated[float | None, typer.Option(help="of a mesh: height of the floor that is drawn [m]; under its feet")]
