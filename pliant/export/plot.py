"""Charts of what was measured over time (.png, .svg, .pdf), drawn without a display."""

from collections.abc import Mapping
from os import PathLike
from pathlib import Path

from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, FileError, check_array
from pliant.mesh.files.paths import replacing
from pliant.mesh.packages import imported

ENDINGS = (".png", ".svg", ".pdf")
COLOURS = ("#2f7ea3", "#d9822b", "#5a9367", "#a34f6b", "#6c6fa8", "#8a7a5c")
STYLE = {
    "axes.edgecolor": "#9aa7b2",
    "axes.grid": True,
    "axes.labelcolor": "#45525d",
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.titlecolor": "#26323c",
    "font.size": 11,
    "grid.color": "#e3e8ec",
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "lines.solid_capstyle": "round",
    "svg.fonttype": "none",
    "xtick.color": "#6a7884",
    "ytick.color": "#6a7884",
}


def write_plot(
    path: str | PathLike[str],
    curves: Mapping[str, tuple[ArrayLike, ArrayLike]],
    title: str = "",
    x_label: str = "time [s]",
    y_label: str = "",
    size: tuple[float, float] = (8.0, 4.5),
    logarithmic: bool = False,
) -> None:
    """Draw curves into one chart.

    Args:
        curves: for every name its abscissae (k,), such as times, and ordinates (k,), such as a probe or an energy.
        size: width and height [inches], 160 pixels each.
        logarithmic: both axes.
    """
    target = check_ending(path)
    matplotlib = imported("matplotlib", "drawing charts")
    # The Figure is used without pyplot, so no window system is ever looked for.
    figures = imported("matplotlib.figure", "drawing charts", package="matplotlib")
    with matplotlib.rc_context(STYLE), replacing(target) as temporary:
        figure = figures.Figure(figsize=size, layout="constrained")
        axes = figure.add_subplot()
        for number, (name, (x, y)) in enumerate(curves.items()):
            abscissae = check_array(f"abscissae of {name}", x, (None,))
            ordinates = check_array(f"ordinates of {name}", y, abscissae.shape)
            axes.plot(abscissae, ordinates, label=name, color=COLOURS[number % len(COLOURS)])
        axes.set(title=title, xlabel=x_label, ylabel=y_label)
        axes.margins(x=0.01)
        if logarithmic:
            axes.set(xscale="log", yscale="log")
        if len(curves) > 1:
            axes.legend(loc="best")
        figure.savefig(temporary, dpi=160)


def check_ending(path: str | PathLike[str]) -> Path:
    """`path` as one that a chart can have, in a folder that is there."""
    target = Path(path)
    if target.suffix.lower() not in ENDINGS:
        raise ArgumentError(f"{target} has an unknown ending; charts can be {', '.join(ENDINGS)}")
    if not target.parent.is_dir():
        raise FileError(f"{target} cannot be written: the folder {target.parent} does not exist; make it first")
    return target
