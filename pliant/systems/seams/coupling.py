"""From a solid and a part number for every cell to seams that can be stepped ([BA13])."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from pliant.basis.basis import check_solid
from pliant.errors import ArgumentError, check_array, check_choice, check_count
from pliant.fem import Solid
from pliant.mesh.domains import Domains, labelled_domains
from pliant.numerics.progress import COMPILING, Progress, report
from pliant.systems.seams.parts import coupled_parts
from pliant.systems.seams.seams import Seams

INTERNAL = ("inertia", "normal")
TRACES = ("entity", "hat")
SHAPES = ("modes", "harmonics")


def couple(
    solid: Solid,
    labels: ArrayLike | None = None,
    soft: int = 6,
    order: int = 2,
    *,
    dt: float,
    damping: tuple[float, float] = (0.0, 0.0),
    gravity: ArrayLike | None = (0.0, -9.81, 0.0),
    internal: Literal["inertia", "normal"] = "inertia",
    columns: int | Sequence[int] | None = None,
    trace: Literal["entity", "hat"] = "entity",
    shapes: Literal["modes", "harmonics"] = "modes",
    projection: Literal["R", "J", "Rt", "none"] = "R",
    names: Sequence[str] | None = None,
    progress: Progress = None,
) -> Seams:
    """Cut a solid into parts and couple them by the coordinates of their interfaces.

    Any decomposition into face-connected parts is welcome: loops, vertices shared by three or more, several interfaces
    between two parts. The material's law at rest counts: the parts are linear, and warped.

    Args:
        labels: (m,) a part number 0 to d - 1 for every cell, as `pl.split` gives; None: the cell groups of the mesh.
        soft: soft columns of every interface, besides its rigid ones.
        order: blocks of internal columns a part, each as large as the rigid motions of its interfaces.
        dt: time step [s].
        damping: Rayleigh (alpha [1/s], beta [s]).
        gravity: acceleration (3,) [m/s^2].
        internal: "inertia" modes answer the inertia of moving interfaces, "normal" ones are vibrations between them.
        columns: instead of `order`, how many columns a part has, boundary and internal together: one number, or one a
            part.
        trace: "hat": cross edges and points carry their neighbourhood along; locks less where interfaces meet.
        shapes: what the soft columns of an interface are: what it does in the lowest "modes" of the solid, so that it
            does not lock wherever it is cut, or its "harmonics", as in the paper.
        projection: how forces are turned back to the coordinates, see `Seams`.
        names: of the parts; None: those of the cell groups, else "part 0", ...
        progress: called with a stage and the fraction of it that is done.

    Raises:
        MeshError: a part is not in one piece.
        SingularMatrix: a part can move rigidly though its interfaces stand still.
    """
    domains = labelled_domains(check_solid(solid).mesh, labels, names)
    check_whole(solid)
    coupled = coupled_parts(
        solid,
        domains,
        check_count("soft", soft, at_least=0),
        check_count("order", order, at_least=0),
        check_choice("internal", internal, INTERNAL),
        _checked_columns(columns, domains),
        check_choice("trace", trace, TRACES),
        check_choice("shapes", shapes, SHAPES),
        progress,
    )
    report(progress, COMPILING, 1.0)
    return Seams(coupled, dt, damping, gravity, projection)


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
