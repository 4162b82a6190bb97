"""Seams of a solid: of nonlinear parts, unless linear ones are asked for."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from numpy.typing import ArrayLike

from pliant.errors import ArgumentError
from pliant.fem import Solid
from pliant.numerics.progress import Progress
from pliant.systems.growing import MOST
from pliant.systems.seams.coupling import couple_linear
from pliant.systems.seams.nonlinear import NonlinearSeams, couple_nonlinear
from pliant.systems.seams.seams import Seams

OWN = {True: "nonlinear parts (nonlinear=True)", False: "linear parts (nonlinear=False)"}
BUILDERS: dict[bool, Callable[..., Seams | NonlinearSeams]] = {True: couple_nonlinear, False: couple_linear}


def couple(
    solid: Solid,
    labels: ArrayLike | None = None,
    soft: int | None = None,
    inside: int | None = None,
    *,
    dt: float,
    damping: tuple[float, float] | None = None,
    gravity: ArrayLike | None = (0.0, -9.81, 0.0),
    nonlinear: bool = True,
    tolerance: float | None = None,
    loads: ArrayLike | None = None,
    most: int = MOST,
    progress: Progress = None,
    **options: Any,
) -> Seams | NonlinearSeams:
    """Cut a solid into parts and couple them by the coordinates of their interfaces.

    Any decomposition into face-connected parts is welcome: loops, vertices shared by three or more, several interfaces
    between two parts.

    Args:
        labels: (m,) a part number 0 to d - 1 for every cell, as `pl.split` gives; None: the cell groups of the mesh.
        soft: soft columns of every interface, besides its affine or rigid ones.
        inside: columns inside every part: `derivatives` of nonlinear parts, `order` of linear ones.
        dt: time step [s].
        damping: Rayleigh (alpha [1/s], beta [s]); None: none of nonlinear parts, (0, dt / 2) of linear ones.
        gravity: acceleration (3,) [m/s^2].
        nonlinear: True: the parts bend as StVK and FirmStVK do, `pl.couple_nonlinear`. False: linear parts of any
            material that are warped, after [BA13]: several times quicker, right in small bends, and wild in large ones.
        tolerance: relative displacement error of a motion that the columns are chosen for, instead of counted.
        loads: for a tolerance: those that will act, (3n, s), (s, 3n) or (s, n, 3) [N]; None: weight, and pulls at the
            extremities.
        most: for a tolerance: coordinates of all parts that are allowed; a warning says where they do not suffice.
        progress: called with a stage and the fraction of it that is done.
        options: of nonlinear parts `derivatives`, `modes`, `newton`, `force` and `damping_law`; of linear ones `order`,
            `internal`, `columns`, `trace`, `shapes`, `projection` and `names`.

    Raises:
        MeshError: a part is not in one piece.
        SingularMatrix: a part can move rigidly though its interfaces stand still.
    """
    way = bool(nonlinear)
    for name in options:
        if name not in inspect.signature(BUILDERS[way]).parameters:
            others = name in inspect.signature(BUILDERS[not way]).parameters
            raise ArgumentError(f"{name} is an option of {OWN[not way]}" if others else f"couple has no option {name}")
    chosen = {"tolerance": tolerance, "loads": loads, "most": most, "progress": progress}
    acting = {"dt": dt, "gravity": gravity} | ({} if damping is None else {"damping": damping})
    if inside is not None:
        options["derivatives" if way else "order"] = inside
    return BUILDERS[way](solid, labels, soft, **acting, **chosen, **options)
