"""The options of commands that open a mesh; names are written out, so that help loads nothing large to list them."""

from typing import Annotated

import typer

UNIT_NAMES = ("mm", "cm", "m", "in")
END_NAMES = ("feet", "top", "left", "right")
PRESET_NAMES = ("jelly", "foam", "rubber", "cork", "wood", "aluminium", "steel")
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

Parts = Annotated[int | None, typer.Option(min=0, help="cut a mesh into so many parts; 0: where it is narrow")]
Pieces = Annotated[
    bool, typer.Option("--pieces", help="of a surface of loose pieces: copies are instances, which stand on each other")
]
Scale = Annotated[float | None, typer.Option(help="of a mesh: multiplies its lengths; metres a unit without --unit")]
Unit = Annotated[
    str | None, typer.Option(help=f"of a mesh file: {', '.join(UNIT_NAMES)}; guessed from its extent without it")
]
Up = Annotated[str | None, typer.Option(help="of a mesh: the axis that points up, x, y or z")]
Fixed = Annotated[
    str | None,
    typer.Option(help=f'of a mesh: what is held, {", ".join(END_NAMES)}, nothing, or "y < 0.01" [m]; else its feet'),
]
Young = Annotated[float | None, typer.Option(help="of a mesh [Pa]; so that it swings at about 2 Hz without it")]
Poisson = Annotated[float | None, typer.Option(help="of a mesh: Poisson's ratio")]
Density = Annotated[float | None, typer.Option(help="of a mesh [kg/m^3]")]
MaterialName = Annotated[
    str | None,
    typer.Option("--material", help=f"of a mesh: {', '.join(PRESET_NAMES)}; or a law: {', '.join(LAW_NAMES)}"),
]
Keep = Annotated[
    str | None, typer.Option(help="of a mesh file with several bodies: all, bodies (without dust), or the largest")
]
Floor = Annotated[float | None, typer.Option(help="of a mesh: height of the floor that is drawn [m]; under its feet")]
