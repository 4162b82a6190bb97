"""A solid as one part, or parts of any graph joined in the way that fits them: a tree, or seams."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pliant.basis.basis import check_solid
from pliant.basis.size_report import SizeReport
from pliant.errors import ArgumentError, BasisError, MeshError, PliantWarning, check_choice
from pliant.fem import FirmStVK, Linear, Solid, StVK
from pliant.mesh import Domains, domains_of, split
from pliant.numerics.progress import Progress
from pliant.reduced import reduce
from pliant.reduced.choosing import TOLERANCE
from pliant.systems.clamped import Clamped
from pliant.systems.seams import couple_linear, couple_nonlinear
from pliant.systems.system import System, check_step
from pliant.systems.tree import substructure

MANY = 128  # parts: nonlinear seams of more take above 10 ms a step, trees a hundredth of that
WAYS = ("clamped", "tree", "seams", "nonlinear seams")


@dataclass(frozen=True)
class Choice:
    """How parts are joined, one of `WAYS`, and the reason in a sentence."""

    way: str
    reason: str


def assemble(
    solid: Solid,
    labels: ArrayLike | int | None = None,
    *,
    dt: float,
    damping: tuple[float, float] | None = None,
    gravity: ArrayLike | None = (0.0, -9.81, 0.0),
    by: str | None = None,
    tolerance: float | None = None,
    progress: Progress = None,
    **options: Any,
) -> System:
    """A solid in one part where that is accurate, else in parts, joined as fits their graph and what holds them.

    `system.assembled_by` says in a sentence what was chosen, and why.

    Args:
        labels: (m,) a part number 0 to d - 1 for every cell, any face-connected parts; a number: so many parts of
            `pl.split`; None: one, if the solid is held and its basis meets the tolerance, else as many as it proposes,
            unless these err by more than one.
        dt: time step [s].
        damping: Rayleigh (alpha [1/s], beta [s]); None: what is usual for the way that is chosen.
        gravity: acceleration (3,) [m/s^2].
        by: "clamped", "tree", "seams" or "nonlinear seams": join in this way, whatever would be chosen.
        tolerance: of one part, as in `pl.reduce`; None: 0.02. Seams of several parts choose their columns for it, as in
            `pl.couple_nonlinear` and `pl.couple`; None: for 0.02, but linear seams for which one part was not tried
            first have the usual ones, and so have trees where none is given.
        progress: called with a stage and the fraction of it that is done.
        options: go to what builds the system: `pl.Clamped`, `pl.substructure`, `pl.couple` or `pl.couple_nonlinear`.

    Raises:
        MeshError: a part is not in one piece.
    """
    mesh, asked = check_solid(solid).mesh, tolerance is not None
    given: dict[str, Any] = {"dt": check_step(dt), "gravity": gravity}
    given |= {} if damping is None else {"damping": damping}
    choice = None if by is None else Choice(check_choice("by", by, WAYS), f"{by}, as asked for")
    whole = None
    if choice is None and labels is None and len(solid.fixed) and not isinstance(solid.material, Linear):
        whole = _measured_whole(solid, tolerance, progress)
        choice = _one_suffices(whole)
        tolerance = TOLERANCE if choice is None and tolerance is None else tolerance
    if choice is None or choice.way != "clamped":
        labels = split(mesh, labels) if labels is None or np.ndim(labels) == 0 else labels  # type: ignore[arg-type]
        domains = domains_of(mesh, labels)
        choice = choice or chosen_way(solid, domains)
    if choice.way != "clamped":
        _check_known(BUILDERS[choice.way], choice.way, options)
        measured = tolerance is not None and (choice.way != "tree" or asked)
        given_parts = given | ({"tolerance": tolerance} if measured else {})
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", PliantWarning)
            system = BUILDERS[choice.way](solid, domains.labels, **given_parts, **options, progress=progress)
        better = None if _strange(Clamped, options) else _one_is_better(whole, system, domains.count)
        if better is None:
            for warning in told:
                warnings.warn(warning.message, warning.category, stacklevel=2)
        choice = better or choice
    if choice.way == "clamped":
        _check_known(Clamped, choice.way, options)
        model = reduce(solid, tolerance=tolerance if asked else None, progress=progress)
        system = Clamped(model, **given, **options)
    system.assembled_by = choice.reason
    return system


def _measured_whole(solid: Solid, tolerance: float | None, progress: Progress) -> SizeReport | None:
    """What the basis that is chosen for the whole solid errs by; None: by far too much."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)
        try:
            return reduce(solid, tolerance=tolerance, progress=progress).report
        except BasisError:
            return None


