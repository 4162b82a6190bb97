"""Charts of what was measured over time (.png, .svg, .pdf), drawn without a display."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pliant.basis import SizeReport
from pliant.errors import ArgumentError, FileError, check_array
from pliant.mesh.files.paths import replacing
from pliant.mesh.packages import imported

ENDINGS = (".png", ".svg", ".pdf")
COLOURS = ("#2f7ea3", "#d9822b", "#5a9367", "#a34f6b", "#6c6fa8", "#8a7a5c")
CROWDED = 4  # curves
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


@dataclass(frozen=True)
class Panel:
    """One chart of a figure.

    Attributes:
        curves: for every name its abscissae (k,), such as times, and ordinates (k,), such as a probe or an energy.
        logarithmic: both axes.
        equal: one metre is as long along both axes.
    """

    curves: Mapping[str, tuple[ArrayLike, ArrayLike]]
    title: str = ""
    x_label: str = "time [s]"
    y_label: str = ""
    logarithmic: bool = False
    equal: bool = False

    def __repr__(self) -> str:
        return f"Panel({self.title or 'untitled'}: {', '.join(self.curves)})"


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
    write_panels(path, [[Panel(curves, title, x_label, y_label, logarithmic)]], size=size)


def write_panels(
    path: str | PathLike[str],
    rows: Sequence[Sequence[Panel]],
    title: str = "",
    size: tuple[float, float] = (9.0, 8.0),
) -> None:
    """Draw several charts into one figure, row by row; each row fills the width, and curves of a name share a colour.

    Args:
        size: width and height [inches], 160 pixels each.
    """
    target = check_ending(path)
    matplotlib = imported("matplotlib", "drawing charts")
    # The Figure is used without pyplot, so no window system is ever looked for.
    figures = imported("matplotlib.figure", "drawing charts")
    names = list(dict.fromkeys(name for row in rows for panel in row for name in panel.curves))
    colours = {name: COLOURS[number % len(COLOURS)] for number, name in enumerate(names)}
    with matplotlib.rc_context(STYLE), replacing(target) as temporary:
        figure = figures.Figure(figsize=size, layout="constrained")
        if title:
            figure.suptitle(title, fontweight="bold")
        bands = figure.subfigures(len(rows), 1, squeeze=False)[:, 0]
        for band, row in zip(bands, rows):
            for axes, panel in zip(band.subplots(1, len(row), squeeze=False)[0], row):
                _draw(axes, panel, colours)
        figure.savefig(temporary, dpi=160)


def _draw(axes: Any, panel: Panel, colours: Mapping[str, str]) -> None:
    for number, (name, (x, y)) in enumerate(panel.curves.items()):
        abscissae = check_array(f"abscissae of {name}", x, (None,))
        ordinates = check_array(f"ordinates of {name}", y, abscissae.shape)
        # Among many curves some lie on each other; every other one is dashed, so that both are seen.
        style = "--" if number % 2 and len(panel.curves) > CROWDED else "-"
        width = 1.2 if panel.equal else None
        axes.plot(abscissae, ordinates, label=name, color=colours[name], linewidth=width, linestyle=style)
    axes.set(title=panel.title, xlabel=panel.x_label, ylabel=panel.y_label)
    axes.margins(x=0.01)
    if panel.logarithmic:
        axes.set(xscale="log", yscale="log")
    if panel.equal:
        axes.set_aspect("equal", adjustable="datalim")
        axes.margins(0.05)
    if len(panel.curves) > 1:
        axes.legend(loc="best")


def check_ending(path: str | PathLike[str]) -> Path:
    """`path` as one that a chart can have, in a folder that is there."""
    target = Path(path)
    if target.suffix.lower() not in ENDINGS:
        raise ArgumentError(f"{target} has an unknown ending; charts can be {', '.join(ENDINGS)}")
    if not target.parent.is_dir():
        raise FileError(f"{target} cannot be written: the folder {target.parent} does not exist; make it first")
    return target


def draw_sizes(path: str | PathLike[str], report: SizeReport) -> None:
    """Error over size of a basis that was chosen for a tolerance, and the tolerance."""
    ends = report.sizes[[0, -1]]
    curves = {
        "largest estimated error": (report.sizes, report.worst),
        f"tolerance {report.tolerance:g}": (ends, np.full(2, report.tolerance)),
    }
    title = f"{report.size} vectors: {100 * report.error:.2g} %"
    write_plot(path, curves, title, "vectors", "relative error", logarithmic=True)
