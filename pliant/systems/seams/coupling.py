"""From a solid and a part number for every cell to seams of linear parts ([BA13])."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from pliant.basis.basis import check_solid
from pliant.errors import ArgumentError, check_array, check_choice, check_count, check_number
from pliant.fem import Solid
from pliant.mesh.domains import Domains, labelled_domains
from pliant.numerics.progress import COMPILING, Progress, report
from pliant.systems.estimating import warn_of_errors
from pliant.systems.growing import MOST, refuse_with_tolerance, refuse_without_tolerance
from pliant.systems.seams.linear_sizes import Recipe, chosen_parts
from pliant.systems.seams.seams import Seams

SOFT = 6  # columns of an interface besides the rigid ones
ORDER = 2  # blocks of internal columns
INTERNAL = ("inertia", "normal")
TRACES = ("entity", "hat")
SHAPES = ("modes", "harmonics")
REMEDY = (
    "linear parts are for small bends: take pl.couple_nonlinear, or give soft= or tolerance= where that is good enough"
)


def couple_linear(
    solid: Solid,
    labels: ArrayLike | None = None,
    soft: int | None = None,
    order: int | None = None,
    *,
    dt: float,
    damping: tuple[float, float] | None = None,
    gravity: ArrayLike | None = (0.0, -9.81, 0.0),
    internal: Literal["inertia", "normal"] = "inertia",
    columns: int | Sequence[int] | None = None,
    trace: Literal["entity", "hat"] = "entity",
    shapes: Literal["modes", "harmonics"] = "modes",
    projection: Literal["R", "J", "Rt", "none"] = "R",
    names: Sequence[str] | None = None,
    tolerance: float | None = None,
    loads: ArrayLike | None = None,
    most: int = MOST,
    progress: Progress = None,
) -> Seams:
    """`pl.couple(..., nonlinear=False)`. The material's law at rest counts: the parts are linear, and warped.

    Args:
        labels: (m,) a part number 0 to d - 1 for every cell, as `pl.split` gives; None: the cell groups of the mesh.
        soft: soft columns of every interface, besides its rigid ones; 6 by default. Where neither these nor `order` nor
            `columns` are given, `pl.estimate_errors` are warned of.
        order: blocks of internal columns a part, each as large as the rigid motions of its interfaces; 2 by
            default.
        dt: time step [s].
        damping: Rayleigh (alpha [1/s], beta [s]); None: (0, dt / 2), which takes from warped parts what a step cannot
            follow and leaves slow vibrations alone (a ratio of omega dt / 4).
        gravity: acceleration (3,) [m/s^2].
        internal: "inertia" modes answer the inertia of moving interfaces, "normal" ones are vibrations between them.
        columns: instead of `order`, how many columns a part has, boundary and internal together: one number, or one a
            part.
        trace: "hat": cross edges and points carry their neighbourhood along; locks less where interfaces meet.
        shapes: what the soft columns of an interface are: what it does in the lowest "modes" of the solid, so that it
            does not lock wherever it is cut, or its "harmonics", as in the paper.
        projection: how forces are turned back to the coordinates, see `Seams`.
        names: of the parts; None: those of the cell groups, else "part 0", ...
        tolerance: instead of `soft`, `order` and `columns`: relative displacement error of a small motion, over a
            period, as it is seen by the linear solid under loads that were held out. Static responses to typical loads
            become columns as well, and all grow until it holds; `system.report` says what was measured. Warping errs
            beside it in large motion, which no columns mend.
        loads: for a tolerance: those that will act, (3n, s), (s, 3n) or (s, n, 3) [N]; None: weight, and pulls at the
            extremities.
        most: for a tolerance: coordinates of all parts that are allowed; a warning says where they do not suffice.
        progress: called with a stage and the fraction of it that is done.

    Raises:
        MeshError: a part is not in one piece.
        SingularMatrix: a part can move rigidly though its interfaces stand still.
    """
    domains = labelled_domains(check_solid(solid).mesh, labels, names)
    check_whole(solid)
    recipe = Recipe(
        check_choice("internal", internal, INTERNAL),
        check_choice("trace", trace, TRACES),
        check_choice("shapes", shapes, SHAPES),
    )
    usual = tolerance is None and soft is None and order is None and columns is None
    if tolerance is None:
        refuse_without_tolerance(loads, most)
        soft = check_count("soft", SOFT if soft is None else soft, at_least=0)
        order = check_count("order", ORDER if order is None else order, at_least=0)
        coupled = recipe.parts(solid, domains, soft, order, _checked_columns(columns, domains), progress)
    else:
        refuse_with_tolerance(soft=soft, order=order, columns=columns)
        tolerance, most = check_number("tolerance", tolerance, above=0, at_most=1), check_count("most", most)
        coupled = chosen_parts(solid, domains, SOFT, tolerance, loads, most, recipe, progress)
    report(progress, COMPILING, 1.0)
    system = Seams(coupled, dt, (0.0, dt / 2) if damping is None else damping, gravity, projection)
    if usual:
        warn_of_errors(system, solid, [domains.labels, recipe, projection], REMEDY, progress)
    return system


def check_whole(solid: Solid) -> None:
    """Every vertex has a cell, and a free solid is in one piece."""
    mesh = solid.mesh
    if len(np.unique(mesh.cells)) < mesh.vertex_count:
        raise ArgumentError("the mesh has vertices that no cell uses; take mesh.without_unused()")
    if not len(solid.fixed) and mesh.components[0] > 1:
        raise ArgumentError(
            f"a free solid must be in one piece, since it has one frame; this one has {mesh.components[0]}: "
            "fix some vertices, or simulate the pieces one by one"
        )


def _checked_columns(columns: int | Sequence[int] | None, domains: Domains) -> list[int] | None:
    if columns is None:
        return None
    if np.ndim(columns) == 0:
        return [check_count("columns", columns)] * domains.count
    given = check_array("columns", columns, (domains.count,), dtype=np.int64)
    return [check_count("columns", int(count)) for count in given]