def _one_suffices(whole: SizeReport | None) -> Choice | None:
    """One part, where it meets the tolerance."""
    if whole is None or not whole.meets:
        return None
    return Choice("clamped", f"clamped, one part, since {whole.size} vectors are within {100 * whole.error:.2g} %")


def _one_is_better(whole: SizeReport | None, parts: System, count: int) -> Choice | None:
    """One part, where it errs by less than parts do that do not meet the tolerance either."""
    measured = getattr(parts, "report", None)
    if whole is None or measured is None or measured.meets or measured.reached <= whole.reached:
        return None
    reached = f"{whole.size} vectors are within {100 * whole.reached:.2g} %"
    parted = f"{count} parts within {100 * measured.reached:.2g}"
    return Choice("clamped", f"clamped, one part, since {reached}, and {parted}")


def chosen_way(solid: Solid, domains: Domains) -> Choice:
    """Nonlinear seams wherever they can be had: they bend far without warping, with any graph and supports."""
    material, held = type(solid.material).__name__, len(solid.fixed) > 0
    if isinstance(solid.material, Linear):
        return Choice("seams", "seams, since Linear parts need no nonlinear forces")
    if not isinstance(solid.material, (StVK, FirmStVK)):
        if held:
            return Choice("clamped", f"clamped, one part, since {material} needs cubature, which seams do not have")
        return Choice("seams", f"seams, warped, since nothing holds the solid and {material} has no cubic forces")
    if domains.count == 1 and held:
        return Choice("clamped", "clamped, since there is one part and it is held")
    seams = f"nonlinear seams, exact at any turn, of {_graph(domains, solid)}"
    if domains.count <= MANY:
        return Choice("nonlinear seams", seams)
    reason = _no_tree(domains, solid)
    if reason is None:
        return Choice(
            "tree", f"a tree, which {domains.count} parts are stepped by in far less time than nonlinear seams"
        )
    return Choice("nonlinear seams", f"{seams}; no tree, since {reason}")


def _graph(domains: Domains, solid: Solid) -> str:
    loops, held = domains.loops, len(domains.holders(solid.fixed))
    shape = f"{domains.count} parts that close {loops} loop{'s' * (loops > 1)}" if loops else f"{domains.count} parts"
    return f"{shape}, {'none' if not held else 'one' if held == 1 else held} of them held"


def _no_tree(domains: Domains, solid: Solid) -> str | None:
    """Why the parts make no tree; None: they do."""
    if domains.loops:
        return "they close loops"
    if len(domains.holders(solid.fixed)) > 1:
        return "several of them are held"
    try:
        domains.rooted(domains.root_of(solid.fixed))
    except (MeshError, ArgumentError):
        return "they touch outside their interfaces"
    return None


def _check_known(builder: Callable[..., Any], way: str, options: dict[str, Any]) -> None:
    if strange := _strange(builder, options):
        known = ", ".join(_known(builder))
        raise ArgumentError(f"{strange[0]} is no option of {way}, which was chosen; it has {known}")


def _known(builder: Callable[..., Any]) -> list[str]:
    return [name for name in inspect.signature(builder).parameters if name not in ("solid", "labels", "model")]


def _strange(builder: Callable[..., Any], options: dict[str, Any]) -> list[str]:
    known = _known(builder)
    return [name for name in options if name not in known]


BUILDERS: dict[str, Callable[..., System]] = {
    "tree": substructure,
    "seams": couple_linear,
    "nonlinear seams": couple_nonlinear,
}
